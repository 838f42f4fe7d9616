/**
 * The field sets that were made before, as a tree that is walked entry by entry: objects that look alike, such as the
 * pods of one template, have one set, and what was made of it (its `fieldsV1`, its union with another) is made once.
 *
 * That equal sets are one object is a chance and never a promise: the tree is forgotten as a whole when it is full.
 */
import type { FieldSet, FieldSetEntry } from './field-set.ts'

/** Sets with more entries are not looked for. */
const maxEntries = 64
const maxShapes = 4_096

/** One entry after those of the shapes above it. */
export class SetShape {
  readonly #entry: FieldSetEntry | undefined
  /** The set of the entries up to here, if anybody made it. */
  set: FieldSet | undefined
  /** The shape that was gone to last: mostly the only one. */
  #last: SetShape | undefined
  /** By what tells entries apart best. Those that share it with this one follow in `#alike`. */
  #next: Map<object, SetShape> | undefined
  #alike: SetShape | undefined

  private constructor(entry: FieldSetEntry | undefined) {
    this.#entry = entry
  }

  static #root = new SetShape(undefined)
  static #count = 0

  /** The shape of the entries in the order in which they come; undefined for one that is too large to be looked for. */
  static of(entries: readonly FieldSetEntry[]): SetShape | undefined {
    if (entries.length > maxEntries) return undefined
    let shape = SetShape.#root
    for (const entry of entries) shape = shape.#follow(entry)
    return shape
  }

  #follow(entry: FieldSetEntry): SetShape {
    const last = this.#last
    if (last !== undefined && SetShape.#isFor(last, entry)) return last
    const key = entry.child ?? entry.element
    const first = this.#next?.get(key)
    let found = first
    while (found !== undefined && !SetShape.#isFor(found, entry)) found = found.#alike
    if (found === undefined) {
      found = SetShape.#make(entry)
      found.#alike = first
      this.#next ??= new Map()
      this.#next.set(key, found)
    }
    this.#last = found
    return found
  }

  static #isFor(shape: SetShape, { element, member, child }: FieldSetEntry): boolean {
    const own = shape.#entry
    return own !== undefined && own.element === element && own.child === child && own.member === member
  }

  static #make(entry: FieldSetEntry): SetShape {
    if (++SetShape.#count > maxShapes) {
      SetShape.#root = new SetShape(undefined)
      SetShape.#count = 0
    }
    return new SetShape(entry)
  }
}

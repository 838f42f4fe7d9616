/**
 * The field sets that were made before, as a tree that is walked entry by entry: objects that look alike, such as the
 * pods of one template, have one set, and what was made of it (its `fieldsV1`, its union with another) is made once.
 *
 * That equal sets are one object is a chance and never a promise: the tree is forgotten as a whole when it is full.
 */
import type { FieldSet, FieldSetEntry } from './field-set.ts'
import type { PathElement } from './path-element.ts'

/** Sets with more entries are not looked for. */
const maxEntries = 64
const maxShapes = 4_096

/** One entry after those of the shapes above it. */
export class SetShape {
  readonly #entry: FieldSetEntry | undefined
  readonly #before: SetShape | undefined
  /** The set of the entries up to here, if anybody made it. */
  set: FieldSet | undefined
  /** The shape that was gone to last: mostly the only one. */
  #last: SetShape | undefined
  /** By the most selective part of their keys. Those that share it with this one follow in `#alike`. */
  #next: Map<object, SetShape> | undefined
  #alike: SetShape | undefined

  private constructor(entry: FieldSetEntry | undefined, before: SetShape | undefined) {
    this.#entry = entry
    this.#before = before
  }

  static #root = new SetShape(undefined, undefined)
  static #count = 0

  /** The shape of the entries in the order in which they come; undefined for one that is too large to be looked for. */
  static of(entries: readonly FieldSetEntry[]): SetShape | undefined {
    if (entries.length > maxEntries) return undefined
    let shape = SetShape.#root
    for (const { element, member, child } of entries) shape = shape.follow(element, member, child)
    return shape
  }

  /** The shape of no entries. */
  static get root(): SetShape {
    return SetShape.#root
  }

  follow(element: PathElement, member: boolean, child: FieldSet | undefined): SetShape {
    const last = this.#last
    if (last !== undefined && SetShape.#isFor(last, element, member, child)) return last
    const key = child ?? element
    const first = this.#next?.get(key)
    let found = first
    while (found !== undefined && !SetShape.#isFor(found, element, member, child)) found = found.#alike
    if (found === undefined) {
      found = this.#make({ element, member, child })
      found.#alike = first
      this.#next ??= new Map()
      this.#next.set(key, found)
    }
    this.#last = found
    return found
  }

  static #isFor(shape: SetShape, element: PathElement, member: boolean, child: FieldSet | undefined): boolean {
    const own = shape.#entry
    return own !== undefined && own.element === element && own.child === child && own.member === member
  }

  #make(entry: FieldSetEntry): SetShape {
    if (++SetShape.#count > maxShapes) {
      SetShape.#root = new SetShape(undefined, undefined)
      SetShape.#count = 0
    }
    return new SetShape(entry, this)
  }

  /** In the order in which they came. */
  entries(): FieldSetEntry[] {
    const entries: FieldSetEntry[] = []
    for (let shape: SetShape = this; shape.#entry !== undefined && shape.#before !== undefined; shape = shape.#before) {
      entries.push(shape.#entry)
    }
    return entries.reverse()
  }
}

/** Entries of a set on their way: a shape for as long as there are few enough, then a list. */
export class SetPath {
  #shape = SetShape.root
  #count = 0
  #entries: FieldSetEntry[] | undefined

  add(element: PathElement, member: boolean, child: FieldSet | undefined): void {
    this.#count++
    if (this.#count <= maxEntries) this.#shape = this.#shape.follow(element, member, child)
    else {
      this.#entries ??= this.#shape.entries()
      this.#entries.push({ element, member, child })
    }
  }

  /** Undefined when the entries are too many to be looked for. */
  get shape(): SetShape | undefined {
    return this.#entries === undefined ? this.#shape : undefined
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  entries(): FieldSetEntry[] {
    return this.#entries ?? this.#shape.entries()
  }
}

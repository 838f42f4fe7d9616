/**
 * A set of field paths, as a trie. A node's entries are sorted; an entry says whether its path is a member and holds
 * the set of the paths below it. Membership of a path says nothing about its parents or children.
 *
 * Sets are immutable, so that operations share what they do not change: an operation whose result equals its left
 * side returns that very object, and callers may compare by identity to see that nothing happened. Every entry is a
 * member or has children, and no child set is empty.
 */
import type { JsonObject } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareElements, type FieldPathElements, fieldElement, formatPath, type PathElement } from './path-element.ts'
import { type SetPath, SetShape } from './set-shape.ts'

export interface FieldSetEntry {
  readonly element: PathElement
  readonly member: boolean
  readonly child: FieldSet | undefined
}

/** What was made of a set before. It lives as long as the set does. */
export interface FieldSetMemo {
  fieldsV1?: JsonObject
  /** The same with a `.`, where the parent is a member. */
  fieldsV1WithSelf?: JsonObject
  /** The text of `fieldsV1`. */
  text?: string
  /** The same with all keys sorted, of many fields. */
  sortedText?: string
  reconciled?: { readonly schema: Schema; readonly result: FieldSet }
}

export class FieldSet {
  readonly entries: readonly FieldSetEntry[]
  readonly memo: FieldSetMemo = {}
  /** The operation that was done last, which is mostly the next one, too. */
  #done: { readonly other: FieldSet; readonly join: JoinEntries; readonly result: FieldSet } | undefined

  private constructor(entries: readonly FieldSetEntry[]) {
    this.entries = entries
  }

  static readonly empty: FieldSet = new FieldSet([])

  /** Takes the entries over; they may come in any order but name each element once. */
  static from(entries: FieldSetEntry[]): FieldSet {
    if (entries.length === 0) return FieldSet.empty
    const shape = SetShape.of(entries)
    if (shape === undefined) return new FieldSet(sortEntries(entries))
    shape.set ??= FieldSet.#ofSorted(shape, sortEntries(entries))
    return shape.set
  }

  /** As `from`; undefined without entries. */
  static at(path: SetPath): FieldSet | undefined {
    if (path.isEmpty) return undefined
    const { shape } = path
    if (shape === undefined) return new FieldSet(sortEntries(path.entries()))
    shape.set ??= FieldSet.#ofSorted(shape, sortEntries(path.entries()))
    return shape.set
  }

  /** The entries may have come to their shape in another order. */
  static #ofSorted(shape: SetShape, entries: FieldSetEntry[]): FieldSet {
    const sorted = SetShape.of(entries) ?? shape
    sorted.set ??= new FieldSet(entries)
    return sorted.set
  }

  static of(...paths: FieldPathElements[]): FieldSet {
    let set = FieldSet.empty
    for (const path of paths) set = set.union(singlePath(path))
    return set
  }

  /** `FieldSet.ofFields('status', 'metadata.labels')`: paths of named fields. */
  static ofFields(...paths: string[]): FieldSet {
    return FieldSet.of(...paths.map((path) => path.split('.').map(fieldElement)))
  }

  get isEmpty(): boolean {
    return this.entries.length === 0
  }

  find(element: PathElement): FieldSetEntry | undefined {
    const { entries } = this
    let low = 0
    let high = entries.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const entry = entries[middle]!
      const order = compareElements(entry.element, element)
      if (order === 0) return entry
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }

  has(path: FieldPathElements): boolean {
    let set: FieldSet | undefined = this
    for (let i = 0; i < path.length; i++) {
      const entry: FieldSetEntry | undefined = set.find(path[i]!)
      if (entry === undefined) return false
      if (i === path.length - 1) return entry.member
      if (entry.child === undefined) return false
      set = entry.child
    }
    return false
  }

  union(other: FieldSet): FieldSet {
    if (other === this || other.isEmpty) return this
    if (this.isEmpty) return other
    return this.#combine(other, uniteEntries, true)
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this || this.isEmpty) return this
    if (other.isEmpty) return FieldSet.empty
    return this.#intersect(other)
  }

  /** Without the members of `other`. A path whose parent is a member of `other` stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this
    return this.#combine(other, subtractEntries, false)
  }

  /** Without the members of `other` and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this
    return this.#combine(other, cutEntries, false)
  }

  /** Whether the two have a member in common; cheaper than their intersection. */
  intersects(other: FieldSet): boolean {
    const { entries } = this
    const others = other.entries
    for (let i = 0, j = 0; i < entries.length && j < others.length; ) {
      const a = entries[i]!
      const b = others[j]!
      const order = compareElements(a.element, b.element)
      if (order === 0) {
        if ((a.member && b.member) || (a.child && b.child && a.child.intersects(b.child))) return true
        i++
        j++
      } else if (order < 0) i++
      else j++
    }
    return false
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true
    const { entries } = this
    if (entries.length !== other.entries.length) return false
    for (let i = 0; i < entries.length; i++) if (!equalEntries(entries[i]!, other.entries[i]!)) return false
    return true
  }

  /** Every member, the shallow ones of a node before those below it. */
  *paths(prefix: FieldPathElements = []): Generator<FieldPathElements> {
    for (const { element, member } of this.entries) if (member) yield [...prefix, element]
    for (const { element, child } of this.entries) if (child) yield* child.paths([...prefix, element])
  }

  /** One path a line, as messages write them. */
  toString(): string {
    return [...this.paths()].map(formatPath).join('\n')
  }

  /** Walks both sorted lists; `join` makes one entry of two equal ones. With `both`, entries of `other` alone are taken. */
  #combine(other: FieldSet, join: JoinEntries, both: boolean): FieldSet {
    if (this.#done?.other === other && this.#done.join === join) return this.#done.result
    const result = this.#walkBoth(other, join, both)
    this.#done = { other, join, result }
    return result
  }

  #walkBoth(other: FieldSet, join: JoinEntries, both: boolean): FieldSet {
    const { entries } = this
    const others = other.entries
    const out: FieldSetEntry[] = []
    let changed = false
    let i = 0
    let j = 0
    while (i < entries.length) {
      const a = entries[i]!
      const b = j < others.length ? others[j]! : undefined
      const order = b === undefined ? -1 : compareElements(a.element, b.element)
      if (order < 0 || b === undefined) {
        out.push(a)
        i++
      } else if (order > 0) {
        if (both) out.push(b)
        changed ||= both
        j++
      } else {
        const joined = join(a, b)
        if (joined !== undefined) out.push(joined)
        changed ||= joined !== a
        i++
        j++
      }
    }
    if (both && j < others.length) {
      changed = true
      while (j < others.length) out.push(others[j++]!)
    }
    return changed ? FieldSet.from(out) : this
  }

  #intersect(other: FieldSet): FieldSet {
    const { entries } = this
    const others = other.entries
    const out: FieldSetEntry[] = []
    let changed = false
    let j = 0
    for (const a of entries) {
      while (j < others.length && compareElements(others[j]!.element, a.element) < 0) j++
      const b = others[j]
      const common = b && compareElements(a.element, b.element) === 0 ? intersectEntries(a, b) : undefined
      if (common !== undefined) out.push(common)
      changed ||= common !== a
    }
    return changed ? FieldSet.from(out) : this
  }
}

function sortEntries(entries: FieldSetEntry[]): FieldSetEntry[] {
  for (let i = 1; i < entries.length; i++) {
    if (compareElements(entries[i - 1]!.element, entries[i]!.element) > 0) {
      return entries.sort((a, b) => compareElements(a.element, b.element))
    }
  }
  return entries
}

type JoinEntries = (a: FieldSetEntry, b: FieldSetEntry) => FieldSetEntry | undefined

const uniteEntries: JoinEntries = (a, b) => {
  const child = a.child ? (b.child ? a.child.union(b.child) : a.child) : b.child
  return entryWith(a, a.member || b.member, child)
}

const subtractEntries: JoinEntries = (a, b) =>
  entryWith(a, a.member && !b.member, a.child && b.child ? nonEmpty(a.child.difference(b.child)) : a.child)

const cutEntries: JoinEntries = (a, b) =>
  b.member
    ? undefined
    : entryWith(a, a.member, a.child && b.child ? nonEmpty(a.child.recursiveDifference(b.child)) : a.child)

const intersectEntries: JoinEntries = (a, b) =>
  entryWith(a, a.member && b.member, a.child && b.child ? nonEmpty(a.child.intersection(b.child)) : undefined)

/** The entry itself when nothing changes, nothing when nothing is left. */
function entryWith(entry: FieldSetEntry, member: boolean, child: FieldSet | undefined): FieldSetEntry | undefined {
  if (member === entry.member && child === entry.child) return entry
  return member || child ? { element: entry.element, member, child } : undefined
}

const nonEmpty = (set: FieldSet): FieldSet | undefined => (set.isEmpty ? undefined : set)

function equalEntries(a: FieldSetEntry, b: FieldSetEntry): boolean {
  if (a === b) return true
  if (a.member !== b.member || compareElements(a.element, b.element) !== 0) return false
  return a.child === b.child || (a.child !== undefined && b.child !== undefined && a.child.equals(b.child))
}

function singlePath(path: FieldPathElements): FieldSet {
  let set: FieldSet | undefined
  for (let i = path.length - 1; i >= 0; i--) {
    set = FieldSet.from([{ element: path[i]!, member: set === undefined, child: set }])
  }
  return set ?? FieldSet.empty
}

/**
 * What is different between two values of one type, as three field sets. A path is in at most one of them, except
 * where a value changes its shape. Subtrees that are the same object are never entered: when the two values share
 * structure, the cost is that of the change.
 */
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import type { FieldFilter } from './field-filter.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { toFullSet } from './full-set.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import {
  anySchema,
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
  isList,
  isMap,
  itemElement,
  memberOf,
  memberSchema,
  shapeOf,
} from './topology.ts'

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

export const noDifference: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty }

export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  added.isEmpty && modified.isEmpty && removed.isEmpty

export function filterComparison(comparison: Comparison, filter: FieldFilter | undefined): Comparison {
  if (filter === undefined || isSame(comparison)) return comparison
  return {
    added: filter(comparison.added),
    modified: filter(comparison.modified),
    removed: filter(comparison.removed),
  }
}

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function compareValues(schema: Schema, before: JsonValue, after: JsonValue): Comparison {
  return comparisonOf(compareMembers(schema, before, after))
}

export function comparisonOf(change: ValueChange | undefined): Comparison {
  if (change === undefined) return noDifference
  return {
    added: change.added ?? FieldSet.empty,
    modified: change.modified ?? FieldSet.empty,
    removed: change.removed ?? FieldSet.empty,
  }
}

/** What takes the place of `before` and is different: whether itself, and which of the paths that it has below. */
export function changeTo(
  schema: Schema,
  before: JsonValue,
  after: JsonValue,
): { readonly itself: boolean; readonly below: FieldSet | undefined } | undefined {
  const change = compareMembers(schema, before, after)
  if (change === undefined) return undefined
  const itself = (change.self & (selfAdded | selfModified)) !== 0
  const below = uniteSets(change.modified, change.added)
  return itself || below !== undefined ? { itself, below } : undefined
}

/** Bits: what happened to the value itself. Several, where duplicates of one name come or go. */
export const selfAdded = 1
const selfModified = 2
export const selfRemoved = 4

/** The change of one value: of itself, and of the paths below it. */
export interface ValueChange {
  readonly self: number
  readonly added: FieldSet | undefined
  readonly modified: FieldSet | undefined
  readonly removed: FieldSet | undefined
}

const unchanged: ValueChange = { self: 0, added: undefined, modified: undefined, removed: undefined }
export const modifiedLeaf: ValueChange = {
  self: selfModified,
  added: undefined,
  modified: undefined,
  removed: undefined,
}

export function compareMembers(
  schema: Schema,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): ValueChange | undefined {
  if (before === after) return undefined
  if (before === undefined) return added(schema, after!)
  if (after === undefined) return removed(schema, before)
  const shape = shapeOf(schema, after)
  const shapeBefore = schema.kind === 'any' ? shapeOf(schema, before) : shape
  const change = compareAs(shape, schema, before, after)
  // A value that changes its shape loses what was below it and gains what is below it now.
  return shapeBefore === shape ? change : uniteChanges(compareAs(shapeBefore, schema, before, after), change)
}

const added = (schema: Schema, value: JsonValue): ValueChange => ({
  self: selfAdded,
  added: toFullSet(schema, value),
  modified: undefined,
  removed: undefined,
})

const removed = (schema: Schema, value: JsonValue): ValueChange => ({
  self: selfRemoved,
  added: undefined,
  modified: undefined,
  removed: toFullSet(schema, value),
})

function compareAs(
  shape: 'map' | 'list' | 'scalar',
  schema: Schema,
  before: JsonValue,
  after: JsonValue,
): ValueChange | undefined {
  switch (shape) {
    case 'map': {
      const left = isMap(before) ? before : undefined
      const right = isMap(after) ? after : undefined
      const bothEmpty = (left === undefined || isEmptyMap(left)) && (right === undefined || isEmptyMap(right))
      if (isAtomicMap(schema) || bothEmpty) return compareLeaf(before, after)
      return compareMaps(schema, left ?? {}, right ?? {})
    }
    case 'list': {
      const left = isList(before) ? before : []
      const right = isList(after) ? after : []
      if (isAtomicList(schema) || (left.length === 0 && right.length === 0)) return compareLeaf(before, after)
      return compareLists(schema as ListSchema, left, right)
    }
    default:
      return compareLeaf(before, after)
  }
}

const compareLeaf = (before: JsonValue, after: JsonValue): ValueChange | undefined =>
  sameLeaf(before, after) ? undefined : modifiedLeaf

/** An explicit empty is an absent one, but not inside of lists. Mirrors structured-merge-diff/value: listReflect.EqualsUsing. */
function sameLeaf(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === after || equalJson(before, after)) return true
  if (!isMap(before) || !isMap(after)) return false
  return [...keysOf(before), ...keysOf(after)].every((name) => sameLeaf(memberOf(before, name), memberOf(after, name)))
}

/** Collects the changes of members into the change of their parent. */
export class Changes {
  #added: FieldSetEntry[] | undefined
  #modified: FieldSetEntry[] | undefined
  #removed: FieldSetEntry[] | undefined;

  /** The entries sorted by `sort`, which `get` then finds in order. */
  *sorted(sort: (entries: FieldSetEntry[]) => Steps<FieldSetEntry[]>): Steps<void> {
    if (this.#added) this.#added = yield* sort(this.#added)
    if (this.#modified) this.#modified = yield* sort(this.#modified)
    if (this.#removed) this.#removed = yield* sort(this.#removed)
  }

  add(element: PathElement, { self, added, modified, removed }: ValueChange): void {
    if (added || self & selfAdded) {
      this.#added ??= []
      this.#added.push({ element, member: (self & selfAdded) !== 0, child: added })
    }
    if (modified || self & selfModified) {
      this.#modified ??= []
      this.#modified.push({ element, member: (self & selfModified) !== 0, child: modified })
    }
    if (removed || self & selfRemoved) {
      this.#removed ??= []
      this.#removed.push({ element, member: (self & selfRemoved) !== 0, child: removed })
    }
  }

  get(): ValueChange | undefined {
    if (!this.#added && !this.#modified && !this.#removed) return undefined
    return {
      self: 0,
      added: this.#added && FieldSet.from(this.#added),
      modified: this.#modified && FieldSet.from(this.#modified),
      removed: this.#removed && FieldSet.from(this.#removed),
    }
  }
}

function compareMaps(schema: Schema, before: JsonObject, after: JsonObject): ValueChange | undefined {
  let changes: Changes | undefined
  for (const name of keysOf(before)) {
    const left = memberOf(before, name)
    if (left === undefined) continue
    const right = memberOf(after, name)
    if (left === right) continue
    const change = compareMembers(memberSchema(schema, name) ?? anySchema, left, right)
    if (change === undefined) continue
    changes ??= new Changes()
    changes.add(fieldElement(name), change)
  }
  for (const name of keysOf(after)) {
    const right = memberOf(after, name)
    if (right === undefined || memberOf(before, name) !== undefined) continue
    changes ??= new Changes()
    changes.add(fieldElement(name), added(memberSchema(schema, name) ?? anySchema, right))
  }
  return changes?.get()
}

export interface Occurrences {
  readonly element: PathElement
  readonly before: JsonValue[]
  readonly after: JsonValue[]
}

function compareLists(schema: ListSchema, before: JsonValue[], after: JsonValue[]): ValueChange | undefined {
  const byName = new ElementsByName(schema)
  for (const item of before) byName.of(item).before.push(item)
  for (const item of after) byName.of(item).after.push(item)
  let changes: Changes | undefined
  for (const found of byName.all()) {
    const change = compareOccurrences(schema.items, found)
    if (change === undefined) continue
    changes ??= new Changes()
    changes.add(found.element, change)
  }
  return changes?.get()
}

/** The elements of two lists by their names. */
export class ElementsByName {
  readonly #schema: ListSchema
  readonly #byName = new Map<string, Occurrences>()

  constructor(schema: ListSchema) {
    this.#schema = schema
  }

  of(item: JsonValue): Occurrences {
    const element = itemElement(this.#schema, item)
    const known = this.#byName.get(element.text)
    if (known !== undefined) return known
    const first: Occurrences = { element, before: [], after: [] }
    this.#byName.set(element.text, first)
    return first
  }

  all(): Iterable<Occurrences> {
    return this.#byName.values()
  }
}

/** Elements that share a name are compared as one value. */
export function compareOccurrences(items: Schema, { before, after }: Occurrences): ValueChange | undefined {
  if (before.length <= 1 && after.length <= 1) return compareMembers(items, before[0], after[0])
  if (before.length > 1 && after.length > 1) return compareLeaf(before, after)
  const single = before.length > 1 ? addedOnce(items, after) : removedOnce(items, before)
  const duplicates = before.length > 1 ? selfRemoved : selfAdded
  return { ...single, self: single.self | duplicates }
}

const addedOnce = (items: Schema, [item]: JsonValue[]): ValueChange =>
  item === undefined ? unchanged : added(items, item)
const removedOnce = (items: Schema, [item]: JsonValue[]): ValueChange =>
  item === undefined ? unchanged : removed(items, item)

export function uniteChanges(a: ValueChange | undefined, b: ValueChange | undefined): ValueChange | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return {
    self: a.self | b.self,
    added: uniteSets(a.added, b.added),
    modified: uniteSets(a.modified, b.modified),
    removed: uniteSets(a.removed, b.removed),
  }
}

const uniteSets = (a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined =>
  a && b ? a.union(b) : (a ?? b)

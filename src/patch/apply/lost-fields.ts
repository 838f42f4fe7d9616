/**
 * Which fields go when a manager applies less than last time, found by one walk over what it gave up. It needs all
 * owners to be of one version; `prune` has the general way, which compares whole objects, and both agree.
 *
 * A field that was given up is removed once unowned. A list element or map key that is unowned is removed with all that the
 * manager had in it, even what others own there: they own nothing that could hold it.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { ObjectSchema, Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { fieldElement, isField, type PathElement } from './path-element.ts'
import { withNamedFields } from './reconcile.ts'
import {
  isAtomicList,
  isAtomicMap,
  isList,
  isMap,
  isNamedField,
  itemElement,
  memberOf,
  memberSchema,
  shapeOf,
} from './topology.ts'

export interface RelinquishedFields {
  /** All that the manager had, and what it claims now. */
  readonly last: FieldSet
  readonly current: FieldSet
  /** What the other managers own. */
  readonly others: readonly FieldSet[]
}

/** The paths of the merged object that are to be removed from it. */
export function lostFields(schema: Schema, merged: JsonValue, { last, current, others }: RelinquishedFields): FieldSet {
  // What is claimed again stays: a claim holds every list element and map key on the way to its leaves.
  const given = last.difference(current)
  if (given.isEmpty) return given
  return lossBelow(schema, merged, { given, last, owners: [current, ...others], held: false }).lost
}

interface Walk {
  /** What the manager had and does not claim now, and all that it had. */
  readonly given: FieldSet
  readonly last: FieldSet
  readonly owners: readonly FieldSet[]
  /** The manager had something that this lies in. */
  readonly held: boolean
}

interface Loss {
  /** What is no longer owned. */
  readonly cut: FieldSet
  /** Of that, what the manager had, and what is left without a field because of it. */
  readonly lost: FieldSet
}

const noLoss: Loss = { cut: FieldSet.empty, lost: FieldSet.empty }

function lossBelow(schema: Schema, value: JsonValue, walk: Walk): Loss {
  const find = childFinder(schema, value)
  const cut: FieldSetEntry[] = []
  const lost: FieldSetEntry[] = []
  for (const entry of walk.given.entries) {
    const child = find(entry.element)
    const loss = child && lossOf(schema, child, { walk, entry })
    if (loss === undefined) continue
    cut.push(loss.cut)
    lost.push(loss.lost)
  }
  return lost.length === 0 ? noLoss : { cut: FieldSet.from(cut), lost: FieldSet.from(lost) }
}

/** The loss at one element; undefined when there is none. */
function lossOf(
  schema: Schema,
  child: Child,
  { walk, entry }: { readonly walk: Walk; readonly entry: FieldSetEntry },
): { readonly cut: FieldSetEntry; readonly lost: FieldSetEntry } | undefined {
  const { element } = entry
  const before = walk.last.find(element)
  const named = isNamed(schema, element)
  const had = named || before?.member === true
  const whole: FieldSetEntry = { element, member: true, child: undefined }
  if ((had || walk.held) && !isOwned(named, element, walk.owners)) {
    if (named && !hasClaims(child.schema, child.value)) return undefined
    if (had) return { cut: whole, lost: whole }
    const inside = before?.child && withNamedFields(before.child, child.schema)
    return { cut: whole, lost: { element, member: false, child: inside } }
  }
  if (entry.child === undefined || before?.child === undefined) return undefined
  const below = lossBelow(child.schema, child.value, {
    given: entry.child,
    last: before.child,
    owners: ownersBelow(walk.owners, element),
    held: walk.held || had,
  })
  if (below.lost.isEmpty) return undefined
  const cut: FieldSetEntry = { element, member: false, child: below.cut }
  const fieldless = named && !hasClaims(child.schema, child.value, below.cut)
  return { cut, lost: fieldless ? whole : { element, member: false, child: below.lost } }
}

/** A declared field counts as owned when something in it is. */
function isOwned(named: boolean, element: PathElement, owners: readonly FieldSet[]): boolean {
  for (const owner of owners) {
    const entry = owner.find(element)
    if (entry !== undefined && (entry.member || named)) return true
  }
  return false
}

const isNamed = (schema: Schema, element: PathElement): boolean =>
  isField(element) && isNamedField(schema, element.text)

function ownersBelow(owners: readonly FieldSet[], element: PathElement): FieldSet[] {
  const below: FieldSet[] = []
  for (const owner of owners) {
    const child = owner.find(element)?.child
    if (child !== undefined) below.push(child)
  }
  return below
}

interface Child {
  readonly schema: Schema
  readonly value: JsonValue
}

/** Finds the members of a value by path element, where they are fields of their own. */
function childFinder(schema: Schema, value: JsonValue): (element: PathElement) => Child | undefined {
  const shape = shapeOf(schema, value)
  if (shape === 'map' && isMap(value) && !isAtomicMap(schema)) {
    return (element) => {
      const member = isField(element) ? memberOf(value, element.text) : undefined
      const type = member === undefined ? undefined : memberSchema(schema, element.text)
      return type === undefined ? undefined : { schema: type, value: member! }
    }
  }
  if (shape === 'list' && isList(value) && schema.kind === 'list' && !isAtomicList(schema)) {
    let items: Map<string, JsonValue> | undefined
    return (element) => {
      items ??= new Map(value.map((candidate) => [itemElement(schema, candidate).text, candidate]))
      const item = isField(element) ? undefined : items.get(element.text)
      return item === undefined ? undefined : { schema: schema.items, value: item }
    }
  }
  return () => undefined
}

/**
 * Whether there is a field that could be removed, besides those of the cut: an empty list of elements has none, nor
 * has a struct that only holds such. What is cut to nothing is null, which is a field.
 */
function hasClaims(schema: Schema, value: JsonValue, cut = FieldSet.empty): boolean {
  switch (shapeOf(schema, value)) {
    case 'map':
      if (isAtomicMap(schema) || !isMap(value) || schema.kind !== 'object') return true
      return structHasClaims(schema, value, cut)
    case 'list':
      return isAtomicList(schema) || !isList(value) || value.length > 0
    default:
      return true
  }
}

function structHasClaims(schema: ObjectSchema, value: JsonObject, cut: FieldSet): boolean {
  let kept = 0
  for (const name of Object.keys(value)) {
    const member = memberOf(value, name)
    const type = memberSchema(schema, name)
    if (member === undefined) continue
    const entry = cut.find(fieldElement(name))
    if (entry?.member) continue
    if (type !== undefined && (!isNamedField(schema, name) || hasClaims(type, member, entry?.child))) return true
    kept++
  }
  return kept === 0
}

/**
 * Which fields go when a manager applies less than last time, found by one walk over what it gave up. It needs all
 * owners to be of one version; `prune` has the general way, which compares whole objects, and both agree.
 *
 * A field that was given up goes if nobody owns it. A list element or map key that nobody owns goes with all that the
 * manager had in it, even what others own there: they own nothing that could hold it.
 */
import type { JsonValue } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { isField, type PathElement } from './path-element.ts'
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

export interface GivenUp {
  /** All that the manager had, and what it claims now. */
  readonly last: FieldSet
  readonly current: FieldSet
  /** What the other managers own. */
  readonly others: readonly FieldSet[]
}

/** The paths of the merged object that are to be removed from it. */
export function lostFields(schema: Schema, merged: JsonValue, { last, current, others }: GivenUp): FieldSet {
  return lostBelow(schema, merged, { last, current, owners: [current, ...others], held: false })
}

interface Walk {
  readonly last: FieldSet
  readonly current: FieldSet | undefined
  readonly owners: readonly FieldSet[]
  /** The manager had something that this lies in. */
  readonly held: boolean
}

function lostBelow(schema: Schema, value: JsonValue, { last, current, owners, held }: Walk): FieldSet {
  if (last === current) return FieldSet.empty
  const members = childFinder(schema, value)
  const lost: FieldSetEntry[] = []
  for (const entry of last.entries) {
    const child = members(entry.element)
    if (child === undefined) continue
    const had = entry.member || (entry.child !== undefined && isNamed(schema, entry.element))
    const owned = isOwned(schema, entry.element, owners)
    if (!owned && (had || held)) {
      // Gone, with everything that the manager had in it.
      const inside = had ? undefined : entry.child && withNamedFields(entry.child, child.schema)
      lost.push({ element: entry.element, member: had, child: inside })
      continue
    }
    if (entry.child === undefined) continue
    const below = lostBelow(child.schema, child.value, {
      last: entry.child,
      current: current?.find(entry.element)?.child,
      owners: ownersBelow(owners, entry.element),
      held: held || had,
    })
    if (!below.isEmpty) lost.push({ element: entry.element, member: false, child: below })
  }
  return FieldSet.from(lost)
}

/** A declared field counts as owned when something in it is. */
function isOwned(schema: Schema, element: PathElement, owners: readonly FieldSet[]): boolean {
  const named = isNamed(schema, element)
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
      return type === undefined || isAbsent(type, member!) ? undefined : { schema: type, value: member! }
    }
  }
  if (shape === 'list' && isList(value) && schema.kind === 'list' && !isAtomicList(schema)) {
    const items = new Map<string, JsonValue>()
    for (const item of value) items.set(itemElement(schema, item).text, item)
    return (element) => {
      const item = isField(element) ? undefined : items.get(element.text)
      return item === undefined ? undefined : { schema: schema.items, value: item }
    }
  }
  return () => undefined
}

/** An empty list of elements has no field that could be removed. */
const isAbsent = (schema: Schema, value: JsonValue): boolean =>
  schema.kind === 'list' && schema.topology !== 'atomic' && isList(value) && value.length === 0

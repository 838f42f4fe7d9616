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
import { removeItems } from './remove-items.ts'
import {
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
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
  return lossBelow(schema, merged, { last, current, owners: [current, ...others], held: false }).lost
}

interface Walk {
  readonly last: FieldSet
  readonly current: FieldSet | undefined
  readonly owners: readonly FieldSet[]
  /** The manager had something that this lies in. */
  readonly held: boolean
}

interface Loss {
  /** What nobody owns any more. */
  readonly cut: FieldSet
  /** Of that, what the manager had, and what is left without a field because of it. */
  readonly lost: FieldSet
}

const noLoss: Loss = { cut: FieldSet.empty, lost: FieldSet.empty }

function lossBelow(schema: Schema, value: JsonValue, walk: Walk): Loss {
  if (walk.last === walk.current) return noLoss
  const find = childFinder(schema, value)
  const cut: FieldSetEntry[] = []
  const lost: FieldSetEntry[] = []
  for (const entry of walk.last.entries) {
    const child = find(entry.element)
    const loss = child && lossOf(schema, child, { ...walk, entry })
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
  { entry, current, owners, held }: Walk & { readonly entry: FieldSetEntry },
): { readonly cut: FieldSetEntry; readonly lost: FieldSetEntry } | undefined {
  const { element } = entry
  const named = isNamed(schema, element)
  const had = entry.member || named
  const whole: FieldSetEntry = { element, member: true, child: undefined }
  if (!isOwned(schema, element, owners) && (had || held)) {
    if (named && !hasClaims(child.schema, child.value)) return undefined
    if (had) return { cut: whole, lost: whole }
    const inside = entry.child && withNamedFields(entry.child, child.schema)
    return { cut: whole, lost: { element, member: false, child: inside } }
  }
  if (entry.child === undefined) return undefined
  const below = lossBelow(child.schema, child.value, {
    last: entry.child,
    current: current?.find(element)?.child,
    owners: ownersBelow(owners, element),
    held: held || had,
  })
  if (below.lost.isEmpty) return undefined
  const cut: FieldSetEntry = { element, member: false, child: below.cut }
  const left = removeItems(child.schema, child.value, below.cut)
  const fieldless = named && left !== null && !hasClaims(child.schema, left)
  return { cut, lost: fieldless ? whole : { element, member: false, child: below.lost } }
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
      return type === undefined ? undefined : { schema: type, value: member! }
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

/** Whether there is a field that could be removed: an empty list of elements has none, nor has what only holds such. */
function hasClaims(schema: Schema, value: JsonValue): boolean {
  switch (shapeOf(schema, value)) {
    case 'map':
      if (isAtomicMap(schema) || !isMap(value) || isEmptyMap(value) || schema.kind !== 'object') return true
      return Object.keys(value).some((name) => {
        const member = memberOf(value, name)
        const type = memberSchema(schema, name)
        if (member === undefined || type === undefined) return false
        return !isNamedField(schema, name) || hasClaims(type, member)
      })
    case 'list':
      return isAtomicList(schema) || !isList(value) || value.length > 0
    default:
      return true
  }
}

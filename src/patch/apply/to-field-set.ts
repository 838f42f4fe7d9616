/**
 * The fields of a value that an applied configuration claims: leaves, elements of lists and keys of maps, but no struct
 * that has something in it.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { fieldElement } from './path-element.ts'
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

export function toFieldSet(schema: Schema, value: JsonValue): FieldSet {
  const claims = claimsOf(schema, value)
  return claims === undefined || claims === 'itself' ? FieldSet.empty : claims
}

/** What a value claims: itself, the paths below it, or nothing. */
type Claims = 'itself' | FieldSet | undefined

function claimsOf(schema: Schema, value: JsonValue): Claims {
  switch (shapeOf(schema, value)) {
    case 'map':
      if (isAtomicMap(schema)) return 'itself'
      return isMap(value) ? claimsOfMap(schema, value) : undefined
    case 'list':
      if (isAtomicList(schema)) return 'itself'
      return isList(value) ? claimsOfList(schema as ListSchema, value) : undefined
    default:
      return 'itself'
  }
}

function claimsOfMap(schema: Schema, value: JsonObject): FieldSet | undefined {
  const entries: FieldSetEntry[] = []
  for (const name of keysOf(value)) {
    const member = memberOf(value, name)
    const type = memberSchema(schema, name)
    if (member === undefined || type === undefined) continue
    const claims = claimsOf(type, member)
    const itself = claims === 'itself'
    const claimed = itself || isEmptyValue(member) || !isNamedField(schema, name)
    if (!claimed && claims === undefined) continue
    entries.push({ element: fieldElement(name), member: claimed, child: itself ? undefined : claims })
  }
  return entries.length === 0 ? undefined : FieldSet.from(entries)
}

const isEmptyValue = (value: JsonValue): boolean => value === null || (isMap(value) && isEmptyMap(value))

function claimsOfList(schema: ListSchema, items: readonly JsonValue[]): FieldSet | undefined {
  return itemEntries(schema, items, (item) => {
    const claims = claimsOf(schema.items, item)
    return claims === 'itself' ? undefined : claims
  })
}

/** Elements that share a name are one value: they are owned as a whole. */
function itemEntries(
  schema: ListSchema,
  items: readonly JsonValue[],
  below: (item: JsonValue) => FieldSet | undefined,
): FieldSet | undefined {
  if (items.length === 0) return undefined
  if (items.length === 1) {
    return FieldSet.from([{ element: itemElement(schema, items[0]!), member: true, child: below(items[0]!) }])
  }
  const entries = new Map<string, FieldSetEntry>()
  for (const item of items) {
    const element = itemElement(schema, item)
    const child = entries.has(element.text) ? undefined : below(item)
    entries.set(element.text, { element, member: true, child })
  }
  return FieldSet.from([...entries.values()])
}

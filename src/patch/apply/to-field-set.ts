/**
 * The fields of a value. `toFieldSet` gives what an applied configuration claims: leaves, elements of lists and keys
 * of maps, but no struct that has something in it. `toFullSet` gives every path that exists, structs too: what an
 * update that adds the value takes.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { fieldElement, type PathElement } from './path-element.ts'
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
  return claimsOf(schema, value).child ?? FieldSet.empty
}

/** Undefined when the value has no paths of its own: a leaf, or something owned whole. */
export function toFullSet(schema: Schema, value: JsonValue): FieldSet | undefined {
  switch (shapeOf(schema, value)) {
    case 'map':
      return isAtomicMap(schema) || !isMap(value) ? undefined : fullMap(schema, value)
    case 'list':
      return isAtomicList(schema) || !isList(value) ? undefined : fullList(schema as ListSchema, value)
    default:
      return undefined
  }
}

function fullMap(schema: Schema, value: JsonObject): FieldSet | undefined {
  const entries: FieldSetEntry[] = []
  for (const name of Object.keys(value)) {
    const member = memberOf(value, name)
    const type = memberSchema(schema, name)
    if (member === undefined) continue
    entries.push({ element: fieldElement(name), member: true, child: type && toFullSet(type, member) })
  }
  return entries.length === 0 ? undefined : FieldSet.from(entries)
}

function fullList(schema: ListSchema, items: readonly JsonValue[]): FieldSet | undefined {
  const entries = new Map<string, FieldSetEntry>()
  for (const item of items) {
    const element = itemElement(schema, item)
    const key = element.text
    // Elements that share a name are one value: nothing inside can be told apart.
    const child = entries.has(key) ? undefined : toFullSet(schema.items, item)
    entries.set(key, { element, member: true, child })
  }
  return entries.size === 0 ? undefined : FieldSet.from([...entries.values()])
}

interface Claims {
  /** The value itself is claimed. */
  readonly self: boolean
  readonly child: FieldSet | undefined
}

const leaf: Claims = { self: true, child: undefined }
const nothing: Claims = { self: false, child: undefined }

function claimsOf(schema: Schema, value: JsonValue): Claims {
  switch (shapeOf(schema, value)) {
    case 'map':
      if (isAtomicMap(schema)) return leaf
      return isMap(value) ? claimsOfMap(schema, value) : nothing
    case 'list':
      if (isAtomicList(schema)) return leaf
      return isList(value) ? claimsOfList(schema as ListSchema, value) : nothing
    default:
      return leaf
  }
}

function claimsOfMap(schema: Schema, value: JsonObject): Claims {
  const entries: FieldSetEntry[] = []
  for (const name of Object.keys(value)) {
    const member = memberOf(value, name)
    const type = memberSchema(schema, name)
    if (member === undefined || type === undefined) continue
    const { self, child } = claimsOf(type, member)
    const empty = member === null || (isMap(member) && isEmptyMap(member))
    const claimed = self || empty || !isNamedField(schema, name)
    if (claimed || child) entries.push({ element: fieldElement(name), member: claimed, child })
  }
  return entries.length === 0 ? nothing : { self: false, child: FieldSet.from(entries) }
}

function claimsOfList(schema: ListSchema, items: readonly JsonValue[]): Claims {
  const entries = new Map<string, FieldSetEntry>()
  for (const item of items) {
    const element: PathElement = itemElement(schema, item)
    const child = entries.has(element.text) ? undefined : claimsOf(schema.items, item).child
    entries.set(element.text, { element, member: true, child })
  }
  return entries.size === 0 ? nothing : { self: false, child: FieldSet.from([...entries.values()]) }
}

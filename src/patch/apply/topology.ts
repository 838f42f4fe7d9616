/**
 * How apply sees a schema: what is a map, a list or a single value; which parts are owned whole; how an element of a
 * list is named. Where the schema says nothing (`any`), every key is a field of its own and every list is one value.
 */
import { equalInSteps, equalShownInSteps } from '../../api/equal-in-steps.ts'
import { GoNative } from '../../api/golang/native.ts'
import { quote } from '../../api/golang/quote.ts'
import {
  equalJson,
  isOmitted,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  withoutOmitted,
} from '../../api/json.ts'
import { hasListedKeys } from '../../api/key-lists.ts'
import { hasChange } from '../../api/release-changes.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { AnySchema, ListSchema, ObjectSchema, ScalarSchema, Schema } from '../../schema/schema.ts'
import { type KeyPart, keyElement, type PathElement, singleKeyElement, valueElement } from './path-element.ts'

export const anySchema: AnySchema = { kind: 'any' }

export const isMap = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoNative)

export const isList = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value)

/** What a value under a schema is treated as; `any` follows the value, and null is a map there. */
export function shapeOf(schema: Schema, value: JsonValue | undefined): 'map' | 'list' | 'scalar' {
  switch (schema.kind) {
    case 'object':
    case 'map':
      return 'map'
    case 'list':
      return 'list'
    case 'any':
      return Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : 'scalar'
    default:
      return 'scalar'
  }
}

/** Raw extensions of built-in types are owned whole; what a custom type leaves open is not. */
export const rawSchema: AnySchema = { kind: 'any', name: 'machinery.runtime.RawExtension' }

const isRaw = ({ name }: AnySchema): boolean => name === rawSchema.name

export const isAtomicMap = (schema: Schema): boolean =>
  schema.kind === 'any' ? isRaw(schema) : (schema.kind === 'object' || schema.kind === 'map') && schema.atomic

export const isAtomicList = (schema: Schema): boolean => schema.kind !== 'list' || schema.topology === 'atomic'

/** An object of which the schema says no field is free-form, too. Mirrors kube-openapi/pkg/schemaconv: parseObject. */
export const isFreeForm = ({ preserveUnknown, fields }: ObjectSchema): boolean => preserveUnknown || fields.size === 0

/** The type of a member; undefined when the schema has no such field. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  switch (schema.kind) {
    case 'object':
      return schema.fields.get(name)?.schema ?? (isFreeForm(schema) ? anySchema : undefined)
    case 'map':
      return schema.values
    case 'any':
      return anySchema
    default:
      return undefined
  }
}

/** A field that the type declares, as opposed to a key of a map. */
export const isNamedField = (schema: Schema, name: string): boolean =>
  schema.kind === 'object' && schema.fields.has(name)

/** Own keys with a value; `undefined` counts as absent. */
export function isEmptyMap(value: JsonObject): boolean {
  if (hasListedKeys(value)) return false
  for (const key in value) if (value[key] !== undefined && Object.hasOwn(value, key)) return false
  return true
}

/** An own member that JSON shows. What a prototype has is never JSON: functions, and itself under one name. */
export function memberOf(value: JsonObject, name: string): JsonValue | undefined {
  const member: unknown = value[name]
  if (isOmitted(member)) return undefined
  return typeof member === 'function' || name === '__proto__'
    ? ownValue(value, name)
    : (member as JsonValue | undefined)
}

/** An element of a list that cannot be named: such an object has no owners. */
export class ListItemError extends Error {
  override readonly name = 'ListItemError'
}

/** The name of an element of an associative list. */
export function itemElement(schema: ListSchema, item: JsonValue): PathElement {
  return schema.topology === 'map' ? keyedItem(schema, item) : setItem(item)
}

function keyedItem(schema: ListSchema, item: JsonValue): PathElement {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element')
  if (!isMap(item)) throw new ListItemError('associative list with keys may not have non-map elements')
  const { keys, items } = schema
  if (keys.length === 1) {
    const name = keys[0]!
    const value = keyValue(items, item, name)
    return value === undefined ? omitted(schema, name) : singleKeyElement(name, value)
  }
  const parts: KeyPart[] = []
  for (const name of keys) {
    const value = keyValue(items, item, name)
    if (value !== undefined) parts.push({ name, value })
    else if (!takesPartialKeys(items)) omitted(schema, name)
  }
  return parts.length === 0 ? omitted(schema, keys[0] ?? '') : keyElement(parts)
}

function keyValue(items: Schema, item: JsonObject, name: string): JsonValue | undefined {
  const written = memberOf(item, name)
  return written === undefined ? keyDefault(items, name) : written
}

/** Later releases name an element by those of its keys that it has. Mirrors structured-merge-diff/typed: keyedAssociativeListItemToPathElement. */
const takesPartialKeys = (items: Schema): boolean =>
  items.kind === 'object' && items.release !== undefined && hasChange(items.release, 'partialKeys')

function omitted({ keys, items }: ListSchema, name: string): never {
  const what = takesPartialKeys(items)
    ? `all key fields [${keys.map(quote).join(' ')}] (and doesn't have default values for any key fields)`
    : `key field ${quote(name)} (and doesn't have default value)`
  throw new ListItemError(`associative list with keys has an element that omits ${what}`)
}

/** The value of a key field that is left out: its default, or the zero value of a field that is always written. */
function keyDefault(items: Schema, name: string): JsonValue | undefined {
  if (items.kind !== 'object') return undefined
  const field = items.fields.get(name)
  if (field === undefined) return undefined
  if (field.schema.default !== undefined) return field.schema.default
  const builtIn = items.name !== undefined
  return builtIn && field.emit && !field.pointer ? zeroScalar(field.schema) : undefined
}

function setItem(item: JsonValue): PathElement {
  if (isMap(item)) throw new ListItemError("associative list without keys has an element that's a map type")
  if (isList(item)) throw new ListItemError('not supported: associative list with lists as elements')
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null")
  return valueElement(item)
}

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped'

export function scalarType(schema: ScalarSchema): ScalarType {
  switch (schema.kind) {
    case 'integer':
    case 'number':
      return 'numeric'
    case 'boolean':
      return 'boolean'
    case 'string':
      return schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped'
    case 'duration':
    case 'bytes':
      return 'string'
    default:
      return 'untyped'
  }
}

function zeroScalar(schema: Schema): JsonValue | undefined {
  switch (schema.kind) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return undefined
  }
}

/** Equality of two whole values as JSON shows them, with the cheap answers first. */
export const sameValue = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === b || equalJson(a, b) || equalJson(shown(a), shown(b))

/** The same of values that take more than one turn. */
export function* sameValueInSteps(a: JsonValue | undefined, b: JsonValue | undefined): Steps<boolean> {
  return a === b || (yield* equalInSteps(a, b)) || (yield* equalShownInSteps(a, b))
}

const shown = (value: JsonValue | undefined): JsonValue | undefined =>
  value === undefined ? undefined : withoutOmitted(value)

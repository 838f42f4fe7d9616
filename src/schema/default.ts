/**
 * Defaulting of custom objects from their schema, and the dropping of nulls that goes with it: a null that the schema
 * does not allow is replaced by the default, or dropped when there is none. Objects are not changed.
 */

import { cloneJson, isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { isHeavy, mapInSteps } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { memoize } from '../lib/memo.ts'
import { innerSchema } from './prune.ts'
import type { ObjectSchema, Schema } from './schema.ts'

/** The value with the defaults of its schema; itself when nothing is missing. */
export function applyDefaults<T extends JsonValue>(value: T, schema: Schema): T
export function applyDefaults(value: JsonValue, schema: Schema): JsonValue {
  if (!hasDefaults(schema)) return value
  if (Array.isArray(value)) return schema.kind === 'list' ? defaultList(value, schema.items) : value
  return isJsonObject(value) ? defaultKeys(value, schema) : value
}

function defaultList(list: JsonValue[], items: Schema): JsonValue[] {
  let out = list
  for (const [i, item] of list.entries()) {
    const filled = applyDefaults(isForbiddenNull(item, items) ? defaultOf(items) : item, items)
    if (filled === item) continue
    if (out === list) out = list.slice()
    out[i] = filled
  }
  return out
}

function defaultKeys(object: JsonObject, schema: Schema): JsonObject {
  let out = schema.kind === 'object' ? addMissing(object, schema) : object
  for (const key of Object.keys(out)) {
    const inner = innerSchema(schema, key)
    const value = out[key] as JsonValue
    if (inner === undefined) continue
    const given = schema.kind === 'map' && isForbiddenNull(value, inner) ? defaultOf(inner) : value
    const filled = applyDefaults(given, inner)
    if (filled === value) continue
    if (out === object) out = copyOf(object)
    setKey(out, key, filled)
  }
  return out
}

/** The same of a value that is more than one turn. */
export function* applyDefaultsInSteps(value: JsonValue, schema: Schema): Steps<JsonValue> {
  yield
  if (!hasDefaults(schema) || !isHeavy(value)) return applyDefaults(value, schema)
  if (Array.isArray(value)) return schema.kind === 'list' ? yield* defaultListInSteps(value, schema.items) : value
  const missing = new Map(schema.kind === 'object' ? missingIn(value, schema) : [])
  const keys = [...keysOf(value), ...[...missing.keys()].filter((key) => !Object.hasOwn(value, key))]
  const isMap = schema.kind === 'map'
  let isSame = missing.size === 0
  const values: (JsonValue | undefined)[] = []
  for (const key of keys) {
    const item = missing.get(key) ?? (value[key] as JsonValue)
    const inner = innerSchema(schema, key)
    const given = isMap && inner !== undefined && isForbiddenNull(item, inner) ? defaultOf(inner) : item
    const after = inner === undefined ? given : yield* applyDefaultsInSteps(given, inner)
    if (after !== item) isSame = false
    values.push(after)
  }
  return isSame ? value : yield* mapInSteps(keys, (i) => values[i])
}

function* defaultListInSteps(list: JsonValue[], items: Schema): Steps<JsonValue[]> {
  let out = list
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue
    const filled = yield* applyDefaultsInSteps(isForbiddenNull(item, items) ? defaultOf(items) : item, items)
    if (filled === item) continue
    if (out === list) out = list.slice()
    out[i] = filled
  }
  return out
}

function addMissing(object: JsonObject, schema: ObjectSchema): JsonObject {
  let out = object
  for (const [name, value] of missingIn(object, schema)) {
    if (out === object) out = copyOf(object)
    setKey(out, name, value)
  }
  return out
}

function* missingIn(object: JsonObject, schema: ObjectSchema): Generator<[name: string, value: JsonValue]> {
  for (const { name, schema: inner } of schema.fields.values()) {
    if (inner.default === undefined) continue
    if (Object.hasOwn(object, name) && !isForbiddenNull(object[name], inner)) continue
    yield [name, defaultOf(inner)]
  }
}

function copyOf(object: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const key of Object.keys(object)) setKey(copy, key, object[key])
  return copy
}

const defaultOf = (schema: Schema): JsonValue => cloneJson(schema.default ?? null)

const isForbiddenNull = (value: JsonValue | undefined, schema: Schema): boolean =>
  value === null && schema.nullable !== true

/** Of what is inside. */
const saysNothing = (schema: Schema | undefined): boolean =>
  schema?.kind !== 'object' && schema?.kind !== 'map' && schema?.kind !== 'list'

/** Of which type a null may be dropped. */
export type MayDrop = (schema: Schema) => boolean

const ofAnyType: MayDrop = () => true

/** Without the nulls that the schema neither allows nor replaces. */
export function dropNulls<T extends JsonValue>(value: T, schema: Schema | undefined, mayDrop?: MayDrop): T
export function dropNulls(value: JsonValue, schema: Schema | undefined, mayDrop = ofAnyType): JsonValue {
  if (saysNothing(schema)) return value
  if (Array.isArray(value)) {
    const items = schema?.kind === 'list' ? schema.items : undefined
    return mapShared(value, (item) => dropNulls(item, items, mayDrop))
  }
  if (!isJsonObject(value)) return value
  const out: JsonObject = {}
  let changed = false
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue
    const inner = innerSchema(schema, key)
    const isDropped =
      inner !== undefined && isForbiddenNull(item, inner) && inner.default === undefined && mayDrop(inner)
    const kept = isDropped ? undefined : dropNulls(item, inner, mayDrop)
    if (kept !== item) changed = true
    if (kept !== undefined) setKey(out, key, kept)
  }
  return changed ? out : value
}

/** The same of a value that is more than one turn. */
export function* dropNullsInSteps(
  value: JsonValue,
  schema: Schema | undefined,
  mayDrop: MayDrop = ofAnyType,
): Steps<JsonValue> {
  yield
  if (saysNothing(schema) || !isHeavy(value)) return dropNulls(value, schema, mayDrop)
  if (Array.isArray(value)) {
    const items = schema?.kind === 'list' ? schema.items : undefined
    const kept: JsonValue[] = []
    for (const item of value) kept.push(yield* dropNullsInSteps(item, items, mayDrop))
    return kept.some((item, i) => item !== value[i]) ? kept : value
  }
  const keys: string[] = []
  const values: JsonValue[] = []
  let changed = false
  for (const key of keysOf(value)) {
    const item = value[key] as JsonValue
    const inner = innerSchema(schema, key)
    const isDropped =
      inner !== undefined && isForbiddenNull(item, inner) && inner.default === undefined && mayDrop(inner)
    const kept = isDropped ? undefined : yield* dropNullsInSteps(item, inner, mayDrop)
    if (kept !== item) changed = true
    if (kept === undefined) continue
    keys.push(key)
    values.push(kept)
  }
  return changed ? yield* mapInSteps(keys, (i) => values[i]) : value
}

function mapShared(list: JsonValue[], change: (item: JsonValue) => JsonValue): JsonValue[] {
  const kept = list.map(change)
  return kept.some((item, i) => item !== list[i]) ? kept : list
}

/** Whether a default lies anywhere below, so that the rest need not be walked. Custom schemas do not refer to themselves. */
const hasDefaults = memoize('has-structural-defaults', findDefaults)

function findDefaults(schema: Schema): boolean {
  if (schema.kind === 'list') return schema.items.default !== undefined || hasDefaults(schema.items)
  if (schema.kind === 'map') return schema.values.default !== undefined || hasDefaults(schema.values)
  if (schema.kind !== 'object') return false
  for (const { schema: inner } of schema.fields.values()) {
    if (inner.default !== undefined || hasDefaults(inner)) return true
  }
  return false
}

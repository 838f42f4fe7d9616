/**
 * What keeps a merged value from becoming an object of its type, in the words of the reference's converter. It stops at
 * the first, fields in wire order.
 */
import { DurationError, parseDuration } from '../api/duration.ts'
import { untypedGoType } from '../api/golang/untyped-value.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { isHeavy } from '../api/large-values.ts'
import { Quantity } from '../api/quantity.ts'
import { parseMicroTime, parseTime, TimeError } from '../api/time.ts'
import type { Steps } from '../lib/in-turns.ts'
import { schemaOrOtherError } from '../schema/decode-exact.ts'
import { elementGoType } from '../schema/go-type.ts'
import { describeNode, toTree } from '../schema/json-tree.ts'
import { base64Error, canonicalBase64 } from '../schema/scalars.ts'
import type { Field, ObjectSchema, ScalarSchema, Schema } from '../schema/schema.ts'

interface PatchPosition {
  readonly schema: Schema
  /** What the field calls its type. */
  readonly name?: string | undefined
  /** What was there before. Whatever is still the same object has been of the right type already. */
  readonly before?: JsonValue | undefined
}

/** Undefined when nothing does. */
export function restoreError(
  value: JsonValue | undefined,
  { schema, name, before }: PatchPosition,
): string | undefined {
  if (value === before || value === null || value === undefined) return undefined
  if (schema.kind === 'any') return schema.object === undefined ? undefined : schemaOrOtherError(toTree(value), schema)
  if (schema.kind === 'object') {
    if (!isJsonObject(value)) return `cannot restore struct from: ${kindOf(value)}`
    return firstError(changedFields(value, before, schema), (field) =>
      restoreError(ownValue(value, field.name), {
        schema: field.schema,
        name: field.goType,
        before: isJsonObject(before) ? ownValue(before, field.name) : undefined,
      }),
    )
  }
  const itemName = elementGoType(name)
  if (schema.kind === 'map') {
    if (!isJsonObject(value)) return `cannot restore map from ${kindOf(value)}`
    return firstError(keysOf(value), (key) => restoreError(value[key], { schema: schema.values, name: itemName }))
  }
  if (schema.kind === 'list') {
    if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`
    const same = new Set(Array.isArray(before) ? before : [])
    return firstError(value, (element) =>
      same.has(element) ? undefined : restoreError(element, { schema: schema.items, name: itemName }),
    )
  }
  return scalarError(value, schema, name)
}

/** As `restoreError`, of what takes more than one turn. */
export function* restoreErrorInSteps(
  value: JsonValue | undefined,
  { schema, name, before }: PatchPosition,
): Steps<string | undefined> {
  if (value === before || !isHeavy(value)) return restoreError(value, { schema, name, before })
  if (schema.kind === 'object' && isJsonObject(value)) {
    for (const field of changedFields(value, before, schema)) {
      const old = isJsonObject(before) ? ownValue(before, field.name) : undefined
      const position = { schema: field.schema, name: field.goType, before: old }
      const error = yield* restoreErrorInSteps(ownValue(value, field.name), position)
      if (error !== undefined) return error
    }
    return undefined
  }
  const isMapped = schema.kind === 'map' && isJsonObject(value)
  if (!isMapped && !(schema.kind === 'list' && Array.isArray(value)))
    return restoreError(value, { schema, name, before })
  const inner = { schema: schema.kind === 'map' ? schema.values : schema.items, name: elementGoType(name) }
  const same = new Set(!isMapped && Array.isArray(before) ? before : [])
  let count = 0
  for (const key of isMapped ? keysOf(value) : (value as JsonValue[]).keys()) {
    if (++count % itemsPerStep === 0) yield
    const item = (value as JsonObject)[key]
    if (same.size > 0 && same.has(item as JsonValue)) continue
    const error = isHeavy(item) ? yield* restoreErrorInSteps(item, inner) : restoreError(item, inner)
    if (error !== undefined) return error
  }
  return undefined
}

const itemsPerStep = 256

/** The fields whose values are not those from before, in wire order. */
function changedFields(value: JsonObject, before: JsonValue | undefined, { fields }: ObjectSchema): Field[] {
  const old = isJsonObject(before) ? before : {}
  const changed = keysOf(value).filter((key) => fields.has(key) && value[key] !== ownValue(old, key))
  const [only] = changed
  if (changed.length <= 1) return only === undefined ? [] : [fields.get(only) as Field]
  const names = new Set(changed)
  return [...fields.values()].filter((field) => names.has(field.name))
}

function firstError<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const error = check(item)
    if (error !== undefined) return error
  }
  return undefined
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice'
  return isJsonObject(value) ? 'map' : untypedGoType(value)
}

function scalarError(value: JsonValue, schema: ScalarSchema, name: string | undefined): string | undefined {
  const kind = kindOf(value)
  switch (schema.kind) {
    case 'string':
      if (kind === 'string') return undefined
      return kind === 'int64' ? `cannot convert int64 to ${name ?? 'string'}` : 'unrecognized type: string'
    case 'integer': {
      const type = schema.format ?? 'int64'
      if (kind === 'int64') return undefined
      return kind === 'float64' ? `cannot convert float64 to ${name ?? type}` : `unrecognized type: ${type}`
    }
    case 'number':
      return kind === 'int64' || kind === 'float64' ? undefined : 'unrecognized type: float64'
    case 'boolean':
      return kind === 'bool' ? undefined : 'unrecognized type: bool'
    case 'bytes':
      if (typeof value === 'string') return bytesError(value)
      if (!Array.isArray(value)) return `cannot restore slice from ${kind}`
      return firstError(value, (item) => scalarError(item, byteSchema, 'uint8'))
    case 'int-or-string':
      return kind === 'string' || isInt32(value) ? undefined : cannotUnmarshal(value, 'int32')
    case 'quantity':
      return Quantity.checkJson(typeof value === 'string' ? value : JSON.stringify(toPlain(value)))
    case 'time':
      return textError(value, parseTime)
    case 'micro-time':
      return textError(value, parseMicroTime)
    case 'duration':
      return textError(value, parseDuration)
  }
}

const byteSchema: ScalarSchema = { kind: 'integer', format: 'uint8' }

const toPlain = (value: JsonValue): JsonValue => (typeof value === 'bigint' ? Number(value) : value)

const isInt32 = (value: JsonValue): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31

const bytesError = (text: string): string | undefined =>
  canonicalBase64(text) === undefined ? `error decoding from json: ${base64Error(text)}` : undefined

function cannotUnmarshal(value: JsonValue, type: string): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const number = isNumber ? `number ${value}` : describeNode(toTree(value))
  return `json: cannot unmarshal ${number} into Go value of type ${type}`
}

function textError(value: JsonValue, parse: (text: string) => unknown): string | undefined {
  if (typeof value !== 'string') {
    return `json: cannot unmarshal ${describeNode(toTree(value))} into Go value of type string`
  }
  try {
    parse(value)
    return undefined
  } catch (error) {
    if (error instanceof TimeError || error instanceof DurationError) return error.message
    throw error
  }
}

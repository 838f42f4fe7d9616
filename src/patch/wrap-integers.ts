/**
 * Strategic merge and apply patches put whole numbers into narrower fields as Go converts them: the bits that have no room are
 * dropped, and a float beyond 64 bits is the least integer. (Every other body that holds such a number is refused.) Shares whatever
 * it does not change. Mirrors k8s.io/apimachinery/pkg/runtime: fromUnstructured.
 */
import { copyObject, isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { visitInSteps } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { Schema } from '../schema/schema.ts'

/** Whether a patch has a number that no 32 bits hold; mostly not, and then there is nothing to do. */
export function hasWideInteger(patch: JsonValue | undefined): boolean {
  if (typeof patch === 'bigint') return true
  if (typeof patch === 'number') return Math.abs(patch) >= 2 ** 31
  if (Array.isArray(patch)) return patch.some(hasWideInteger)
  return isJsonObject(patch) && keysOf(patch).some((key) => hasWideInteger(patch[key]))
}

/** The same, of what takes more than one turn. */
export function* hasWideIntegerInSteps(patch: JsonValue): Steps<boolean> {
  let isFound = false
  yield* visitInSteps(patch, (part) => {
    isFound ||= hasWideInteger(part)
  })
  return isFound
}

export function wrapIntegers(value: JsonValue, schema: Schema): JsonValue {
  switch (schema.kind) {
    case 'integer':
      return wrap(value, schema.format === 'int32' ? 32 : 64)
    case 'list':
      return Array.isArray(value) ? wrapItems(value, schema.items) : value
    case 'map':
      return isJsonObject(value) ? wrapMembers(value, () => schema.values) : value
    case 'object':
      return isJsonObject(value) ? wrapMembers(value, (key) => schema.fields.get(key)?.schema) : value
    default:
      return value
  }
}

const minInt64 = -(2n ** 63n)

function wrap(value: JsonValue, bits: 32 | 64): JsonValue {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return value
  const isWide = typeof value === 'bigint' ? BigInt.asIntN(64, value) !== value : Math.abs(value) >= 2 ** 63
  if (bits === 64) return isWide && typeof value === 'number' ? minInt64 : value
  return Number(BigInt.asIntN(32, isWide ? minInt64 : BigInt(value)))
}

function wrapItems(items: JsonValue[], schema: Schema): JsonValue {
  const wrapped = items.map((item) => wrapIntegers(item, schema))
  return wrapped.every((item, i) => item === items[i]) ? items : wrapped
}

function wrapMembers(object: JsonObject, schemaOf: (key: string) => Schema | undefined): JsonObject {
  let result = object
  for (const key of keysOf(object)) {
    const before = object[key]
    const schema = schemaOf(key)
    const after = before === undefined || schema === undefined ? before : wrapIntegers(before, schema)
    if (after === before) continue
    if (result === object) result = copyObject(object)
    setKey(result, key, after)
  }
  return result
}

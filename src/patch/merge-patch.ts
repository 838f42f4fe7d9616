/**
 * JSON Merge Patch (RFC 7386): objects merge, `null` removes, everything else replaces. As the reference does it, nulls
 * are also removed from objects inside of lists that the patch brings. Inputs are never changed; the result shares
 * what the patch does not change: a patch that changes nothing gives the very object back.
 */
import {
  copyObject,
  equalJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../api/json.ts'
import { badRequest } from '../api/status-error.ts'
import { sortedKeys } from '../schema/decode.ts'
import { describeNode, toTree } from '../schema/json-tree.ts'
import { assertPatchDepth } from './patch-depth.ts'

/**
 * Throws a 400 for a patch that is no object. Lenient is `fieldValidation=Ignore`, where a list takes the place of the
 * whole object.
 */
export function applyMergePatch(
  current: JsonObject,
  patch: JsonValue,
  { lenient = false } = {},
): JsonObject | JsonArray {
  assertPatchDepth(patch)
  if (isJsonObject(patch)) return mergeObjects(current, patch)
  if (lenient && Array.isArray(patch)) return patch.map(withoutNulls)
  throw badRequest(
    lenient || patch === null
      ? 'Invalid JSON Patch'
      : `error decoding patch: json: cannot unmarshal ${describeNode(toTree(patch))} into Go value of type map[string]interface {}`,
  )
}

/**
 * The result with its keys in the order in which errors show it: sorted where something was merged or brought, and
 * elsewhere as they were.
 */
export function mergedInOrder(current: JsonObject, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return inOrder(withoutNulls(patch))
  const result: JsonObject = {}
  for (const key of sortedKeys({ ...current, ...patch })) {
    const before = ownValue(current, key)
    const value = ownValue(patch, key)
    if (value === null) continue
    if (value === undefined) setKey(result, key, before)
    else setKey(result, key, isJsonObject(before) ? mergedInOrder(before, value) : inOrder(withoutNulls(value)))
  }
  return result
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder)
  return isJsonObject(value) ? mergedInOrder({}, value) : value
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  let result = current
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === undefined) continue
    const before = ownValue(current, key)
    const after = value === null ? undefined : mergeValue(before, value)
    if (after === before && (after !== undefined || !Object.hasOwn(current, key))) continue
    if (result === current) result = copyObject(current)
    if (after === undefined) delete result[key]
    else setKey(result, key, after)
  }
  return result
}

function mergeValue(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (isJsonObject(current)) return isJsonObject(patch) ? mergeObjects(current, patch) : patch
  const value = withoutNulls(patch)
  return Array.isArray(current) && equalJson(current, value) ? current : value
}

/** Nulls of lists stay: only members of objects can be removed. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const result: JsonObject = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== null && member !== undefined) setKey(result, key, withoutNulls(member))
  }
  return result
}

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
import { keysOf } from '../api/key-lists.ts'
import { badRequest } from '../api/status-error.ts'
import { describeNode, type JsonNode, ObjectNode, toTree } from '../schema/json-tree.ts'
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
 * The result as errors show it: keys are sorted where something was merged or brought, and elsewhere as they were;
 * numbers are as the patch writes them.
 */
export function mergedTree(current: JsonObject, patch: JsonNode): JsonNode {
  if (Array.isArray(patch)) return patch.map((item) => mergedTree({}, item))
  if (!(patch instanceof ObjectNode)) return patch
  const changes = new Map(patch.keys.map((key, i) => [key, patch.values[i] ?? null]))
  const result = new ObjectNode()
  for (const key of [...new Set([...keysOf(current), ...changes.keys()])].sort()) {
    const before = ownValue(current, key)
    const change = changes.get(key)
    if (change === null || (change ?? before) === undefined) continue
    result.keys.push(key)
    if (change === undefined) result.values.push(toTree(before ?? null))
    else result.values.push(mergedTree(isJsonObject(before) ? before : {}, change))
  }
  return result
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  let result = current
  for (const key of keysOf(patch)) {
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
  for (const key of keysOf(value)) {
    const member = value[key]
    if (member !== null && member !== undefined) setKey(result, key, withoutNulls(member))
  }
  return result
}

/**
 * JSON Merge Patch (RFC 7386): objects merge, `null` removes, everything else replaces. As the reference does it, nulls
 * are also removed from objects inside of lists that the patch brings. Inputs are never changed; the result shares
 * what the patch does not change: a patch that changes nothing gives the very object back.
 */
import { equalInSteps } from '../api/equal-in-steps.ts'
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
import { isHeavy, mapInSteps } from '../api/large-values.ts'
import { type ApiError, badRequest } from '../api/status-error.ts'
import type { Steps } from '../lib/in-turns.ts'
import { describeNode, type JsonNode, ObjectNode, toTree } from '../schema/json-tree.ts'
import { assertPatchDepth, assertPatchDepthInSteps } from './patch-depth.ts'

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
  throw noMergePatch(patch, lenient)
}

const noMergePatch = (patch: JsonValue, lenient: boolean): ApiError =>
  badRequest(
    lenient || patch === null
      ? 'Invalid JSON Patch'
      : `error decoding patch: json: cannot unmarshal ${describeNode(toTree(patch))} into Go value of type map[string]interface {}`,
  )

/** The same, of objects and patches that take more than one turn. */
export function* applyMergePatchInSteps(
  current: JsonObject,
  patch: JsonValue,
  { lenient = false } = {},
): Steps<JsonObject | JsonArray> {
  if (!isHeavy(patch) && !isHeavy(current)) return applyMergePatch(current, patch, { lenient })
  yield* assertPatchDepthInSteps(patch)
  if (isJsonObject(patch)) return yield* mergeObjectsInSteps(current, patch)
  if (lenient && Array.isArray(patch)) return (yield* withoutNullsInSteps(patch)) as JsonArray
  throw noMergePatch(patch, lenient)
}

/** Members to a step. */
const perStep = 256

function* mergeObjectsInSteps(current: JsonObject, patch: JsonObject): Steps<JsonObject> {
  if (!isHeavy(patch) && !isHeavy(current)) return mergeObjects(current, patch)
  const changed = new Map<string, JsonValue | undefined>()
  const added: string[] = []
  let count = 0
  for (const key of keysOf(patch)) {
    if (++count % perStep === 0) yield
    const value = patch[key]
    if (value === undefined) continue
    const before = ownValue(current, key)
    const after = value === null ? undefined : yield* mergeValueInSteps(before, value)
    if (after === before && (after !== undefined || !Object.hasOwn(current, key))) continue
    changed.set(key, after)
    if (!Object.hasOwn(current, key) && after !== undefined) added.push(key)
  }
  if (changed.size === 0) return current
  const keys: string[] = []
  for (const key of keysOf(current)) {
    if (++count % perStep === 0) yield
    if (!changed.has(key) || changed.get(key) !== undefined) keys.push(key)
  }
  for (const key of added) keys.push(key)
  return yield* mapInSteps(keys, (i) => {
    const key = keys[i] as string
    return changed.has(key) ? changed.get(key) : current[key]
  })
}

function* mergeValueInSteps(current: JsonValue | undefined, patch: JsonValue): Steps<JsonValue> {
  if (!isHeavy(current) && !isHeavy(patch)) return mergeValue(current, patch)
  if (isJsonObject(current)) return isJsonObject(patch) ? yield* mergeObjectsInSteps(current, patch) : patch
  const value = yield* withoutNullsInSteps(patch)
  return Array.isArray(current) && (yield* equalInSteps(current, value)) ? current : value
}

function* withoutNullsInSteps(value: JsonValue): Steps<JsonValue> {
  if (!isHeavy(value)) return withoutNulls(value)
  let count = 0
  const members: JsonValue[] = []
  const keys: string[] = []
  for (const key of Array.isArray(value) ? value.keys() : keysOf(value)) {
    if (++count % perStep === 0) yield
    const member = (value as JsonObject)[key]
    if (!Array.isArray(value) && (member === null || member === undefined)) continue
    if (typeof key === 'string') keys.push(key)
    members.push(yield* withoutNullsInSteps(member as JsonValue))
  }
  return Array.isArray(value) ? members : yield* mapInSteps(keys, (i) => members[i])
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

/**
 * JSON Merge Patch (RFC 7386): objects merge, `null` removes, everything else replaces. As the reference does it, nulls
 * are also removed from objects inside of lists that the patch brings. Inputs are never changed; the result shares
 * what the patch does not change: a patch that changes nothing gives the very object back.
 */
import { equalInSteps } from '../api/equal-in-steps.ts'
import {
  copyObject,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../api/json.ts'
import { hasListedKeys, keysOf, listKeys } from '../api/key-lists.ts'
import { copyInSteps } from '../api/large-values.ts'
import { badRequest } from '../api/status-error.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { describeNode, type JsonNode, ObjectNode, toTree } from '../schema/json-tree.ts'
import { assertPatchDepthInSteps } from './patch-depth.ts'

interface MergeOptions {
  /** `fieldValidation=Ignore`, where a list takes the place of the whole object. */
  readonly lenient?: boolean
}

/** Throws a 400 for a patch that is no object. */
export const applyMergePatch = (
  current: JsonObject,
  patch: JsonValue,
  options: MergeOptions = {},
): JsonObject | JsonArray => runToEnd(applyMergePatchInSteps(current, patch, options))

/** The same, of objects and patches that take more than one turn. */
export function* applyMergePatchInSteps(
  current: JsonObject,
  patch: JsonValue,
  { lenient = false }: MergeOptions = {},
): Steps<JsonObject | JsonArray> {
  yield* assertPatchDepthInSteps(patch)
  const merge = new PatchMerge()
  if (isJsonObject(patch)) return yield* merge.objects(current, patch)
  if (lenient && Array.isArray(patch)) return (yield* merge.withoutNulls(patch)) as JsonArray
  throw badRequest(
    lenient || patch === null
      ? 'Invalid JSON Patch'
      : `error decoding patch: json: cannot unmarshal ${describeNode(toTree(patch))} into Go value of type map[string]interface {}`,
  )
}

/** Members and elements to a step. */
const perStep = 256

/** One merge on its way, which counts what it has gone over. */
class PatchMerge {
  #count = 0;

  *objects(current: JsonObject, patch: JsonObject): Steps<JsonObject> {
    let result = current
    const keys = keysOf(patch)
    for (const key of keys) {
      if (++this.#count % perStep === 0) yield
      const value = patch[key]
      if (value === undefined) continue
      const before = ownValue(current, key)
      const after = typeof value !== 'object' ? value : value === null ? undefined : yield* this.#values(before, value)
      if (after === before && (after !== undefined || !Object.hasOwn(current, key))) continue
      if (result === current) result = hasListedKeys(current) ? yield* copyInSteps(current) : copyObject(current)
      if (after === undefined) delete result[key]
      else setKey(result, key, after)
    }
    const isLong = result !== current && (hasListedKeys(current) || hasListedKeys(patch))
    return isLong ? listKeys(result, yield* this.#keysAfter(current, keys, result)) : result
  }

  *#values(current: JsonValue | undefined, patch: JsonObject | JsonArray): Steps<JsonValue> {
    if (isJsonObject(current)) return isJsonObject(patch) ? yield* this.objects(current, patch) : patch
    const value = yield* this.withoutNulls(patch)
    return Array.isArray(current) && (yield* equalInSteps(current, value)) ? current : value
  }

  /** The keys of a merged map in their order: those that it had and has, then the new ones. */
  *#keysAfter(current: JsonObject, brought: readonly string[], result: JsonObject): Steps<string[]> {
    const keys: string[] = []
    for (const key of keysOf(current)) {
      if (++this.#count % perStep === 0) yield
      if (Object.hasOwn(result, key)) keys.push(key)
    }
    for (const key of brought) {
      if (++this.#count % perStep === 0) yield
      if (!Object.hasOwn(current, key) && Object.hasOwn(result, key)) keys.push(key)
    }
    return keys
  }

  /** Nulls of lists stay: only members of objects can be removed. */
  *withoutNulls(value: JsonObject | JsonArray): Steps<JsonObject | JsonArray> {
    return Array.isArray(value) ? yield* this.#listWithoutNulls(value) : yield* this.#mapWithoutNulls(value)
  }

  *#listWithoutNulls(list: JsonArray): Steps<JsonArray> {
    const left: JsonArray = []
    for (const item of list) {
      if (++this.#count % perStep === 0) yield
      left.push(typeof item === 'object' && item !== null ? yield* this.withoutNulls(item) : item)
    }
    return left
  }

  *#mapWithoutNulls(map: JsonObject): Steps<JsonObject> {
    const left: JsonObject = {}
    const keys: string[] = []
    for (const key of keysOf(map)) {
      if (++this.#count % perStep === 0) yield
      const member = map[key]
      if (member === null || member === undefined) continue
      setKey(left, key, typeof member === 'object' ? yield* this.withoutNulls(member) : member)
      keys.push(key)
    }
    return listKeys(left, keys)
  }
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

/**
 * The values of a strategic merge patch, which is the patch's own copy and is used up by merging: what is left of it where there
 * is nothing to merge with. Those that take more than one turn are gone over in steps.
 */
import {
  cloneJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../api/json.ts'
import { keysOf, listKeys } from '../api/key-lists.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'

export const patchMarker = '$patch'

/** The keys that a large map of the patch had at first: listing those of one that changes takes long. */
const keysAtFirst = new SideTable<JsonObject, readonly string[]>()

/** The keys of a part of the patch, some of which may have been taken out. */
export const patchKeys = (patch: JsonObject): readonly string[] => keysAtFirst.get(patch) ?? Object.keys(patch)

/** Whether a part of the patch was copied in steps. */
export const isLongPatch = (value: JsonValue): boolean =>
  Array.isArray(value) ? isHeavy(value) : isJsonObject(value) && keysAtFirst.has(value)

/** Members and elements to a step. */
const perStep = 256

/** A deep copy that is the caller's own. */
export function* clonePatchInSteps(value: JsonValue | undefined): Steps<JsonValue | undefined> {
  if (!isHeavy(value)) return cloneJson(value)
  let count = 0
  if (Array.isArray(value)) {
    const copy: JsonArray = []
    for (const item of value) {
      if (++count % perStep === 0) yield
      copy.push((isHeavy(item) ? yield* clonePatchInSteps(item) : cloneJson(item)) as JsonValue)
    }
    return copy
  }
  const copy: JsonObject = {}
  const keys = keysOf(value)
  for (const key of keys) {
    if (++count % perStep === 0) yield
    const member = value[key]
    setKey(copy, key, isHeavy(member) ? yield* clonePatchInSteps(member) : cloneJson(member))
  }
  keysAtFirst.set(copy, keys)
  return copy
}

/** Nulls of lists stay: only members of objects can be removed. */
export function dropPatchNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) value.forEach(dropPatchNulls)
  else if (isJsonObject(value)) {
    for (const key of keysOf(value)) {
      const member = value[key]
      if (member === null || member === undefined) delete value[key]
      else dropPatchNulls(member)
    }
  }
  return value
}

/** What remains when there is nothing to merge with: objects with a `$patch` are dropped. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (ownValue(value, patchMarker) !== undefined) return undefined
  for (const key of keysOf(value)) {
    const kept = withoutDirectives(value[key] ?? null)
    if (kept === undefined) delete value[key]
    else setKey(value, key, kept)
  }
  return value
}

export function* dropPatchNullsInSteps(value: JsonValue): Steps<void> {
  if (!isLongPatch(value)) return void dropPatchNulls(value)
  let count = 0
  for (const key of Array.isArray(value) ? value.keys() : patchKeys(value as JsonObject)) {
    if (++count % perStep === 0) yield
    const member = (value as JsonObject)[key]
    if (Array.isArray(value) || (member !== null && member !== undefined))
      yield* dropPatchNullsInSteps(member as JsonValue)
    else delete (value as JsonObject)[key]
  }
}

export function* withoutDirectivesInSteps(value: JsonValue): Steps<JsonValue | undefined> {
  if (!isLongPatch(value)) return withoutDirectives(value)
  let count = 0
  if (Array.isArray(value)) {
    const left: JsonArray = []
    for (const item of value) {
      if (++count % perStep === 0) yield
      const kept = yield* withoutDirectivesInSteps(item)
      if (kept !== undefined) left.push(kept)
    }
    return left
  }
  const map = value as JsonObject
  if (ownValue(map, patchMarker) !== undefined) return undefined
  const keys: string[] = []
  for (const key of patchKeys(map)) {
    if (++count % perStep === 0) yield
    if (!Object.hasOwn(map, key)) continue
    const kept = yield* withoutDirectivesInSteps(map[key] ?? null)
    if (kept === undefined) delete map[key]
    else {
      setKey(map, key, kept)
      keys.push(key)
    }
  }
  return listKeys(map, keys)
}

/**
 * Operations on the values of a strategic merge patch. The patch is a private copy that merging consumes; where the object has nothing to
 * merge with, `UnmergedPatch` drops its nulls and directives.
 */
import { cloneJson, type JsonArray, type JsonObject, type JsonValue, ownValue, setKey } from '../api/json.ts'
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
export const isLongPatch = (patch: JsonObject): boolean => keysAtFirst.has(patch)

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

/** What remains of parts of the patch where there is nothing to merge with, which changes them. */
export class UnmergedPatch {
  /** What was gone over, wherever it lies. */
  #count = 0;

  /** Nulls of lists stay: only members of objects can be removed. */
  *dropNulls(value: JsonObject | JsonArray): Steps<void> {
    const isList = Array.isArray(value)
    for (const key of isList ? value.keys() : patchKeys(value)) {
      if (++this.#count % perStep === 0) yield
      const member = (value as JsonObject)[key]
      if (isContainer(member)) yield* this.dropNulls(member)
      else if (!isList && (member === null || member === undefined)) delete value[key as string]
    }
  }

  /** Objects with a `$patch` are dropped. */
  *withoutDirectives(value: JsonObject | JsonArray): Steps<JsonObject | JsonArray | undefined> {
    return Array.isArray(value) ? yield* this.#itemsLeft(value) : yield* this.#membersLeft(value)
  }

  *#itemsLeft(list: JsonArray): Steps<JsonArray> {
    const left: JsonArray = []
    for (const item of list) {
      if (++this.#count % perStep === 0) yield
      const kept = isContainer(item) ? yield* this.withoutDirectives(item) : item
      if (kept !== undefined) left.push(kept)
    }
    return left
  }

  *#membersLeft(map: JsonObject): Steps<JsonObject | undefined> {
    if (ownValue(map, patchMarker) !== undefined) return undefined
    const keys: string[] = []
    for (const key of patchKeys(map)) {
      if (++this.#count % perStep === 0) yield
      if (!Object.hasOwn(map, key)) continue
      const member = map[key]
      const kept = isContainer(member) ? yield* this.withoutDirectives(member) : member
      if (kept === undefined) {
        delete map[key]
        continue
      }
      setKey(map, key, kept)
      keys.push(key)
    }
    return listKeys(map, keys)
  }
}

const isContainer = (value: JsonValue | undefined): value is JsonObject | JsonArray =>
  typeof value === 'object' && value !== null

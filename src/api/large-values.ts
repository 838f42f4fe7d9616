/**
 * Values that take many milliseconds to go over: passes over them are written in steps (`lib/in-turns.ts`), which hand
 * what is light to the same functions that small objects go through. A heavy container is cut into light pieces.
 */

import type { Steps } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { isOmitted, type JsonArray, type JsonObject, type JsonValue, setKey, withoutOmitted } from './json.ts'
import { hasListedKeys, keysOf, listKeys } from './key-lists.ts'

/** Values to a step: any pass is through with them in about a millisecond. */
const stepWeight = 1_000

/** Values that are made when they are first looked into. */
const deferred = new SideTable<JsonObject, () => Steps<void>>()

/** The value is an object only to those who look into it, and weighs as much as a text; `make` does that in steps. */
export const deferValue = (value: JsonObject, make: () => Steps<void>): void => deferred.set(value, make)

/** For those who are about to look into a value that may be deferred. */
export function* materialize(value: JsonObject): Steps<void> {
  const make = deferred.get(value)
  if (make === undefined) return
  yield* make()
  deferred.delete(value)
}

/** The same for all that a value holds: before it is written in a form whose text is not known. */
export function* materializeAll(value: JsonObject | JsonArray): Steps<void> {
  if (!Array.isArray(value)) yield* materialize(value)
  let count = 0
  for (const key of Array.isArray(value) ? value.keys() : keysOf(value)) {
    if (++count % stepWeight === 0) yield
    const item = (value as JsonObject)[key]
    if (typeof item === 'object' && item !== null) yield* materializeAll(item)
  }
}

/** As `withoutOmitted`. */
export function* withoutOmittedInSteps<T extends JsonObject>(value: T): Steps<T> {
  yield* materializeAll(value)
  return (yield* shownInSteps(value)) as T
}

function* shownInSteps(value: JsonValue): Steps<JsonValue> {
  if (!isHeavy(value)) return withoutOmitted(value)
  yield
  if (Array.isArray(value)) {
    const items: JsonValue[] = []
    let isSame = true
    for (const item of value) {
      if (items.length % stepEntries === 0) yield
      const shown = typeof item === 'object' ? yield* shownInSteps(item) : item
      isSame &&= shown === item
      items.push(shown)
    }
    return isSame ? value : items
  }
  let out: JsonObject = value
  let count = 0
  for (const key of keysOf(value)) {
    if (++count % stepEntries === 0) yield
    const member = value[key]
    if (typeof member !== 'object') continue
    const shown = isOmitted(member) ? undefined : yield* shownInSteps(member)
    if (shown === member) continue
    if (out === value) out = yield* copyInSteps(value)
    if (shown === undefined) delete out[key]
    else setKey(out, key, shown)
  }
  return out
}

/** How many values there are in it, itself included; not counted any further than `bound`. */
function weigh(value: JsonValue | undefined, bound = stepWeight): number {
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  if (Array.isArray(value)) {
    if (value.length > bound) return bound + 1
    for (const item of value) {
      weight += weigh(item, bound - weight)
      if (weight > bound) return weight
    }
    return weight
  }
  if (hasListedKeys(value)) return bound + 1
  if (deferred.has(value)) return 1
  for (const key in value) {
    weight += weigh(value[key], bound - weight)
    if (weight > bound) return weight
  }
  return weight
}

/** Whether a pass over the value is more than a step. */
export const isHeavy = (value: JsonValue | undefined): value is JsonObject | JsonArray =>
  typeof value === 'object' && value !== null && weigh(value) > stepWeight

/** A part of a heavy list: some items that are light together, or one that is heavy. */
export interface Slice {
  readonly from: number
  readonly to: number
  readonly isHeavy: boolean
}

/** The slices of a list that together are all of it. */
export function* slicesOf(list: readonly JsonValue[]): Generator<Slice> {
  yield* slices(list.length, (i) => weigh(list[i]))
}

/** The same of keys, by the values that they have in the map. */
export function* slicesOfKeys(map: JsonObject, keys: readonly string[]): Generator<Slice> {
  yield* slices(keys.length, (i) => weigh(map[keys[i] as string]))
}

function* slices(count: number, weightOf: (i: number) => number): Generator<Slice> {
  let from = 0
  let weight = 0
  for (let i = 0; i < count; i++) {
    const own = weightOf(i)
    if (own > stepWeight) {
      if (i > from) yield { from, to: i, isHeavy: false }
      yield { from: i, to: i + 1, isHeavy: true }
      from = i + 1
      weight = 0
      continue
    }
    weight += own
    if (weight < stepWeight) continue
    yield { from, to: i + 1, isHeavy: false }
    from = i + 1
    weight = 0
  }
  if (from < count) yield { from, to: count, isHeavy: false }
}

/** Some members of a map, as a map of their own. */
export function pickKeys(map: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {}
  for (const key of keys) setKey(picked, key, map[key])
  return picked
}

/** Entries to a step. */
const stepEntries = 256

/** Visits the light parts that a value is made of, each with its depth in it. */
export function* visitInSteps(
  value: JsonValue | undefined,
  visit: (part: JsonValue | undefined, depth: number) => void,
  depth = 0,
): Steps<void> {
  if (!isHeavy(value)) return visit(value, depth)
  let count = 0
  for (const key of Array.isArray(value) ? value.keys() : keysOf(value)) {
    if (++count % stepEntries === 0) yield
    const member = (value as JsonObject)[key]
    if (typeof member === 'object') yield* visitInSteps(member, visit, depth + 1)
    else visit(member, depth + 1)
  }
}

/** Lists the keys of the large maps in a value that was made at once, such as a parsed text: once, for all who go over them. */
export function* listKeysInSteps(value: JsonValue | undefined): Steps<void> {
  if (!isHeavy(value)) return
  const isList = Array.isArray(value)
  const keys = isList ? [] : keysOf(value)
  if (!isList && !hasListedKeys(value)) listKeys(value, keys)
  let count = 0
  for (const key of isList ? value.keys() : keys) {
    if (++count % stepEntries === 0) yield
    const member = (value as JsonObject)[key]
    if (typeof member === 'object') yield* listKeysInSteps(member)
  }
}

/** A copy of a map alone, for a caller that changes it. */
export function* copyInSteps(map: JsonObject): Steps<JsonObject> {
  const copy: JsonObject = {}
  let count = 0
  for (const key of keysOf(map)) {
    if (++count % stepEntries === 0) yield
    setKey(copy, key, map[key])
  }
  return copy
}

/** A map of those keys, in that order. */
export function* mapInSteps(keys: readonly string[], valueAt: (i: number) => JsonValue | undefined): Steps<JsonObject> {
  const map: JsonObject = {}
  for (let i = 0; i < keys.length; i++) {
    if (i % stepEntries === 0) yield
    setKey(map, keys[i] as string, valueAt(i))
  }
  return listKeys(map, keys)
}

/** As `Array.prototype.map`. */
export function* listInSteps<T, R>(list: readonly T[], convert: (item: T) => R): Steps<R[]> {
  const made: R[] = []
  for (let i = 0; i < list.length; i++) {
    if (i % stepEntries === 0) yield
    made.push(convert(list[i] as T))
  }
  return made
}

/** As `Array.prototype.sort` does it, of a list that is the caller's own. */
export function* sortInSteps<T>(list: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (yield* isSortedInSteps(list, compare)) return list
  let runs: T[][] = []
  for (let from = 0; from < list.length; from += stepWeight) {
    yield
    runs.push(list.slice(from, from + stepWeight).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      const [one, other] = [runs[i] as T[], runs[i + 1]]
      merged.push(other === undefined ? one : yield* mergeRuns(one, other, compare))
    }
    runs = merged
  }
  return runs[0] ?? list
}

function* isSortedInSteps<T>(list: readonly T[], compare: (a: T, b: T) => number): Steps<boolean> {
  for (let i = 1; i < list.length; i++) {
    if (i % stepWeight === 0) yield
    if (compare(list[i - 1] as T, list[i] as T) > 0) return false
  }
  return true
}

function* mergeRuns<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = []
  let [i, j] = [0, 0]
  while (i < one.length && j < other.length) {
    if (merged.length % stepWeight === 0) yield
    merged.push(compare(one[i] as T, other[j] as T) <= 0 ? (one[i++] as T) : (other[j++] as T))
  }
  for (; i < one.length; i++) {
    if (i % stepWeight === 0) yield
    merged.push(one[i] as T)
  }
  for (; j < other.length; j++) {
    if (j % stepWeight === 0) yield
    merged.push(other[j] as T)
  }
  return merged
}

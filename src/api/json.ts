/**
 * JSON as data. Objects come from strangers: a key may be named `__proto__`, so code that writes a key it did not
 * choose goes through `setKey`, and code that reads one goes through `ownValue`.
 *
 * Integers beyond 2^53 are `bigint`; every other number is `number`.
 */
import { copyWritings } from './given-writing.ts'
import { keysOf } from './key-lists.ts'

export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject
export type JsonArray = JsonValue[]
export interface JsonObject {
  [key: string]: JsonValue | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How Go's messages call what a value is: `json: cannot unmarshal array into …`. */
export function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
}

/** Sets an own property, whatever its name. */
export function setKey(target: JsonObject, key: string, value: JsonValue | undefined): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** The own property of that name, never one of the prototype. */
export function ownValue(target: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(target, key) ? target[key] : undefined
}

/**
 * A copy of the object alone, to add keys to. V8 gives what is added to a spread copy a hidden class of its own each time,
 * and code that meets such objects never gets fast.
 */
export function copyObject<T extends object>(object: T): T {
  const copy: JsonObject = {}
  const given = object as JsonObject
  for (const key in given) setKey(copy, key, given[key])
  return copy as T
}

/**
 * What decoding a built-in type makes of an empty list or map in a field that Go leaves out of JSON when it is empty: distinguished
 * from an absent one in drafts, as Go distinguishes them in memory, and gone wherever the object is written.
 */
export const emptyList: JsonArray = omittedFromJson([])
export const emptyMap: JsonObject = omittedFromJson({})

/** What is neither a JSON schema nor a list of them where one of these stands: Go reads it as a struct without either, and writes `null`. */
export const noSchemas: JsonArray = shownAs(null, [])
/** A list of no JSON schemas there, which Go distinguishes in memory and writes as `null`, too. */
export const emptySchemas: JsonArray = shownAs(null, [])

/** `JSON.stringify` leaves out what `toJSON` makes nothing of. */
function omittedFromJson<T extends object>(value: T): T {
  return shownAs(undefined, value)
}

function shownAs<T extends object>(json: null | undefined, value: T): T {
  return Object.freeze(Object.defineProperty(value, 'toJSON', { value: () => json }))
}

/** Whether JSON does not show the value. */
export const isOmitted = (value: unknown): boolean => value === emptyList || value === emptyMap

/** The value as its JSON shows it; the same one when nothing in it is omitted. */
export function withoutOmitted<T extends JsonValue>(value: T): T
export function withoutOmitted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutOmitted(item))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  let out = value
  for (const key of keysOf(value)) {
    const member = value[key]
    if (member === undefined) continue
    const shown = isOmitted(member) ? undefined : withoutOmitted(member)
    if (shown === member) continue
    if (out === value) out = { ...value }
    if (shown === undefined) delete out[key]
    else setKey(out, key, shown)
  }
  return out
}

/** A deep copy that keeps every key as it is. */
export function cloneJson<T extends JsonValue | undefined>(value: T): T
export function cloneJson(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || isOmitted(value)) return value
  if (Array.isArray(value)) return value.map((item) => cloneJson(item))
  const copy: JsonObject = {}
  for (const key of keysOf(value)) setKey(copy, key, cloneJson(value[key]))
  return copy
}

const isNumeric = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'

/** Equality of values: objects by their keys in any order, `undefined` members count as absent, 1 equals 1n. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (isNumeric(a) && isNumeric(b)) return String(a) === String(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]))
  }
  if (Array.isArray(b)) return false
  return equalObjects(a, b)
}

/**
 * As Go's `equality.Semantic.DeepEqual` of two decoded values: an empty list or map equals none. `equalJson` tells them
 * apart, as `reflect.DeepEqual` does. A struct without fields is neither: a pointer to one is never the same as none.
 */
export const equalSemantic = (a: unknown, b: unknown): boolean => equalButRaw(a, b, nowhere)

const nowhere: ReadonlySet<string> = new Set()

/** The same of a type with raw JSON under some keys: there null, empty lists and empty maps are values, and keys have an order. */
export function equalButRaw(a: unknown, b: unknown, rawKeys: ReadonlySet<string>): boolean {
  if (a === b) return true
  if (isSemanticallyEmpty(a) || isSemanticallyEmpty(b)) return isSemanticallyEmpty(a) && isSemanticallyEmpty(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalButRaw(item, b[i], rawKeys))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return equalJson(a as JsonValue, b as JsonValue)
  for (const key of keysOf(a)) {
    const other = ownValue(b, key)
    if (!(rawKeys.has(key) ? equalRaw(a[key], other) : equalButRaw(a[key], other, rawKeys))) return false
  }
  for (const key of keysOf(b)) if (!Object.hasOwn(a, key) && !isSemanticallyEmpty(b[key])) return false
  return true
}

/** Whether two values of raw JSON are written in the same way. */
function equalRaw(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalRaw(item, b[i]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return equalJson(a, b)
  const [keys, others] = [keysOf(a), keysOf(b)]
  return keys.length === others.length && keys.every((key, i) => key === others[i] && equalRaw(a[key], b[key]))
}

export const isSemanticallyEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === emptyMap || (Array.isArray(value) && value.length === 0)

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let present = 0
  for (const key of keysOf(a)) {
    const value = a[key]
    if (value === undefined) continue
    present++
    if (!Object.hasOwn(b, key) || !equalJson(value, b[key])) return false
  }
  for (const key of keysOf(b)) if (b[key] !== undefined) present--
  return present === 0
}

/**
 * The value with the baseline's own parts wherever both say the same, down to the baseline itself: who compares the two later
 * needs to look no further than identity.
 */
export function shareEqual<T extends JsonValue>(value: T, baseline: JsonValue | undefined): T
export function shareEqual(value: JsonValue, baseline: JsonValue | undefined): JsonValue {
  if (value === baseline || typeof value !== 'object' || typeof baseline !== 'object') return value
  if (value === null || baseline === null) return value
  if (Array.isArray(value)) return Array.isArray(baseline) ? shareList(value, baseline) : value
  return Array.isArray(baseline) ? value : shareObject(value, baseline)
}

function shareList(value: JsonArray, baseline: JsonArray): JsonArray {
  let out = value
  let same = value.length === baseline.length
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as JsonValue
    const shared = shareEqual(item, baseline[i])
    if (shared !== baseline[i]) same = false
    if (shared === item) continue
    if (out === value) out = value.slice()
    out[i] = shared
  }
  return same ? baseline : out
}

function shareObject(value: JsonObject, baseline: JsonObject): JsonObject {
  let out = value
  const keys = Object.keys(value)
  const order = Object.keys(baseline)
  let same = keys.length === order.length
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    // Raw JSON keeps the order of its keys; everything else comes in the order of its type.
    if (key !== order[i]) same = false
    const member = value[key]
    const before = ownValue(baseline, key)
    const shared = member === undefined ? undefined : shareEqual(member, before)
    if (shared === undefined || shared !== before) same = false
    if (shared === member) continue
    if (out === value) {
      out = { ...value }
      copyWritings(out, value)
    }
    setKey(out, key, shared)
  }
  return same ? baseline : out
}

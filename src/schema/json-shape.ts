/** What is empty, how many keys there are, and in which order they are written. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { setKey } from '../api/json.ts'

/** What Go's `omitempty` leaves out. */
export function isOmittable(value: JsonValue): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true
  return typeof value === 'object' && isEmptyContainer(value)
}

/** Objects by value are never left out; they reach `isZero` only as maps, which are. */
function isEmptyContainer(value: JsonObject | JsonValue[]): boolean {
  return Array.isArray(value) ? value.length === 0 : isEmpty(value)
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value as JsonObject) return false
  return true
}

/** The number of keys in a value, at all depths. */
export function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item)
    return count
  }
  for (const key in value) count += 1 + countKeys(value[key] as JsonValue)
  return count
}

/** The keys in the order in which the reference writes them. */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value)
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i] as string) < (keys[i - 1] as string)) return keys.sort()
  }
  return keys
}

/** A custom object in the order in which the reference writes it: keys sorted at every level. */
export function sortKeys<T extends JsonValue>(value: T): T
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => sortKeys(item))
  const sorted: JsonObject = {}
  for (const key of sortedKeys(value)) {
    const item = value[key]
    if (item !== undefined) setKey(sorted, key, sortKeys(item))
  }
  return sorted
}

export function sortMap(value: JsonObject, keys: string[]): JsonObject {
  const out: JsonObject = {}
  for (const key of keys.sort()) setKey(out, key, value[key])
  return out
}

/** `items` are the values of the keys. */
export function rebuildMap(keys: readonly string[], items: readonly JsonValue[]): JsonObject {
  const decoded = new Map(keys.map((key, i) => [key, items[i]]))
  const out: JsonObject = {}
  for (const key of [...keys].sort()) setKey(out, key, decoded.get(key))
  return out
}

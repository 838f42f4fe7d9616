/** Reads JSON of clients into fields of known types; what does not fit cannot be read at all. */
import { isJsonObject, type JsonObject, ownValue } from '../../api/json.ts'
import { Quantity } from '../../api/quantity.ts'

export class NotReadable extends Error {
  override readonly name = 'NotReadable'
}

export function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new NotReadable('not a list')
  return value
}

export function objectOf(value: unknown): JsonObject {
  if (value === null || value === undefined) return {}
  if (!isJsonObject(value)) throw new NotReadable('not an object')
  return value
}

/** A field that may be missing or null. */
const optional =
  <T>(read: (value: unknown) => T) =>
  (object: JsonObject, key: string): T | undefined => {
    const value = ownValue(object, key)
    return value === undefined || value === null ? undefined : read(value)
  }

export const objectIn = optional(objectOf)

export const textIn = optional((value) => {
  if (typeof value !== 'string') throw new NotReadable('not a text')
  return value
})

export const integerIn = optional((value) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= 2 ** 31) {
    throw new NotReadable('not an integer')
  }
  return value
})

export const quantityIn = optional((value) => {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || Quantity.check(text) !== undefined) throw new NotReadable('not a quantity')
  return String(Quantity.parse(text))
})

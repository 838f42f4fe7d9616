/** Values of jq: their types, their order and how they are printed. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import { JqError } from './jq-error.ts'

export type JqType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function jqTypeOf(value: JsonValue | undefined): JqType {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'bigint') return 'number'
  return type as JqType
}

const order: Readonly<Record<string, number>> = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
}
const rank = (value: JsonValue): number => order[typeof value === 'boolean' ? String(value) : jqTypeOf(value)] ?? 0

/** jq's order of all values. */
export function compareJq(a: JsonValue, b: JsonValue): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (typeof a === 'number' || typeof a === 'bigint') return Math.sign(Number(a) - Number(b))
  if (typeof a === 'string') return a < (b as string) ? -1 : a > (b as string) ? 1 : 0
  if (Array.isArray(a)) return compareArrays(a, b as JsonValue[])
  if (!isJsonObject(a) || !isJsonObject(b)) return 0
  const keys = compareArrays(sortedJqKeys(a), sortedJqKeys(b))
  return keys !== 0
    ? keys
    : compareArrays(
        sortedJqKeys(a).map((key) => own(a, key)),
        sortedJqKeys(b).map((key) => own(b, key)),
      )
}

function compareArrays(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const each = compareJq(a[i] as JsonValue, b[i] as JsonValue)
    if (each !== 0) return each
  }
  return a.length - b.length
}

export const sortedJqKeys = (object: JsonObject): string[] =>
  Object.keys(object).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))

/** Never what an object inherits. */
export const own = (object: JsonObject, key: string): JsonValue =>
  (Object.hasOwn(object, key) ? object[key] : undefined) ?? null

export const isTrue = (value: JsonValue): boolean => value !== null && value !== false

export const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : jqJson(value))

/** Numbers are doubles there. */
export const jqJson = (value: JsonValue): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'null'

export function numberOf(value: JsonValue, what: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  throw new JqError(`${what}: ${jqTypeOf(value)} (${shortened(value)}) is not a number`)
}

export function stringOf(value: JsonValue, what: string): string {
  if (typeof value === 'string') return value
  throw new JqError(`${what}: ${jqTypeOf(value)} (${shortened(value)}) is not a string`)
}

export function shortened(value: JsonValue): string {
  const text = jqJson(value)
  return text.length > 30 ? `${text.slice(0, 29)}…` : text
}

/** Values in templates: what counts as true, how they compare and how Go prints them. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import { TemplateError } from './template-error.ts'

export const isTemplateTrue = (value: JsonValue): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value !== null && value !== false && value !== '' && Number(value) !== 0
}

/** As `{{ }}` prints it. */
export function printed(value: JsonValue): string {
  if (value === null) return '<no value>'
  return inner(value)
}

function inner(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(inner).join(' ')}]`
  if (!isJsonObject(value)) return String(value)
  const keys = Object.keys(value).sort()
  return `map[${keys.map((key) => `${key}:${inner(ownTemplateValue(value, key))}`).join(' ')}]`
}

export const ownTemplateValue = (object: JsonObject, key: string): JsonValue =>
  (Object.hasOwn(object, key) ? object[key] : undefined) ?? null

export function templateFieldOf(value: JsonValue, name: string): JsonValue {
  if (value === null) return null
  if (isJsonObject(value)) return ownTemplateValue(value, name)
  throw new TemplateError(`can't evaluate field ${name} in a ${kindOf(value)}`)
}

export function kindOf(value: JsonValue): string {
  if (value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  if (isJsonObject(value)) return 'map'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'int' : 'string'
}

export function templateNumber(value: JsonValue): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = Number(value ?? 0)
  return Number.isNaN(number) ? 0 : number
}

export const templateText = (value: JsonValue): string =>
  typeof value === 'string' ? value : value === null ? '' : inner(value)

export function equalTemplateValues(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a) || isJsonObject(a) || Array.isArray(b) || isJsonObject(b)) {
    throw new TemplateError('incompatible types for comparison')
  }
  if (typeof a === 'bigint' || typeof b === 'bigint') return Number(a) === Number(b)
  return a === b
}

export function less(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b
  if (isNumber(a) && isNumber(b)) return Number(a) < Number(b)
  throw new TemplateError('incompatible types for comparison')
}

const isNumber = (value: JsonValue): boolean => typeof value === 'number' || typeof value === 'bigint'

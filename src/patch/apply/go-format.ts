/** Values as Go's `%v`, `%#v` and `%T` print decoded JSON: the type errors of apply quote them. */
import { quote } from '../../api/field-error.ts'
import type { JsonValue } from '../../api/json.ts'

/** `%T` of a decoded JSON value. */
export function goType(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return value === null ? '<nil>' : Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}

/** `%v`: `map[a:1 b:[x y]]`. */
export function goValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (typeof value !== 'object') return goScalar(value)
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[${members
    .sort()
    .map((key) => `${key}:${goValue(value[key])}`)
    .join(' ')}]`
}

/** `%s`, which is meant for texts: others come with their type. */
export function goString(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`
  if (typeof value !== 'object') return `%!s(${goType(value)}=${goScalar(value)})`
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[${members
    .sort()
    .map((key) => `${key}:${goString(value[key])}`)
    .join(' ')}]`
}

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value !== 'object') return goScalar(value)
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[string]interface {}{${members
    .sort()
    .map((key) => `${quote(key)}:${goSyntax(value[key])}`)
    .join(', ')}}`
}

/** Go writes at least two digits of an exponent, and has one from smaller fractions on. */
function goScalar(value: string | number | bigint | boolean): string {
  if (typeof value !== 'number') return String(value)
  const isSmall = value !== 0 && Math.abs(value) < 1e-4
  return (isSmall ? value.toExponential() : String(value)).replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Values as Go's `%v`, `%#v` and `%T` print decoded JSON: the type errors of apply quote them. */
import { quote } from '../field-error.ts'
import type { JsonValue } from '../json.ts'
import { GoNative } from './native.ts'

/** `%T` of a decoded JSON value. */
export function untypedGoType(value: JsonValue): string {
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
      if (value instanceof GoNative) return value.type
      return value === null ? '<nil>' : Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}

/** `%v`: `map[a:1 b:[x y]]`. */
export function untypedGoValue(value: JsonValue | undefined, scalar = goScalar): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map((item) => untypedGoValue(item, scalar)).join(' ')}]`
  if (typeof value !== 'object') return scalar(value)
  if (value instanceof GoNative) return value.text
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[${members
    .sort()
    .map((key) => `${key}:${untypedGoValue(value[key], scalar)}`)
    .join(' ')}]`
}

/** `%v` of a value of a configuration. */
export const goConfigValue = (value: JsonValue | undefined): string => untypedGoValue(value, goNumbers)

/** `%s`, which is meant for texts: others come with their type. */
export function goString(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`
  if (typeof value !== 'object') return `%!s(${untypedGoType(value)}=${goScalar(value)})`
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[${members
    .sort()
    .map((key) => `${key}:${goString(value[key])}`)
    .join(' ')}]`
}

/** `%#v` of a value of a configuration: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value !== 'object') return goNumbers(value)
  if (value instanceof GoNative) return value.syntax
  const members = Object.keys(value).filter((key) => value[key] !== undefined)
  return `map[string]interface {}{${members
    .sort()
    .map((key) => `${quote(key)}:${goSyntax(value[key])}`)
    .join(', ')}}`
}

type Scalar = string | number | bigint | boolean

function goScalar(value: Scalar): string {
  return typeof value === 'number' && !Number.isInteger(value) ? goFloat(value) : String(value)
}

/** What no int64 holds is a float. */
function goNumbers(value: Scalar): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value)
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value ? goFloat(Number(value)) : String(value)
}

/** Go writes large and small floats with an exponent, which has at least two digits. */
function goFloat(value: number): string {
  const size = Math.abs(value)
  const text = value !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

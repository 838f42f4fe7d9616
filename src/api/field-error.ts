/**
 * What validation finds wrong with one field, worded as the reference words it. A validator returns a list of these;
 * `invalid` in status-error.ts turns a list into a 422.
 *
 * Texts are made when they are first read: a body may have more errors than an answer has room for, and an error may
 * quote as much as the whole body.
 */
import type { FieldPath } from './field-path.ts'
import { goFloat } from './golang/float.ts'
import { quote } from './golang/quote.ts'
import type { JsonValue } from './json.ts'

export { quote } from './golang/quote.ts'

export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid'

export interface FieldError {
  readonly reason: FieldErrorReason
  readonly field: string
  /** Without the field: `Invalid value: "x": must be …`. */
  readonly message: string
  /** The name of the rule that was broken, where one is known by name: `minimum`. */
  readonly origin?: string
  /** A declared rule finds this as well. */
  readonly declared?: true
}

type At = FieldPath | string

/** The getters are own and enumerable: spreading and comparing errors works as with plain ones. */
export const fieldError = (reason: FieldErrorReason, at: At, message: () => string): FieldError => ({
  reason,
  get field() {
    return String(at)
  },
  get message() {
    return message()
  },
})
const withDetail = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`)

export const notFound = (at: At, value: JsonValue): FieldError =>
  fieldError('FieldValueNotFound', at, () => `Not found: ${formatValue(value)}`)

export const required = (at: At, detail = ''): FieldError =>
  fieldError('FieldValueRequired', at, () => withDetail('Required value', detail))

export const duplicate = (at: At, value: JsonValue): FieldError =>
  fieldError('FieldValueDuplicate', at, () => `Duplicate value: ${formatValue(value)}`)

export const invalid = (at: At, value: JsonValue | undefined, detail: string): FieldError =>
  fieldError('FieldValueInvalid', at, () => withDetail(`Invalid value: ${formatValue(value)}`, detail))

export const notSupported = (at: At, value: JsonValue, valid: readonly string[]): FieldError =>
  fieldError('FieldValueNotSupported', at, () =>
    withDetail(
      `Unsupported value: ${formatValue(value)}`,
      valid.length === 0 ? '' : `supported values: ${valid.map(quote).join(', ')}`,
    ),
  )

export const forbidden = (at: At, detail: string): FieldError =>
  fieldError('FieldValueForbidden', at, () => withDetail('Forbidden', detail))

export const tooLong = (at: At, limit: number): FieldError =>
  fieldError(
    'FieldValueTooLong',
    at,
    () => `Too long: ${limit < 0 ? 'value is too long' : `may not be more than ${limit} bytes`}`,
  )

export const tooMany = (at: At, actual: number, limit: number): FieldError =>
  fieldError(
    'FieldValueTooMany',
    at,
    () => `Too many: ${actual}: ${limit < 0 ? 'has too many items' : `must have at most ${limit} items`}`,
  )

export const internal = (at: At, detail: string): FieldError =>
  fieldError('InternalError', at, () => `Internal error: ${detail}`)

/**
 * Room for errors where a rule reports pairs of items: the reference reports n² of them, and its memory ends before they do.
 * An answer shows far fewer.
 */
export const maxPairErrors = 20_000

/** A value as messages quote it: strings in Go's quotes, numbers and booleans bare, the rest as JSON. */
export function formatValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object')
    return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item))
  return typeof value === 'number' ? goFloat(value) : String(value)
}

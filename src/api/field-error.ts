/**
 * What validation finds wrong with one field, worded as the reference words it. A validator returns a list of these;
 * `invalid` in status-error.ts turns a list into a 422.
 *
 * Texts are made when they are first read: a body may have more errors than an answer has room for, and an error may
 * quote as much as the whole body.
 */

import { noteError } from './error-limit.ts'
import type { FieldPath } from './field-path.ts'
import { goFloat } from './golang/float.ts'
import { goOf, jsonOf, type RenderedValue } from './golang/literal.ts'
import { quote } from './golang/quote.ts'
import { quotedJsonText, quotedText } from './golang/quoted-items.ts'
import type { JsonValue } from './json.ts'
import { jsonText } from './json-text.ts'
import { servedMinor } from './release.ts'

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
  /** The message of a later release, which shows values in JSON and has types of its own; absent where it is the same. */
  readonly messageAt?: ((release: number) => string) | undefined
  /** The same with its text in JSON, as later releases show a text of a named type; absent where both forms are known to be the same. */
  readonly withJsonText?: (() => FieldError) | undefined
  /** The name of the rule that was broken, where one is known by name: `minimum`. */
  readonly origin?: string
  /** A declared rule finds this as well. */
  readonly declared?: true
}

type At = FieldPath | string

/** Makes a message, of a release where that matters. */
type Message = (release: number) => string

/** Accessors of the prototype: a body can have hundreds of thousands of errors, and own accessors cost four times as much. */
class LazyFieldError implements FieldError {
  readonly reason: FieldErrorReason
  readonly #at: At
  readonly #message: Message
  readonly #later: Message

  constructor(reason: FieldErrorReason, at: At, message: Message, later: Message) {
    this.reason = reason
    this.#at = at
    this.#message = message
    this.#later = later
  }

  get field(): string {
    return String(this.#at)
  }

  get message(): string {
    return this.#message(servedMinor)
  }

  messageAt(release: number): string {
    return this.#later(release)
  }
}

export const fieldError = (
  reason: FieldErrorReason,
  at: At,
  message: Message,
  later: Message = message,
): FieldError => {
  const error = new LazyFieldError(reason, at, message, later)
  noteError(error)
  return error
}

/** Texts whose JSON is not what Go quotes: those with markup or with what cannot be printed in ASCII. */
const oddInJson = /[^\t\n\r -%'-;=?-~]/
/** Many errors may quote one long text: it is not gone over for each of them. */
const mayDifferInJson = (text: string): boolean => text.length > 1000 || oddInJson.test(text)

/** An error that quotes a value. `words` puts it into words. */
function valueError(
  reason: FieldErrorReason,
  at: At,
  value: JsonValue | undefined,
  words: (shown: string) => string,
): FieldError {
  const error = fieldError(reason, at, () => words(formatValue(value)))
  if (typeof value !== 'string' || !mayDifferInJson(value)) return error
  const withJsonText = (): FieldError =>
    new LazyFieldError(
      reason,
      at,
      () => words(formatValue(value)),
      () => words(quotedJsonText(value)),
    )
  return Object.assign(error, { withJsonText })
}

/** The error with other members. Spreading one would lose its texts. A message that is given holds for all releases. */
export function fieldErrorWith(error: FieldError, changes: Partial<FieldError>): FieldError {
  const { reason, field, message, origin, declared } = error
  const messageAt = changes.message === undefined ? error.messageAt?.bind(error) : undefined
  const members = { reason, field, message, messageAt, origin, declared, ...changes }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as unknown as FieldError
}

/**
 * The value has a named type, though the path of the error does not lead to its field, or nobody looks (`resources/named-texts.ts`); or it is
 * a pointer, which is not looked behind.
 */
export const ofNamedText = (error: FieldError): FieldError => error.withJsonText?.() ?? error

/** The rule looks at a plain string, whatever type the field has. */
export const ofPlainText = (error: FieldError): FieldError => fieldErrorWith(error, { withJsonText: undefined })

/** Makes what a message quotes, for those errors alone that are shown: many may quote much. */
export type Quoted = () => RenderedValue

/** An error whose value is no plain JSON: in Go's syntax, and in JSON as later releases show it. `text` puts the value into words. */
export function quotingError(
  reason: FieldErrorReason,
  at: At,
  value: Quoted,
  text: (shown: string) => string,
): FieldError {
  return fieldError(
    reason,
    at,
    () => text(goOf(value())),
    (release) => text(jsonOf(value(), release)),
  )
}

/** An `Invalid value` whose value is shown as Go shows it. */
export const invalidAs = (at: At, value: Quoted, detail: string): FieldError =>
  quotingError('FieldValueInvalid', at, value, (shown) => withDetail(`Invalid value: ${shown}`, detail))

export const duplicateAs = (at: At, value: Quoted): FieldError =>
  quotingError('FieldValueDuplicate', at, value, (shown) => `Duplicate value: ${shown}`)

export const notSupportedAs = (at: At, value: Quoted, valid: readonly string[]): FieldError =>
  quotingError(
    'FieldValueNotSupported',
    at,
    value,
    (shown) => `Unsupported value: ${shown}: supported values: ${valid.map(quote).join(', ')}`,
  )

const withDetail = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`)

export const notFound = (at: At, value: JsonValue): FieldError =>
  valueError('FieldValueNotFound', at, value, (shown) => `Not found: ${shown}`)

export const required = (at: At, detail = ''): FieldError =>
  fieldError('FieldValueRequired', at, () => withDetail('Required value', detail))

export const duplicate = (at: At, value: JsonValue): FieldError =>
  valueError('FieldValueDuplicate', at, value, (shown) => `Duplicate value: ${shown}`)

export const invalid = (at: At, value: JsonValue | undefined, detail: string): FieldError =>
  valueError('FieldValueInvalid', at, value, (shown) => withDetail(`Invalid value: ${shown}`, detail))

/** An `Invalid value` that does not show the value. */
export const invalidUnshown = (at: At, detail: string): FieldError =>
  fieldError('FieldValueInvalid', at, () => withDetail('Invalid value', detail))

export const duplicateUnshown = (at: At): FieldError => fieldError('FieldValueDuplicate', at, () => 'Duplicate value')

export const notSupported = (at: At, value: JsonValue, valid: readonly string[]): FieldError =>
  valueError('FieldValueNotSupported', at, value, (shown) =>
    withDetail(
      `Unsupported value: ${shown}`,
      valid.length === 0 ? '' : `supported values: ${valid.map(quote).join(', ')}`,
    ),
  )

export const forbidden = (at: At, detail: string): FieldError => forbiddenAs(at, () => detail)

/** A `Forbidden` whose words show types, which differ from release to release. */
export const forbiddenAs = (at: At, detail: (release: number) => string): FieldError =>
  fieldError('FieldValueForbidden', at, (release) => withDetail('Forbidden', detail(release)))

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
  if (typeof value === 'string') return quotedText(value)
  if (typeof value === 'object') return jsonText(value)
  return typeof value === 'number' ? goFloat(value) : String(value)
}

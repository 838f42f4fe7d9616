/** Canonical forms of the scalars that are more than JSON, and their zero values. Errors carry the reference's texts. */
import { formatDuration, parseDuration } from '../api/duration.ts'
import type { JsonValue } from '../api/json.ts'
import { Quantity } from '../api/quantity.ts'
import { UnitWriter } from '../lib/unit-writer.ts'
import type { Field, Schema } from './schema.ts'

/** Most amounts are written in their shortest form already, which is their canonical one. */
const shortQuantity = /^[1-9][0-9]{0,2}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/

/** Throws a `QuantityError`. */
export function canonicalQuantity(text: string): string {
  return shortQuantity.test(text) ? text : Quantity.parseJson(text).toString()
}

/** Throws a `DurationError`. */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text))
}

/**
 * What is written for a field that is always written and has no value: an empty object with its own such fields, `null`
 * for pointers, lists, maps, times and raw JSON.
 */
export function zeroOf(field: Field): JsonValue {
  return field.pointer ? null : zeroValue(field.schema)
}

/** What a `null` in a list or a map becomes. Bytes that are stored as none are read as empty ones. */
export const zeroElement = (schema: Schema): JsonValue => (schema.kind === 'bytes' ? '' : zeroValue(schema))

/** The zero of a type where it stands by itself: a field that is always written, an element given as `null`. */
function zeroValue(schema: Schema): JsonValue {
  switch (schema.kind) {
    case 'object':
      return zeroObject(schema.fields.values())
    case 'string':
      return ''
    case 'integer':
    case 'number':
    case 'int-or-string':
      return 0
    case 'boolean':
      return false
    case 'quantity':
      return '0'
    case 'duration':
      return '0s'
    default:
      return null
  }
}

function zeroObject(fields: Iterable<Field>): JsonValue {
  const object: Record<string, JsonValue> = {}
  for (const field of fields) if (field.emit) object[field.name] = zeroOf(field)
  return object
}

/** Groups of four characters, the last of which may be padded; also none. */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const encoded = text.slice(0, text.length - padding)
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(encoded)
}

/** Standard base64 with padding; line breaks inside are dropped. Undefined when it is none. */
export function canonicalBase64(text: string): string | undefined {
  const joined = /[\r\n]/.test(text) ? withoutBreaks(text) : text
  if (!isBase64(joined)) return undefined
  return joined.endsWith('=') ? joined.slice(0, -4) + lastQuantum(joined.slice(-4)) : joined
}

function withoutBreaks(text: string): string {
  const writer = new UnitWriter(text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== lineFeed && unit !== carriageReturn) writer.write(unit)
  }
  return writer.toString()
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The bits after the last whole byte are ignored when read and zero when written. */
const lastQuantum = (text: string): string => Buffer.from(text, 'base64').toString('base64')

/** Where Go's decoder stops reading: the text of its error. */
export function base64Error(text: string): string {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/)
  const digits = withoutBreaks(at < 0 ? text : text.slice(0, at)).length
  if (at < 0) return `illegal base64 data at input byte ${text.length - (digits % 4)}`
  return `illegal base64 data at input byte ${text[at] === '=' ? paddingErrorAt(text, at, digits % 4) : at}`
}

/** Padding is right after two digits (`==`) or three (`=`) of a quantum, and nothing may follow it. */
function paddingErrorAt(text: string, at: number, digits: number): number {
  if (digits < 2) return at
  let end = at + 1
  const skipBreaks = () => {
    while (text.charAt(end) === '\r' || text.charAt(end) === '\n') end++
  }
  skipBreaks()
  if (digits === 2) {
    if (end === text.length) return text.length
    if (text.charAt(end) !== '=') return end - 1
    end++
    skipBreaks()
  }
  return end
}

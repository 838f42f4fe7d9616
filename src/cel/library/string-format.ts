/**
 * `'%s has %d'.format([…])`: the clauses, what they accept, and how values look in them. The same reading of a format
 * string serves the check of constant formats.
 */
import { isUtf8 } from 'node:buffer'
import { quote } from '../../api/golang/quote.ts'
import { display } from '../display.ts'
import { typeOf } from '../equality.ts'
import type { Work } from '../evaluation.ts'
import { WORK } from '../evaluation.ts'
import { formatDouble } from '../numbers.ts'
import { formatCelDuration, formatTimestamp } from '../time.ts'
import type { List, MapValue, Value } from '../values.ts'
import { Bytes, CelError, Double, isInt, TypeValue, Uint } from '../values.ts'

export type Clause = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o'
const CLAUSES = 'sdfebxXo'
const DEFAULT_PRECISION = 6
/** More digits than any double has; a bound on what a short format can make. */
const MAX_PRECISION = 1000

/** What a clause refuses, in the words of the reference; `%s` is the name of the type. */
const REFUSALS: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given %s',
  d: 'decimal clause can only be used on integers, was given %s',
  f: 'fixed-point clause can only be used on doubles, was given %s',
  e: 'scientific clause can only be used on doubles, was given %s',
  b: 'only integers and bools can be formatted as binary, was given %s',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given %s',
  o: 'octal clause can only be used on integers, was given %s',
}

export const formatRefusal = (clause: Clause, typeName: string): string =>
  REFUSALS[clause === 'X' ? 'x' : clause]!.replace('%s', () => typeName)

export class FormatError extends Error {}

export interface FormatReader {
  /** What the clause makes of the argument at the index. */
  readonly clause: (clause: Clause, index: number, precision: number | undefined) => string
  readonly argument: (index: number) => void
}

/** Reads a format string and puts together what the reader makes of its clauses; throws a `FormatError`. */
export function readFormat(format: string, reader: FormatReader): string {
  let result = ''
  let index = 0
  let at = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent < 0) return result + format.slice(at)
    result += format.slice(at, percent)
    if (format[percent + 1] === '%') {
      result += '%'
      at = percent + 2
      continue
    }
    reader.argument(index)
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string')
    const { clause, precision, end } = readClause(format, percent + 1)
    result += reader.clause(clause, index, precision)
    index++
    at = end
  }
  return result
}

function readClause(format: string, start: number): { clause: Clause; precision: number | undefined; end: number } {
  let at = start
  let precision: number | undefined
  if (format[at] === '.') {
    at++
    const digits = /^\d*/.exec(format.slice(at))![0]
    at += digits.length
    if (at >= format.length)
      throw parseError('error while parsing precision: could not find end of precision specifier')
    if (digits === '') {
      throw parseError(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      )
    }
    precision = Math.min(Number(digits), MAX_PRECISION)
  }
  const clause = format[at]!
  if (!CLAUSES.includes(clause)) throw parseError(`unrecognized formatting clause "${clause}"`)
  return { clause: clause as Clause, precision, end: at + 1 }
}

const parseError = (message: string): FormatError => new FormatError(`could not parse formatting clause: ${message}`)

/**
 * The reference of these versions writes numbers for a locale and quotes text inside lists and maps; the language's
 * specification came later and writes both plainly.
 */
export interface FormatStyle {
  readonly localized: boolean
  /** What is made of large values has no price. */
  readonly work?: Work
}
export const referenceStyle: FormatStyle = { localized: true }
export const specifiedStyle: FormatStyle = { localized: false }

export function formatText(format: string, args: List, style: FormatStyle): Value {
  try {
    return readFormat(format, {
      argument: (index) => {
        if (index >= args.length) throw new FormatError(`index ${index} out of range`)
      },
      clause: (clause, index, precision) => {
        const value = args.at(index)
        style.work?.work(clause === 'e' || clause === 'f' ? WORK.formattedDouble : WORK.clause)
        const text = formatClause(clause, value, { precision: precision ?? DEFAULT_PRECISION, style })
        if (text !== undefined) {
          style.work?.work(text.length * WORK.formatted)
          return text
        }
        throw formattingError(formatRefusal(clause, typeOf(value).name))
      },
    })
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message)
    throw error
  }
}

/** Undefined where the clause does not take the value. */
function formatClause(
  clause: Clause,
  value: Value,
  { precision, style }: { precision: number; style: FormatStyle },
): string | undefined {
  switch (clause) {
    case 's':
      return formatString(value, style)
    case 'd':
      if (!style.localized && value instanceof Double) return special(value.value, style)
      return integerOf(value)?.toString()
    case 'f':
    case 'e': {
      const number = doubleOf(value)
      if (number === undefined) return undefined
      if (clause === 'f') return special(number, style) ?? formatFixed(number, precision, style)
      return special(number, style)?.padStart(widthOf(precision, style)) ?? formatScientific(number, precision, style)
    }
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integerOf(value)?.toString(2)
    case 'o':
      return integerOf(value)?.toString(8)
    case 'x':
      return formatHex(value)
    case 'X':
      return formatHex(value)?.toUpperCase()
  }
}

function integerOf(value: Value): bigint | undefined {
  if (isInt(value)) return BigInt(value)
  return value instanceof Uint ? value.value : undefined
}

/** The names of what is no number may come as text. */
function doubleOf(value: Value): number | undefined {
  if (value instanceof Double) return value.value
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
  return undefined
}

function formatHex(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex')
  if (value instanceof Bytes) return Buffer.from(value.data).toString('hex')
  return integerOf(value)?.toString(16)
}

/** What is no finite number, undefined for one. */
function special(value: number, { localized }: FormatStyle): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return undefined
  return `${value < 0 ? '-' : ''}${localized ? '∞' : 'Infinity'}`
}

/** In the localized style with the digits grouped, as for an American reader. */
function formatFixed(value: number, precision: number, { localized }: FormatStyle): string {
  const text = fixed(value, precision)
  if (!localized) return text
  const [whole, fraction] = text.split('.') as [string, string?]
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** More digits than this JavaScript does not give. */
const MAX_DIGITS = 100

/** Exactly so many digits after the point; halves go to the even digit. */
function fixed(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21) {
    const whole = BigInt(value).toString()
    return precision === 0 ? whole : `${whole}.${'0'.repeat(precision)}`
  }
  if (precision >= MAX_DIGITS) return value.toFixed(MAX_DIGITS) + '0'.repeat(precision - MAX_DIGITS)
  const exact = value.toFixed(MAX_DIGITS)
  const cutAt = exact.indexOf('.') + 1 + precision
  const isHalf = exact[cutAt] === '5' && /^0*$/.test(exact.slice(cutAt + 1))
  const truncated = exact.slice(0, precision === 0 ? cutAt - 1 : cutAt)
  return isHalf && Number(truncated.at(-1)) % 2 === 0 ? truncated : value.toFixed(precision)
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** The reference of these versions takes the precision of the scientific clause for the width. */
const widthOf = (precision: number, { localized }: FormatStyle): number => (localized ? precision : 0)

/** As the reference's locale writes it: 3.140000×10⁰⁰. */
function formatScientific(value: number, precision: number, style: FormatStyle): string {
  const shown = style.localized ? DEFAULT_PRECISION : Math.min(precision, 100)
  const [mantissa, exponent] = value.toExponential(shown).split('e') as [string, string]
  const digits = exponent.slice(1).padStart(2, '0')
  if (!style.localized) return `${mantissa}e${exponent[0]}${digits}`
  let raised = ''
  for (const digit of digits) raised += SUPERSCRIPTS[Number(digit)]
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`.padStart(widthOf(precision, style))
}

function formatString(value: Value, style: FormatStyle): string | undefined {
  if (value === null) return 'null'
  if (typeof value !== 'object') return String(value)
  switch (value.kind) {
    case 'double':
      return (style.localized ? undefined : special(value.value, style)) ?? formatDouble(value.value)
    case 'uint':
      return value.value.toString()
    case 'bytes':
      return utf8Text(value)
    case 'timestamp':
      return formatTimestamp(value)
    case 'duration':
      return formatCelDuration(value)
    case 'type':
      return value.type.name
    case 'list':
      return formatList(value, style)
    case 'map':
      return value.typeName === undefined ? formatMap(value, style) : undefined
    default:
      return undefined
  }
}

function utf8Text({ data }: Bytes): string {
  if (isUtf8(data)) return Buffer.from(data).toString('utf8')
  throw formattingError('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
}

const formattingError = (message: string): FormatError => new FormatError(`error during formatting: ${message}`)

function formatList(list: List, style: FormatStyle): string {
  const parts: string[] = []
  for (let i = 0; i < list.length; i++) {
    parts.push(formatMember(list.at(i), style))
  }
  return `[${parts.join(', ')}]`
}

function formatMap(map: MapValue, style: FormatStyle): string {
  const entries: [string, string][] = []
  for (const key of map.keys()) {
    if (style.localized && !isShownKey(key)) {
      throw formattingError(`no formatting function for map key of type ${typeOf(key).name}`)
    }
    entries.push([formatMember(key, style), formatMember(map.find(key)!, style)])
  }
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${style.localized ? '' : ' '}${value}`).join(', ')}}`
}

const isShownKey = (key: Value): boolean => key instanceof Uint || typeof key !== 'object'

/** Inside a list or a map, text is quoted and times say what they are. */
function formatMember(value: Value, style: FormatStyle): string {
  style.work?.work(WORK.formattedItem)
  if (!style.localized) return formatString(value, style) ?? unformattable(value)
  if (typeof value === 'string') {
    style.work?.work(value.length * WORK.quoted)
    return quote(value)
  }
  if (value instanceof Bytes) return `b${quote(utf8Text(value))}`
  if (value instanceof Double) {
    const text = Number.isFinite(value.value) ? fixed(value.value, 6) : formatDouble(value.value)
    return Number.isFinite(value.value) ? text : quote(text)
  }
  if (value instanceof TypeValue) return value.type.name
  if (typeof value === 'object' && (value?.kind === 'timestamp' || value?.kind === 'duration')) {
    return `${value.kind}(${quote(display(value))})`
  }
  return formatString(value, style) ?? unformattable(value)
}

function unformattable(value: Value): never {
  throw formattingError(`no formatting function for ${typeOf(value).name}`)
}

/**
 * Values as Go's standard library reads them, because flags and configuration files are written for it. Parsers throw
 * a `ConfigError` with Go's own words.
 */
import { DurationError, parseDuration } from '../api/duration.ts'
import { quoteAscii } from '../api/golang/quote-ascii.ts'
import { ConfigError } from './config-error.ts'

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falsehoods = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export function parseGoBool(text: string): boolean {
  if (truths.has(text)) return true
  if (falsehoods.has(text)) return false
  throw new ConfigError(`strconv.ParseBool: parsing ${quoteAscii(text)}: invalid syntax`)
}

/** Decimal, or with a prefix 0x, 0o, 0b or 0. */
export function parseGoInt(text: string): number {
  const [, sign = '', digits = ''] = /^([+-]?)(\d[\d_]*|0[xX][\da-fA-F_]+|0[oObB][\d_]+)$/.exec(text) ?? []
  const plain = digits.replace(/(?<=.)_(?=.)/g, '')
  const value = Number(/^0\d+$/.test(plain) ? `0o${plain.slice(1)}` : plain === '' ? 'none' : plain)
  if (!Number.isInteger(value)) throw new ConfigError(`strconv.ParseInt: parsing ${quoteAscii(text)}: invalid syntax`)
  if (!Number.isSafeInteger(value))
    throw new ConfigError(`strconv.ParseInt: parsing ${quoteAscii(text)}: value out of range`)
  return sign === '-' ? -value : value
}

export function parseGoFloat(text: string): number {
  const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new ConfigError(`strconv.ParseFloat: parsing ${quoteAscii(text)}: invalid syntax`)
  return value
}

/** A duration such as `1h30m` or `-1.5s`, in milliseconds. */
export function parseGoDuration(text: string): number {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    if (error instanceof DurationError) throw new ConfigError(error.message)
    throw error
  }
}

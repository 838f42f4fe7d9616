/**
 * Values as Go's standard library reads them, because flags and configuration files are written for it. Parsers throw
 * a `ConfigError` with Go's own words.
 */
import { ConfigError } from './config-error.ts'

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falsehoods = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export function parseGoBool(text: string): boolean {
  if (truths.has(text)) return true
  if (falsehoods.has(text)) return false
  throw new ConfigError(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`)
}

/** Decimal, or with a prefix 0x, 0o, 0b or 0. */
export function parseGoInt(text: string): number {
  const [, sign = '', digits = ''] = /^([+-]?)(\d[\d_]*|0[xX][\da-fA-F_]+|0[oObB][\d_]+)$/.exec(text) ?? []
  const plain = digits.replace(/(?<=.)_(?=.)/g, '')
  const value = Number(/^0\d+$/.test(plain) ? `0o${plain.slice(1)}` : plain === '' ? 'none' : plain)
  if (!Number.isInteger(value)) throw new ConfigError(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`)
  if (!Number.isSafeInteger(value))
    throw new ConfigError(`strconv.ParseInt: parsing ${quote(text)}: value out of range`)
  return sign === '-' ? -value : value
}

export function parseGoFloat(text: string): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new ConfigError(`strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`)
  return value
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** A duration such as `1h30m` or `-1.5s`, in milliseconds. */
export function parseGoDuration(text: string): number {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (body === '0') return 0
  let total = 0
  let rest = body
  while (rest !== '' || body === '') {
    const [all, amount, unit = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? []
    if (all === undefined) throw new ConfigError(`time: invalid duration ${quote(text)}`)
    if (unit === '') throw new ConfigError(`time: missing unit in duration ${quote(text)}`)
    const factor = Object.hasOwn(unitMilliseconds, unit) ? unitMilliseconds[unit] : undefined
    if (factor === undefined) throw new ConfigError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`)
    total += Number(amount) * factor
    rest = rest.slice(all.length)
  }
  return sign === '-' ? -total : total
}

/** As Go prints a duration: `1h30m0s`, `1.5s`, `250ms`. */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  const sign = milliseconds < 0 ? '-' : ''
  const size = Math.abs(milliseconds)
  if (size < 1e-3) return `${sign}${trimNumber(size * 1e6)}ns`
  if (size < 1) return `${sign}${trimNumber(size * 1e3)}µs`
  if (size < 1000) return `${sign}${trimNumber(size)}ms`
  const hours = Math.floor(size / 3_600_000)
  const minutes = Math.floor((size % 3_600_000) / 60_000)
  const seconds = `${trimNumber((size % 60_000) / 1000)}s`
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`
}

function trimNumber(value: number): string {
  return String(Number(value.toFixed(9)))
}

/** Text as Go's `%q` prints it. */
export function quote(text: string): string {
  return JSON.stringify(text)
}

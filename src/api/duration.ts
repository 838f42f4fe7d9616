/**
 * Spans of time in Go's notation (`1h30m0s`, `1.5s`), as signed 64-bit nanoseconds. Read and written as Go does it, so
 * that a printed duration is the same text everywhere.
 */
import { bytesOfText } from './byte-text.ts'

export type Nanoseconds = bigint

/** A text that is no duration; the message is Go's. */
export class DurationError extends Error {
  override readonly name = 'DurationError'
}

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

const limit = 2n ** 63n

/** One number with its unit: whole digits, fraction digits, unit. The unit runs up to the next digit or point. */
const term = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y

/** Throws a `DurationError`. */
export function parseDuration(text: string): Nanoseconds {
  const invalid = (): DurationError => new DurationError(`time: invalid duration ${quoteAscii(text)}`)
  const sign = text[0] === '-' || text[0] === '+' ? 1 : 0
  if (text.slice(sign) === '0') return 0n
  if (text.length === sign) throw invalid()
  let total = 0n
  for (let pos = sign; pos < text.length; pos = term.lastIndex) {
    term.lastIndex = pos
    const [, whole = '', fraction = '', unitText = ''] = term.exec(text) ?? []
    if (whole === '' && fraction === '') throw invalid()
    total += termValue(text, { whole, fraction, unitText }, invalid)
    if (total > limit) throw invalid()
  }
  if (text[0] === '-') return -total
  if (total === limit) throw invalid()
  return total
}

interface Term {
  readonly whole: string
  readonly fraction: string
  readonly unitText: string
}

function termValue(text: string, { whole, fraction, unitText }: Term, invalid: () => DurationError): bigint {
  const digits = whole.replace(/^0+/, '')
  const amount = digits.length > 19 ? limit + 1n : BigInt(digits)
  if (amount > limit) throw invalid()
  if (unitText === '') throw new DurationError(`time: missing unit in duration ${quoteAscii(text)}`)
  const unit = units.get(unitText)
  if (unit === undefined) {
    throw new DurationError(`time: unknown unit ${quoteAscii(unitText)} in duration ${quoteAscii(text)}`)
  }
  const value = amount * unit + fractionOf(fraction, unit)
  if (value > limit) throw invalid()
  return value
}

/** Computed in floating point, digits beyond 64 bits dropped, as Go does it. */
function fractionOf(digits: string, unit: bigint): bigint {
  let kept = 0
  let value = 0n
  for (; kept < digits.length; kept++) {
    if (value > (limit - 1n) / 10n) break
    const next = value * 10n + BigInt(digits.charCodeAt(kept) - 48)
    if (next > limit) break
    value = next
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / 10 ** kept)))
}

/** `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(duration: Nanoseconds): string {
  const sign = duration < 0n ? '-' : ''
  const nanos = duration < 0n ? -duration : duration
  if (nanos === 0n) return '0s'
  if (nanos < 1_000n) return `${sign}${nanos}ns`
  if (nanos < 1_000_000n) return `${sign}${withFraction(nanos, 3)}µs`
  if (nanos < 1_000_000_000n) return `${sign}${withFraction(nanos, 6)}ms`
  const seconds = withFraction(nanos % 60_000_000_000n, 9)
  const minutes = nanos / 60_000_000_000n
  if (minutes === 0n) return `${sign}${seconds}s`
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`
}

/** Divided by a power of ten, without trailing zeros. */
function withFraction(value: bigint, places: number): string {
  const text = String(value).padStart(places + 1, '0')
  const fraction = text.slice(-places).replace(/0+$/, '')
  const whole = text.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Double quotes as Go's time package writes them: everything outside of printable ASCII byte by byte in hex. */
export function quoteAscii(text: string): string {
  let out = '"'
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') out += `\\${char}`
    else if (code >= 0x20 && code < 0x80) out += char
    else for (const byte of bytesOfText(char)) out += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${out}"`
}

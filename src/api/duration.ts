/**
 * Spans of time in Go's notation (`1h30m0s`, `1.5s`), as signed 64-bit nanoseconds. Read and written as Go does it, so
 * that a printed duration is the same text everywhere.
 */
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { quoteAscii } from './golang/quote-ascii.ts'

export type Nanoseconds = bigint

/** A text that is no duration; the message is Go's, made when it is read: it quotes the text. */
export class DurationError extends Error {
  override readonly name = 'DurationError'
  readonly #message: () => string

  constructor(message: () => string) {
    super()
    this.#message = message
  }

  override get message(): string {
    return this.#message()
  }
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

/** Terms that are read in one step. */
const termsOfStep = 256

/** Throws a `DurationError`. */
export function parseDuration(text: string): Nanoseconds {
  const read = runToEnd(durationInSteps(text))
  if (read instanceof DurationError) throw read
  return read
}

/** The same of a text of any length. */
export function* durationInSteps(text: string): Steps<Nanoseconds | DurationError> {
  const sign = text[0] === '-' || text[0] === '+' ? 1 : 0
  if (text.slice(sign) === '0') return 0n
  if (text.length === sign) return invalid(text)
  let total = 0n
  let terms = 0
  for (let pos = sign; pos < text.length; pos = term.lastIndex) {
    if (++terms % termsOfStep === 0) yield
    term.lastIndex = pos
    const [, whole = '', fraction = '', unitText = ''] = term.exec(text) ?? []
    if (whole === '' && fraction === '') return invalid(text)
    const value = termValue(text, { whole, fraction, unitText })
    if (typeof value !== 'bigint') return value
    total += value
    if (total > limit) return invalid(text)
  }
  if (text[0] === '-') return -total
  return total === limit ? invalid(text) : total
}

const invalid = (text: string): DurationError => new DurationError(() => `time: invalid duration ${quoteAscii(text)}`)

interface Term {
  readonly whole: string
  readonly fraction: string
  readonly unitText: string
}

function termValue(text: string, { whole, fraction, unitText }: Term): bigint | DurationError {
  const digits = whole.replace(/^0+/, '')
  const amount = digits.length > 19 ? limit + 1n : BigInt(digits)
  if (amount > limit) return invalid(text)
  if (unitText === '') return new DurationError(() => `time: missing unit in duration ${quoteAscii(text)}`)
  const unit = units.get(unitText)
  if (unit === undefined) {
    return new DurationError(() => `time: unknown unit ${quoteAscii(unitText)} in duration ${quoteAscii(text)}`)
  }
  const value = amount * unit + fractionOf(fraction, unit)
  return value > limit ? invalid(text) : value
}

/** Computed in floating point, digits beyond 64 bits dropped, as Go does it. */
function fractionOf(digits: string, unit: bigint): bigint {
  // Zeros are counted, not gone over: there may be millions of them.
  let kept = digits.length - digits.replace(/^0+/, '').length
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

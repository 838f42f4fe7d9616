/**
 * Instants as the API writes them: RFC 3339, UTC, whole seconds (`time`) or six digits of a second (`micro-time`).
 * Reading is as lenient as Go's, with Go's error texts; an instant keeps its nanoseconds.
 */
import { quoteAscii } from './golang/quote-ascii.ts'

export interface Instant {
  /** Since 1970 in UTC. */
  readonly seconds: number
  /** 0 to 999,999,999, added to the seconds whatever their sign. */
  readonly nanos: number
}

/** A text that is no time; the message is Go's. */
export class TimeError extends Error {
  override readonly name = 'TimeError'
}

const timeLayout = '2006-01-02T15:04:05Z07:00'
const microTimeLayout = '2006-01-02T15:04:05.000000Z07:00'

/** The first second of the year 1 is how the reference says "no time"; it goes over the wire as `null`. */
const zeroSeconds = -62_135_596_800

/** Throws a `TimeError`. Any number of fraction digits may follow the seconds. */
export const parseTime = (text: string): Instant => new TimeReader(text, timeLayout).read(false)

/** Throws a `TimeError`. Exactly six fraction digits must follow the seconds. */
export const parseMicroTime = (text: string): Instant => new TimeReader(text, microTimeLayout).read(true)

/** `2024-05-06T07:08:09Z`; finer parts are cut off. */
export function formatTime(instant: Instant): string {
  return written(instant.seconds).time
}

/** `2024-05-06T07:08:09.123456Z`; finer parts are cut off. */
export function formatMicroTime(instant: Instant): string {
  const micros = String(Math.trunc(instant.nanos / 1000)).padStart(6, '0')
  return `${written(instant.seconds).dateAndClock}.${micros}Z`
}

/** A time as it is stored: the same instant in UTC, `null` for the zero time. Throws a `TimeError`. */
export function canonicalTime(text: string): string | null {
  if (isPlain(text, 20)) return text
  const instant = parseTime(text)
  return isZero(instant) ? null : formatTime(instant)
}

/** As `canonicalTime`, with six digits of a second. */
export function canonicalMicroTime(text: string): string | null {
  if (isPlain(text, 27)) return text
  const instant = parseMicroTime(text)
  return isZero(instant) ? null : formatMicroTime(instant)
}

export function compareInstants(a: Instant, b: Instant): number {
  return Math.sign(a.seconds - b.seconds) || Math.sign(a.nanos - b.nanos)
}

export function instantOfMillis(millis: number): Instant {
  const seconds = Math.floor(millis / 1000)
  return { seconds, nanos: Math.round((millis - seconds * 1000) * 1e6) }
}

export function millisOfInstant({ seconds, nanos }: Instant): number {
  return seconds * 1000 + nanos / 1e6
}

const isZero = ({ seconds, nanos }: Instant): boolean => seconds === zeroSeconds && nanos === 0

const plain =
  /^[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]{6})?Z$/

/** The form that is nearly all there is: already canonical, and no day that a month might lack. */
function isPlain(text: string, length: number): boolean {
  if (text === lastPlain) return text.length === length
  const is = text.length === length && plain.test(text)
  if (is) lastPlain = text
  return is
}

/** Most times that are read were written in the same second. */
let lastPlain = ''

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

interface Written {
  readonly seconds: number
  readonly dateAndClock: string
  readonly time: string
}

/** Most times that are written are of the last few seconds: memoized by their last bits. */
const recentlyWritten: Written[] = []
const recentMask = 15

function written(seconds: number): Written {
  const slot = seconds & recentMask
  const known = recentlyWritten[slot]
  if (known?.seconds === seconds) return known
  const dateAndClock = formatSeconds(seconds)
  const made = { seconds, dateAndClock, time: `${dateAndClock}Z` }
  recentlyWritten[slot] = made
  return made
}

function formatSeconds(seconds: number): string {
  const date = new Date(seconds * 1000)
  const year = date.getUTCFullYear()
  const yearText = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`
  const day = `${yearText}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
  return `${day}T${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
}

const isDigitAt = (text: string, pos: number): boolean => {
  const code = text.charCodeAt(pos)
  return code >= 48 && code <= 57
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysOf = (month: number, year: number): number =>
  month === 2 && isLeap(year) ? 29 : ([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0)

/** Walks the text element by element of the layout; the element where it stops is named in the error. */
class TimeReader {
  readonly #text: string
  readonly #layout: string
  #rest: string

  constructor(text: string, layout: string) {
    this.#text = text
    this.#layout = layout
    this.#rest = text
  }

  read(sixDigits: boolean): Instant {
    const year = this.#year()
    this.#literal('-')
    const month = this.#number('01', true)
    if (month < 1 || month > 12) throw this.#outOfRange('month')
    this.#literal('-')
    const day = this.#number('02', true)
    this.#literal('T')
    const hour = this.#inRange('hour', this.#number('15', false), 24)
    this.#literal(':')
    const minute = this.#inRange('minute', this.#number('04', true), 60)
    this.#literal(':')
    const second = this.#inRange('second', this.#number('05', true), 60)
    const nanos = sixDigits ? this.#sixDigits() : this.#fraction()
    const offset = this.#zone()
    if (this.#rest !== '') throw this.#error(`: extra text: ${quoteAscii(this.#rest)}`)
    if (day < 1 || day > daysOf(month, year)) throw this.#outOfRange('day')
    const date = new Date(0)
    date.setUTCFullYear(year, month - 1, day)
    date.setUTCHours(hour, minute, second)
    return { seconds: date.getTime() / 1000 - offset, nanos }
  }

  #year(): number {
    const digits = this.#rest.slice(0, 4)
    if (!/^[0-9]{4}$/.test(digits)) throw this.#mismatch('2006')
    this.#rest = this.#rest.slice(4)
    return Number(digits)
  }

  #literal(char: string): void {
    if (this.#rest[0] !== char) throw this.#mismatch(char)
    this.#rest = this.#rest.slice(1)
  }

  /** Two digits, or one where the layout does not fix the width. */
  #number(element: string, fixed: boolean): number {
    const width = isDigitAt(this.#rest, 1) ? 2 : 1
    if (!isDigitAt(this.#rest, 0) || (fixed && width === 1)) throw this.#mismatch(element)
    const value = Number(this.#rest.slice(0, width))
    this.#rest = this.#rest.slice(width)
    return value
  }

  #inRange(name: string, value: number, end: number): number {
    if (value >= end) throw this.#outOfRange(name)
    return value
  }

  #fraction(): number {
    const digits = /^[.,]([0-9]+)/.exec(this.#rest)?.[1]
    if (digits === undefined) return 0
    this.#rest = this.#rest.slice(1 + digits.length)
    return Number(digits.slice(0, 9).padEnd(9, '0'))
  }

  /** A sign may stand in for the first digit, because Go reads the six as a number. */
  #sixDigits(): number {
    const digits = /^[.,]([-+0-9][0-9]{5})/.exec(this.#rest)?.[1]
    if (digits === undefined) throw this.#mismatch('.000000')
    const micros = Number(digits)
    if (micros < 0) throw this.#outOfRange('fractional second')
    this.#rest = this.#rest.slice(7)
    return micros * 1000
  }

  /** Seconds east of Greenwich. */
  #zone(): number {
    if (this.#rest[0] === 'Z') {
      this.#rest = this.#rest.slice(1)
      return 0
    }
    const [, sign, hours, minutes] = /^(.)(..):(..)/s.exec(this.#rest) ?? []
    const hour = hours !== undefined && /^[0-9]{2}$/.test(hours) ? Number(hours) : undefined
    const minute =
      hour !== undefined && minutes !== undefined && /^[0-9]{2}$/.test(minutes) ? Number(minutes) : undefined
    if (hour !== undefined && hour > 24) throw this.#outOfRange('time zone offset hour')
    if (minute !== undefined && minute > 60) throw this.#outOfRange('time zone offset minute')
    if (hour === undefined || minute === undefined || (sign !== '+' && sign !== '-')) throw this.#mismatch('Z07:00')
    this.#rest = this.#rest.slice(6)
    return (hour * 60 + minute) * (sign === '-' ? -60 : 60)
  }

  #mismatch(element: string): TimeError {
    return this.#error(
      ` as ${quoteAscii(this.#layout)}: cannot parse ${quoteAscii(this.#rest)} as ${quoteAscii(element)}`,
    )
  }

  #outOfRange(name: string): TimeError {
    return this.#error(`: ${name} out of range`)
  }

  #error(what: string): TimeError {
    return new TimeError(`parsing time ${quoteAscii(this.#text)}${what}`)
  }
}

/**
 * Timestamps and durations: reading and writing them as Go does, calendar fields in a time zone, and arithmetic that
 * stays in range.
 */
import { DurationError, parseDuration as parseGoDuration } from '../api/duration.ts'
import { countWork, WORK } from './evaluation.ts'
import { CelError, Duration, INT_MAX, INT_MIN, Timestamp } from './values.ts'

const MIN_SECONDS = -62_135_596_800
const MAX_SECONDS = 253_402_300_799
const NANOS = 1_000_000_000n

export const timestampOverflow = (): CelError => new CelError('timestamp overflow')
const durationOverflow = (): CelError => new CelError('integer overflow')

/** Go takes one digit for an hour, and a comma before a fraction. */
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:(Z)|([+-])(\d{2}):(\d{2}))$/

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** Seconds since 1970 of a UTC date; JavaScript's own function reads years below 100 as 19xx. */
function utcSeconds(year: number, month: number, day: number): number {
  if (year >= 100) return Date.UTC(year, month - 1, day) / 1000
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 1000
}

/** A timestamp of RFC 3339; undefined for other text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = DATE_TIME.exec(text)
  if (!match) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const zoneHour = Number(match[10] ?? 0)
  const zoneMinute = Number(match[11] ?? 0)
  if (zoneHour > 24 || zoneMinute > 60) return undefined
  const offset = (match[9] === '-' ? -1 : 1) * (zoneHour * 3600 + zoneMinute * 60)
  const seconds = utcSeconds(year, month, day) + hour * 3600 + minute * 60 + second - offset
  const nanos = match[7] === undefined ? 0 : Number(match[7].slice(0, 9).padEnd(9, '0'))
  return new Timestamp(seconds, nanos, offset)
}

/** As CEL converts: the instant must lie in the years 1 to 9999. */
export function inRange(timestamp: Timestamp): boolean {
  return timestamp.seconds >= MIN_SECONDS && timestamp.seconds <= MAX_SECONDS
}

export function parseDate(text: string): Timestamp | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined
}

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')

/** RFC 3339 with the digits of a second that are needed, at its own offset. */
export function formatTimestamp({ seconds, nanos, offset }: Timestamp): string {
  const date = new Date((seconds + offset) * 1000)
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
  const time = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
  const fraction = nanos === 0 ? '' : `.${pad(nanos, 9).replace(/0+$/, '')}`
  const minutes = Math.floor(Math.abs(offset) / 60)
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
  return `${day}T${time}${fraction}${zone}`
}

/** Whole hours, minutes and seconds, small enough for numbers: nearly all there are. */
const SIMPLE_DURATION = /^(?=\d)(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,8})s)?$/

/** Terms of a number and a unit; the number of digits is none of its business. */
const DURATION = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/

/** A Go duration such as `1h30m`; undefined for other text. */
export function parseCelDuration(text: string): Duration | undefined {
  const simple = SIMPLE_DURATION.exec(text)
  if (simple)
    return new Duration(
      BigInt(Number(simple[1] ?? 0) * 3600 + Number(simple[2] ?? 0) * 60 + Number(simple[3] ?? 0)) * NANOS,
    )
  if (!DURATION.test(text)) return undefined
  countWork(text.length * WORK.spanCharacter)
  try {
    return new Duration(parseGoDuration(text))
  } catch (error) {
    if (error instanceof DurationError) return undefined
    throw error
  }
}

/** Seconds and a trailing `s`, as the reference turns a duration into a string. */
export function formatCelDuration({ nanos }: Duration): string {
  const seconds = Number(nanos / NANOS) + Number(nanos % NANOS) / 1e9
  return `${expandExponent(seconds)}s`
}

/** A number's shortest digits without an exponent. */
function expandExponent(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text)
  if (!match) return text
  return `${match[1]}0.${'0'.repeat(Number(match[4]) - 1)}${match[2]}${match[3] ?? ''}`
}

export function addDurations(a: Duration, b: Duration): Duration | CelError {
  return durationOf(a.nanos + b.nanos)
}

export function durationOf(nanos: bigint): Duration | CelError {
  return nanos < INT_MIN || nanos > INT_MAX ? durationOverflow() : new Duration(nanos)
}

export function addToTimestamp(timestamp: Timestamp, nanos: bigint): Timestamp | CelError {
  const total = BigInt(timestamp.seconds) * NANOS + BigInt(timestamp.nanos) + nanos
  const rest = ((total % NANOS) + NANOS) % NANOS
  const result = new Timestamp(Number((total - rest) / NANOS), Number(rest), timestamp.offset)
  return inRange(result) ? result : timestampOverflow()
}

export function timestampDifference(a: Timestamp, b: Timestamp): Duration | CelError {
  return durationOf(BigInt(a.seconds - b.seconds) * NANOS + BigInt(a.nanos - b.nanos))
}

export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return Math.sign(a.seconds - b.seconds) || Math.sign(a.nanos - b.nanos)
}

export type CalendarField =
  | 'year'
  | 'month'
  | 'dayOfYear'
  | 'dayOfMonth'
  | 'date'
  | 'dayOfWeek'
  | 'hours'
  | 'minutes'
  | 'seconds'
  | 'milliseconds'

/** A field of the calendar in a time zone: a name of the zone database, or an offset such as `-08:00`. */
export function calendarField(timestamp: Timestamp, field: CalendarField, zone: string): number | CelError {
  const offset = zoneOffset(timestamp, zone)
  if (offset instanceof CelError) return offset
  const date = new Date((timestamp.seconds + offset) * 1000)
  switch (field) {
    case 'year':
      return date.getUTCFullYear()
    case 'month':
      return date.getUTCMonth()
    case 'dayOfYear':
      return Math.floor((date.getTime() / 1000 - utcSeconds(date.getUTCFullYear(), 1, 1)) / 86_400)
    case 'dayOfMonth':
      return date.getUTCDate() - 1
    case 'date':
      return date.getUTCDate()
    case 'dayOfWeek':
      return date.getUTCDay()
    case 'hours':
      return date.getUTCHours()
    case 'minutes':
      return date.getUTCMinutes()
    case 'seconds':
      return date.getUTCSeconds()
    case 'milliseconds':
      return Math.floor(timestamp.nanos / 1_000_000)
  }
}

/** Seconds east of UTC at that instant. */
function zoneOffset(timestamp: Timestamp, zone: string): number | CelError {
  if (zone === '' || zone === 'UTC') return 0
  const colon = zone.indexOf(':')
  if (colon < 0 && /^[/\\]|\.\./.test(zone)) return new CelError('time: invalid location name')
  if (colon < 0) return namedZoneOffset(timestamp, zone)
  const hours = zone.slice(0, colon)
  const minutes = zone.slice(colon + 1)
  for (const part of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(part)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`)
  }
  const sign = zone.startsWith('-') ? -1 : 1
  return Number(hours) * 3600 + sign * Number(minutes) * 60
}

const MAX_ZONES = 100
const zones = new Map<string, Intl.DateTimeFormat>()

/** The formatter of a time zone, kept because it takes long to make. Throws for a name that is none. */
function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zones.get(zone)
  if (format === undefined) {
    const numeric = 'numeric'
    const date = { year: numeric, month: numeric, day: numeric, era: 'short' } as const
    const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const
    format = new Intl.DateTimeFormat('en-US', { ...(zone !== 'Local' && { timeZone: zone }), ...date, ...time })
    if (zones.size >= MAX_ZONES) zones.clear()
    zones.set(zone, format)
  }
  return format
}

function namedZoneOffset(timestamp: Timestamp, zone: string): number | CelError {
  try {
    const parts = Object.fromEntries(
      zoneFormat(zone)
        .formatToParts(new Date(timestamp.seconds * 1000))
        .map(({ type, value }) => [type, value]),
    )
    const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year'])
    const local = utcSeconds(year, Number(parts['month']), Number(parts['day']))
    const time = Number(parts['hour']) * 3600 + Number(parts['minute']) * 60 + Number(parts['second'])
    return local + time - timestamp.seconds
  } catch {
    return new CelError(`unknown time zone ${zone}`)
  }
}

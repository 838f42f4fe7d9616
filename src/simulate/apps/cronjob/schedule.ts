/**
 * Cron schedules: five fields, `@hourly` and the like, `@every 90m`, and `TZ=Europe/Berlin` in front.
 * Mirrors github.com/robfig/cron/v3: SpecSchedule.Next, ConstantDelaySchedule, in behaviour: a time that clocks skip is
 * skipped, one that they show twice comes twice.
 */
import { parseDuration } from '../../../api/duration.ts'
import { TimeZone } from './time-zone.ts'

export interface Schedule {
  /** The first time after this one; undefined when there is none within five years. */
  next(after: number): number | undefined
}

export class ScheduleError extends Error {}

const names = (text: string, first: number): ReadonlyMap<string, number> =>
  new Map(text.split(' ').map((name, i) => [name, first + i]))

interface FieldRange {
  readonly min: number
  readonly max: number
  readonly names?: ReadonlyMap<string, number>
}

const ranges: readonly FieldRange[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: names('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { min: 0, max: 6, names: names('sun mon tue wed thu fri sat', 0) },
]

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

const minuteMs = 60_000
const hourMs = 3_600_000
const yearsAhead = 5

interface Field {
  readonly values: ReadonlySet<number>
  /** It is `*`: days of the month and of the week are then not alternatives. */
  readonly isAny: boolean
}

/** Throws a ScheduleError, also for an unknown time zone. */
export function parseSchedule(text: string, timeZone: string): Schedule {
  const [, own, rest = text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text) ?? []
  const zone = openZone(own ?? timeZone)
  const spec = rest.trim()
  const every = /^@every (.*)$/.exec(spec)?.[1]
  if (every !== undefined) return constantDelay(every)
  const fields = (descriptors.get(spec) ?? spec).split(/\s+/)
  if (fields.length !== ranges.length) {
    throw new ScheduleError(`expected exactly ${ranges.length} fields, found ${fields.length}: [${fields.join(' ')}]`)
  }
  return new CronSchedule(
    fields.map((field, i) => parseField(field, ranges[i] as FieldRange)),
    zone,
  )
}

function openZone(name: string): TimeZone {
  try {
    return new TimeZone(name)
  } catch {
    throw new ScheduleError(`unknown time zone ${name}`)
  }
}

function constantDelay(text: string): Schedule {
  let delay: number
  try {
    delay = Math.max(1, Math.floor(Number(parseDuration(text)) / 1e9)) * 1000
  } catch (error) {
    throw new ScheduleError(`failed to parse duration @every ${text}: ${(error as Error).message}`)
  }
  return { next: (after) => Math.floor(after / 1000) * 1000 + delay }
}

function parseField(text: string, range: FieldRange): Field {
  const values = new Set<number>()
  let isAny = false
  for (const part of text.split(',')) {
    const { first, last, step, isStar } = parsePart(part, range)
    for (let value = first; value <= last; value += step) values.add(value)
    isAny ||= isStar && step === 1
  }
  return { values, isAny }
}

function parsePart(part: string, range: FieldRange) {
  const [bounds = '', stepText, ...more] = part.split('/')
  const [low = '', high, ...evenMore] = bounds.split('-')
  if (more.length > 0 || evenMore.length > 0) throw new ScheduleError(`too many slashes or hyphens: ${part}`)
  const step = stepText === undefined ? 1 : parseValue(stepText, { min: 1, max: 1e9 })
  if (low === '*' || low === '?') return { first: range.min, last: range.max, step, isStar: true }
  const first = parseValue(low, range)
  // `N/step` goes on to the end.
  const last = high !== undefined ? parseValue(high, range) : stepText === undefined ? first : range.max
  if (first > last) throw new ScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${part}`)
  return { first, last, step, isStar: false }
}

function parseValue(text: string, { min, max, names: known }: FieldRange): number {
  const value = known?.get(text.toLowerCase()) ?? (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
  if (value === undefined) throw new ScheduleError(`failed to parse int from ${text}`)
  if (value < min || value > max) throw new ScheduleError(`value (${value}) outside of its range (${min}-${max})`)
  return value
}

class CronSchedule implements Schedule {
  readonly #fields: readonly Field[]
  readonly #zone: TimeZone

  constructor(fields: readonly Field[], zone: TimeZone) {
    this.#fields = fields
    this.#zone = zone
  }

  next(after: number): number | undefined {
    const [minutes, hours, , months] = this.#fields as [Field, Field, Field, Field, Field]
    let at = (Math.floor(after / minuteMs) + 1) * minuteMs
    const lastYear = this.#zone.wallClock(at).year + yearsAhead
    for (let now = this.#zone.wallClock(at); now.year <= lastYear; now = this.#zone.wallClock(at)) {
      if (!months.values.has(now.month)) at = this.#zone.moment(now.year, now.month + 1, 1)
      else if (!this.#hasDay(now.day, now.weekday)) at = this.#zone.moment(now.year, now.month, now.day + 1)
      else if (!hours.values.has(now.hour)) at += hourMs - now.minute * minuteMs
      else if (!minutes.values.has(now.minute)) at += this.#untilMinute(now.minute)
      else return at
    }
    return undefined
  }

  /** To the next of its minutes in this hour, or to the next hour. */
  #untilMinute(minute: number): number {
    const { values } = this.#fields[0] as Field
    let next = minute + 1
    while (next < 60 && !values.has(next)) next++
    return (next - minute) * minuteMs
  }

  #hasDay(day: number, weekday: number): boolean {
    const [, , days, , weekdays] = this.#fields as [Field, Field, Field, Field, Field]
    const [isDay, isWeekday] = [days.values.has(day), weekdays.values.has(weekday)]
    return days.isAny || weekdays.isAny ? isDay && isWeekday : isDay || isWeekday
  }
}

/** Cron schedules: five fields or a descriptor, read only to say what is wrong with them. */

import { DurationError, parseDuration } from '../../../../api/duration.ts'
import { quote } from '../../../../api/golang/quote.ts'
import { shownText } from '../../../../api/golang/quoted-items.ts'
import type { Steps } from '../../../../lib/in-turns.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: Readonly<Record<string, number>>
}

const numbered = (text: string, first: number): Record<string, number> =>
  Object.fromEntries(text.split(' ').map((name, i) => [name, i + first]))

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: numbered('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { min: 0, max: 6, names: numbered('sun mon tue wed thu fri sat', 0) },
]

const descriptors: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
])

/** What is wrong with the schedule, or undefined. `hasZone` says whether a time zone is known. */
export function* scheduleError(
  schedule: string,
  hasZone: (name: string) => boolean,
  recovers = false,
): Steps<string | undefined> {
  let text = schedule
  if (/^(CRON_)?TZ=/.test(text)) {
    const space = text.indexOf(' ')
    // Without anything after the zone the reference's parser crashes; here it is a schedule without fields, unless the crash is reported.
    if (space < 0 && recovers) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]'
    const zone = text.slice(text.indexOf('=') + 1, space < 0 ? undefined : space)
    if (!hasZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`
    text = space < 0 ? '' : text.slice(space).trim()
  }
  if (text.startsWith('@')) return descriptorError(text)
  const count = countFields(text)
  const parts = (count === fields.length ? text : shownText(text)).split(/\s+/).filter((part) => part !== '')
  if (count !== fields.length) return `expected exactly ${fields.length} fields, found ${count}: [${parts.join(' ')}]`
  for (const [i, bounds] of fields.entries()) {
    const problem = yield* fieldError(parts[i] ?? '', bounds)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A field is a list of ranges, which may be very many. */
function* fieldError(text: string, bounds: Bounds): Steps<string | undefined> {
  let count = 0
  for (let from = 0; from < text.length; ) {
    if (++count % rangesPerStep === 0) yield
    const comma = text.indexOf(',', from)
    const end = comma < 0 ? text.length : comma
    const problem = end === from ? undefined : rangeError(text.slice(from, end), bounds)
    if (problem !== undefined) return problem
    from = end + 1
  }
  return undefined
}

const rangesPerStep = 256

/** White space beyond ASCII, as `\s` has it. */
const wideSpaces: ReadonlySet<number> = new Set([
  ...[0x00a0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
])

/** Without making texts of them: there may be a million. */
function countFields(text: string): number {
  let count = 0
  let isBetween = true
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const isSpace = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || (unit > 0x7f && wideSpaces.has(unit))
    if (isBetween && !isSpace) count++
    isBetween = isSpace
  }
  return count
}

function descriptorError(text: string): string | undefined {
  if (descriptors.has(text)) return undefined
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`
  try {
    parseDuration(text.slice('@every '.length))
    return undefined
  } catch (error) {
    if (error instanceof DurationError) return `failed to parse duration ${text}: ${error.message}`
    throw error
  }
}

/** `*`, `5`, `mon-fri`, each with an optional step. */
function rangeError(range: string, bounds: Bounds): string | undefined {
  const [span = '', stepText, ...more] = range.split('/', 3)
  const [low = '', high, ...hyphens] = span.split('-', 3)
  let [start, end] = [bounds.min, bounds.max]
  if (low !== '*' && low !== '?') {
    const first = readNumber(low, bounds)
    if (typeof first === 'string') return first
    if (hyphens.length > 0) return `too many hyphens: ${range}`
    const last = high === undefined ? first : readNumber(high, bounds)
    if (typeof last === 'string') return last
    start = first
    end = last
  }
  if (more.length > 0) return `too many slashes: ${range}`
  const step = stepText === undefined ? 1 : readNumber(stepText, { min: 0, max: 0 })
  if (typeof step === 'string') return step
  if (stepText !== undefined && high === undefined) end = bounds.max
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined
}

/** The number, or what is wrong with it. */
function readNumber(text: string, { names }: Bounds): number | string {
  const named = names?.[text.toLowerCase()]
  if (named !== undefined) return named
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`
  }
  const value = Number(text)
  if (Math.abs(value) > 2 ** 63) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: value out of range`
  }
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value
}

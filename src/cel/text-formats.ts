/** Strings whose format makes them another value in CEL: times, durations and bytes. */

import { countWork, WORK } from './evaluation.ts'
import { parseCelDuration, parseDate, parseTimestamp } from './time.ts'
import { Bytes, Duration, type Value } from './values.ts'

export const TEXT_FORMATS: Readonly<Record<string, (text: string) => Value | undefined>> = {
  duration: parseAnyDuration,
  date: parseDate,
  'date-time': parseAnyDateTime,
  byte: parseBase64,
}
/** Messages show the text, of a long one how it begins. */
export const FORMAT_ERRORS: Readonly<Record<string, (text: string) => string>> = {
  duration: (text) => `Invalid duration ${shown(text)}: unable to parse ${shown(text)} as duration`,
  date: (text) =>
    `Invalid date formatted string ${shown(text)}: parsing time ${JSON.stringify(shown(text))} as "2006-01-02": cannot parse`,
  'date-time': (text) =>
    `Invalid date-time formatted string ${shown(text)}: parsing time ${JSON.stringify(shown(text))}: cannot parse`,
  byte: (text) => `Invalid byte formatted string ${shown(text)}: illegal base64 data`,
}

/** Date-times of OpenAPI may lack the offset or its colon. */
function parseAnyDateTime(text: string): Value | undefined {
  const plain = parseTimestamp(text)
  if (plain) return plain
  const normalized = text.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
  return parseTimestamp(/(Z|[+-]\d{2}:\d{2})$/.test(normalized) ? normalized : `${normalized}Z`)
}

const LONG_UNITS: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
]

/** Characters of an amount: more digits fit no 64 bits, and reading millions of them would take long. */
const MAX_AMOUNT = 24

/** Durations of OpenAPI also know words: `3 days`. */
function parseAnyDuration(text: string): Value | undefined {
  const plain = parseCelDuration(text)
  if (plain) return plain
  if (text.length >= LONG) countWork(text.length * WORK.spanCharacter)
  let total: bigint | undefined
  for (const [, amount, unit] of text.matchAll(/((?:-\s?|(?<!\d))\d+)(?:\.\d+)?\s*([A-Za-zµ]+)/g)) {
    const nanos = longUnit(unit!.toLowerCase())
    if (amount!.length > MAX_AMOUNT) return undefined
    if (nanos !== undefined) total = (total ?? 0n) + BigInt(amount!.replace(/\s/g, '')) * nanos
  }
  return total === undefined ? undefined : new Duration(BigInt.asIntN(64, total))
}

function longUnit(unit: string): bigint | undefined {
  return LONG_UNITS.find(([names]) => names.includes(unit) || unit.startsWith(names.at(-1)!))?.[1]
}

/** The reference reads such text in the alphabet of URLs. */
function parseBase64(text: string): Value | undefined {
  if (text.length < LONG) return decodeBase64(text)
  if (decoded?.text !== text) {
    countWork(text.length * WORK.readCharacter)
    decoded = { text, bytes: decodeBase64(text) }
  }
  return decoded.bytes
}

const LONG = 10_000
const shown = (text: string): string => (text.length < LONG ? text : `${text.slice(0, LONG)}...`)
/** The last long text that was read: loops look at the same one again and again. */
let decoded: { readonly text: string; readonly bytes: Bytes | undefined } | undefined

function decodeBase64(text: string): Bytes | undefined {
  const digits = text.replace(/[\r\n]/g, '')
  const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0
  if (digits.length % 4 !== 0 || /[^A-Za-z0-9_-]/.test(digits.slice(0, digits.length - padding))) return undefined
  return new Bytes(Buffer.from(digits, 'base64url'))
}

/** The string formats that custom types may ask for, checked as the reference checks them. Unknown ones are ignored. */
import { isIPv6 } from 'node:net'
import { DurationError, durationInSteps } from '../api/duration.ts'
import { isRequestUri } from '../api/golang/url-parts.ts'
import { maxIpLength, parseCidr, parseIp } from '../api/ip.ts'
import { checkDns1123Label, checkDns1123Subdomain } from '../api/names.ts'
import { hasChange } from '../api/release-changes.ts'
import type { Steps } from '../lib/in-turns.ts'
import { isMailAddress } from './mail-address.ts'
import { isBase64 } from './scalars.ts'

/** `date-time` and `datetime` are one format. */
const normalize = (format: string): string => format.replaceAll('-', '')

/** Formats that are known since some release, by their normalized names. */
const nameFormats: ReadonlySet<string> = new Set(['k8sshortname', 'k8slongname'])

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

export interface FormattedType {
  readonly types: readonly string[]
  readonly format: string
}

/** Whether values of a type are checked for its format at a release. Mirrors StripUnsupportedFormatsPostProcessorForVersion. */
export function isKnownFormat({ types, format }: FormattedType, release: number): boolean {
  const name = normalize(format)
  const isTextFormat = checks.has(name) && (!nameFormats.has(name) || hasChange(release, 'nameFormats'))
  if (!hasChange(release, 'numberFormats')) return isTextFormat
  const [type = 'string', ...others] = types
  if (others.length > 0 || type === 'string') return isTextFormat
  return isNumberFormat(type, format)
}

export const isNumberFormat = (type: string, format: string): boolean => numberFormats[type]?.includes(format) === true

/**
 * Whether a number fits the type and format that it should have, which may be converted without loss.
 * Mirrors kube-openapi/pkg/validation/validate: IsValueValidAgainstRange.
 */
export function fitsRange(value: number | bigint, { types, format }: FormattedType): boolean {
  if (types.length !== 1) return true
  if (types[0] === 'number') return format !== 'float' || Math.abs(Number(value)) < floatOverflow
  if (types[0] !== 'integer') return true
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  const bits = format === 'int32' ? 31n : 63n
  return BigInt(value) >= -(2n ** bits) && BigInt(value) < 2n ** bits
}

/** What is rounded to infinity in 32 bits. */
const floatOverflow = 2 ** 128 - 2 ** 103

/** Most formats are read by patterns that go over a text once; what takes longer goes in steps. */
export function* matchesFormat(format: string, text: string, release: number): Steps<boolean> {
  const name = normalize(format)
  if (nameFormats.has(name) && !hasChange(release, 'nameFormatsOfDefaults')) return true
  const verdict = checks.get(name)?.(text, release) ?? true
  return typeof verdict === 'boolean' ? verdict : yield* verdict
}

const uuid = (third: string, fourth: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i')

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

/** Go's white space is that of ASCII. */
const space = '[ \\t\\n\\f\\r]*'
const colorPart = `${space}(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])${space}`
const rgbColor = new RegExp(`^rgb\\(${colorPart},${colorPart},${colorPart}\\)$`)

const dateTime = /^([0-9-]{10})t([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\nt][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})(?:t|$)/iu

type FormatCheck = (text: string, release: number) => boolean | Steps<boolean>

/** Nothing longer is of the format, and need not be read. */
const within =
  (maxLength: number, check: FormatCheck): FormatCheck =>
  (text, release) =>
    text.length <= maxLength && check(text, release)

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', within(24, (text) => /^[0-9a-fA-F]{24}$/.test(text))],
  ['uri', (text, release) => isRequestUri(text, { strictColons: hasChange(release, 'strictHostColons') })],
  ['email', isMailAddress],
  ['hostname', within(255, isHostname)],
  ['ipv4', within(maxIpLength, (text) => text.includes('.') && parseIp(text) !== undefined)],
  ['ipv6', within(maxIpLength, (text) => isIPv6(text) && !text.includes('%'))],
  ['cidr', (text) => parseCidr(text) !== undefined],
  ['mac', within(59, isMac)],
  ['uuid', within(36, (text) => uuid('[0-9a-f]{4}', '[0-9a-f]{4}').test(text))],
  ['uuid3', within(36, (text) => uuid('3[0-9a-f]{3}', '[0-9a-f]{4}').test(text))],
  ['uuid4', within(36, (text) => uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}').test(text))],
  ['uuid5', within(36, (text) => uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}').test(text))],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', within(11, (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text))],
  ['hexcolor', within(7, (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text))],
  ['rgbcolor', (text) => rgbColor.test(text)],
  ['byte', (text) => text !== '' && isBase64(text)],
  ['password', () => true],
  ['date', within(10, isDate)],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', within(63, (text) => checkDns1123Label(text).length === 0)],
  ['k8slongname', within(253, (text) => checkDns1123Subdomain(text).length === 0)],
])

function isHostname(text: string): boolean {
  const isShort = Buffer.byteLength(text) <= 255 && text.split('.').every((label) => Buffer.byteLength(label) <= 63)
  return isShort && hostname.test(text)
}

/** 6, 8 or 20 bytes, parted by colons or hyphens, or in pairs parted by dots. Later releases take them without, too. */
function isMac(text: string, release: number): boolean {
  const pairs = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/.test(text)
  const quads = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text)
  const bare = hasChange(release, 'bareMacAddresses') && /^[0-9a-fA-F]+$/.test(text)
  const bytes = text.replace(/[^0-9a-fA-F]/g, '').length / 2
  return (pairs || quads || bare) && (bytes === 6 || bytes === 8 || bytes === 20)
}

/** The characters of a text that a pattern finds; none where there are more than `limit`. */
function charsOf(text: string, { pattern, limit }: { pattern: RegExp; limit: number }): string {
  let kept = ''
  for (const [char] of text.matchAll(pattern)) {
    kept += char
    if (kept.length > limit) return ''
  }
  return kept
}

const isbnChars = (text: string): string => charsOf(text, { pattern: /[^ \t\n\f\r-]/g, limit: 13 })

function isIsbn10(text: string): boolean {
  const digits = isbnChars(text)
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  const sum = [...digits].reduce((total, char, i) => total + (i + 1) * (char === 'X' ? 10 : Number(char)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = isbnChars(text)
  if (!/^[0-9]{13}$/.test(digits)) return false
  return [...digits].reduce((total, char, i) => total + (i % 2 === 0 ? 1 : 3) * Number(char), 0) % 10 === 0
}

function isCreditCard(text: string): boolean {
  const digits = charsOf(text, { pattern: /[0-9]/g, limit: 16 })
  if (!creditCard.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, char, i) => {
    const doubled = i % 2 === 0 ? Number(char) : Number(char) * 2
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

function isDate(text: string): boolean {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  return parts !== null && isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

/** What comes after a second `t` does not matter to the reference. Fractions may be long. */
function isDateTime(text: string): boolean {
  const [, date = '', hours = '', minutes = '', seconds = ''] = dateTime.exec(text) ?? []
  return isDate(date) && hours <= '23' && minutes <= '59' && seconds <= '59'
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000 + (year % 400), month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Names of units; what begins with the last of a line is one as well. */
const units = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

const isUnit = (name: string): boolean =>
  units.some((names) => names.includes(name) || name.startsWith(names.at(-1) as string))

/** Numbers that are found in one step. */
const numbersOfStep = 256

/** Go's notation, or numbers with the name of a unit somewhere: `3 days`, `2weeks`. */
function* isDuration(text: string): Steps<boolean> {
  if (!((yield* durationInSteps(text)) instanceof DurationError)) return true
  let isFound = false
  let count = 0
  // Numbers without a unit are found as well, so that no text is looked at twice.
  for (const [, digits = '', unit = ''] of text.matchAll(/(\d+)[ \t\n\f\r]*([A-Za-zµ]*)/g)) {
    if (++count % numbersOfStep === 0) yield
    if (unit === '') continue
    if (!isInt64(digits)) return false
    isFound ||= isUnit(unit.toLowerCase())
  }
  return isFound
}

function isInt64(digits: string): boolean {
  const significant = digits.replace(/^0+/, '')
  return significant.length < 20 && BigInt(`0${significant}`) < 2n ** 63n
}

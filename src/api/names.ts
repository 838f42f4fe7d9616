/**
 * The formats of names, keys, ports and identifiers. A check takes a value and returns what is wrong with it, in the
 * reference's words and order; an empty list means that it is fine. Lengths count bytes.
 */
import { type FieldError, invalid, required } from './field-error.ts'
import type { FieldPath } from './field-path.ts'

export type Messages = readonly string[]

/** A check of an object's name; with `prefix`, of a `generateName`, to which more is appended. */
export type NameCheck = (name: string, prefix?: boolean) => Messages

const fine: Messages = []

const maxLengthMessage = (limit: number): string => `must be no more than ${limit} characters`
const emptyMessage = 'must be non-empty'
export const rangeMessage = (min: number, max: number): string => `must be between ${min} and ${max}, inclusive`

/** What a value must look like, with examples and the pattern. */
export function patternMessage(text: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${text} (${shown === '' ? '' : `e.g. ${shown}`}regex used for validation is '${pattern}')`
}

interface Format {
  readonly pattern: Pick<RegExp, 'test'>
  readonly message: string
  readonly maxLength?: number
}

function format(text: string, pattern: string, examples: readonly string[], maxLength?: number): Format {
  return {
    pattern: new RegExp(`^${pattern}$`),
    message: patternMessage(text, pattern, ...examples),
    ...(maxLength === undefined ? {} : { maxLength }),
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelWithUnderscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const alphanumeric = "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

const dns1123Label = format(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  ['my-name', '123-abc'],
  63,
)
/** As the pattern says, for texts of any length: an expression with a repeated group takes memory for each time round. */
const dns1123SubdomainPattern: Format['pattern'] = {
  test: (value) => value !== '' && !/[^-a-z0-9.]/.test(value) && !/^[-.]|[-.]$|\.[-.]|-\./.test(value),
}
const dns1123Subdomain: Format = {
  ...format(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    subdomain,
    ['example.com'],
    253,
  ),
  pattern: dns1123SubdomainPattern,
}
const dns1123SubdomainWithUnderscore: Format = {
  pattern: new RegExp(`^${labelWithUnderscore}(\\.${labelWithUnderscore})*$`),
  message: patternMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    subdomain,
    'example.com',
  ),
  maxLength: 253,
}
const dns1035Label = format(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  ['my-name', 'abc-123'],
  63,
)
const wildcardSubdomain = format(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  ['*.example.com'],
  253,
)
const qualified = format(`must consist of ${alphanumeric}`, qualifiedName, ['MyName', 'my.name', '123-abc'], 63)
const labelValue = format(
  `a valid label must be an empty string or consist of ${alphanumeric}`,
  `(${qualifiedName})?`,
  ['MyValue', 'my_value', '12345'],
  63,
)
const cIdentifier = format(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  ['my_name', 'MY_NAME', 'MyName'],
)
const percent = format("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', [
  '1%',
  '93%',
])
const httpHeaderName = format("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', [
  'X-Header-Name',
])
const envVarName = format(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
)
const configMapKey = format(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  ['key.name', 'KEY_NAME', 'key-name'],
  253,
)
const httpPath = format('Invalid path', "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", [])

/** Longer than so many bytes of UTF-8, counted only when it matters. */
export function isLongerThan(value: string, limit: number): boolean {
  if (value.length > limit) return true
  return value.length * 3 > limit && Buffer.byteLength(value) > limit
}

function check({ pattern, message, maxLength }: Format, value: string): Messages {
  const tooLong = maxLength !== undefined && isLongerThan(value, maxLength)
  const matches = pattern.test(value)
  if (matches && !tooLong) return fine
  return [...(tooLong ? [maxLengthMessage(maxLength)] : []), ...(matches ? [] : [message])]
}

export const checkDns1123Subdomain = (value: string): Messages => check(dns1123Subdomain, value)
export const checkDns1123SubdomainWithUnderscore = (value: string): Messages =>
  check(dns1123SubdomainWithUnderscore, value)
export const checkDns1035Label = (value: string): Messages => check(dns1035Label, value)
export const checkWildcardDns1123Subdomain = (value: string): Messages => check(wildcardSubdomain, value)
export const checkLabelValue = (value: string): Messages => check(labelValue, value)
export const checkCIdentifier = (value: string): Messages => check(cIdentifier, value)
export const checkPercent = (value: string): Messages => check(percent, value)
export const checkHttpHeaderName = (value: string): Messages => check(httpHeaderName, value)

export function checkDns1123Label(value: string): Messages {
  const messages = check(dns1123Label, value)
  if (messages.length === 0 || !dns1123Subdomain.pattern.test(value)) return messages
  return messages.map((message) => (message === dns1123Label.message ? 'must not contain dots' : message))
}

/** A name with an optional DNS prefix: `app`, `example.com/app`. Label keys, annotation keys, resource names. */
export function checkQualifiedName(value: string): Messages {
  const slash = value.indexOf('/')
  if (slash >= 0 && value.includes('/', slash + 1)) {
    return [
      `a qualified name ${qualified.message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = value.slice(slash + 1)
  const nameMessages = check(qualified, name)
  if (slash < 0 && nameMessages.length === 0) return fine
  const prefix = value.slice(0, Math.max(slash, 0))
  const prefixMessages = slash < 0 ? fine : prefix === '' ? [emptyMessage] : checkDns1123Subdomain(prefix)
  if (prefixMessages.length === 0 && nameMessages.length === 0) return fine
  return [
    ...prefixMessages.map((message) => `prefix part ${message}`),
    ...(name === '' ? [`name part ${emptyMessage}`] : []),
    ...nameMessages.map((message) => `name part ${message}`),
  ]
}

const checkInRange = (value: number, min: number, max: number): Messages =>
  value >= min && value <= max ? fine : [rangeMessage(min, max)]

export const checkPortNumber = (value: number): Messages => checkInRange(value, 1, 65535)
/** A Unix user or group. */
export const checkGroupId = (value: number | bigint): Messages => checkInRange(Number(value), 0, 2 ** 31 - 1)

export function checkPortName(value: string): Messages {
  const messages: string[] = []
  if (isLongerThan(value, 15)) messages.push(maxLengthMessage(15))
  if (!/^[-a-z0-9]+$/.test(value)) {
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) messages.push('must contain at least one letter (a-z)')
  if (value.includes('--')) messages.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) messages.push('must not begin or end with a hyphen')
  return messages
}

function checkNotUpwards(value: string): Messages {
  if (value === '.' || value === '..') return [`must not be '${value}'`]
  return value.startsWith('..') ? ["must not start with '..'"] : fine
}

/** The keys of config maps and secrets, which become file names. */
export const checkConfigMapKey = (value: string): Messages => [...check(configMapKey, value), ...checkNotUpwards(value)]

export const checkEnvVarName = (value: string): Messages => [...check(envVarName, value), ...checkNotUpwards(value)]

/** The rule of the gate RelaxedEnvironmentVariableValidation. */
export function checkRelaxedEnvVarName(value: string): Messages {
  if (value === '') return [`environment variable name ${emptyMessage}`]
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(value)
    ? fine
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** Every name must do as one segment of a path. */
export function checkPathSegmentName(name: string, prefix = false): Messages {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`)
}

/** A trailing dash of a prefix is no mistake: more follows. */
const masked = (name: string, prefix: boolean): string =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

export const checkSubdomainName: NameCheck = (name, prefix = false) => checkDns1123Subdomain(masked(name, prefix))
export const checkLabelName: NameCheck = (name, prefix = false) => checkDns1123Label(masked(name, prefix))
export const checkDns1035Name: NameCheck = (name, prefix = false) => checkDns1035Label(masked(name, prefix))

type At = FieldPath | string

/** A domain of at least three segments, such as a webhook's name. */
export function validateFullyQualifiedName(at: At, name: string): FieldError[] {
  if (name === '') return [required(at)]
  const messages = checkDns1123Subdomain(name)
  if (messages.length > 0) return [invalid(at, name, messages.join(','))]
  return name.split('.').length < 3
    ? [invalid(at, name, 'should be a domain with at least three segments separated by dots')]
    : []
}

/** A domain of at least two segments, a trailing dot allowed. */
export function validateFullyQualifiedDomainName(at: At, value: string): FieldError[] {
  if (value === '') return [required(at)]
  const name = value.endsWith('.') ? value.slice(0, -1) : value
  const messages = checkDns1123Subdomain(name)
  if (messages.length > 0) return [invalid(at, name, messages.join(','))]
  const segments = name.split('.')
  if (segments.length < 2) {
    return [invalid(at, name, 'should be a domain with at least two segments separated by dots')]
  }
  for (const segment of segments) {
    const wrong = checkDns1123Label(segment)
    if (wrong.length > 0) return [invalid(at, segment, wrong.join(','))]
  }
  return []
}

/** `acme.io/foo`: a DNS prefix and an HTTP path. */
export function validateDomainPrefixedPath(at: At, value: string): FieldError[] {
  if (value === '') return [required(at)]
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) {
    return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  const host = value.slice(0, slash)
  const path = value.slice(slash + 1)
  return [
    ...checkDns1123Subdomain(host).map((message) => invalid(at, host, message)),
    ...check(httpPath, path).map((message) => invalid(at, path, message)),
  ]
}

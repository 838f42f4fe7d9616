/** The parts of a URL as Go reads them, which differs from how the web does: nothing is put right. */
import { brokenEscape, unescapePercent } from '../byte-text.ts'
import { parseAddress } from '../ip.ts'
import { quote } from './quote.ts'

export interface UrlParts {
  readonly scheme: string
  readonly user: string | undefined
  readonly host: string
  readonly query: string
  readonly fragment: string
}

interface UrlRules {
  /** Whether the host of an http URL may have one colon at most, as since Go 1.26. */
  readonly strictColons: boolean
}

const lenient: UrlRules = { strictColons: false }

/** The parts of a URL, or what Go's parser says against it. */
export function readUrl(url: string, rules = lenient): UrlParts | string {
  const hash = url.indexOf('#')
  const fragment = hash < 0 ? '' : url.slice(hash + 1)
  const parts = readWhole(hash < 0 ? url : url.slice(0, hash), { ...rules, forRequest: false })
  if (typeof parts === 'string') return parts
  return badEscape(fragment) ?? { ...parts, fragment: unescaped(fragment) }
}

/** Whether a request can be for it: an absolute URL, or a path. A fragment is nothing special here. */
export const isRequestUri = (url: string, rules = lenient): boolean =>
  url !== '' && typeof readWhole(url, { ...rules, forRequest: true }) !== 'string'

function readWhole(
  whole: string,
  { forRequest, strictColons }: UrlRules & { readonly forRequest: boolean },
): UrlParts | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(whole)) return 'net/url: invalid control character in URL'
  if (whole.startsWith(':')) return 'missing protocol scheme'
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(whole)?.[1] ?? ''
  const afterScheme = scheme === '' ? whole : whole.slice(scheme.length + 1)
  const question = afterScheme.indexOf('?')
  const query = question < 0 ? '' : afterScheme.slice(question + 1)
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question)
  const lowered = scheme.toLowerCase()
  const parts = { scheme: lowered, query, fragment: '' }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, user: undefined, host: '' }
    if (forRequest && whole !== '*') return 'invalid URI for request'
    if (/^[^/]*:/.test(rest)) return 'first path segment in URL cannot contain colon'
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!forRequest && !rest.startsWith('///')))
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : ''
  const path = hasAuthority ? (slash < 0 ? '' : rest.slice(slash)) : rest
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const user = at < 0 ? undefined : authority.slice(0, at)
  const isStrict = strictColons && (lowered === 'http' || lowered === 'https')
  const problem = hostProblem(host, isStrict) ?? userProblem(user ?? '') ?? badEscape(path)
  return problem ?? { ...parts, user, host: unescaped(host) }
}

/** Mirrors net/url: parseHost. What is in brackets is an IPv6 address. */
export function hostProblem(host: string, isStrict: boolean): string | undefined {
  const opening = host.lastIndexOf('[')
  if (opening > 0) return notAnAddress
  if (opening === 0) {
    const closing = host.lastIndexOf(']')
    if (closing < 0) return "missing ']' in host"
    return portProblem(host.slice(closing + 1)) ?? literalProblem(host.slice(1, closing))
  }
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':')
  return (colon < 0 ? undefined : portProblem(host.slice(colon))) ?? textProblem(host, badInHost)
}

const notAnAddress = 'invalid IP-literal'

const portProblem = (port: string): string | undefined =>
  /^(?::[0-9]*)?$/.test(port) ? undefined : `invalid port ${quote(port)} after host`

function literalProblem(literal: string): string | undefined {
  const found = literal.indexOf('%25')
  const zone = found < 0 ? literal.length : found
  const problem = textProblem(literal.slice(0, zone), badInHost) ?? textProblem(literal.slice(zone), badInZone)
  if (problem !== undefined) return problem
  try {
    return parseAddress(unescaped(literal)).family === 'IPv4' ? notAnAddress : undefined
  } catch (error) {
    return `invalid host: ${(error as Error).message}`
  }
}

const hostChars = `A-Za-z0-9\\-._~!$&'()*+,;=:[\\]<>"\\u0080-\\uffff`
/** Only what is beyond ASCII is escaped in a host, and the percent sign. */
const badInHost = new RegExp(`[^${hostChars}%]|%(?!25|[89a-fA-F][0-9a-fA-F])`)
/** In a zone also a space, and what need not be. */
const badInZone = new RegExp(`[^${hostChars}%]|%(?!20|25|${escapesOf(new RegExp(`[${hostChars}]`))})`)

/** Escapes of the characters of ASCII that a pattern has, as a pattern: few alternatives, as a zone may have a million escapes. */
function escapesOf(pattern: RegExp): string {
  const digits = [...'0123456789abcdef']
  const caseless = (found: readonly string[]): string => `[${found.join('')}${found.join('').toUpperCase()}]`
  const lastDigits = digits.slice(0, 8).map((first) => ({
    first,
    last: digits.filter((last) => pattern.test(String.fromCharCode(Number.parseInt(first + last, 16)))),
  }))
  return lastDigits.flatMap(({ first, last }) => (last.length === 0 ? [] : [first + caseless(last)])).join('|')
}

function textProblem(text: string, bad: RegExp): string | undefined {
  const found = bad.exec(text)
  if (found === null) return undefined
  if (found[0] !== '%') return `invalid character ${quote(found[0])} in host name`
  const rest = text.slice(found.index)
  return /^%[0-9a-fA-F]{2}/.test(rest) ? invalidEscape(rest.slice(0, 3)) : badEscape(rest)
}

function userProblem(user: string): string | undefined {
  if (!/^[A-Za-z0-9\-._~:!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo'
  const colon = user.indexOf(':')
  return colon < 0 ? badEscape(user) : (badEscape(user.slice(0, colon)) ?? badEscape(user.slice(colon + 1)))
}

function badEscape(text: string): string | undefined {
  const broken = brokenEscape(text)
  return broken === undefined ? undefined : invalidEscape(broken)
}

const invalidEscape = (found: string): string => `invalid URL escape ${quote(found)}`

const unescaped = (text: string): string => unescapePercent(text) ?? text

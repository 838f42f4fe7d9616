/**
 * URLs as Go reads and writes them. Node's own parser would rewrite hosts (`0177.0.0.1` to `127.0.0.1`) and keep double
 * slashes in paths: what is checked here must be what is dialled, and webhooks must be called by the path that client-go
 * would have called.
 */
import { posix } from 'node:path'

export interface GoUrl {
  readonly scheme: 'http' | 'https'
  /** As written, without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  /** Host and port as written. */
  readonly authority: string
  /** Percent-encoded; begins with a slash, or is empty. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
}

const pattern = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is
const authorityPattern = /^(?:[^@]*@)?((\[[0-9a-fA-F:.]+(?:%25[^\]]*)?\]|[^:[\]\s<>"]+)(?::(\d*))?)$/
const defaultPorts = { http: 80, https: 443 } as const

/** Undefined for what is no absolute HTTP URL. */
export function parseGoUrl(text: string): GoUrl | undefined {
  const parts = pattern.exec(text)
  const authority = parts && authorityPattern.exec(parts[2] ?? '')
  if (!parts || !authority) return undefined
  const scheme = (parts[1] as string).toLowerCase() as 'http' | 'https'
  const path = parts[3] ?? ''
  const port = authority[3] ? Number(authority[3]) : defaultPorts[scheme]
  if (port > 65_535 || !isWellEncoded(path)) return undefined
  const host = (authority[2] as string).replace(/^\[|\]$/g, '').replace('%25', '%')
  return { scheme, host, port, authority: authority[1] as string, path: escapedPath(path), query: parts[4] ?? '' }
}

export const formatGoUrl = ({ scheme, authority, path, query }: GoUrl): string =>
  `${scheme}://${authority}${path}${query === '' ? '' : `?${query}`}`

/** What a Location header leads to. Mirrors net/url: URL.Parse. */
export function resolveReference(base: GoUrl, location: string): GoUrl | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return parseGoUrl(location)
  if (location.startsWith('//')) return parseGoUrl(`${base.scheme}:${location}`)
  const [, path = '', query] = /^([^?#]*)(?:\?([^#]*))?/.exec(location) ?? []
  if (!isWellEncoded(path)) return undefined
  if (path === '') return { ...base, query: query ?? base.query }
  const whole = path.startsWith('/') ? path : `${base.path.slice(0, base.path.lastIndexOf('/') + 1)}${path}`
  return { ...base, path: escapedPath(withoutDots(whole)), query: query ?? '' }
}

/** Resolves `.` and `..`; double slashes stay. */
function withoutDots(path: string): string {
  const kept: string[] = []
  const segments = path.split('/').slice(1)
  segments.forEach((segment, i) => {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
    if ((segment === '.' || segment === '..') && i === segments.length - 1) kept.push('')
  })
  return `/${kept.join('/')}`
}

const isWellEncoded = (path: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(path)

/**
 * The path of a request of client-go to a URL with this path: decoded, cleaned (`//`, `.`, `..`, a slash at the end), and
 * encoded again. Mirrors rest.Request.URL.
 */
export function clientGoPath(path: string): string {
  const decoded = unescapePath(path)
  return escapePath(posix.join('/', decoded).replace(/(.)\/$/s, '$1'))
}

/** The path as Go writes it when it knows only the decoded one: an encoded slash is a slash. */
export const reencodedPath = (path: string): string => escapePath(unescapePath(path))

/** Bytes that are not UTF-8 are kept: the text has one character a byte. */
function unescapePath(path: string): string {
  return Buffer.from(path, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const escapePath = (bytes: string): string =>
  bytes.replace(
    /[^A-Za-z0-9\-_.~$&+,/:;=@]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

/** A path that is validly encoded stays as it is. Mirrors net/url: URL.EscapedPath. */
export const escapedPath = (path: string): string =>
  /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]*$/.test(path) ? path : escapePath(unescapePath(path))

const percentEncoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** Path and query of a request as they may be sent: bytes that must not stand in a request line are encoded. */
export function requestTarget(path: string, query: string): string {
  const encode = (text: string): string => text.replace(/[^\x21-\x7e]+/g, (character) => percentEncoded(character))
  return `${encode(path)}${query === '' ? '' : `?${encode(query)}`}`
}

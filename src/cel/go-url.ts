/**
 * URLs as Go's net/url reads them, which differs from the web's: nothing is normalized but the scheme, and the escaped
 * path keeps its own escapes where they are valid. Text is handled as UTF-8 bytes, one character each.
 */
import { textOfBytes } from '../api/byte-text.ts'
import { quote } from '../api/golang/quote.ts'
import { hostProblem } from '../api/golang/url-parts.ts'
import { UnitWriter } from '../lib/unit-writer.ts'
import { countWork, WORK } from './evaluation.ts'

type EncodeMode = 'path' | 'host' | 'user' | 'query' | 'fragment'

export interface CelUrl {
  readonly scheme: string
  readonly opaque: string
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  readonly rawPath: string
  readonly rawQuery: string
  readonly forceQuery: boolean
  readonly omitHost: boolean
  readonly fragment: string
  /** As it was written, where that says the same otherwise. */
  readonly rawFragment: string
}

/** The message is Go's, without the `parse "…":` before it. */
export class UrlError extends Error {}

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
export const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')
const quoteBytes = (bytes: string): string => quote(textOfBytes(Buffer.from(bytes, 'latin1')))

const isAlphanumeric = (char: string): boolean => /^[A-Za-z0-9]$/.test(char)

function shouldEscape(char: string, mode: EncodeMode): boolean {
  if (isAlphanumeric(char)) return false
  if (mode === 'host' && '!$&\'()*+,;=:[]<>"'.includes(char)) return false
  if ('-_.~'.includes(char)) return false
  if ('$&+,/:;=?@'.includes(char)) {
    if (mode === 'path') return char === '?'
    if (mode === 'user') return '@/?:'.includes(char)
    return mode !== 'fragment'
  }
  if (mode === 'fragment' && '!()*'.includes(char)) return false
  return true
}

/** For each byte whether a mode escapes it. */
function escapedBytes(mode: EncodeMode): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => Number(shouldEscape(String.fromCharCode(code), mode)))
}

const ESCAPED: Readonly<Record<EncodeMode, Uint8Array>> = {
  path: escapedBytes('path'),
  host: escapedBytes('host'),
  user: escapedBytes('user'),
  query: escapedBytes('query'),
  fragment: escapedBytes('fragment'),
}

const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

function percentDecode(bytes: string, mode: EncodeMode): string {
  if (!bytes.includes('%') && !(mode === 'query' && bytes.includes('+'))) return bytes
  const out = new UnitWriter(bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes.charCodeAt(i)
    if (code === PERCENT) {
      out.write(decodeSequence(bytes, i))
      i += 2
    } else {
      out.write(code === PLUS && mode === 'query' ? SPACE : code)
    }
  }
  return out.toString()
}

/** The byte that the escape at the place stands for. */
function decodeSequence(bytes: string, at: number): number {
  const [high, low] = [hexDigit(bytes.charCodeAt(at + 1)), hexDigit(bytes.charCodeAt(at + 2))]
  if (high < 0 || low < 0) throw new UrlError(`invalid URL escape ${quoteBytes(bytes.slice(at, at + 3))}`)
  return high * 16 + low
}

/** -1 where there is none. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

const HEX = '0123456789ABCDEF'

function percentEncode(bytes: string, mode: EncodeMode): string {
  const escaped = ESCAPED[mode]
  const out = new UnitWriter(bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes.charCodeAt(i)
    if (escaped[code] === 0) {
      out.write(code)
    } else {
      out.write(PERCENT)
      out.write(HEX.charCodeAt(code >> 4))
      out.write(HEX.charCodeAt(code & 15))
    }
  }
  return out.toString()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const CONTROL = /[\x00-\x1f\x7f]/

function splitScheme(bytes: string): [scheme: string, rest: string] {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(bytes)
  if (match) return [match[1]!.toLowerCase(), bytes.slice(match[0].length)]
  if (bytes.startsWith(':')) throw new UrlError('missing protocol scheme')
  return ['', bytes]
}

const isOptionalPort = (port: string): boolean => port === '' || /^:\d*$/.test(port)

function parseHost(host: string): string {
  const problem = hostProblem(fromBytes(host), false)
  if (problem !== undefined) throw new UrlError(problem)
  return percentDecode(host, 'host')
}

function parseAuthority(authority: string): { user: string | undefined; host: string } {
  const at = authority.lastIndexOf('@')
  const host = parseHost(authority.slice(at + 1))
  if (at < 0) return { user: undefined, host }
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError('net/url: invalid userinfo')
  const [name, password] = cut(user, ':')
  const decoded = percentEncode(percentDecode(name, 'user'), 'user')
  return {
    user: password === undefined ? decoded : `${decoded}:${percentEncode(percentDecode(password, 'user'), 'user')}`,
    host,
  }
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** The target of a request: an absolute URL or an absolute path, without a fragment. */
export function parseRequestUri(text: string): CelUrl {
  countWork(WORK.address + text.length * WORK.urlByte)
  return parse(toBytes(text), true)
}

export function parseUrl(text: string): CelUrl {
  countWork(WORK.address + text.length * WORK.urlByte)
  const [bytes, fragment] = cut(toBytes(text), '#')
  const url = parse(bytes, false)
  if (fragment === undefined) return url
  const decoded = percentDecode(fragment, 'fragment')
  const isOwn = percentEncode(decoded, 'fragment') !== fragment && isValidFragment(fragment)
  return { ...url, fragment: decoded, rawFragment: isOwn ? fragment : '' }
}

function parse(bytes: string, viaRequest: boolean): CelUrl {
  if (CONTROL.test(bytes)) throw new UrlError('net/url: invalid control character in URL')
  if (bytes === '' && viaRequest) throw new UrlError('empty url')
  const empty = {
    scheme: '',
    opaque: '',
    user: undefined,
    host: '',
    path: '',
    rawPath: '',
    rawQuery: '',
    forceQuery: false,
    omitHost: false,
    fragment: '',
    rawFragment: '',
  }
  if (bytes === '*') return { ...empty, path: '*' }
  const [scheme, afterScheme] = splitScheme(bytes)
  const forceQuery = afterScheme.indexOf('?') === afterScheme.length - 1 && afterScheme !== ''
  const [beforeQuery, query] = cut(afterScheme, '?')
  const parts = { ...empty, scheme, forceQuery, rawQuery: query ?? '' }
  let rest = beforeQuery
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: rest }
    if (viaRequest) throw new UrlError('invalid URI for request')
    if (rest.split('/')[0]!.includes(':')) throw new UrlError('first path segment in URL cannot contain colon')
  }
  let authority: { user: string | undefined; host: string } | undefined
  if ((scheme !== '' || (!viaRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2)
    authority = parseAuthority(slash < 0 ? rest.slice(2) : rest.slice(2, slash))
    rest = slash < 0 ? '' : rest.slice(slash)
  }
  const path = percentDecode(rest, 'path')
  const rawPath = percentEncode(path, 'path') === rest ? '' : rest
  const omitHost = authority === undefined && scheme !== '' && rest.startsWith('/')
  return { ...parts, ...authority, path, rawPath, omitHost }
}

/** Nothing but what a path may hold, escapes included. */
const isValidEncoded = (bytes: string): boolean => /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(bytes)

/** In a fragment a question mark stands for itself, too. */
const isValidFragment = (bytes: string): boolean => isValidEncoded(bytes.replaceAll('?', ''))

export function celEscapedPath({ path, rawPath }: CelUrl): string {
  countWork(path.length * WORK.urlByte)
  if (rawPath !== '' && isValidEncoded(rawPath) && percentDecode(rawPath, 'path') === path) return rawPath
  return path === '*' ? '*' : percentEncode(path, 'path')
}

/** Host and port, the brackets of an IPv6 address taken off. */
export function splitHostPort({ host }: CelUrl): { hostname: string; port: string } {
  const colon = host.lastIndexOf(':')
  const hasPort = colon >= 0 && isOptionalPort(host.slice(colon))
  const name = hasPort ? host.slice(0, colon) : host
  const port = hasPort ? host.slice(colon + 1) : ''
  return { hostname: name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name, port }
}

/** The pairs of the query, by key; malformed ones are left out. */
export function queryOf({ rawQuery }: CelUrl): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (let at = 0; at <= rawQuery.length; ) {
    countWork(WORK.entry)
    const next = rawQuery.indexOf('&', at)
    const end = next < 0 ? rawQuery.length : next
    const pair = rawQuery.slice(at, end)
    at = end + 1
    if (pair === '' || pair.includes(';')) continue
    const [name, value] = cut(pair, '=')
    try {
      const key = fromBytes(percentDecode(name, 'query'))
      const decoded = fromBytes(percentDecode(value ?? '', 'query'))
      const known = values.get(key)
      if (known === undefined) values.set(key, [decoded])
      else known.push(decoded)
    } catch (error) {
      if (!(error instanceof UrlError)) throw error
    }
  }
  return values
}

/** Put together again, in bytes. */
export function formatUrl(url: CelUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') {
    text += url.opaque
  } else {
    if (
      (url.scheme !== '' || url.host !== '' || url.user !== undefined) &&
      !(url.omitHost && url.host === '' && url.user === undefined)
    ) {
      if (url.host !== '' || url.path !== '' || url.user !== undefined) text += '//'
      if (url.user !== undefined) text += `${url.user}@`
      text += percentEncode(url.host, 'host')
    }
    const path = celEscapedPath(url)
    if (path !== '' && !path.startsWith('/') && url.host !== '') text += '/'
    text += path
  }
  if (url.forceQuery || url.rawQuery !== '') text += `?${url.rawQuery}`
  return url.fragment === '' ? text : `${text}#${url.rawFragment || percentEncode(url.fragment, 'fragment')}`
}

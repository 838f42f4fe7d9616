/** The parts of a URL as Go reads them, which differs from how the web does: nothing is put right. */
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
  return badEscape(fragment) ?? { ...parts, fragment: decodeURIComponentSafe(fragment) }
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
    if (rest.split('/')[0]?.includes(':')) return 'first path segment in URL cannot contain colon'
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!forRequest && !rest.startsWith('///')))
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : ''
  const path = hasAuthority ? (slash < 0 ? '' : rest.slice(slash)) : rest
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const isStrict = strictColons && (lowered === 'http' || lowered === 'https')
  const problem = hostProblem(host, isStrict) ?? badEscape(path)
  if (problem !== undefined) return problem
  const user = at < 0 ? undefined : authority.slice(0, at)
  if (user !== undefined && !/^[A-Za-z0-9\-._~:!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo'
  return { ...parts, user, host: decodeURIComponentSafe(host) }
}

function hostProblem(host: string, isStrict: boolean): string | undefined {
  const wrong = badEscape(host)
  if (wrong !== undefined) return wrong
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']')
    if (end < 0) return "missing ']' in host"
    const port = host.slice(end + 1)
    return /^(:\d*)?$/.test(port) ? undefined : `invalid port ${quote(port)} after host`
  }
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host)?.[0]
  if (bad !== undefined) return `invalid character ${quote(bad)} in host name`
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':')
  if (colon < 0) return undefined
  const port = host.slice(colon)
  return /^:\d*$/.test(port) ? undefined : `invalid port ${quote(port)} after host`
}

function badEscape(text: string): string | undefined {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 3)) {
    const wrong = text.slice(at, at + 3)
    if (!/^%[0-9a-fA-F]{2}$/.test(wrong)) return `invalid URL escape ${quote(wrong)}`
  }
  return undefined
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

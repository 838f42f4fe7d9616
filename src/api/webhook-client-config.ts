/** How a webhook is reached, whoever calls it: a URL in the reference's sense, or a service. */
import { type FieldError, invalid, quote, required } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { checkDns1123Subdomain, checkPortNumber } from './names.ts'

interface ServiceReference {
  readonly namespace?: string
  readonly name?: string
  readonly path?: string
  readonly port?: number
}

interface WebhookClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
}

const form = '; desired format: https://host[/path]'

export function validateClientConfig({ url, service }: WebhookClientConfig, at: FieldPath): FieldError[] {
  if (url !== undefined && service === undefined) return validateUrl(url, at.child('url'))
  if (url === undefined && service !== undefined) return validateService(service, at.child('service'))
  return [required(at, 'exactly one of url or service is required')]
}

export function validateUrl(url: string, at: FieldPath): FieldError[] {
  const parts = urlParts(url)
  if (typeof parts === 'string') {
    return [required(at, `url must be a valid URL: parse ${quote(url)}: ${parts}${form}`)]
  }
  const { scheme, host, user, fragment, query } = parts
  const errors: FieldError[] = []
  if (scheme !== 'https') errors.push(invalid(at, scheme, `'https' is the only allowed URL scheme${form}`))
  if (host === '') errors.push(invalid(at, host, `host must be specified${form}`))
  if (user !== undefined) errors.push(invalid(at, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(at, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(at, query, 'query parameters are not permitted in the URL'))
  return errors
}

interface UrlParts {
  readonly scheme: string
  readonly user: string | undefined
  readonly host: string
  readonly query: string
  readonly fragment: string
}

/** The parts of a URL, or what Go's parser says against it. */
function urlParts(url: string): UrlParts | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(url)) return 'net/url: invalid control character in URL'
  const hash = url.indexOf('#')
  const fragment = hash < 0 ? '' : url.slice(hash + 1)
  const badFragment = badEscape(fragment)
  if (badFragment !== undefined) return badFragment
  const whole = hash < 0 ? url : url.slice(0, hash)
  if (whole.startsWith(':')) return 'missing protocol scheme'
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(whole)?.[1] ?? ''
  const afterScheme = scheme === '' ? whole : whole.slice(scheme.length + 1)
  const question = afterScheme.indexOf('?')
  const query = question < 0 ? '' : afterScheme.slice(question + 1)
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question)
  const lowered = scheme.toLowerCase()
  const parts = { scheme: lowered, query, fragment: decodeURIComponentSafe(fragment) }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, user: undefined, host: '' }
    if (rest.split('/')[0]?.includes(':')) return 'first path segment in URL cannot contain colon'
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : ''
  const path = hasAuthority ? (slash < 0 ? '' : rest.slice(slash)) : rest
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const problem = hostProblem(host) ?? badEscape(path)
  if (problem !== undefined) return problem
  const user = at < 0 ? undefined : authority.slice(0, at)
  if (user !== undefined && !/^[A-Za-z0-9\-._~:!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo'
  return { ...parts, user, host: decodeURIComponentSafe(host) }
}

function hostProblem(host: string): string | undefined {
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
  const colon = host.lastIndexOf(':')
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

/** The reference mixes up the two names: what is missing is told of the other one. */
function validateService(service: ServiceReference, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { namespace = '', name = '', path, port = 0 } = service
  if (namespace === '') errors.push(required(at.child('name'), 'service name is required'))
  if (name === '') errors.push(required(at.child('namespace'), 'service namespace is required'))
  const messages = checkPortNumber(port)
  if (messages.length > 0) {
    errors.push(invalid(at.child('port'), port, `port is not valid: ${messages.join(', ')}`))
  }
  return path === undefined ? errors : [...errors, ...validatePath(path, at.child('path'))]
}

function validatePath(path: string, at: FieldPath): FieldError[] {
  if (path === '/' || path === '') return []
  if (path === '//') return [invalid(at, path, 'segment[0] may not be empty')]
  const errors: FieldError[] = []
  if (!path.startsWith('/')) errors.push(invalid(at, path, "must start with a '/'"))
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  steps.forEach((step, i) => {
    if (step === '') errors.push(invalid(at, path, `segment[${i}] may not be empty`))
    else for (const message of checkDns1123Subdomain(step)) errors.push(invalid(at, path, `segment[${i}]: ${message}`))
  })
  return errors
}

/** How a webhook of any kind is reached: a URL in the reference's sense, or a service. */
import { type FieldError, invalid, quote, required } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { readUrl } from './golang/url-parts.ts'
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

/** `strictColons`: as of URLs. */
export function validateClientConfig(
  { url, service }: WebhookClientConfig,
  at: FieldPath,
  strictColons: boolean,
): FieldError[] {
  if (url !== undefined && service === undefined) return validateUrl(url, at.child('url'), strictColons)
  if (url === undefined && service !== undefined) return validateService(service, at.child('service'))
  return [required(at, 'exactly one of url or service is required')]
}

export function validateUrl(url: string, at: FieldPath, strictColons = false): FieldError[] {
  const parts = readUrl(url, { strictColons })
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

/** The reference mixes up the two names: what is missing is reported under the other one. */
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
  // The first byte is cut off, whatever it is: of a longer character something is left.
  const rest = path.charCodeAt(0) < 0x80 ? path.slice(1) : path
  const steps = rest.replace(/\/$/, '').split('/')
  steps.forEach((step, i) => {
    if (step === '') errors.push(invalid(at, path, `segment[${i}] may not be empty`))
    else for (const message of checkDns1123Subdomain(step)) errors.push(invalid(at, path, `segment[${i}]: ${message}`))
  })
  return errors
}

/** Which address of a service is dialled: those of its endpoints, its cluster address, or whichever exists. */
export type ServiceRouting = 'endpoints' | 'cluster address' | 'endpoints first'

/** Where a webhook is: a URL, or a service. */
import { type FieldError, invalid, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { checkDns1123Subdomain, checkPortNumber } from '../../api/names.ts'
import type { ServiceReference, WebhookClientConfig } from '../../catalog/types/apiextensions-v1.ts'

export function validateClientConfig(config: WebhookClientConfig, at: FieldPath): FieldError[] {
  const { url, service } = config
  if ((url === undefined) === (service === undefined)) {
    return [required(at, 'exactly one of url or service is required')]
  }
  if (url !== undefined) return validateUrl(url, at.child('url'))
  return service === undefined ? [] : validateService(service, at.child('service'))
}

const form = 'desired format: https://host[/path]'

function validateUrl(text: string, at: FieldPath): FieldError[] {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return [required(at, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request; ${form}`)]
  }
  const errors: FieldError[] = []
  if (url.protocol !== 'https:') {
    errors.push(invalid(at, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`))
  }
  if (url.host === '') errors.push(invalid(at, url.host, `host must be specified; ${form}`))
  if (url.username !== '' || url.password !== '') {
    const user = url.password === '' ? url.username : `${url.username}:${url.password}`
    errors.push(invalid(at, user, 'user information is not permitted in the URL'))
  }
  if (url.hash !== '') errors.push(invalid(at, url.hash.slice(1), 'fragments are not permitted in the URL'))
  if (url.search !== '') errors.push(invalid(at, url.search.slice(1), 'query parameters are not permitted in the URL'))
  return errors
}

function validateService(service: ServiceReference, at: FieldPath): FieldError[] {
  const { name = '', namespace = '', path, port = 443 } = service
  const errors: FieldError[] = []
  if (name === '') errors.push(required(at.child('name'), 'service name is required'))
  if (namespace === '') errors.push(required(at.child('namespace'), 'service namespace is required'))
  for (const text of checkPortNumber(port)) errors.push(invalid(at.child('port'), port, `port is not valid: ${text}`))
  return path === undefined ? errors : [...errors, ...validatePath(path, at.child('path'))]
}

function validatePath(path: string, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (path !== '' && path !== '/' && !path.startsWith('/')) {
    errors.push(invalid(at, path, "must start with a '/'"))
  }
  const steps = path.replace(/^\//, '').replace(/\/$/, '').split('/')
  for (const [i, step] of steps.entries()) {
    if (path === '' || path === '/') break
    if (step === '') errors.push(invalid(at, path, `segment[${i}] may not be empty`))
    else for (const text of checkDns1123Subdomain(step)) errors.push(invalid(at, path, `segment[${i}]: ${text}`))
  }
  return errors
}

/** The 403 that a refused request gets, worded as the reference words it. */
import { quote } from '../../api/field-error.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { type ApiError, forbidden } from '../../api/status-error.ts'
import { withoutMarkup } from '../../lib/without-markup.ts'

/** `User "ann" cannot get resource "pods/log" in API group "" in the namespace "x"`, and the reason behind a colon. */
export function forbiddenError(attributes: RequestAttributes, reason: string): ApiError {
  const { apiGroup, resource, name } = attributes
  const what = attributes.isResourceRequest ? { group: apiGroup, resource } : { group: '', resource: '' }
  const refused = withoutMarkup(refusal(attributes))
  const why = reason === '' ? refused : `${refused}: ${reason}`
  return forbidden(what, attributes.isResourceRequest ? name : '', why)
}

function refusal(attributes: RequestAttributes): string {
  const { user, verb, path, apiGroup, resource, subresource, namespace, isResourceRequest } = attributes
  const who = `User ${quote(user.name)} cannot ${verb}`
  if (!isResourceRequest) return `${who} path ${quote(path)}`
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`
  return `${who} resource ${quote(what)} in API group ${quote(apiGroup)} ${where}`
}

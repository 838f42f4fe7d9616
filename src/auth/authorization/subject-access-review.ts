/** A request as a SubjectAccessReview spec, the form in which webhooks and match conditions see it. */
import type { JsonArray, JsonObject } from '../../api/json.ts'
import type { RequestAttributes, SelectorRequirement } from '../../api/request-attributes.ts'

/** The fields of version v1, in wire order; what is empty is left out. */
export function reviewSpec(attributes: RequestAttributes): JsonObject {
  const { user } = attributes
  const extra = Object.fromEntries([...user.extra].map(([key, values]) => [key, [...values]]))
  return {
    ...(attributes.isResourceRequest
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } }),
    ...nonEmpty({ user: user.name }),
    ...(user.groups.length > 0 ? { groups: [...user.groups] } : {}),
    ...(user.extra.size > 0 ? { extra } : {}),
    ...nonEmpty({ uid: user.uid ?? '' }),
  }
}

/** As version v1beta1 writes it: the groups are called `group`. */
export function toV1beta1(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key === 'groups' ? 'group' : key, value]))
}

function resourceAttributes(attributes: RequestAttributes): JsonObject {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, fieldSelector, labelSelector } =
    attributes
  return {
    ...nonEmpty({ namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name }),
    ...(fieldSelector?.length ? { fieldSelector: { requirements: requirements(fieldSelector) } } : {}),
    ...(labelSelector?.length ? { labelSelector: { requirements: requirements(labelSelector) } } : {}),
  }
}

const nonEmpty = (fields: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

const requirements = (list: readonly SelectorRequirement[]): JsonArray =>
  list.map(({ key, operator, values }) => ({ key, operator, ...(values.length > 0 ? { values: [...values] } : {}) }))

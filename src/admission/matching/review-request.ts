/** A request as webhooks and expressions see it: the `request` of an AdmissionReview without its objects. */
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'
import type { ServedForm } from './rules.ts'

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** Patches are updates by the time that they get here. */
function optionsOf({ operation, options }: AdmissionRequest): JsonObject | null {
  if (operation === 'CONNECT') return null
  const { kind: _kind, apiVersion: _apiVersion, force: _force, ...rest } = options
  return { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1', ...rest }
}

function userInfoOf({ name, uid, groups, extra }: UserInfo): JsonObject {
  const extras: JsonObject = {}
  for (const [key, values] of extra) Object.defineProperty(extras, key, { value: [...values], enumerable: true })
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra.size === 0 ? {} : { extra: extras }),
  }
}

export function reviewNamespace({ resource, namespace, name }: AdmissionRequest): string {
  return namespace === '' && resource.group === '' && resource.resource === 'namespaces' ? name : namespace
}

export function reviewRequest(request: AdmissionRequest, form: ServedForm): JsonObject {
  const { group, version, kind } = request.kind
  const { subresource } = request
  const namespace = reviewNamespace(request)
  return {
    kind: { group: form.kind.group, version: form.kind.version, kind: form.kind.kind },
    resource: { group: form.resource.group, version: form.resource.version, resource: form.resource.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { group, version, kind },
    requestResource: { ...request.resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(request.name === '' ? {} : { name: request.name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: userInfoOf(request.user),
    dryRun: request.dryRun,
    options: optionsOf(request),
  }
}

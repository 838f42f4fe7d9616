/**
 * Who writes a policy with parameters must be able to read them: otherwise its messages would show what the writer
 * may not see. Asked only of policies that are well formed otherwise.
 * Mirrors pkg/registry/admissionregistration/validatingadmissionpolicy:
 * validatingAdmissionPolicyStrategy.authorizeCreate, validatingAdmissionPolicyStrategy.authorizeUpdate.
 */
import { type FieldError, forbidden } from '../../../api/field-error.ts'
import { parseGroupVersion } from '../../../api/group-version.ts'
import type { UserInfo } from '../../../api/user.ts'
import type { ParamKind, ParamRef } from '../../../catalog/types/admissionregistration-v1.ts'
import type { KindServices } from '../../kind-rules.ts'

const isPrivileged = (user: UserInfo): boolean => user.groups.includes('system:masters')

/** A user as Go prints the pointer to one. */
function printed({ name, uid = '', groups, extra }: UserInfo): string {
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => `${key}:[${values.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`
}

interface Resolved {
  readonly apiGroup: string
  readonly apiVersion: string
  readonly resource: string
  readonly problem?: 'parse' | 'resolve'
}

const everything = { apiGroup: '*', apiVersion: '*', resource: '*' }

function resolve({ access }: KindServices, { apiVersion = '', kind = '' }: ParamKind): Resolved {
  const parsed = parseGroupVersion(apiVersion)
  if (parsed === undefined) return { ...everything, problem: 'parse' }
  const resource = access.resourceOfKind(parsed.group, parsed.version, kind)
  const named = { apiGroup: parsed.group, apiVersion: parsed.version, resource: resource ?? '*' }
  return resource === undefined ? { ...named, problem: 'resolve' } : named
}

export async function paramKindErrors(
  services: KindServices,
  user: UserInfo | undefined,
  paramKind: ParamKind | undefined,
): Promise<FieldError[]> {
  if (paramKind === undefined || user === undefined || isPrivileged(user)) return []
  const { apiGroup, apiVersion, resource } = resolve(services, paramKind)
  const allowed = await services.access.allows({
    user,
    verb: 'get',
    isResourceRequest: true,
    path: '',
    name: '*',
    namespace: '*',
    apiGroup,
    apiVersion,
    resource,
    subresource: '',
  })
  if (allowed) return []
  const what = `(kind=${paramKind.kind ?? ''}, apiVersion=${paramKind.apiVersion ?? ''})`
  const why = `user ${printed(user)} must have "get" permission on all objects of the referenced paramKind ${what}`
  return [forbidden('spec.paramKind', why)]
}

export interface ReferredParams {
  readonly policyName: string
  readonly paramRef: ParamRef
  /** Undefined: there is no such policy. */
  readonly policy: { readonly paramKind: ParamKind | undefined } | undefined
}

export async function paramRefErrors(
  services: KindServices,
  user: UserInfo | undefined,
  { policyName, paramRef, policy }: ReferredParams,
): Promise<FieldError[]> {
  if (user === undefined || isPrivileged(user)) return []
  const { paramKind } = policy ?? {}
  const resolved: Resolved = paramKind === undefined ? everything : resolve(services, paramKind)
  const { name = '', namespace = '' } = paramRef
  const verb = name === '' ? 'list' : 'get'
  const allowed = await services.access.allows({
    user,
    verb,
    isResourceRequest: true,
    path: '',
    name,
    namespace,
    apiGroup: resolved.apiGroup,
    apiVersion: resolved.apiVersion,
    resource: resolved.resource,
    subresource: '',
  })
  if (allowed) return []
  const lacking = `user ${printed(user)} does not have "${verb}" permission`
  const everywhere = `to determine minimum required permissions and ${lacking} for all groups, versions and resources`
  const why =
    policy === undefined
      ? `unable to get policy ${policyName} ${everywhere}`
      : resolved.problem === undefined
        ? `${lacking} on the object referenced by paramRef`
        : `unable to ${resolved.problem} paramKind &ParamKind{APIVersion:${paramKind?.apiVersion ?? ''},Kind:${paramKind?.kind ?? ''},} ${everywhere}`
  return [forbidden('spec.paramRef', why)]
}

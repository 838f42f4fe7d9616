/**
 * Impersonation: the `Impersonate-*` headers name a user, and the one who asks must be allowed to impersonate
 * each part of it. Without such headers nothing is done, and nothing waited for.
 * Mirrors k8s.io/apiserver/pkg/endpoints/filters: WithImpersonation.
 */

import type { RequestAttributes } from '../api/request-attributes.ts'
import { splitServiceAccountUser } from '../api/service-account-user.ts'
import type { ApiError } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { headerValues, unescapeKey } from './authentication/request-header.ts'
import { allAuthenticated, allUnauthenticated, anonymousUser } from './authentication/union.ts'
import type { Credentials } from './authenticator.ts'
import { forbiddenError } from './authorization/forbidden.ts'
import type { Authorizer } from './authorizer.ts'
import { serviceAccountGroups } from './service-account/claims.ts'

export type Impersonation =
  | { readonly outcome: 'not asked for' }
  /** `constraint`: the verb that allowed it, where it was not the unconstrained one. */
  | { readonly outcome: 'impersonated'; readonly user: UserInfo; readonly constraint?: string }
  /** Groups, uid or extra without a user: answered with 500 and plain text, and with 400 by later releases. */
  | { readonly outcome: 'malformed'; readonly message: string }
  | { readonly outcome: 'forbidden'; readonly error: ApiError }
  /** As constrained impersonation answers what is malformed. */
  | { readonly outcome: 'refused'; readonly error: ApiError }

/** One part of whom the request wants to be, as an object reference names it. */
interface ImpersonatedAttribute {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID'
  readonly namespace?: string
  readonly name: string
  readonly key?: string
}

export const extraPrefix = 'impersonate-extra-'
const notAskedFor: Impersonation = { outcome: 'not asked for' }

export function impersonate(
  requestor: UserInfo,
  headers: Pick<Credentials, 'headers' | 'rawHeaders'>,
  authorizer: Authorizer,
): Awaitable<Impersonation> {
  if (!asksToImpersonate(headers)) return notAskedFor
  const parts = partsOf(headerValues(headers))
  if (parts.length === 0) return notAskedFor
  if (parts[0]?.kind !== 'User' && parts[0]?.kind !== 'ServiceAccount') {
    return { outcome: 'malformed', message: `requested [${parts.map(printed).join(' ')}] without impersonating a user` }
  }
  return checkParts(requestor, parts, authorizer)
}

const prefix = 'impersonate-'

/** The one question that every request pays for. */
export function asksToImpersonate({ headers, rawHeaders }: Pick<Credentials, 'headers' | 'rawHeaders'>): boolean {
  if (rawHeaders === undefined) return Object.keys(headers).some(isAsking)
  for (let i = 0; i < rawHeaders.length; i += 2) if (isAsking(rawHeaders[i] as string)) return true
  return false
}

/** Case-insensitive; the first letter rejects most names. */
const isAsking = (name: string): boolean =>
  (name.charCodeAt(0) | 0x20) === firstLetter && name.slice(0, prefix.length).toLowerCase() === prefix

const firstLetter = prefix.charCodeAt(0)

/** The parts in the order in which they are checked: user, groups, extra, uid. */
function partsOf(values: ReadonlyMap<string, readonly string[]>): ImpersonatedAttribute[] {
  const parts: ImpersonatedAttribute[] = []
  const name = values.get('impersonate-user')?.[0] ?? ''
  const account = splitServiceAccountUser(name)
  if (account) parts.push({ kind: 'ServiceAccount', ...account })
  else if (name !== '') parts.push({ kind: 'User', name })
  for (const group of values.get('impersonate-group') ?? []) parts.push({ kind: 'Group', name: group })
  for (const [header, items] of values) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescapeKey(header.slice(extraPrefix.length))
    for (const item of items) parts.push({ kind: 'UserExtra', name: item, key })
  }
  const uid = values.get('impersonate-uid')?.[0] ?? ''
  if (uid !== '') parts.push({ kind: 'UID', name: uid })
  return parts
}

const authenticationGroup = (kind: ImpersonatedAttribute['kind']): boolean => kind === 'UserExtra' || kind === 'UID'

/** As an object reference prints its seven fields. */
function printed({ kind, namespace = '', name, key = '' }: ImpersonatedAttribute): string {
  const apiVersion = authenticationGroup(kind) ? 'authentication.k8s.io/v1' : ''
  return `{${[kind, namespace, name, '', apiVersion, '', key].join(' ')}}`
}

const resources: Readonly<Record<ImpersonatedAttribute['kind'], string>> = {
  User: 'users',
  ServiceAccount: 'serviceaccounts',
  Group: 'groups',
  UserExtra: 'userextras',
  UID: 'uids',
}

const question = (requestor: UserInfo, part: ImpersonatedAttribute): RequestAttributes => ({
  user: requestor,
  verb: 'impersonate',
  isResourceRequest: true,
  path: '',
  apiGroup: authenticationGroup(part.kind) ? 'authentication.k8s.io' : '',
  apiVersion: authenticationGroup(part.kind) ? 'v1' : '',
  resource: resources[part.kind],
  subresource: part.key ?? '',
  namespace: part.namespace ?? '',
  name: part.name,
})

async function checkParts(
  requestor: UserInfo,
  parts: readonly ImpersonatedAttribute[],
  authorizer: Authorizer,
): Promise<Impersonation> {
  for (const part of parts) {
    const asked = question(requestor, part)
    const { verdict, reason } = await authorizer.authorize(asked)
    if (verdict !== 'allow') return { outcome: 'forbidden', error: forbiddenError(asked, reason) }
  }
  return { outcome: 'impersonated', user: targetOf(parts) }
}

function targetOf(parts: readonly ImpersonatedAttribute[]): UserInfo {
  const [first] = parts
  const groups = parts.filter(({ kind }) => kind === 'Group').map(({ name }) => name)
  const extra = new Map<string, readonly string[]>()
  for (const { kind, key = '', name } of parts) {
    if (kind === 'UserExtra') extra.set(key, [...(extra.get(key) ?? []), name])
  }
  const uid = parts.find(({ kind }) => kind === 'UID')?.name
  const account = first?.kind === 'ServiceAccount'
  const name = account ? `system:serviceaccount:${first.namespace}:${first.name}` : (first?.name ?? '')
  const given = account && groups.length === 0 ? serviceAccountGroups(first.namespace ?? '') : groups
  return { name, ...(uid === undefined ? {} : { uid }), groups: withAuthenticationGroup(name, given), extra }
}

/** Everybody is either authenticated or not; the headers may say which, otherwise the name does. */
export function withAuthenticationGroup(name: string, groups: readonly string[]): readonly string[] {
  if (name === anonymousUser) return groups.includes(allUnauthenticated) ? groups : [...groups, allUnauthenticated]
  if (groups.includes(allAuthenticated) || groups.includes(allUnauthenticated)) return groups
  return [...groups, allAuthenticated]
}

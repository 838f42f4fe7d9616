/**
 * Constrained impersonation: besides `impersonate`, which allows everything, there are verbs for acting as a node,
 * a service account or any other user, and for what may be done then (`impersonate-on:user-info:list`). The modes are asked in
 * their order, the unconstrained one last; the first refusal is reported. What a constrained mode allowed is not asked again for a
 * few seconds.
 * Mirrors k8s.io/apiserver/pkg/endpoints/filters/impersonation: constrainedImpersonationHandler, impersonationModesTracker.
 */

import { aggregateText } from '../api/aggregate-text.ts'
import { quote } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { goStringMapOfLists, goStringsLiteral } from '../api/golang/user-info.ts'
import { checkSubdomainName, validateDomainPrefixedPath } from '../api/names.ts'
import type { RequestAttributes } from '../api/request-attributes.ts'
import { nodeOfServiceAccount, splitServiceAccountUser } from '../api/service-account-user.ts'
import { type ApiError, badRequest } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import type { Clock } from '../lib/clock.ts'
import { headerValues, unescapeKey } from './authentication/request-header.ts'
import type { Credentials } from './authenticator.ts'
import { forbiddenError } from './authorization/forbidden.ts'
import type { Authorizer } from './authorizer.ts'
import { extraPrefix, type Impersonation, withAuthenticationGroup } from './impersonation.ts'
import { ImpersonationCache, impersonationKeys } from './impersonation-cache.ts'
import { serviceAccountGroups } from './service-account/claims.ts'

/** Whom the headers ask to be. */
type Wanted = Required<UserInfo>

/** Asks an authorizer; the error, where it refuses. */
type Check = (attributes: RequestAttributes) => Promise<ApiError | undefined>

interface Mode {
  readonly name: string
  readonly applies: (wanted: Wanted, requestor: UserInfo) => boolean
  /** What the authorizer is asked instead. */
  readonly asked?: (attributes: RequestAttributes) => RequestAttributes
  /** Whom its answer is about, where that is not the wanted user alone. */
  readonly answersFor?: Wanted
}

const nodePrefix = 'system:node:'
const nodesGroup = 'system:nodes'
const mastersGroup = 'system:masters'
const nodeKeysKey = 'authentication.kubernetes.io/associated-node-keys'
/** From this many on, a right to act as all of them is looked for first. */
const many = 4

function nodeName(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined
  const name = user.slice(nodePrefix.length)
  return checkSubdomainName(name).length === 0 ? name : undefined
}

const isNameAlone = ({ uid, groups, extra }: Wanted): boolean => uid === '' && groups.length === 0 && extra.size === 0

function isOwnNode({ name }: Wanted, requestor: UserInfo): boolean {
  const wanted = nodeName(name)
  return wanted !== undefined && wanted === nodeOfServiceAccount(requestor)
}

/** Of the node that the account's pod runs on: asked for all nodes at once, since any pod has one. */
function forAnyNode(attributes: RequestAttributes): RequestAttributes {
  const { user } = attributes
  const extra = new Map([[nodeKeysKey, [...user.extra.keys()].sort()]])
  const name = attributes.verb === 'impersonate:associated-node' ? '*' : attributes.name
  return { ...attributes, name, user: { ...user, extra } }
}

const modes: readonly Mode[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor) => isNameAlone(wanted) && isOwnNode(wanted, requestor),
    asked: forAnyNode,
    answersFor: { name: `${nodePrefix}*`, uid: '', groups: [], extra: new Map() },
  },
  { name: 'arbitrary-node', applies: (wanted) => isNameAlone(wanted) && nodeName(wanted.name) !== undefined },
  {
    name: 'serviceaccount',
    applies: (wanted) => isNameAlone(wanted) && splitServiceAccountUser(wanted.name) !== undefined,
  },
  {
    name: 'user-info',
    applies: ({ name }) => nodeName(name) === undefined && splitServiceAccountUser(name) === undefined,
  },
]

/** Allows everything, whatever is done then. */
const unconstrained: Mode = { name: '', applies: () => true }
const allModes: readonly Mode[] = [...modes, unconstrained]

/** Users beyond this many are forgotten, the oldest first. */
const maxUsers = 10_000

export class ConstrainedImpersonation {
  readonly #authorizer: Authorizer
  readonly #cache: ImpersonationCache
  /** The mode that last allowed a user to impersonate another, which is asked first. */
  readonly #lastModes = new Map<string, Mode>()

  constructor(authorizer: Authorizer, clock: Clock) {
    this.#authorizer = authorizer
    this.#cache = new ImpersonationCache(clock)
  }

  async impersonate(
    request: RequestAttributes,
    headers: Pick<Credentials, 'headers' | 'rawHeaders'>,
  ): Promise<Impersonation> {
    const wanted = wantedUser(headerValues(headers))
    if (wanted === undefined) return { outcome: 'not asked for' }
    if (wanted.name === '') {
      const error = badRequest(`requested ${printed(wanted)} without impersonating a user name`)
      return { outcome: 'refused', error }
    }
    let refused: ApiError | undefined
    for (const mode of this.#modesFor(request.user.name)) {
      if (!mode.applies(wanted, request.user)) continue
      const check = checkWith(this.#authorizer, mode.asked)
      const error = await refusal(mode, { wanted, request, check, cache: this.#cache })
      if (error === undefined) {
        this.#remember(request.user.name, mode)
        return allowed(wanted, mode)
      }
      refused ??= error
    }
    if (refused === undefined) throw new Error('all impersonation modes failed')
    return { outcome: 'forbidden', error: refused }
  }

  #modesFor(user: string): readonly Mode[] {
    const last = this.#lastModes.get(user)
    return last === undefined ? allModes : [last, ...allModes.filter((mode) => mode !== last)]
  }

  #remember(user: string, mode: Mode): void {
    this.#lastModes.delete(user)
    this.#lastModes.set(user, mode)
    if (this.#lastModes.size <= maxUsers) return
    const [oldest = ''] = this.#lastModes.keys()
    this.#lastModes.delete(oldest)
  }
}

const allowed = (wanted: Wanted, mode: Mode): Impersonation =>
  mode === unconstrained
    ? { outcome: 'impersonated', user: actualUser(wanted, false) }
    : { outcome: 'impersonated', user: actualUser(wanted, true), constraint: `impersonate:${mode.name}` }

interface Attempt {
  readonly wanted: Wanted
  readonly request: RequestAttributes
  readonly check: Check
  readonly cache: ImpersonationCache
}

/** Why a mode does not allow it. */
async function refusal(mode: Mode, { wanted, request, check, cache }: Attempt): Promise<ApiError | undefined> {
  if (mode === unconstrained) {
    return checkParts(wanted, request.user, { verb: 'impersonate', isConstrained: false, check })
  }
  const { asked = (attributes) => attributes, answersFor = wanted } = mode
  const keys = impersonationKeys(mode.name, answersFor, asked(request))
  if (cache.has(keys.request)) return undefined
  const on = await check({ ...request, verb: `impersonate-on:${mode.name}:${request.verb}` })
  if (on !== undefined) return on
  if (!cache.has(keys.user)) {
    const verb = `impersonate:${mode.name}`
    const error = await checkParts(wanted, request.user, { verb, isConstrained: true, check })
    if (error !== undefined) return error
    cache.add(keys.user)
  }
  cache.add(keys.request)
  return undefined
}

const checkWith =
  (authorizer: Authorizer, asked: Mode['asked'] = (attributes) => attributes): Check =>
  async (given) => {
    const attributes = asked(given)
    const { verdict, reason } = await authorizer.authorize(attributes)
    return verdict === 'allow' ? undefined : forbiddenError(attributes, reason)
  }

/** Undefined where nothing is asked for. */
function wantedUser(values: ReadonlyMap<string, readonly string[]>): Wanted | undefined {
  const extra = new Map<string, string[]>()
  for (const [header, items] of values) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescapeKey(header.slice(extraPrefix.length))
    extra.set(key, [...(extra.get(key) ?? []), ...items])
  }
  const name = values.get('impersonate-user')?.[0] ?? ''
  const uid = values.get('impersonate-uid')?.[0] ?? ''
  const groups = values.get('impersonate-group') ?? []
  const wanted = { name, uid, groups, extra }
  return name === '' && isNameAlone(wanted) ? undefined : wanted
}

const printed = ({ name, uid, groups, extra }: Wanted): string =>
  `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${goStringsLiteral(groups)}, Extra:${goStringMapOfLists(extra)}}`

function actualUser(wanted: Wanted, isConstrained: boolean): UserInfo {
  const { name, uid, extra } = wanted
  const account = splitServiceAccountUser(name)
  const isNode = isConstrained && nodeName(name) !== undefined
  const ofAccount =
    account !== undefined && wanted.groups.length === 0 ? serviceAccountGroups(account.namespace) : undefined
  const groups = isNode ? [nodesGroup] : (ofAccount ?? wanted.groups)
  return { name, ...(uid === '' ? {} : { uid }), groups: withAuthenticationGroup(name, groups), extra }
}

interface PartCheck {
  readonly verb: string
  readonly isConstrained: boolean
  readonly check: Check
}

/** The refusal of the first part that is refused: name, uid, groups, extra. */
async function checkParts(wanted: Wanted, requestor: UserInfo, parts: PartCheck): Promise<ApiError | undefined> {
  const { verb, isConstrained, check } = parts
  const about = (resource: string, name: string, isCore = !isConstrained): RequestAttributes => ({
    user: requestor,
    verb,
    isResourceRequest: true,
    path: '',
    apiGroup: isCore ? '' : 'authentication.k8s.io',
    apiVersion: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
  })
  return (
    (await checkName(wanted, about, parts)) ??
    (wanted.uid === '' ? undefined : await check(about('uids', wanted.uid, false))) ??
    (await checkGroups(wanted.groups, about('groups', ''), parts)) ??
    (await checkExtra(wanted.extra, about('userextras', '', false), parts))
  )
}

type About = (resource: string, name: string, isCore?: boolean) => RequestAttributes

async function checkName(
  wanted: Wanted,
  about: About,
  { isConstrained, check }: PartCheck,
): Promise<ApiError | undefined> {
  const { name, groups } = wanted
  const node = isConstrained ? nodeName(name) : undefined
  const account = splitServiceAccountUser(name)
  const attributes =
    account !== undefined
      ? { ...about('serviceaccounts', account.name), namespace: account.namespace }
      : node !== undefined
        ? about('nodes', node)
        : about('users', name)
  if (isConstrained && groups.length > 0 && (node !== undefined || account !== undefined)) {
    const what = account === undefined ? 'node' : 'service account'
    const list = `[${groups.map(quote).join(' ')}]`
    return forbiddenError(attributes, `when impersonating a ${what}, cannot impersonate groups ${list}`)
  }
  return check(attributes)
}

async function checkGroups(
  groups: readonly string[],
  about: RequestAttributes,
  { isConstrained, check }: PartCheck,
): Promise<ApiError | undefined> {
  if (isConstrained && groups.includes('')) {
    return forbiddenError(about, 'impersonating the empty string group is not allowed')
  }
  if (isConstrained && groups.includes(mastersGroup)) {
    return forbiddenError({ ...about, name: mastersGroup }, 'impersonating the system:masters group is not allowed')
  }
  if (isConstrained && groups.length >= many && (await check({ ...about, name: '*' })) === undefined) return undefined
  for (const name of groups) {
    const error = await check({ ...about, name })
    if (error !== undefined) return error
  }
  return undefined
}

async function checkExtra(
  extra: ReadonlyMap<string, readonly string[]>,
  about: RequestAttributes,
  { isConstrained, check }: PartCheck,
): Promise<ApiError | undefined> {
  const why = isConstrained ? wrongExtra(extra) : undefined
  if (why !== undefined) return forbiddenError(about, why)
  const count = [...extra.values()].reduce((sum, values) => sum + values.length, 0)
  if (isConstrained && (extra.size >= many || count >= many)) {
    if ((await check({ ...about, subresource: '*', name: '*' })) === undefined) return undefined
  }
  for (const [subresource, values] of extra) {
    for (const name of values) {
      const error = await check({ ...about, subresource, name })
      if (error !== undefined) return error
    }
  }
  return undefined
}

function wrongExtra(extra: ReadonlyMap<string, readonly string[]>): string | undefined {
  const at = FieldPath.of('extra', 'key')
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed'
    const errors = validateDomainPrefixedPath(at, key).map(({ field, message }) => `${field}: ${message}`)
    if (errors.length > 0) return `impersonating an invalid key in extra is not allowed: ${aggregateText(errors)}`
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`
    if (values.length === 0) return 'impersonating empty values in extra is not allowed'
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  }
  return undefined
}

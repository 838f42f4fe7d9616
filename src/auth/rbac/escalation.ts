/**
 * Prevents privilege escalation. Writing a role or a binding is refused unless the writer holds every
 * permission in it, belongs to `system:masters`, or has the verb `escalate` (roles) or `bind` (bindings).
 * Mirrors pkg/registry/rbac/validation: ConfirmNoEscalation, DefaultRuleResolver.
 */
import { aggregateText } from '../../api/aggregate-text.ts'
import { quote } from '../../api/field-error.ts'
import { cloneJson, equalJson, isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { objectNotFound } from '../../api/object-key.ts'
import { type ApiError, badRequest, forbidden, notFound, unknownError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { trimTrailing } from '../../lib/trim-trailing.ts'
import type { Authorizer } from '../authorizer.ts'
import type { RbacAuthorizer } from './rbac-authorizer.ts'
import { type PolicyRule, rulesOf } from './rule.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

export interface Coverage {
  readonly covered: boolean
  readonly missing: readonly PolicyRule[]
}

/**
 * A rule may stand for the product of four long lists. What is missing is reported up to this many permissions, and a role
 * with more permissions than can be looked at is refused by those that have not been.
 */
const maxMissing = 5000
const maxPermissions = 1_000_000

/** Whether the owner's rules allow all that the requested rules allow, and which single permissions are missing. */
export function* covers(owned: readonly PolicyRule[], requested: readonly PolicyRule[]): Steps<Coverage> {
  const holdings = owned.map(holdingOf)
  const missing: PolicyRule[] = []
  let seen = 0
  for (const rule of requested) {
    yield
    if (holdings.some((holding) => ruleCovers(holding, rule))) continue
    for (const single of breakDown(rule)) {
      if (++seen % 16 === 0) yield
      const isHeld = seen <= maxPermissions && holdings.some((holding) => ruleCovers(holding, single))
      if (!isHeld) missing.push(single)
      if (missing.length === maxMissing) return { covered: false, missing }
    }
  }
  return { covered: missing.length === 0, missing }
}

/** An owner's rule, in which each item is looked up at once. */
interface Holding {
  readonly verbs: ReadonlySet<string>
  readonly apiGroups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly resourceNames: ReadonlySet<string>
  readonly nonResourceURLs: readonly string[]
}

const holdingOf = (rule: PolicyRule): Holding => ({
  verbs: new Set(rule.verbs),
  apiGroups: new Set(rule.apiGroups),
  resources: new Set(rule.resources),
  resourceNames: new Set(rule.resourceNames),
  nonResourceURLs: rule.nonResourceURLs,
})

const empty: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

/** A rule as single permissions: one group, resource, verb and name each, or one path and verb. */
function* breakDown(rule: PolicyRule): Generator<PolicyRule> {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names) {
          yield { ...empty, apiGroups: [group], resources: [resource], verbs: [verb], resourceNames }
        }
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) yield { ...empty, nonResourceURLs: [url], verbs: [verb] }
  }
}

const includesAll = (owned: ReadonlySet<string>, wanted: readonly string[]): boolean =>
  owned.has('*') || wanted.every((item) => owned.has(item))

/** Every permission of the rule by this one. */
function ruleCovers(owned: Holding, rule: PolicyRule): boolean {
  return (
    includesAll(owned.verbs, rule.verbs) &&
    includesAll(owned.apiGroups, rule.apiGroups) &&
    rule.resources.every((resource) => resourceCovered(owned.resources, resource)) &&
    namesCovered(owned.resourceNames, rule.resourceNames) &&
    rule.nonResourceURLs.every((url) => owned.nonResourceURLs.some((pattern) => urlCovered(pattern, url)))
  )
}

function resourceCovered(owned: ReadonlySet<string>, resource: string): boolean {
  if (owned.has('*') || owned.has(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && owned.has(`*${resource.slice(slash)}`)
}

function namesCovered(owned: ReadonlySet<string>, wanted: readonly string[]): boolean {
  if (owned.size === 0) return true
  return wanted.length > 0 && wanted.every((name) => owned.has(name))
}

const urlCovered = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(trimTrailing(pattern, '*')))

/** Single permissions on the same resource and name put together again, for the message. */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>()
  const rest: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.nonResourceURLs.length > 0) {
      rest.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = merged.get(key)
    if (known === undefined) merged.set(key, { ...rule, verbs: [...rule.verbs] })
    else pushAll(known.verbs as string[], rule.verbs)
  }
  return [...rest, ...merged.values()]
}

/** A list as `%q` prints it: quoted, with spaces between. */
const quotedList = (items: readonly string[]): string => `[${items.map(quote).join(' ')}]`

function describe(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = parts.filter(([, items]) => items.length > 0).map(([name, items]) => `${name}:${quotedList(items)}`)
  return `{${shown.join(', ')}}`
}

/**
 * Why the user may not hand out these rules, or undefined when the user holds all of them. Roles that are missing are
 * reported as objects of the resource that is written, as in the reference.
 */
async function escalation(
  { user, rbac }: EscalationCheck,
  { resource, namespace }: { readonly resource: string; readonly namespace: string },
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const { rules: owned, missing: gone } = rbac.resolve(user, namespace)
  const { covered, missing } = await inTurns(covers(owned, rules))
  if (covered) return undefined
  const lines = [...new Set(compact(missing).map(describe))].sort()
  const errors = gone.map(({ roleName }) => notFound({ group: rbacGroup, resource }, roleName).message)
  const resolution = errors.length > 0 ? `; resolution errors: [${aggregateText(errors)}]` : ''
  return `user ${quote(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${resolution}`
}

export interface EscalationCheck {
  readonly user: UserInfo
  readonly rbac: RbacAuthorizer
  /** Decides about `escalate` and `bind`: the whole chain. */
  readonly authorizer: Authorizer
}

export interface RbacWrite {
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string
  readonly object: KubeObject
  /** The object before an update. */
  readonly previous?: KubeObject
}

const isPrivileged = (user: UserInfo): boolean => user.groups.includes('system:masters')

interface Question {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

async function mayDo({ user, authorizer }: EscalationCheck, question: Question): Promise<boolean> {
  const decision = await authorizer.authorize({
    ...question,
    user,
    isResourceRequest: true,
    path: '',
    apiGroup: rbacGroup,
    apiVersion: '*',
    subresource: '',
  })
  return decision.verdict === 'allow'
}

/** Owner references, finalizers and managed fields may be changed by anyone who may write: garbage collection needs it. */
function onlyCollectorFieldsChanged(object: KubeObject, previous: KubeObject | undefined): boolean {
  if (previous === undefined) return false
  return equalJson(withoutCollectorFields(object), withoutCollectorFields(previous))
}

function withoutCollectorFields(object: KubeObject): JsonObject {
  const copy: JsonObject = cloneJson(object)
  if (!isJsonObject(copy['metadata'])) return copy
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = copy['metadata']
  return { ...copy, metadata }
}

function hasAggregation(object: KubeObject | undefined): boolean {
  const rule = object?.['aggregationRule']
  const selectors = isJsonObject(rule) ? rule['clusterRoleSelectors'] : undefined
  return Array.isArray(selectors) && selectors.length > 0
}

const fullAuthority: readonly PolicyRule[] = [
  { ...empty, verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { ...empty, verbs: ['*'], nonResourceURLs: ['*'] },
]

/** The error with which the write of a Role or ClusterRole is refused, if it is. */
export async function checkRoleWrite(check: EscalationCheck, write: RbacWrite): Promise<ApiError | undefined> {
  const { resource, object, previous } = write
  const { name = '', namespace = '' } = object.metadata
  if (isPrivileged(check.user)) return undefined
  if (await mayDo(check, { verb: 'escalate', resource, namespace, name: previous ? name : '' })) return undefined
  if (onlyCollectorFieldsChanged(object, previous)) return undefined
  const groupResource = { group: rbacGroup, resource }
  const why = await escalation(check, { resource, namespace }, rulesOf(object))
  if (why !== undefined) return forbidden(groupResource, name, why)
  const isAggregated = hasAggregation(object) || hasAggregation(previous)
  if (isAggregated && (await escalation(check, { resource, namespace: '' }, fullAuthority)) !== undefined) {
    return forbidden(groupResource, name, 'must have cluster-admin privileges to use the aggregationRule')
  }
  return undefined
}

/** The error with which the write of a RoleBinding or ClusterRoleBinding is refused, if it is. */
export async function checkBindingWrite(check: EscalationCheck, write: RbacWrite): Promise<ApiError | undefined> {
  const { resource, object, previous } = write
  const { name = '', namespace = '' } = object.metadata
  if (isPrivileged(check.user) || onlyCollectorFieldsChanged(object, previous)) return undefined
  const roleRef = isJsonObject(object['roleRef']) ? object['roleRef'] : {}
  const kind = String(roleRef['kind'] ?? '')
  const role = String(roleRef['name'] ?? '')
  if (kind !== 'ClusterRole' && kind !== 'Role') {
    return unknownError(`unsupported role reference kind: ${quote(kind)}`)
  }
  const roles = kind === 'ClusterRole' ? 'clusterroles' : 'roles'
  if (await mayDo(check, { verb: 'bind', resource: roles, namespace, name: role })) return undefined
  if (kind === 'Role' && namespace === '') return badRequest('Namespace parameter required.')
  const groupResource = { group: rbacGroup, resource }
  const rules = check.rbac.rulesOfRole(kind, namespace, role)
  if (rules === undefined) return objectNotFound(groupResource, role)
  const why = await escalation(check, { resource, namespace }, rules)
  return why === undefined ? undefined : forbidden(groupResource, name, why)
}

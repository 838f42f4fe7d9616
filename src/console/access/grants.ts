/** Who was granted what by which binding of which role: read from the roles and bindings as they are, in turns. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { applyingSubject, bindingOf, type RbacBinding, type Subject } from '../../auth/rbac/rbac-index.ts'
import { type PolicyRule, type RuleGap, ruleGaps, rulesOf } from '../../auth/rbac/rule.ts'
import { TimeSlice } from '../../lib/in-turns.ts'

interface Reference {
  readonly kind: string
  /** Absent where it belongs to no namespace. */
  readonly namespace?: string
  readonly name: string
}

export interface Grant {
  readonly subject: Reference
  readonly binding: Reference
  readonly role: Reference
  readonly rule: object
}

export interface NearGrant {
  readonly missing: readonly (RuleGap | 'namespace')[]
  readonly grant: Grant
}

export interface UserGrants {
  readonly grants: readonly Grant[]
  /** Roles that bindings of the user name and that do not exist. */
  readonly missingRoles: readonly Reference[]
}

/** The objects of a resource as they are. */
export interface RoleSource {
  get(namespace: string, name: string): JsonObject | undefined
  list(namespace?: string): Iterable<JsonObject | KubeObject>
}

/** By the resource's name; undefined: roles and bindings are not served. */
export type RoleSources = (resource: string) => Promise<RoleSource | undefined>

const none: RoleSource = { get: () => undefined, list: () => [] }

/** Grants that lack more than this are not near. */
const maxGaps = 2

interface Found {
  readonly binding: RbacBinding
  /** Undefined: there is no such role. */
  readonly rules: readonly PolicyRule[] | undefined
}

export class Grants {
  readonly #sources: RoleSources

  constructor(sources: RoleSources) {
    this.#sources = sources
  }

  /** The grants by which a user may do something. */
  async allowing(attributes: RequestAttributes): Promise<Grant[]> {
    const found: Grant[] = []
    for await (const { binding, rules = [] } of this.#bindings(attributes.namespace)) {
      const subject = applyingSubject(binding, attributes.user)
      if (subject === undefined) continue
      for (const rule of rules) {
        if (ruleGaps(rule, attributes).length === 0) found.push(grantOf(binding, subject, rule))
      }
    }
    return found
  }

  /** Everybody who may do something; the user of the attributes does not count. */
  async *whoCan(attributes: RequestAttributes): AsyncGenerator<Grant> {
    for await (const { binding, rules = [] } of this.#bindings(attributes.namespace)) {
      const rule = rules.find((each) => ruleGaps(each, attributes).length === 0)
      if (rule !== undefined) for (const subject of binding.subjects) yield grantOf(binding, subject, rule)
    }
  }

  /** In a namespace and cluster-wide; without one also in every namespace. */
  async of(user: UserInfo, namespace: string | undefined): Promise<UserGrants> {
    const grants: Grant[] = []
    const missingRoles: Reference[] = []
    for await (const { binding, rules } of this.#bindings(namespace)) {
      const subject = applyingSubject(binding, user)
      if (subject === undefined) continue
      if (rules === undefined) missingRoles.push(roleOf(binding))
      for (const rule of rules ?? []) grants.push(grantOf(binding, subject, rule))
    }
    return { grants, missingRoles }
  }

  /** The user's own grants that lack least, best first. */
  async nearest(attributes: RequestAttributes, max: number): Promise<NearGrant[]> {
    const found: NearGrant[] = []
    for await (const { binding, rules = [] } of this.#bindings(undefined)) {
      const subject = applyingSubject(binding, attributes.user)
      if (subject === undefined) continue
      const isElsewhere = binding.namespace !== '' && binding.namespace !== attributes.namespace
      for (const rule of rules) {
        const isOtherSort = attributes.isResourceRequest
          ? rule.resources.length === 0
          : rule.nonResourceURLs.length === 0
        if (isOtherSort) continue
        const missing = [...ruleGaps(rule, attributes), ...(isElsewhere ? (['namespace'] as const) : [])]
        if (missing.length > 0 && missing.length <= maxGaps)
          found.push({ missing, grant: grantOf(binding, subject, rule) })
      }
    }
    return found.sort((a, b) => a.missing.length - b.missing.length).slice(0, max)
  }

  async *#bindings(namespace: string | undefined): AsyncGenerator<Found> {
    const source = async (resource: string): Promise<RoleSource> => (await this.#sources(resource)) ?? none
    const [clusterRoles, roles] = [await source('clusterroles'), await source('roles')]
    const rulesFor = ({ roleKind, roleName, namespace: of }: RbacBinding): readonly PolicyRule[] | undefined => {
      const role = roleKind === 'ClusterRole' ? clusterRoles.get('', roleName) : roles.get(of, roleName)
      return role && rulesOf(role)
    }
    const slice = new TimeSlice()
    const clusterWide = (await source('clusterrolebindings')).list()
    const inNamespaces = namespace === '' ? [] : (await source('rolebindings')).list(namespace)
    for (const objects of [clusterWide, inNamespaces] as const) {
      for (const object of objects as Iterable<KubeObject>) {
        const binding = bindingOf(object)
        yield { binding, rules: rulesFor(binding) }
        if (slice.isOver) await slice.yieldToEventLoop()
      }
    }
  }
}

function grantOf(binding: RbacBinding, { kind, name, namespace }: Subject, rule: PolicyRule): Grant {
  return {
    subject: { kind, ...(kind === 'ServiceAccount' ? { namespace } : {}), name },
    binding: {
      kind: binding.namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
      ...inNamespace(binding.namespace),
      name: binding.name,
    },
    role: roleOf(binding),
    rule: Object.fromEntries(Object.entries(rule).filter(([, values]) => (values as readonly string[]).length > 0)),
  }
}

const roleOf = ({ roleKind, roleName, namespace }: RbacBinding): Reference => ({
  kind: roleKind,
  ...(roleKind === 'ClusterRole' ? {} : inNamespace(namespace)),
  name: roleName,
})

const inNamespace = (namespace: string): { readonly namespace?: string } => (namespace === '' ? {} : { namespace })

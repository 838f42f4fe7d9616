/**
 * Roles and bindings, indexed by subject, kept current from live objects. What a user may do is found by looking up
 * the user's name and groups: the number of bindings of other people does not count. Made when it is first asked.
 */
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import type { UserInfo } from '../../api/user.ts'
import { type PolicyRule, rulesOf } from './rule.ts'

export interface RbacSources {
  readonly roles: ObjectSource
  readonly roleBindings: ObjectSource
  readonly clusterRoles: ObjectSource
  readonly clusterRoleBindings: ObjectSource
}

export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

export interface RbacBinding {
  readonly name: string
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string
  readonly roleKind: string
  readonly roleName: string
  readonly subjects: readonly Subject[]
}

/** Called for a binding that applies to the user and the rules of its role; none when the role does not exist. */
export type GrantVisitor = (binding: RbacBinding, rules: readonly PolicyRule[] | undefined) => boolean

type Scope = Map<string, Map<string, RbacBinding>>

export class RbacIndex {
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>()
  readonly #roles = new Map<string, readonly PolicyRule[]>()
  readonly #clusterScope: Scope = new Map()
  readonly #namespaces = new Map<string, Scope>()
  readonly #sources: RbacSources
  #unsubscribe: readonly (() => void)[] | undefined

  constructor(sources: RbacSources) {
    this.#sources = sources
  }

  #follow(sources: RbacSources): readonly (() => void)[] {
    return [
      sources.clusterRoles.subscribe(({ type, object }) => this.#roleChanged(this.#clusterRoles, type, object)),
      sources.roles.subscribe(({ type, object }) => this.#roleChanged(this.#roles, type, object)),
      sources.clusterRoleBindings.subscribe((change) =>
        this.#bindingChanged(change.type, change.object, previousOf(change)),
      ),
      sources.roleBindings.subscribe((change) => this.#bindingChanged(change.type, change.object, previousOf(change))),
    ]
  }

  close(): void {
    for (const end of this.#unsubscribe ?? []) end()
  }

  /** The rules that a reference leads to; undefined when there is no such role. */
  rulesOfRole(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
    this.#unsubscribe ??= this.#follow(this.#sources)
    return kind === 'ClusterRole' ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`)
  }

  /**
   * Visits everything that applies to the user in a namespace, cluster-wide bindings first, until the visitor says true.
   * The empty namespace has only cluster-wide ones. A plain callback: this runs for every request.
   */
  visit(user: UserInfo, namespace: string, visitor: GrantVisitor): boolean {
    this.#unsubscribe ??= this.#follow(this.#sources)
    if (this.#visitScope(this.#clusterScope, user, visitor)) return true
    const scope = namespace === '' ? undefined : this.#namespaces.get(namespace)
    return scope !== undefined && this.#visitScope(scope, user, visitor)
  }

  #visitScope(scope: Scope, user: UserInfo, visitor: GrantVisitor): boolean {
    if (this.#visitBindings(scope.get(userKey(user.name)), visitor)) return true
    for (const group of user.groups) if (this.#visitBindings(scope.get(groupKey(group)), visitor)) return true
    return false
  }

  #visitBindings(bindings: ReadonlyMap<string, RbacBinding> | undefined, visitor: GrantVisitor): boolean {
    if (bindings === undefined) return false
    for (const binding of bindings.values()) if (visitor(binding, this.#rulesOf(binding))) return true
    return false
  }

  #rulesOf({ roleKind, namespace, roleName }: RbacBinding): readonly PolicyRule[] | undefined {
    return this.rulesOfRole(roleKind, namespace, roleName)
  }

  #roleChanged(roles: Map<string, readonly PolicyRule[]>, type: string, object: KubeObject): void {
    const { namespace, name = '' } = object.metadata
    const key = namespace ? `${namespace}/${name}` : name
    if (type === 'DELETED') roles.delete(key)
    else roles.set(key, rulesOf(object))
  }

  #bindingChanged(type: string, object: KubeObject, previous: KubeObject | undefined): void {
    if (previous) this.#remove(bindingOf(previous))
    if (type === 'DELETED') this.#remove(bindingOf(object))
    else this.#add(bindingOf(object))
  }

  #add(binding: RbacBinding): void {
    let scope = binding.namespace === '' ? this.#clusterScope : this.#namespaces.get(binding.namespace)
    if (scope === undefined) {
      scope = new Map()
      this.#namespaces.set(binding.namespace, scope)
    }
    for (const subject of binding.subjects) {
      const key = subjectKey(subject)
      if (key === undefined) continue
      const bindings = scope.get(key)
      if (bindings) bindings.set(binding.name, binding)
      else scope.set(key, new Map([[binding.name, binding]]))
    }
  }

  #remove(binding: RbacBinding): void {
    const scope = binding.namespace === '' ? this.#clusterScope : this.#namespaces.get(binding.namespace)
    if (scope === undefined) return
    for (const subject of binding.subjects) {
      const key = subjectKey(subject)
      const bindings = key === undefined ? undefined : scope.get(key)
      bindings?.delete(binding.name)
      if (key !== undefined && bindings?.size === 0) scope.delete(key)
    }
    if (scope.size === 0 && binding.namespace !== '') this.#namespaces.delete(binding.namespace)
  }
}

const previousOf = (change: { type: string; previous?: KubeObject }): KubeObject | undefined =>
  change.type === 'MODIFIED' ? change.previous : undefined

const userKey = (name: string): string => `u:${name}`
const groupKey = (name: string): string => `g:${name}`

/** Undefined for a subject that matches no user: an unknown kind, or a service account of no namespace. */
function subjectKey({ kind, name, namespace }: Subject): string | undefined {
  switch (kind) {
    case 'User':
      return userKey(name)
    case 'Group':
      return groupKey(name)
    case 'ServiceAccount':
      return namespace === '' ? undefined : userKey(`system:serviceaccount:${namespace}:${name}`)
    default:
      return undefined
  }
}

/** The first subject of a binding that the user is, as reasons name it. */
export function applyingSubject({ subjects }: RbacBinding, user: UserInfo): Subject | undefined {
  return subjects.find((subject) =>
    subject.kind === 'Group' ? user.groups.includes(subject.name) : subjectKey(subject) === userKey(user.name),
  )
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** A service account subject without a namespace means the binding's own. */
export function bindingOf(object: KubeObject): RbacBinding {
  const { name = '', namespace = '' } = object.metadata
  const roleRef = isJsonObject(object['roleRef']) ? object['roleRef'] : {}
  const subjects = Array.isArray(object['subjects']) ? object['subjects'].filter(isJsonObject) : []
  return {
    name,
    namespace,
    roleKind: text(roleRef['kind']),
    roleName: text(roleRef['name']),
    subjects: subjects.map((subject) => ({
      kind: text(subject['kind']),
      name: text(subject['name']),
      namespace: text(subject['namespace']) || namespace,
    })),
  }
}

/**
 * Role based access control: allowed when any rule of any role that is bound to the user allows it; never denies.
 * Mirrors plugin/pkg/auth/authorizer/rbac: RBACAuthorizer, RulesAllow.
 */

import { aggregateText } from '../../api/aggregate-text.ts'
import { quote } from '../../api/field-error.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { SideTable } from '../../lib/memo.ts'
import {
  type Authorizer,
  abstain,
  allow,
  type Decision,
  type NonResourceRule,
  type ResourceRule,
  type UserRules,
} from '../authorizer.ts'
import { applyingSubject, type RbacBinding, type RbacIndex, type Subject } from './rbac-index.ts'
import { type PolicyRule, ruleAllows } from './rule.ts'

export interface ResolvedRules {
  readonly rules: readonly PolicyRule[]
  /** The names of roles that bindings refer to and that do not exist, and of which kind they would be. */
  readonly missing: readonly { readonly roleKind: string; readonly roleName: string }[]
}

interface Grant {
  readonly binding: RbacBinding
  readonly rules: readonly PolicyRule[] | undefined
}

const noOpinion = abstain()

export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex
  readonly #decisions = new SideTable<Subject, Decision>()

  constructor(index: RbacIndex) {
    this.#index = index
  }

  authorize(attributes: RequestAttributes): Decision {
    const { user, namespace } = attributes
    let missing: string[] | undefined
    let granted: RbacBinding | undefined
    this.#index.visit(user, namespace, (binding, rules) => {
      if (rules === undefined) {
        missing ??= []
        missing.push(missingRole(binding))
        return false
      }
      for (const rule of rules) {
        if (!ruleAllows(rule, attributes)) continue
        granted = binding
        return true
      }
      return false
    })
    if (granted !== undefined) return this.#allowed(granted, user)
    return missing === undefined ? noOpinion : abstain(`RBAC: ${aggregateText(missing)}`)
  }

  /** The decision with its reason, which is worded once for each subject of a binding. */
  #allowed(binding: RbacBinding, user: UserInfo): Decision {
    const subject = applyingSubject(binding, user)
    if (subject === undefined) return allow()
    return this.#decisions.getOrMake(subject, () => allow(allowedReason(binding, subject)))
  }

  /** All rules of a user in a namespace, cluster-wide ones first, bindings in the order of their names. */
  resolve(user: UserInfo, namespace: string): ResolvedRules {
    const grants = new Map<string, Grant>()
    this.#index.visit(user, namespace, (binding, rules) => {
      grants.set(`${binding.namespace}/${binding.name}`, { binding, rules })
      return false
    })
    const ordered = [...grants.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, grant]) => grant)
    return {
      rules: ordered.flatMap(({ rules }) => rules ?? []),
      missing: ordered.filter(({ rules }) => rules === undefined).map(({ binding }) => binding),
    }
  }

  /** The rules that a role reference leads to; undefined when the role does not exist. */
  rulesOfRole(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#index.rulesOfRole(kind, namespace, name)
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { rules, missing } = this.resolve(user, namespace)
    return {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(toResourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(toNonResourceRule),
      incomplete: false,
      ...(missing.length > 0 ? { error: aggregateText(missing.map(missingRole)) } : {}),
    }
  }
}

const toResourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): ResourceRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
})

const toNonResourceRule = ({ verbs, nonResourceURLs }: PolicyRule): NonResourceRule => ({ verbs, nonResourceURLs })

const missingRole = ({ roleKind, roleName }: Pick<RbacBinding, 'roleKind' | 'roleName'>): string =>
  `${roleKind.toLowerCase()}.rbac.authorization.k8s.io ${quote(roleName)} not found`

function allowedReason(binding: RbacBinding, subject: Subject): string {
  const who =
    subject.kind === 'ServiceAccount'
      ? `ServiceAccount ${quote(`${subject.name}/${subject.namespace}`)}`
      : `${subject.kind} ${quote(subject.name)}`
  const what =
    binding.namespace === ''
      ? `ClusterRoleBinding ${quote(binding.name)}`
      : `RoleBinding ${quote(`${binding.name}/${binding.namespace}`)}`
  return `RBAC: allowed by ${what} of ${binding.roleKind} ${quote(binding.roleName)} to ${who}`
}

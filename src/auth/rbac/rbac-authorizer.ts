/** Role based access control: allowed when any rule of any role that is bound to the user allows it; never denies. */
import { quote } from '../../api/field-error.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import {
  type Authorizer,
  abstain,
  allow,
  type Decision,
  type NonResourceRule,
  type ResourceRule,
  type UserRules,
} from '../authorizer.ts'
import { applyingSubject, type Binding, type Grant, type RbacIndex } from './rbac-index.ts'
import { type PolicyRule, ruleAllows } from './rule.ts'

export interface ResolvedRules {
  readonly rules: readonly PolicyRule[]
  /** Roles that bindings refer to and that do not exist, worded. */
  readonly errors: readonly string[]
}

export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex

  constructor(index: RbacIndex) {
    this.#index = index
  }

  authorize(attributes: RequestAttributes): Decision {
    let missing: string[] | undefined
    for (const { binding, rules } of this.#index.grants(attributes.user, attributes.namespace)) {
      if (rules === undefined) {
        missing ??= []
        missing.push(missingRole(binding))
      } else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return allow(allowedReason(binding, attributes.user))
      }
    }
    return abstain(missing === undefined ? '' : `RBAC: ${joinErrors(missing)}`)
  }

  /** All rules of a user in a namespace, cluster-wide ones first, bindings in the order of their names. */
  resolve(user: UserInfo, namespace: string): ResolvedRules {
    const grants = new Map<string, Grant>()
    for (const grant of this.#index.grants(user, namespace)) {
      grants.set(`${grant.binding.namespace}/${grant.binding.name}`, grant)
    }
    const ordered = [...grants.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, grant]) => grant)
    return {
      rules: ordered.flatMap(({ rules }) => rules ?? []),
      errors: ordered.filter(({ rules }) => rules === undefined).map(({ binding }) => missingRole(binding)),
    }
  }

  /** The rules that a role reference leads to; undefined when the role does not exist. */
  rulesOfRole(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#index.rulesOfRole(kind, namespace, name)
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { rules, errors } = this.resolve(user, namespace)
    return {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(toResourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(toNonResourceRule),
      incomplete: false,
      ...(errors.length > 0 ? { error: joinErrors(errors) } : {}),
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

/** Errors as an aggregate prints itself: each text once, several in brackets. */
export function joinErrors(errors: readonly string[]): string {
  const texts = [...new Set(errors)]
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
}

const missingRole = ({ roleKind, roleName }: Binding): string =>
  `${roleKind.toLowerCase()}.rbac.authorization.k8s.io ${quote(roleName)} not found`

function allowedReason(binding: Binding, user: UserInfo): string {
  const subject = applyingSubject(binding, user)
  const who =
    subject === undefined
      ? ''
      : subject.kind === 'ServiceAccount'
        ? `ServiceAccount ${quote(`${subject.name}/${subject.namespace}`)}`
        : `${subject.kind} ${quote(subject.name)}`
  const what =
    binding.namespace === ''
      ? `ClusterRoleBinding ${quote(binding.name)}`
      : `RoleBinding ${quote(`${binding.name}/${binding.namespace}`)}`
  return `RBAC: allowed by ${what} of ${binding.roleKind} ${quote(binding.roleName)} to ${who}`
}

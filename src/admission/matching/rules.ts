/**
 * Which requests the rules of a webhook or policy are about, also in another version of the same resource.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules: Matcher.
 */
import type { AdmissionOperation, AdmissionRequest } from '../../api/admission.ts'
import type { GroupVersionKind, GroupVersionResource } from '../../api/group-version.ts'
import type { NamedRuleWithOperations } from '../../catalog/types/admissionregistration-v1.ts'

export type Rule = NamedRuleWithOperations

export interface ServedForm {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/** The other versions in which the objects of a resource are served; for subresources with a kind of their own none. */
export type EquivalentForms = (resource: GroupVersionResource, subresource: string) => readonly ServedForm[]

export interface RuleTarget {
  readonly operation: AdmissionOperation
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly isNamespaced: boolean
  /** For rules that name objects; without it such rules match any. */
  readonly name?: string
}

export const ruleTarget = ({ operation, resource, subresource, namespace }: AdmissionRequest): RuleTarget => ({
  operation,
  resource,
  subresource,
  isNamespaced: namespace !== '',
})

const lists = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(value))

export function matchesRule(rule: Rule, target: RuleTarget): boolean {
  const { operation, resource, subresource, isNamespaced, name } = target
  if (name !== undefined && (rule.resourceNames?.length ?? 0) > 0 && !rule.resourceNames!.includes(name)) return false
  if (rule.scope === 'Namespaced' && !isNamespaced) return false
  if (rule.scope === 'Cluster' && isNamespaced) return false
  return (
    lists(rule.operations, operation) &&
    lists(rule.apiGroups, resource.group) &&
    lists(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => matchesResource(pattern, resource.resource, subresource))
  )
}

/** `pods`, `pods/log`, `*`, also with a star on either side: a pattern without a slash is about the resource itself. */
function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/')
  const [wanted, wantedSub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)]
  return (wanted === '*' || wanted === resource) && (wantedSub === '*' || wantedSub === subresource)
}

/** In which form the rules match the request: as it came, or in another version. Undefined: not at all. */
export function matchingForm(
  rules: readonly Rule[],
  target: RuleTarget,
  options: {
    readonly kind: GroupVersionKind
    readonly equivalent: boolean
    readonly forms: EquivalentForms
    readonly excluded?: readonly Rule[]
  },
): ServedForm | undefined {
  const { kind, equivalent, forms, excluded = [] } = options
  const isExcluded = (form: RuleTarget): boolean => excluded.some((rule) => matchesRule(rule, form))
  if (isExcluded(target)) return undefined
  const others = equivalent ? forms(target.resource, target.subresource) : []
  const as = (form: ServedForm): RuleTarget => ({ ...target, resource: form.resource })
  if (excluded.length > 0 && others.some((form) => isExcluded(as(form)))) return undefined
  if (rules.some((rule) => matchesRule(rule, target))) return { resource: target.resource, kind }
  for (const rule of rules) {
    const form = others.find((each) => matchesRule(rule, as(each)))
    if (form !== undefined) return form
  }
  return undefined
}

/** Admission never decides about what configures it, so that it can always be repaired. */
export function isAdmissionConfiguration({ group, resource }: { group: string; resource: string }): boolean {
  return group === 'admissionregistration.k8s.io' && configurations.has(resource)
}

const configurations: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])

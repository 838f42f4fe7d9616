/** Policies with their bindings, from one source: those of the cluster, or those of files. A policy is compiled when a request may meet it. */

import type { AdmissionRequest } from '../../api/admission.ts'
import { equalJson } from '../../api/json.ts'
import type { LabelSelector } from '../../api/label-selector.ts'
import type { MatchResources } from '../../catalog/types/admissionregistration-v1.ts'
import { type EquivalentForms, matchingForm, ruleTarget, type ServedForm } from '../matching/rules.ts'
import { compileSelector } from '../matching/selectors.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'

/** A match on resources with its selectors compiled. */
export interface Matcher {
  readonly resources: MatchResources
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly hasNames: boolean
  /** The only names that it is about, where every rule has some. */
  readonly names: ReadonlySet<string> | undefined
}

export interface BoundPolicy<T> {
  readonly policy: Policy
  readonly compiled: T
  readonly matcher: Matcher
  /** In which form the policy gets the objects, as far as names do not decide. */
  readonly form: ServedForm
  readonly bindings: readonly { readonly binding: PolicyBinding; readonly matcher: Matcher | undefined }[]
}

/** A binding without rules is about everything that its policy is about. */
const ofAll = (resources: MatchResources): MatchResources =>
  (resources.resourceRules ?? []).length > 0 ? resources : { ...resources, resourceRules: [everything] }

const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] }

const compileMatcher = (resources: MatchResources): Matcher => ({
  resources,
  namespaceSelector: compileSelector(resources.namespaceSelector),
  objectSelector: compileSelector(resources.objectSelector),
  hasNames: [...(resources.resourceRules ?? []), ...(resources.excludeResourceRules ?? [])].some(
    ({ resourceNames }) => (resourceNames?.length ?? 0) > 0,
  ),
  names: namesOf(resources.resourceRules ?? []),
})

function namesOf(rules: readonly { readonly resourceNames?: readonly string[] }[]): ReadonlySet<string> | undefined {
  const all = rules.map(({ resourceNames }) => resourceNames ?? [])
  return all.length > 0 && all.every((names) => names.length > 0) ? new Set(all.flat()) : undefined
}

/** In which form a matcher gets the object of a request; undefined where it is not about it. `byName`: what its rules say of names counts. */
export function formOf(
  { resources, hasNames }: Matcher,
  request: AdmissionRequest,
  { forms, byName }: { readonly forms: EquivalentForms; readonly byName: boolean },
): ServedForm | undefined {
  const target = ruleTarget(request)
  const { name } = request
  return matchingForm(resources.resourceRules ?? [], byName && hasNames ? { ...target, name } : target, {
    kind: request.kind,
    equivalent: resources.matchPolicy !== 'Exact',
    forms,
    // Which objects an exclusion names shows only by the request.
    excluded: (resources.excludeResourceRules ?? []).filter(
      ({ resourceNames }) => byName || (resourceNames?.length ?? 0) === 0,
    ),
  })
}

export interface PolicySetOptions<T> {
  readonly forms: EquivalentForms
  readonly compile: (policy: Policy) => T
}

export class PolicySet<T> {
  readonly #options: PolicySetOptions<T>
  readonly #policies = new Map<string, { policy: Policy; compiled: T | undefined; matcher: Matcher }>()
  readonly #bindings = new Map<string, { binding: PolicyBinding; matcher: Matcher | undefined }>()

  constructor(options: PolicySetOptions<T>) {
    this.#options = options
  }

  /** Nothing can be met. */
  get isEmpty(): boolean {
    return this.#policies.size === 0 || this.#bindings.size === 0
  }

  /** Whether that changes what is met: a new status is no reason to compile anew. */
  addPolicy(policy: Policy): boolean {
    const name = policy.metadata.name ?? ''
    const known = this.#policies.get(name)
    if (known !== undefined && equalJson(known.policy.spec, policy.spec)) return false
    const matcher = compileMatcher(policy.spec.matchConstraints ?? {})
    this.#policies.set(name, { policy, compiled: undefined, matcher })
    return true
  }

  removePolicy(name: string): void {
    this.#policies.delete(name)
  }

  addBinding(binding: PolicyBinding): void {
    const { matchResources } = binding.spec
    const matcher = matchResources === undefined ? undefined : compileMatcher(ofAll(matchResources))
    this.#bindings.set(binding.metadata.name ?? '', { binding, matcher })
  }

  removeBinding(name: string): void {
    this.#bindings.delete(name)
  }

  /** Those that requests of this kind may meet, by name. */
  bound(request: AdmissionRequest): BoundPolicy<T>[] {
    if (this.isEmpty) return []
    const { forms, compile } = this.#options
    const about = (matcher: Matcher): ServedForm | undefined => formOf(matcher, request, { forms, byName: false })
    const bindings = [...this.#bindings.keys()].sort().map((name) => this.#bindings.get(name)!)
    return [...this.#policies.keys()].sort().flatMap((name) => {
      const entry = this.#policies.get(name)!
      const own = bindings.filter(
        ({ binding, matcher }) =>
          binding.spec.policyName === name && (matcher === undefined || about(matcher) !== undefined),
      )
      const form = own.length === 0 ? undefined : about(entry.matcher)
      if (form === undefined) return []
      entry.compiled ??= compile(entry.policy)
      return [{ policy: entry.policy, compiled: entry.compiled, matcher: entry.matcher, form, bindings: own }]
    })
  }
}

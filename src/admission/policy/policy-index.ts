/**
 * Policies and their bindings, compiled once: which of them a kind of request meets is worked out when it is first
 * seen, so that policies about other resources cost nothing.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { equalJson } from '../../api/json.ts'
import type { LabelSelector } from '../../api/label-selector.ts'
import type { ObjectChange } from '../../api/object-source.ts'
import type { MatchResources } from '../../catalog/types/admissionregistration-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { type EquivalentForms, matchingForm, ruleTarget, type ServedForm } from '../matching/rules.ts'
import { compileSelector, matchesObject, type NamespaceJudge, namespaceJudge } from '../matching/selectors.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'

/** A match on resources with its selectors compiled. */
interface Matcher {
  readonly resources: MatchResources
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly hasNames: boolean
  /** The only names that it is about, where every rule has some. */
  readonly names: ReadonlySet<string> | undefined
}

interface BoundPolicy<T> {
  readonly policy: Policy
  readonly compiled: T
  readonly matcher: Matcher
  /** In which form the policy gets the objects, as far as names do not decide. */
  readonly form: ServedForm
  readonly bindings: readonly { readonly binding: PolicyBinding; readonly matcher: Matcher | undefined }[]
}

/** A policy that a request meets, with those of its bindings that apply. */
export interface MatchedPolicy<T> {
  readonly policy: Policy
  readonly compiled: T
  readonly form: ServedForm
  readonly bindings: readonly PolicyBinding[]
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

/** Kinds of request whose policies are remembered. */
const maxKnown = 10_000

export interface PolicyIndexOptions<T> {
  readonly cluster: Cluster
  readonly policies: string
  readonly bindings: string
  readonly forms: EquivalentForms
  readonly compile: (policy: Policy) => T
}

export class PolicyIndex<T> {
  readonly #options: PolicyIndexOptions<T>
  readonly #policies = new Map<string, { policy: Policy; compiled: T | undefined; matcher: Matcher }>()
  readonly #bindings = new Map<string, { binding: PolicyBinding; matcher: Matcher | undefined }>()
  readonly #known = new Map<string, readonly BoundPolicy<T>[]>()
  #isListening = false
  #knownAt = 0

  constructor(options: PolicyIndexOptions<T>) {
    this.#options = options
  }

  #candidates(request: AdmissionRequest): Awaitable<readonly BoundPolicy<T>[]> {
    if (this.#isListening) return this.#find(request)
    const { cluster, policies, bindings } = this.#options
    const group = 'admissionregistration.k8s.io'
    return whenReady(cluster.view<Policy>(group, policies).source(), (policySource) =>
      whenReady(cluster.view<PolicyBinding>(group, bindings).source(), (bindingSource) => {
        if (!this.#isListening) {
          this.#isListening = true
          policySource.subscribe((change) => this.#onPolicy(change))
          bindingSource.subscribe((change) => this.#onBinding(change))
        }
        return this.#find(request)
      }),
    )
  }

  #onPolicy({ type, object }: ObjectChange<Policy>): void {
    const name = object.metadata.name ?? ''
    const known = this.#policies.get(name)
    // A new status is no reason to compile anew.
    if (type !== 'DELETED' && known !== undefined && equalJson(known.policy.spec, object.spec)) return
    if (type === 'DELETED') this.#policies.delete(name)
    else {
      const matcher = compileMatcher(object.spec.matchConstraints ?? {})
      this.#policies.set(name, { policy: object, compiled: undefined, matcher })
    }
    this.#known.clear()
  }

  #onBinding({ type, object }: ObjectChange<PolicyBinding>): void {
    const name = object.metadata.name ?? ''
    const { matchResources } = object.spec
    if (type === 'DELETED') this.#bindings.delete(name)
    else {
      const matcher = matchResources === undefined ? undefined : compileMatcher(ofAll(matchResources))
      this.#bindings.set(name, { binding: object, matcher })
    }
    this.#known.clear()
  }

  /** In which other versions a request matches depends on what is served. */
  #forgetIfStale(): void {
    const { resourcesRevision } = this.#options.cluster
    if (resourcesRevision !== this.#knownAt) this.#known.clear()
    this.#knownAt = resourcesRevision
  }

  #find(request: AdmissionRequest): readonly BoundPolicy<T>[] {
    if (this.#policies.size === 0 || this.#bindings.size === 0) return none
    this.#forgetIfStale()
    const { operation, resource, subresource, namespace } = request
    const key = `${operation}/${resource.group}/${resource.version}/${resource.resource}/${subresource}/${namespace === ''}`
    let found = this.#known.get(key)
    if (found === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear()
      found = this.#bound(request)
      this.#known.set(key, found)
    }
    return found
  }

  #bound(request: AdmissionRequest): BoundPolicy<T>[] {
    const bindings = [...this.#bindings.keys()].sort().map((name) => this.#bindings.get(name)!)
    return [...this.#policies.keys()].sort().flatMap((name) => {
      const entry = this.#policies.get(name)!
      const own = bindings.filter(
        ({ binding, matcher }) =>
          binding.spec.policyName === name &&
          (matcher === undefined || this.#form(matcher, request, false) !== undefined),
      )
      const form = own.length === 0 ? undefined : this.#form(entry.matcher, request, false)
      if (form === undefined) return []
      entry.compiled ??= this.#options.compile(entry.policy)
      return [{ policy: entry.policy, compiled: entry.compiled, matcher: entry.matcher, form, bindings: own }]
    })
  }

  #form({ resources, hasNames }: Matcher, request: AdmissionRequest, byName: boolean): ServedForm | undefined {
    const target = ruleTarget(request)
    const { name } = request
    return matchingForm(resources.resourceRules ?? [], byName && hasNames ? { ...target, name } : target, {
      kind: request.kind,
      equivalent: resources.matchPolicy !== 'Exact',
      forms: this.#options.forms,
      // Which objects an exclusion names shows only by the request.
      excluded: (resources.excludeResourceRules ?? []).filter(
        ({ resourceNames }) => byName || (resourceNames?.length ?? 0) === 0,
      ),
    })
  }

  /** All policies that the request meets. Nothing waits unless the namespace has to be waited for. */
  matching(request: AdmissionRequest): Awaitable<readonly MatchedPolicy<T>[]> {
    return whenReady(this.#candidates(request), (candidates) =>
      candidates.length === 0
        ? none
        : whenReady(namespaceJudge(this.#options.cluster, request), (judge) =>
            this.#select(candidates, request, judge),
          ),
    )
  }

  #select(candidates: readonly BoundPolicy<T>[], request: AdmissionRequest, judge: NamespaceJudge): MatchedPolicy<T>[] {
    const isMet = (matcher: Matcher): boolean =>
      matcher.names?.has(request.name) !== false &&
      matchesObject(matcher.objectSelector, request) &&
      judge(matcher.namespaceSelector)
    const applies = (matcher: Matcher | undefined): boolean =>
      matcher === undefined ||
      (isMet(matcher) && (!matcher.hasNames || this.#form(matcher, request, true) !== undefined))
    const matched: MatchedPolicy<T>[] = []
    for (const { policy, compiled, matcher, form: known, bindings } of candidates) {
      if (!isMet(matcher)) continue
      const form = matcher.hasNames ? this.#form(matcher, request, true) : known
      if (form === undefined) continue
      const own = bindings.filter((each) => applies(each.matcher)).map(({ binding }) => binding)
      if (own.length > 0) matched.push({ policy, compiled, form, bindings: own })
    }
    return matched
  }
}

const none: readonly never[] = []

/**
 * Policies and their bindings, compiled once: which of them a kind of request meets is worked out when it is first
 * seen, so that policies about other resources cost nothing. Those of files come before those of the cluster, and are also about
 * what configures admission.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import type { ObjectChange } from '../../api/object-source.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import type { PolicyManifests } from '../manifests/policy-manifests.ts'
import type { StaticSet } from '../manifests/static-set.ts'
import type { EquivalentForms, ServedForm } from '../matching/rules.ts'
import { matchesObject, type NamespaceJudge, namespaceJudge } from '../matching/selectors.ts'
import type { RequestShape } from '../plugin.ts'
import { isUnderPolicy } from './exempt-resources.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'
import { type BoundPolicy, formOf, type Matcher, PolicySet } from './policy-set.ts'

/** A policy that a request meets, with those of its bindings that apply. */
export interface MatchedPolicy<T> {
  readonly policy: Policy
  readonly compiled: T
  readonly form: ServedForm
  readonly bindings: readonly PolicyBinding[]
}

/** Kinds of request whose policies are remembered. */
const maxKnown = 10_000

export interface PolicyIndexOptions<T> {
  readonly cluster: Cluster
  readonly policies: string
  readonly bindings: string
  readonly forms: EquivalentForms
  readonly compile: (policy: Policy) => T
  /** Those of files, where any are read. */
  readonly statics?: StaticSet<PolicyManifests> | undefined
}

export class PolicyIndex<T> {
  readonly #options: PolicyIndexOptions<T>
  readonly #live: PolicySet<T>
  #static: PolicySet<T>
  readonly #known = new Map<string, readonly BoundPolicy<T>[]>()
  #isListening = false
  #knownAt = 0
  #staticAt = 0

  constructor(options: PolicyIndexOptions<T>) {
    this.#options = options
    this.#live = new PolicySet(options)
    this.#static = new PolicySet(options)
  }

  #candidates(request: AdmissionRequest): Awaitable<readonly BoundPolicy<T>[]> {
    // Of what only policies of files are about no source is waited for.
    if (this.#isListening || !isUnderPolicy(shapeOf(request))) return this.#find(request)
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
    if (type !== 'DELETED' && !this.#live.addPolicy(object)) return
    if (type === 'DELETED') this.#live.removePolicy(object.metadata.name ?? '')
    this.#known.clear()
  }

  #onBinding({ type, object }: ObjectChange<PolicyBinding>): void {
    if (type === 'DELETED') this.#live.removeBinding(object.metadata.name ?? '')
    else this.#live.addBinding(object)
    this.#known.clear()
  }

  /** In which other versions a request matches depends on what is served. */
  #forgetIfStale(): void {
    const { cluster, statics } = this.#options
    const { resourcesRevision } = cluster
    if (resourcesRevision !== this.#knownAt) this.#known.clear()
    this.#knownAt = resourcesRevision
    if (statics === undefined || statics.revision === this.#staticAt) return
    this.#staticAt = statics.revision
    this.#static = new PolicySet(this.#options)
    for (const policy of statics.value?.policies ?? []) this.#static.addPolicy(policy)
    for (const binding of statics.value?.bindings ?? []) this.#static.addBinding(binding)
    this.#known.clear()
  }

  #find(request: AdmissionRequest): readonly BoundPolicy<T>[] {
    if (this.#live.isEmpty && this.#options.statics === undefined) return none
    this.#forgetIfStale()
    const { operation, resource, subresource, namespace } = request
    const key = `${operation}/${resource.group}/${resource.version}/${resource.resource}/${subresource}/${namespace === ''}`
    let found = this.#known.get(key)
    if (found === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear()
      const live = isUnderPolicy(shapeOf(request)) ? this.#live.bound(request) : none
      found = [...this.#static.bound(request), ...live]
      this.#known.set(key, found)
    }
    return found
  }

  #form(matcher: Matcher, request: AdmissionRequest): ServedForm | undefined {
    return formOf(matcher, request, { forms: this.#options.forms, byName: true })
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
      matcher === undefined || (isMet(matcher) && (!matcher.hasNames || this.#form(matcher, request) !== undefined))
    const matched: MatchedPolicy<T>[] = []
    for (const { policy, compiled, matcher, form: known, bindings } of candidates) {
      if (!isMet(matcher)) continue
      const form = matcher.hasNames ? this.#form(matcher, request) : known
      if (form === undefined) continue
      const own = bindings.filter((each) => applies(each.matcher)).map(({ binding }) => binding)
      if (own.length > 0) matched.push({ policy, compiled, form, bindings: own })
    }
    return matched
  }
}

const none: readonly never[] = []

const shapeOf = ({ operation, resource, subresource }: AdmissionRequest): RequestShape => ({
  operation,
  group: resource.group,
  resource: resource.resource,
  subresource,
})

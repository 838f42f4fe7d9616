/**
 * Policies and their bindings, compiled once: which of them a kind of request meets is worked out when it is first
 * seen, so that policies about other resources cost nothing.
 */
import type { AdmissionRequest } from '../../api/admission.ts'
import { equalJson } from '../../api/json.ts'
import type { LabelSelector } from '../../api/label-selector.ts'
import type { ObjectChange } from '../../api/object-source.ts'
import type { Cluster } from '../cluster.ts'
import { type EquivalentForms, matchingForm, ruleTarget, type ServedForm } from '../matching/rules.ts'
import { compileSelector, matchesNamespace, matchesObject } from '../matching/selectors.ts'
import { whenReady } from '../plugin.ts'
import type { Binding, MatchResources, Policy } from './policy-objects.ts'

/** A match on resources with its selectors compiled. */
export interface Matcher {
  readonly resources: MatchResources
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly hasNames: boolean
}

export interface BoundPolicy<T> {
  readonly policy: Policy
  readonly compiled: T
  readonly matcher: Matcher
  readonly bindings: readonly { readonly binding: Binding; readonly matcher: Matcher | undefined }[]
}

const compileMatcher = (resources: MatchResources): Matcher => ({
  resources,
  namespaceSelector: compileSelector(resources.namespaceSelector),
  objectSelector: compileSelector(resources.objectSelector),
  hasNames: [...(resources.resourceRules ?? []), ...(resources.excludeResourceRules ?? [])].some(
    ({ resourceNames }) => (resourceNames?.length ?? 0) > 0,
  ),
})

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
  readonly #bindings = new Map<string, { binding: Binding; matcher: Matcher | undefined }>()
  readonly #known = new Map<string, readonly BoundPolicy<T>[]>()
  #isListening = false
  #knownAt = 0

  constructor(options: PolicyIndexOptions<T>) {
    this.#options = options
  }

  candidates(request: AdmissionRequest): readonly BoundPolicy<T>[] | Promise<readonly BoundPolicy<T>[]> {
    if (this.#isListening) return this.#find(request)
    const { cluster, policies, bindings } = this.#options
    const group = 'admissionregistration.k8s.io'
    return whenReady(cluster.view<Policy>(group, policies).source(), (policySource) =>
      whenReady(cluster.view<Binding>(group, bindings).source(), (bindingSource) => {
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

  #onBinding({ type, object }: ObjectChange<Binding>): void {
    const name = object.metadata.name ?? ''
    const { matchResources } = object.spec
    if (type === 'DELETED') this.#bindings.delete(name)
    else {
      const matcher = matchResources === undefined ? undefined : compileMatcher(matchResources)
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
      const own = bindings.filter(({ binding }) => binding.spec.policyName === name)
      if (own.length === 0 || this.#form(entry.matcher, request, false) === undefined) return []
      entry.compiled ??= this.#options.compile(entry.policy)
      return [{ policy: entry.policy, compiled: entry.compiled, matcher: entry.matcher, bindings: own }]
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

  /** In which form the policy gets the objects; undefined when it does not care. */
  matchPolicy(matcher: Matcher, request: AdmissionRequest): ServedForm | undefined | Promise<ServedForm | undefined> {
    const form = this.#form(matcher, request, true)
    return form === undefined
      ? undefined
      : whenReady(this.#selects(matcher, request), (yes) => (yes ? form : undefined))
  }

  matchBinding(matcher: Matcher | undefined, request: AdmissionRequest): boolean | Promise<boolean> {
    if (matcher === undefined) return true
    const rules = matcher.resources.resourceRules ?? []
    const everything = {
      ...matcher.resources,
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] }],
    }
    const limited = rules.length === 0 ? { ...matcher, resources: everything } : matcher
    return this.#form(limited, request, true) === undefined ? false : this.#selects(matcher, request)
  }

  #selects({ namespaceSelector, objectSelector }: Matcher, request: AdmissionRequest): boolean | Promise<boolean> {
    if (!matchesObject(objectSelector, request)) return false
    return matchesNamespace(this.#options.cluster, namespaceSelector, request)
  }
}

const none: readonly never[] = []

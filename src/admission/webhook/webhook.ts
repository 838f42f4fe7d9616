/** Webhook configurations, compiled once: rules, selectors, conditions and where to call. */

import type { AdmissionRequest } from '../../api/admission.ts'
import type { LabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectChange } from '../../api/object-source.ts'
import { newestRelease } from '../../api/release-facts.ts'
import type { MutatingWebhook, WebhookClientConfig } from '../../catalog/types/admissionregistration-v1.ts'
import { storedExpressions } from '../../cel/environment.ts'
import { admissionEnvironment } from '../../cel/environments.ts'
import { BOOL } from '../../cel/types.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import type { StaticSet } from '../manifests/static-set.ts'
import { compileErrorText, type NamedCondition } from '../matching/match-conditions.ts'
import {
  type EquivalentForms,
  isAdmissionConfiguration,
  matchingForm,
  type Rule,
  ruleTarget,
  type ServedForm,
} from '../matching/rules.ts'
import { compileSelector } from '../matching/selectors.ts'

export interface Webhook {
  readonly configuration: string
  readonly name: string
  /** The identity of a webhook; names may repeat. */
  readonly id: string
  readonly rules: readonly Rule[]
  readonly equivalent: boolean
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: readonly NamedCondition[]
  readonly failOpen: boolean
  readonly reinvocable: boolean
  readonly sideEffects: string
  readonly timeoutSeconds: number
  readonly reviewVersion: 'v1' | 'v1beta1' | undefined
  readonly client: WebhookClientConfig
}

let conditionEnvironment: ReturnType<typeof admissionEnvironment> | undefined

function compileCondition({ name, expression }: { name: string; expression: string }): NamedCondition {
  conditionEnvironment ??= admissionEnvironment(storedExpressions(newestRelease), { authorizer: true })
  const compiled = conditionEnvironment.compile(expression, { expectedTypes: [BOOL] })
  return { name, expression, program: compiled.ok ? compiled.program : { compileError: compileErrorText(compiled) } }
}

function compileWebhooks(configuration: KubeObject): Webhook[] {
  const seen = new Map<string, number>()
  return ((configuration['webhooks'] ?? []) as MutatingWebhook[]).map((each) => {
    const count = seen.get(each.name) ?? 0
    seen.set(each.name, count + 1)
    const name = configuration.metadata.name ?? ''
    return {
      configuration: name,
      name: each.name,
      id: `${name}/${each.name}/${count}`,
      rules: each.rules ?? [],
      equivalent: each.matchPolicy !== 'Exact',
      namespaceSelector: compileSelector(each.namespaceSelector),
      objectSelector: compileSelector(each.objectSelector),
      conditions: (each.matchConditions ?? []).map(compileCondition),
      failOpen: each.failurePolicy === 'Ignore',
      reinvocable: each.reinvocationPolicy === 'IfNeeded',
      sideEffects: each.sideEffects ?? 'Unknown',
      timeoutSeconds: each.timeoutSeconds ?? 10,
      reviewVersion: (each.admissionReviewVersions ?? []).find(
        (version): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1',
      ),
      client: each.clientConfig ?? {},
    }
  })
}

/** A webhook whose rules match, and in which form it gets the objects. */
export interface WebhookCandidate {
  readonly webhook: Webhook
  readonly form: ServedForm
  readonly index: number
}

/** Kinds of request whose webhooks are remembered. */
const maxKnown = 10_000

export interface WebhookIndexOptions {
  readonly cluster: Cluster
  /** Of which configurations: `mutatingwebhookconfigurations`. */
  readonly resource: string
  readonly forms: EquivalentForms
  /** Those of files, where any are read. */
  readonly statics?: StaticSet<readonly KubeObject[]> | undefined
}

/**
 * All webhooks of one resource of configurations, by configuration's name and then as listed. Those of files come first, and are also
 * about what configures admission.
 */
export class WebhookIndex {
  readonly #options: WebhookIndexOptions
  readonly #configurations = new Map<string, readonly Webhook[]>()
  #isListening = false
  #knownAt = 0
  #all: readonly Webhook[] | undefined
  readonly #known = new Map<string, readonly WebhookCandidate[]>()

  #static: readonly Webhook[] = []
  #staticAt = 0

  constructor(options: WebhookIndexOptions) {
    this.#options = options
  }

  /** Whether requests of this kind may concern a webhook at all. */
  handles(shape: { readonly group: string; readonly resource: string }): boolean {
    return this.#options.statics !== undefined || !isAdmissionConfiguration(shape)
  }

  candidates(request: AdmissionRequest): Awaitable<readonly WebhookCandidate[]> {
    if (this.#isListening || isAdmissionConfiguration(request.resource)) return this.#find(request)
    const view = this.#options.cluster.view('admissionregistration.k8s.io', this.#options.resource)
    return whenReady(view.source(), (source) => {
      if (!this.#isListening) {
        this.#isListening = true
        source.subscribe((change) => this.#onChange(change))
      }
      return this.#find(request)
    })
  }

  #onChange({ type, object }: ObjectChange): void {
    const name = object.metadata.name ?? ''
    if (type === 'DELETED') this.#configurations.delete(name)
    else this.#configurations.set(name, compileWebhooks(object))
    this.#all = undefined
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
    this.#static = (statics.value ?? []).flatMap(compileWebhooks)
    this.#all = undefined
    this.#known.clear()
  }

  #find(request: AdmissionRequest): readonly WebhookCandidate[] {
    if (this.#configurations.size === 0 && this.#options.statics === undefined) return none
    this.#forgetIfStale()
    const { operation, resource, subresource, namespace, kind } = request
    const key = `${operation}/${resource.group}/${resource.version}/${resource.resource}/${subresource}/${namespace === ''}`
    let found = this.#known.get(key)
    if (found === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear()
      const { forms } = this.#options
      found = this.#allFor(resource).flatMap((webhook, index) => {
        const { rules, equivalent } = webhook
        const form = matchingForm(rules, ruleTarget(request), { kind, equivalent, forms })
        return form === undefined ? [] : [{ webhook, form, index }]
      })
      this.#known.set(key, found)
    }
    return found
  }

  #allFor(resource: AdmissionRequest['resource']): readonly Webhook[] {
    if (isAdmissionConfiguration(resource)) return this.#static
    const names = (): string[] => [...this.#configurations.keys()].sort()
    this.#all ??= [...this.#static, ...names().flatMap((name) => this.#configurations.get(name) ?? [])]
    return this.#all
  }
}

const none: readonly WebhookCandidate[] = []

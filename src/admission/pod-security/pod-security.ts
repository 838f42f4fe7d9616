/**
 * Pod Security: pods that violate what their namespace enforces are refused; workloads whose pods would, and
 * namespaces that tighten what they enforce, are only warned about.
 * Mirrors k8s.io/pod-security-admission/admission: Admission.
 * Mirrors plugin/pkg/admission/security/podsecurity: Plugin.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { internalError, invalid } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { PodSpec } from '../../catalog/types/core-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { memoize } from '../../lib/memo.ts'
import type { Cluster } from '../cluster.ts'
import { admittedName, denied } from '../denied.ts'
import type { AdmissionObserver, PodSecuritySubject } from '../observer.ts'
import type { AdmissionPlugin, RequestShape } from '../plugin.ts'
import { containersOf } from '../pod.ts'
import type { PodLike } from './check.ts'
import { formatViolations, newestStandard, violationsOf } from './evaluate.ts'
import {
  compareLevels,
  exemptionWarning,
  formatPolicy,
  type LevelVersion,
  labelPrefix,
  type PodSecurityMode,
  type PodSecurityPolicy,
  policyOf,
  privilegedPolicy,
} from './policy.ts'
import { readSettings, type Settings } from './settings.ts'

const workloads: ReadonlySet<string> = new Set([
  'replicationcontrollers',
  'podtemplates',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
])
const ignoredSubresources: ReadonlySet<string> = new Set(
  'exec attach binding eviction log portforward proxy status'.split(' '),
)

function handles({ operation, group, resource, subresource }: RequestShape): boolean {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false
  if (group === '' && resource === 'pods') return !ignoredSubresources.has(subresource)
  if (subresource !== '') return false
  return (group === '' && resource === 'namespaces') || workloads.has(group === '' ? resource : `${resource}.${group}`)
}

/** Throws an Error when the configuration is not usable. */
export function podSecurity(
  cluster: Cluster,
  configuration: JsonValue | undefined,
  given: { readonly clock: Clock; readonly observer?: AdmissionObserver | undefined },
): AdmissionPlugin {
  const security = new PodSecurity(cluster, readSettings(configuration), given)
  return { name: 'PodSecurity', handles, validate: (request) => security.validate(request) }
}

/** How many pods of a namespace are looked at when it tightens its level, and for how long. */
const maxPodsChecked = 3000
const maxCheckMs = 1000

class PodSecurity {
  readonly #cluster: Cluster
  readonly #settings: Settings
  readonly #clock: Clock
  readonly #newest: number
  readonly #observer: AdmissionObserver | undefined
  readonly #policyOf: (namespace: KubeObject) => ReturnType<typeof policyOf>

  constructor(
    cluster: Cluster,
    settings: Settings,
    { clock, observer }: { readonly clock: Clock; readonly observer?: AdmissionObserver | undefined },
  ) {
    this.#cluster = cluster
    this.#settings = settings
    this.#policyOf = memoize('namespace-policy', ({ metadata }: KubeObject) =>
      policyOf(metadata.labels, settings.defaults),
    )
    this.#clock = clock
    this.#newest = newestStandard((name) => cluster.gate(name))
    this.#observer = observer
  }

  #exempt(request: AdmissionRequest, why: string): void {
    this.#observer?.podExempt(subjectOf(request))
    request.annotate(`${labelPrefix}exempt`, why)
  }

  #fail(request: AdmissionRequest, fatal: boolean): void {
    this.#observer?.podSecurityFailed(subjectOf(request), fatal)
  }

  #observeDecision(request: AdmissionRequest, mode: PodSecurityMode, policy: LevelVersion, allowed: boolean): void {
    this.#observer?.podJudged(subjectOf(request), { mode, allowed, ...policy })
  }

  validate(request: AdmissionRequest): Awaitable<void> {
    if (request.resource.group === '' && request.resource.resource === 'namespaces') return this.#namespace(request)
    const { namespaces, usernames } = this.#settings.exemptions
    if (namespaces.has(request.namespace)) return this.#exempt(request, 'namespace')
    if (usernames.has(request.user.name)) return this.#exempt(request, 'user')
    return whenReady(this.#cluster.namespace(request.namespace), (namespace) => {
      if (namespace === undefined) {
        this.#fail(request, true)
        throw internalError(`failed to lookup namespace ${quote(request.namespace)}`)
      }
      this.#evaluate(request, namespace)
    })
  }

  #evaluate(request: AdmissionRequest, namespace: KubeObject): void {
    const { policy, errors } = this.#policyOf(namespace)
    const isPod = request.resource.resource === 'pods'
    if (errors.length === 0 && isOpen(policy, isPod ? ['enforce', 'audit', 'warn'] : ['audit', 'warn'])) {
      if (isPod) {
        this.#observeDecision(request, 'enforce', policy.enforce, true)
        request.annotate(`${labelPrefix}enforce-policy`, 'privileged:latest')
      }
      return
    }
    if (isPod && request.oldObject !== undefined) {
      if (!isSignificant(request.object as PodObject, request.oldObject as PodObject)) return
    }
    const pod = this.#podIn(request.object)
    if (pod === undefined) return
    if (this.#settings.exemptions.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
      this.#exempt(request, 'runtimeClass')
      return
    }
    if (errors.length > 0) {
      const text = errors.map(({ field, message }) => `${field}: ${message}`).join(', ')
      this.#fail(request, false)
      request.annotate(`${labelPrefix}error`, `Failed to parse policy: ${errors.length === 1 ? text : `[${text}]`}`)
    }
    judge(request, policy, pod, {
      enforcing: isPod,
      newest: this.#newest,
      observeDecision: (...found) => this.#observeDecision(request, ...found),
    })
  }

  #podIn(object: KubeObject | undefined): PodLike | undefined {
    const found = object === undefined ? undefined : templateIn(object)
    if (found === undefined) return undefined
    return { ...found, relaxed: this.#isRelaxed(found.spec) }
  }

  #isRelaxed(spec: PodSpec): boolean {
    return spec.hostUsers === false && this.#cluster.gate('UserNamespacesPodSecurityStandards')
  }

  #namespace(request: AdmissionRequest): Awaitable<void> {
    const { object, oldObject } = request
    const { policy, errors } = policyOf(object?.metadata.labels, this.#settings.defaults)
    const before = policyOf(oldObject?.metadata.labels, this.#settings.defaults)
    const isOld = oldObject !== undefined && errors.length > 0 && equalJson(plain(errors), plain(before.errors))
    if (errors.length > 0 && !isOld) throw invalid({ group: '', kind: 'Namespace' }, admittedName(request), errors)
    if (oldObject === undefined) return this.#warnExempt(request, policy)
    const [next, previous] = [policy.enforce, before.policy.enforce]
    if (next.level === 'privileged') return
    if (next.minor === previous.minor && compareLevels(next.level, previous.level) <= 0) return
    const name = object?.metadata.name ?? ''
    if (this.#settings.exemptions.namespaces.has(name)) return this.#warnExempt(request, policy)
    return whenReady(this.#cluster.view<PodObject>('', 'pods').list(name), (pods) => {
      for (const warning of this.#warnings(name, next, pods)) request.warn(warning)
    })
  }

  /** Labels of an exempt namespace have no effect: setting them is a warning. */
  #warnExempt({ object, warn }: AdmissionRequest, policy: PodSecurityPolicy): void {
    const { name = '', labels } = object?.metadata ?? {}
    if (!this.#settings.exemptions.namespaces.has(name)) return
    const warning = exemptionWarning(name, policy, { labels, standard: this.#settings.defaults })
    if (warning !== undefined) warn(warning)
  }

  #warnings(namespace: string, enforce: LevelVersion, pods: readonly PodObject[]): string[] {
    const found = new Map<string, { name: string; count: number }>()
    const end = this.#clock.now() + maxCheckMs
    let checked = 0
    for (const { metadata, spec } of oneOfEachController(pods).slice(0, maxPodsChecked)) {
      checked++
      if (!this.#settings.exemptions.runtimeClasses.has(spec.runtimeClassName ?? '')) {
        const violations = violationsOf(enforce, { metadata, spec, relaxed: this.#isRelaxed(spec) }, this.#newest)
        if (violations.length > 0) count(found, violations.map(({ reason }) => reason).join(', '), metadata.name ?? '')
      }
      if (this.#clock.now() > end) break
    }
    const warnings: string[] = []
    if (checked < pods.length) {
      warnings.push(
        `new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`,
      )
    }
    if (found.size > 0) {
      warnings.push(
        `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(formatPolicy(enforce))}`,
      )
    }
    return [...warnings, ...[...found].map(podWarning).sort()]
  }
}

const plain = (errors: readonly { field: string; message: string }[]): JsonValue =>
  errors.map(({ field, message }) => ({ field, message }))

const isOpen = (policy: PodSecurityPolicy, modes: readonly PodSecurityMode[]): boolean =>
  modes.every((mode) => policy[mode].level === privilegedPolicy[mode].level)

function subjectOf({ operation, resource, subresource }: AdmissionRequest): PodSecuritySubject {
  const kinds: Readonly<Record<string, PodSecuritySubject['resource']>> = { pods: 'pod', namespaces: 'namespace' }
  return { operation, resource: kinds[resource.resource] ?? 'controller', subresource }
}

interface Judging {
  /** Workloads are only warned about. */
  readonly enforcing: boolean
  /** The version that `latest` stands for. */
  readonly newest: number
  readonly observeDecision: (mode: PodSecurityMode, policy: LevelVersion, allowed: boolean) => void
}

function judge(
  request: AdmissionRequest,
  policy: PodSecurityPolicy,
  pod: PodLike,
  { enforcing, newest, observeDecision }: Judging,
): void {
  const known = new Map<string, string>()
  const violations = (mode: PodSecurityMode): string => {
    const key = formatPolicy(policy[mode])
    let text = known.get(key)
    if (text === undefined) {
      text = formatViolations(violationsOf(policy[mode], pod, newest))
      known.set(key, text)
    }
    return text === '' ? '' : `PodSecurity ${quote(key)}: ${text}`
  }
  if (enforcing) request.annotate(`${labelPrefix}enforce-policy`, formatPolicy(policy.enforce))
  const refused = enforcing ? violations('enforce') : ''
  if (enforcing) observeDecision('enforce', policy.enforce, refused === '')
  const audited = violations('audit')
  if (audited !== '') {
    observeDecision('audit', policy.audit, false)
    request.annotate(`${labelPrefix}audit-violations`, `would violate ${audited}`)
  }
  if (refused !== '') throw denied(request, `violates ${refused}`)
  const warned = violations('warn')
  if (warned === '') return
  observeDecision('warn', policy.warn, false)
  request.warn(`would violate ${warned}`)
}

type Template = { readonly metadata: ObjectMeta; readonly spec: PodSpec }

/** The pod itself, or the template in a workload. */
function templateIn(object: KubeObject): Template | undefined {
  if (object.kind === 'Pod') return { metadata: object.metadata, spec: (object as PodObject).spec }
  const spec = object['spec'] as JsonObject | undefined
  const jobSpec = (spec?.['jobTemplate'] as JsonObject | undefined)?.['spec'] as JsonObject | undefined
  const template = (object['template'] ?? (jobSpec ?? spec)?.['template']) as JsonObject | undefined
  if (template === undefined || !isJsonObject(template['spec'])) return undefined
  return { metadata: (template['metadata'] ?? {}) as ObjectMeta, spec: template['spec'] as PodSpec }
}

/** Updates change images and add containers; nothing else that a check looks at. */
function isSignificant(pod: PodObject, old: PodObject): boolean {
  for (const list of ['containers', 'initContainers'] as const) {
    if ((pod.spec[list] ?? []).length !== (old.spec[list] ?? []).length) return true
  }
  for (const { container, list, index } of containersOf(pod.spec)) {
    const before =
      list === 'ephemeralContainers'
        ? old.spec.ephemeralContainers?.find(({ name }) => name === container.name)
        : old.spec[list]?.[index]
    if (before === undefined || before.image !== container.image) return true
  }
  return false
}

/** Pods of one controller are alike: the first of each come first. */
function oneOfEachController(pods: readonly PodObject[]): PodObject[] {
  const seen = new Set<string>()
  const [first, rest]: [PodObject[], PodObject[]] = [[], []]
  for (const pod of pods) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
    if (uid === undefined || !seen.has(uid)) first.push(pod)
    else rest.push(pod)
    if (uid !== undefined) seen.add(uid)
  }
  return [...first, ...rest]
}

function count(found: Map<string, { name: string; count: number }>, reasons: string, name: string): void {
  const known = found.get(reasons)
  if (known === undefined) found.set(reasons, { name, count: 1 })
  else found.set(reasons, { name: name < known.name ? name : known.name, count: known.count + 1 })
}

function podWarning([reasons, { name, count: pods }]: [string, { name: string; count: number }]): string {
  const others = pods === 1 ? '' : pods === 2 ? ' (and 1 other pod)' : ` (and ${pods - 1} other pods)`
  return `${name}${others}: ${reasons}`
}

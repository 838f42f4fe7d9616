/**
 * Scales workloads to what their metrics ask for, every fifteen seconds.
 * Mirrors pkg/controller/podautoscaler: HorizontalController.
 */
import { equalSemantic, type JsonObject } from '../../../api/json.ts'
import type { LabelSelector } from '../../../api/label-selector.ts'
import { parseLabelSelector } from '../../../api/label-selector-text.ts'
import { Quantity } from '../../../api/quantity.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../../catalog/types/autoscaling-v2.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { HorizontalPodAutoscaler, Pod } from '../../objects.ts'
import { hasCode, messageOf } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import { groupOf, NoScaleError, Scales, type ScaleTarget } from '../common/scales.ts'
import { MetricError, type Proposal, proposal } from './metric-proposal.ts'
import { MetricSource } from './metric-source.ts'
import type { Tolerances } from './replica-count.ts'
import { ScaleHistory } from './scale-history.ts'

const group = 'autoscaling'
const resource = 'horizontalpodautoscalers'
const account = 'horizontal-pod-autoscaler'
/** --horizontal-pod-autoscaler-sync-period and -tolerance */
const syncMs = 15_000
const defaultTolerance = 0.1

export const horizontalPodAutoscalerController: SimulatedController = {
  name: 'horizontal-pod-autoscaler-controller',
  start: (context) => new Autoscaler(context).start(),
}

interface Scale {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number; readonly selector?: string }
}

/** What one look at an autoscaler makes of it. */
interface Draft {
  readonly hpa: HorizontalPodAutoscaler
  conditions: HorizontalPodAutoscalerCondition[]
}

interface Computed {
  readonly replicas: number
  readonly metric: string
  readonly statuses: MetricStatus[]
}

class Autoscaler {
  readonly #context: SimulationContext
  readonly #hpas: Informer<HorizontalPodAutoscaler>
  readonly #pods: Informer<Pod>
  readonly #scales: Scales
  readonly #metrics: MetricSource
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  readonly #histories = new Map<string, ScaleHistory>()
  /** The selectors of the targets, by autoscaler: no pod may have two. */
  readonly #selectors = new Map<string, LabelSelector>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#hpas = context.informer<HorizontalPodAutoscaler>(group, resource)
    this.#pods = context.informer<Pod>('', 'pods')
    this.#scales = new Scales(context)
    this.#metrics = new MetricSource(context)
    this.#writer = context.writer(account)
    this.#recorder = context.recorder(account)
    this.#queue = reconciler(context, { name: 'horizontalpodautoscaler', reconcile: (key) => this.#sync(key) })
  }

  start() {
    const subscription = this.#hpas.subscribe(({ type, object, old }) => {
      const key = keyOf(object)
      if (type === 'DELETED') {
        this.#histories.delete(key)
        this.#selectors.delete(key)
      } else if (old === undefined || !equalSemantic(old.spec, object.spec)) {
        this.#queue.addAfter(key, syncMs)
      }
    })
    return runningController([subscription], [this.#queue])
  }

  async #sync(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const hpa = this.#hpas.get(namespace, name)
    if (hpa === undefined) return undefined
    try {
      await this.#reconcile(key, { hpa, conditions: [...(hpa.status?.conditions ?? [])] })
    } catch (error) {
      // It is tried again like everything else, when its time comes.
      this.#context.logger.debug({ autoscaler: key, err: error }, 'an autoscaler could not scale')
    }
    return { requeueAfter: syncMs }
  }

  async #reconcile(key: string, draft: Draft): Promise<void> {
    const { hpa } = draft
    const target = await this.#target(draft)
    if (target === undefined) return
    const scale = target.scale.toScale(target.object) as Scale
    this.#set(
      draft,
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    )
    const current = scale.spec?.replicas ?? 0
    const history = this.#history(key)
    history.begin(current, this.#context.clock.now())
    const { minReplicas: min = 1, maxReplicas: max = 0 } = hpa.spec ?? {}
    if (current === 0 && min !== 0) {
      const why = 'scaling is disabled since the replica count of the target is zero'
      this.#set(draft, 'ScalingActive', 'False', 'ScalingDisabled', why)
      return this.#write(draft, { current, desired: current, statuses: [] })
    }
    if (current > max) {
      const reason = 'Current number of replicas above Spec.MaxReplicas'
      return this.#rescale(key, draft, target, { current, desired: max, reason, statuses: [] })
    }
    if (current < min) {
      const reason = 'Current number of replicas below Spec.MinReplicas'
      return this.#rescale(key, draft, target, { current, desired: min, reason, statuses: [] })
    }
    const computed = await this.#compute(key, draft, scale)
    if (computed === undefined) return
    const desired = Math.max(computed.replicas, 0)
    const normalized = history.normalize(
      { current, desired, min, max, now: this.#context.clock.now() },
      hpa.spec?.behavior,
    )
    const { ableToScale, scalingLimited, replicas } = normalized
    this.#set(draft, 'AbleToScale', ableToScale.status, ableToScale.reason, ableToScale.message)
    this.#set(draft, 'ScalingLimited', scalingLimited.status, scalingLimited.reason, scalingLimited.message)
    const { statuses } = computed
    if (replicas === current) return this.#write(draft, { current, desired: current, statuses })
    const reason =
      desired > current ? `${computed.metric} above target` : desired < current ? 'All metrics below target' : ''
    await this.#rescale(key, draft, target, { current, desired: replicas, reason, statuses })
  }

  #history(key: string): ScaleHistory {
    const known = this.#histories.get(key)
    if (known !== undefined) return known
    const made = new ScaleHistory()
    this.#histories.set(key, made)
    return made
  }

  async #target(draft: Draft): Promise<ScaleTarget | undefined> {
    const { hpa } = draft
    const { apiVersion = '', kind = '', name = '' } = hpa.spec?.scaleTargetRef ?? {}
    await this.#scales.prepare([{ apiVersion, kind }])
    try {
      const target = this.#scales.target(groupOf(apiVersion), kind, { namespace: hpa.metadata.namespace ?? '', name })
      if (target !== undefined) return target
      throw new Error(`${this.#scales.resourceName(groupOf(apiVersion), kind)} ${JSON.stringify(name)} not found`)
    } catch (error) {
      const isMissing = error instanceof NoScaleError
      const why = isMissing ? 'the server could not find the requested resource' : messageOf(error)
      this.#note(hpa, 'Warning', 'FailedGetScale', why)
      const message = `the HPA controller was unable to get the target's current scale: ${why}`
      this.#set(draft, 'AbleToScale', 'False', 'FailedGetScale', message)
      await this.#writeStatus(hpa, { ...baseStatus(hpa), conditions: draft.conditions })
      return undefined
    }
  }

  /** Undefined when no metric could be had, or those that could would scale down: then the status says so. */
  async #compute(key: string, draft: Draft, scale: Scale): Promise<Computed | undefined> {
    const { hpa } = draft
    const specs = hpa.spec?.metrics ?? []
    const proposals: Proposal[] = []
    const statuses: MetricStatus[] = []
    const errors: MetricError[] = []
    try {
      const selector = this.#selector(key, draft, scale.status?.selector ?? '')
      const request = {
        hpa,
        pods: this.#podsOf(hpa, selector),
        selector: scale.status?.selector ?? '',
        specReplicas: scale.spec?.replicas ?? 0,
        statusReplicas: scale.status?.replicas ?? 0,
        tolerances: this.#tolerances(hpa),
        now: this.#context.clock.now(),
      }
      for (const spec of specs) {
        const made = await proposal(this.#metrics, request, spec).catch((error: unknown) => {
          if (error instanceof MetricError) return error
          throw error
        })
        // A metric that could not be had is shown without a type, as an empty one in the reference.
        statuses.push(made instanceof MetricError ? { type: '' } : made.status)
        if (!(made instanceof MetricError)) proposals.push(made)
        else {
          errors.push(made)
          this.#note(hpa, 'Warning', made.reason, made.why)
        }
      }
    } catch (error) {
      return this.#failed(draft, scale, [], messageOf(error))
    }
    const best = proposals.reduce<Proposal | undefined>(
      (highest, each) => (highest === undefined || each.replicas > highest.replicas ? each : highest),
      undefined,
    )
    const [first] = errors
    const replicas = best?.replicas ?? 0
    const isBlind = errors.length >= specs.length || (errors.length > 0 && replicas < (scale.spec?.replicas ?? 0))
    if (first !== undefined && isBlind) {
      const why = `the HPA was unable to compute the replica count: ${first.why}`
      this.#set(draft, 'ScalingActive', 'False', first.reason, why)
      const message = `invalid metrics (${errors.length} invalid out of ${specs.length}), first error is: ${first.message}`
      return this.#failed(draft, scale, statuses, message)
    }
    const metric = best?.metric ?? ''
    const found = `the HPA was able to successfully calculate a replica count from ${metric}`
    this.#set(draft, 'ScalingActive', 'True', 'ValidMetricFound', found)
    return { replicas, metric, statuses }
  }

  async #failed(draft: Draft, scale: Scale, statuses: MetricStatus[], message: string): Promise<undefined> {
    const { hpa } = draft
    const current = scale.spec?.replicas ?? 0
    await this.#write(draft, { current, desired: hpa.status?.desiredReplicas ?? 0, statuses })
    this.#note(hpa, 'Warning', 'FailedComputeMetricsReplicas', message)
    return undefined
  }

  #selector(key: string, draft: Draft, text: string): LabelSelector {
    const { hpa } = draft
    const refuse = (reason: string, message: string, condition = message, conditionReason = reason): never => {
      this.#note(hpa, 'Warning', reason, message)
      this.#set(draft, 'ScalingActive', 'False', conditionReason, condition)
      throw new Error(message)
    }
    if (text === '') {
      return refuse(
        'SelectorRequired',
        'selector is required',
        "the HPA target's scale is missing a selector",
        'InvalidSelector',
      )
    }
    let selector: LabelSelector
    try {
      selector = parseLabelSelector(text)
    } catch (error) {
      const why = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`
      return refuse('InvalidSelector', why)
    }
    this.#selectors.set(key, selector)
    const rivals = this.#rivals(hpa, selector)
    if (rivals.length > 1) {
      const why = `pods by selector ${text} are controlled by multiple HPAs: [${rivals.join(' ')}]`
      return refuse('AmbiguousSelector', why)
    }
    return selector
  }

  #rivals({ metadata }: HorizontalPodAutoscaler, selector: LabelSelector): string[] {
    const { namespace = '' } = metadata
    const pods = this.#pods.list(namespace).filter((pod) => selector.matches(pod.metadata.labels))
    return [...this.#selectors]
      .filter(([key]) => key.startsWith(`${namespace}/`))
      .filter(([, other]) => pods.some((pod) => other.matches(pod.metadata.labels)))
      .map(([key]) => key)
  }

  #podsOf({ metadata }: HorizontalPodAutoscaler, selector: LabelSelector): Pod[] {
    return this.#pods.list(metadata.namespace ?? '').filter((pod) => selector.matches(pod.metadata.labels))
  }

  #tolerances({ spec }: HorizontalPodAutoscaler): Tolerances {
    const given = this.#context.gate('HPAConfigurableTolerance') ? spec?.behavior : undefined
    const read = (text: string | undefined): number =>
      text === undefined ? defaultTolerance : Quantity.parse(String(text)).asApproximateFloat()
    return { up: read(given?.scaleUp?.tolerance), down: read(given?.scaleDown?.tolerance) }
  }

  async #rescale(
    key: string,
    draft: Draft,
    target: ScaleTarget,
    change: { current: number; desired: number; reason: string; statuses: MetricStatus[] },
  ): Promise<void> {
    const { hpa } = draft
    const { current, desired, reason, statuses } = change
    try {
      await this.#setScale(target, desired)
    } catch (error) {
      const why = messageOf(error)
      this.#note(hpa, 'Warning', 'FailedRescale', `New size: ${desired}; reason: ${reason}; error: ${why}`)
      const message = `the HPA controller was unable to update the target scale: ${why}`
      this.#set(draft, 'AbleToScale', 'False', 'FailedUpdateScale', message)
      await this.#write(draft, { current, desired: hpa.status?.desiredReplicas ?? 0, statuses })
      return
    }
    const message = `the HPA controller was able to update the target scale to ${desired}`
    this.#set(draft, 'AbleToScale', 'True', 'SucceededRescale', message)
    this.#note(hpa, 'Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`)
    this.#history(key).scaled(current, desired, hpa.spec?.behavior, this.#context.clock.now())
    await this.#write(draft, { current, desired, statuses, lastScaleTime: this.#now() })
  }

  /** By the subresource, as everybody does who scales. */
  async #setScale(
    { group: targetGroup, resource: plural, object, scale }: ScaleTarget,
    replicas: number,
  ): Promise<void> {
    const { namespace = '', name = '' } = object.metadata
    const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
    const base = targetGroup === '' ? `/api/${version}` : `/apis/${targetGroup}/${version}`
    const shown = scale.toScale(object) as JsonObject & { spec?: JsonObject }
    await this.#context.services.request({
      method: 'PUT',
      path: `${base}/namespaces/${namespace}/${plural}/${name}/scale`,
      account,
      body: { ...shown, spec: { ...shown.spec, replicas } },
    })
  }

  async #write(
    { hpa, conditions }: Draft,
    seen: { current: number; desired: number; statuses: MetricStatus[]; lastScaleTime?: string },
  ): Promise<void> {
    const { current, desired, statuses } = seen
    const lastScaleTime = seen.lastScaleTime ?? hpa.status?.lastScaleTime
    await this.#writeStatus(hpa, {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas: desired,
      currentMetrics: statuses,
      conditions,
    })
  }

  async #writeStatus(hpa: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    const { namespace = '', name = '' } = hpa.metadata
    const target = { namespace, name, subresource: 'status' }
    try {
      await this.#writer.update<HorizontalPodAutoscaler>(group, resource, target, (current) => ({ ...current, status }))
    } catch (error) {
      if (hasCode(error, 404)) return
      this.#note(hpa, 'Warning', 'FailedUpdateStatus', messageOf(error))
      throw error
    }
  }

  #set(draft: Draft, type: string, status: string, reason: string, message: string): void {
    const found = draft.conditions.find((each) => each.type === type)
    const lastTransitionTime = found?.status === status ? (found.lastTransitionTime ?? this.#now()) : this.#now()
    const next = { type, status, reason, message, lastTransitionTime }
    draft.conditions =
      found === undefined ? [...draft.conditions, next] : draft.conditions.map((each) => (each === found ? next : each))
  }

  #now(): string {
    return formatTime(instantOfMillis(this.#context.clock.now()))
  }

  #note(hpa: HorizontalPodAutoscaler, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(hpa, { type, reason, message })
  }
}

const baseStatus = ({ status }: HorizontalPodAutoscaler): HorizontalPodAutoscalerStatus => ({
  desiredReplicas: 0,
  currentMetrics: null,
  ...status,
})

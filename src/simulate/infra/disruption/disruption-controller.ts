/**
 * Keeps the statuses of disruption budgets, which evictions obey, and takes back the DisruptionTarget condition of pods
 * that were not deleted after all.
 * Mirrors pkg/controller/disruption: DisruptionController.
 */
import { type LabelSelector, selectorOfObject } from '../../../api/label-selector.ts'
import type { OwnerReference } from '../../../api/object.ts'
import { conflict } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer, InformerChange } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Pod, PodDisruptionBudget } from '../../objects.ts'
import { hasCode, messageOf } from '../common/api-errors.ts'
import { withPodCondition } from '../common/conditions.ts'
import { goLabelSelector } from '../common/go-label-selector.ts'
import { runningController } from '../common/running-controller.ts'
import { Scales } from '../common/scales.ts'
import {
  budgetStatus,
  countHealthy,
  disruptedPods,
  failSafeConditions,
  podCounts,
  staleDisruptionIn,
} from './budget-status.ts'

const group = 'policy'
const resource = 'poddisruptionbudgets'

export const disruptionController: SimulatedController = {
  name: 'disruption-controller',
  start: (context) => new Disruption(context).start(),
}

class Disruption {
  readonly #context: SimulationContext
  readonly #budgets: Informer<PodDisruptionBudget>
  readonly #pods: Informer<Pod>
  readonly #scales: Scales
  readonly #writer: Writer
  readonly #recorder: EventRecorder
  readonly #queue: Reconciler
  readonly #staleQueue: Reconciler

  constructor(context: SimulationContext) {
    this.#context = context
    this.#budgets = context.informer<PodDisruptionBudget>(group, resource)
    this.#pods = context.informer<Pod>('', 'pods')
    this.#scales = new Scales(context)
    this.#writer = context.writer('disruption-controller')
    this.#recorder = context.recorder('controllermanager')
    this.#queue = reconciler(context, { name: 'disruption', reconcile: (key) => this.#sync(key) })
    this.#staleQueue = reconciler(context, { name: 'stale_pod_disruption', reconcile: (key) => this.#resetStale(key) })
  }

  start() {
    const subscriptions = [
      this.#budgets.subscribe(({ object }) => this.#queue.add(keyOf(object))),
      this.#pods.subscribe((change) => this.#onPod(change)),
      // Not in the reference, which hears of a new size only when pods come or go.
      this.#scales.subscribe((namespace) => {
        for (const budget of this.#budgets.list(namespace)) this.#queue.add(keyOf(budget))
      }),
    ]
    return runningController(subscriptions, [this.#queue, this.#staleQueue])
  }

  #onPod({ type, object }: InformerChange<Pod>): void {
    const [budget, ...others] = this.#budgetsOf(object)
    if (budget !== undefined) this.#queue.add(keyOf(budget))
    if (budget !== undefined && others.length > 0 && type !== 'DELETED') {
      const { namespace, name } = object.metadata
      const chosen = JSON.stringify(budget.metadata.name)
      const message = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  Chose ${chosen} arbitrarily.`
      this.#recorder.event(object, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message })
      for (const other of others) this.#queue.add(keyOf(other))
    }
    const staleIn = type === 'DELETED' ? undefined : staleDisruptionIn(object, this.#context.clock.now())
    if (staleIn !== undefined) this.#staleQueue.addAfter(keyOf(object), staleIn)
  }

  #budgetsOf({ metadata }: Pod): PodDisruptionBudget[] {
    return this.#budgets
      .list(metadata.namespace ?? '')
      .filter((budget) => selectorOf(budget)?.matches(metadata.labels) === true)
  }

  async #sync(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const budget = this.#budgets.get(namespace, name)
    if (budget === undefined) return undefined
    try {
      return await this.#trySync(budget)
    } catch (error) {
      if (hasCode(error, 409)) throw error
      await this.#failSafe(budget, messageOf(error))
      return undefined
    }
  }

  async #trySync(budget: PodDisruptionBudget): Promise<{ requeueAfter: number } | undefined> {
    const pods = this.#selected(budget)
    if (pods.length === 0) this.#note(budget, 'Normal', 'NoPods', 'No matching pods found')
    await this.#scales.prepare(ownersOf(pods))
    const { expected, desiredHealthy, unmanaged } = this.#counts(budget, pods)
    if (unmanaged.length > 0) this.#note(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget))
    const now = this.#context.clock.now()
    const disrupted = disruptedPods(budget, pods, now)
    for (const pod of disrupted.notDeleted) {
      const { namespace = '' } = budget.metadata
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`
      this.#recorder.event(pod, { type: 'Warning', reason: 'NotDeleted', message })
    }
    const healthy = countHealthy(pods, disrupted.pods, now)
    const counts = { healthy, desiredHealthy, expected, disrupted: disrupted.pods }
    await this.#update(budget, (current) => {
      const status = budgetStatus(current, counts, this.#now())
      return status === undefined ? undefined : { ...current, status }
    })
    return disrupted.recheckAt === undefined ? undefined : { requeueAfter: disrupted.recheckAt - now }
  }

  #counts(budget: PodDisruptionBudget, pods: readonly Pod[]) {
    try {
      return podCounts(budget, pods, (owner, namespace) => this.#scaleOf(owner, namespace))
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`
      this.#note(budget, 'Warning', 'CalculateExpectedPodCountFailed', message)
      throw error
    }
  }

  /** The workload that a pod belongs to: the Deployment, where a ReplicaSet has one. */
  #scaleOf(owner: OwnerReference, namespace: string) {
    const scale = this.#scales.find(owner, namespace)
    const above = scale?.owner
    if (owner.kind !== 'ReplicaSet' || above?.kind !== 'Deployment') return scale
    return this.#scales.find(above, namespace)
  }

  #selected(budget: PodDisruptionBudget): Pod[] {
    const selector = selectorOf(budget)
    if (selector === undefined) return []
    return this.#pods.list(budget.metadata.namespace ?? '').filter(({ metadata }) => selector.matches(metadata.labels))
  }

  async #failSafe(budget: PodDisruptionBudget, message: string): Promise<void> {
    await this.#update(budget, (current) => ({
      ...current,
      status: {
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
        ...current.status,
        disruptionsAllowed: 0,
        conditions: failSafeConditions(current, message, this.#now()),
      },
    }))
  }

  async #update(
    { metadata }: PodDisruptionBudget,
    change: (current: PodDisruptionBudget) => PodDisruptionBudget | undefined,
  ): Promise<void> {
    const { namespace = '', name = '', resourceVersion } = metadata
    const target = { namespace, name, subresource: 'status' }
    try {
      await this.#writer.update<PodDisruptionBudget>(group, resource, target, (current) => {
        if (current.metadata.resourceVersion === resourceVersion) return change(current)
        // An eviction may have spent of it since it was read.
        throw conflict({ group, resource }, name, 'the budget was changed meanwhile')
      })
    } catch (error) {
      if (!hasCode(error, 404)) throw error
    }
  }

  async #resetStale(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const pod = this.#pods.get(namespace, name)
    const staleIn = pod === undefined ? undefined : staleDisruptionIn(pod, this.#context.clock.now())
    if (staleIn === undefined) return undefined
    if (staleIn > 0) return { requeueAfter: staleIn }
    const wanted = { type: 'DisruptionTarget', status: 'False', now: this.#now() }
    await this.#writer.update<Pod>('', 'pods', { namespace, name, subresource: 'status' }, (current) => {
      const conditions = withPodCondition(current.status?.conditions, wanted)
      return conditions === undefined ? undefined : { ...current, status: { ...current.status, conditions } }
    })
    return undefined
  }

  #now(): string {
    return formatTime(instantOfMillis(this.#context.clock.now()))
  }

  #note(budget: PodDisruptionBudget, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(budget, { type, reason, message })
  }
}

/** The owners of the pods, one of each kind. */
function ownersOf(pods: readonly Pod[]): OwnerReference[] {
  const owners = pods.flatMap(({ metadata }) => metadata.ownerReferences?.find(({ controller }) => controller) ?? [])
  return [...new Map(owners.map((owner) => [`${owner.apiVersion} ${owner.kind}`, owner])).values()]
}

/** Undefined where it cannot be read: such a budget has no pods. */
function selectorOf({ spec }: PodDisruptionBudget): LabelSelector | undefined {
  try {
    return selectorOfObject(spec?.selector)
  } catch {
    return undefined
  }
}

const unmanagedMessage = ({ spec }: PodDisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${goLabelSelector(spec?.selector)}) were found ` +
  'to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
  'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'

/**
 * Binds pods to nodes as kube-scheduler does with its default profile. One pod is placed at a time and counts on its node at
 * once; its binding is written beside that. What is left to chance comes from the clock, and turns are given away by work
 * done, not by time, so that a seeded run has the same end.
 *
 * Bound: so many bindings and reports are written at a time; the next pod waits. Mirrors pkg/scheduler: Scheduler.ScheduleOne.
 */
import { ApiError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Controller } from '../../controllers/controller.ts'
import type { Pausable } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { nextTurn } from '../../lib/in-turns.ts'
import type { Actor } from '../../registry/own-writes.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { SimulatedController } from '../framework/controller.ts'
import type { EventRecorder } from '../framework/recorder.ts'
import type { Pod } from '../objects.ts'
import { type FailureReport, PodWriter } from './binding.ts'
import { action } from './cluster-events.ts'
import { ClusterState } from './cluster-state.ts'
import { Cycle, type CycleContext, PluginError } from './cycle.ts'
import { ClaimTracker } from './devices/claim-tracker.ts'
import { SchedulerInformers } from './listers.ts'
import { schedulingKey } from './objects.ts'
import type { ClusterView } from './plugin.ts'
import { dynamicResourcesPlugin } from './plugins/dynamic-resources.ts'
import { type PostFilterResult, Preemption } from './preemption.ts'
import { defaultProfile } from './profile.ts'
import type { QueuedPod } from './queue/queued-pod.ts'
import { SchedulingQueue } from './queue/scheduling-queue.ts'
import { type Status, statusMessage } from './status.ts'
import { VolumeBinder } from './volumes/volume-binder.ts'
import { watchCluster } from './watches.ts'

/** Nodes looked at before others get a turn: about ten milliseconds. */
const unitsInATurn = 2000
/** Work for a pod besides that on nodes. */
const unitsOfAPod = 20
/** Work to weigh an event for a pod that waits. */
const unitsOfAWeighing = 2
const maxWrites = 256

const user: UserInfo = { name: 'system:kube-scheduler', groups: ['system:authenticated'], extra: new Map() }
const actor: Actor = { user, fieldManager: 'kube-scheduler' }

export const scheduler: SimulatedController = {
  name: 'kube-scheduler',
  start: (context) => new Scheduler(context),
}

class Scheduler implements Controller, Pausable {
  readonly #context: SimulationContext
  readonly #state: ClusterState
  readonly #queue: SchedulingQueue
  readonly #cycles: CycleContext
  readonly #preemption: Preemption
  readonly #writer: PodWriter
  readonly #unwatch: Promise<() => void>
  /** Where the next pod begins to look. */
  #startIndex = 0
  #units = 0
  #running: Promise<void> | undefined
  readonly #writes = new Set<Promise<void>>()
  readonly #volumeListeners = new Set<() => void>()
  #isPaused = false
  #isStopped = false

  constructor(context: SimulationContext) {
    this.#context = context
    const { clock } = context
    const pods = {
      podLevelResources: context.gate('PodLevelResources'),
      inPlaceResize: context.gate('InPlacePodVerticalScaling'),
    }
    const useDevices = context.gate('DynamicResourceAllocation')
    const informers = new SchedulerInformers(context)
    informers.open(useDevices)
    const state = new ClusterState(pods)
    const view: ClusterView = viewOf(context, informers, state)
    const writer = context.writer(actor)
    const schedulerNames = new Set(context.settings.schedulers.split('+'))
    const recorder = recorderOf(context, schedulerNames)
    this.#preemption = new Preemption({
      view,
      writer,
      recorder,
      queue: () => this.#queue,
      spend: (units) => this.#spend(units),
      track: (work) => this.#track(work),
    })
    const volumes = new VolumeBinder({ view, clock, writer, onChange: (changed) => this.#onVolumeChange(changed) })
    const tracker = useDevices ? new ClaimTracker(informers.resourceClaims) : undefined
    const track = (work: Promise<void>): void => this.#track(work)
    const devices = tracker && dynamicResourcesPlugin({ view, tracker, writer, track })
    const plugins = defaultProfile(view, { volumes, devices, preemption: this.#preemption.plugin })
    const current = (pod: Pod) => informers.pods.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '')
    this.#queue = new SchedulingQueue({ clock, plugins, pods, current, onReady: () => this.#wake() })
    this.#cycles = { view, plugins, nominatedTo: (node) => this.#queue.nominator.podsFor(node) }
    this.#state = state
    this.#writer = new PodWriter({
      clock,
      writer,
      recorder,
      observesGeneration: context.gate('PodObservedGenerationTracking'),
    })
    const volumesChanged = (): void => {
      for (const changed of [...this.#volumeListeners]) changed()
    }
    const watched = { informers, state, queue: this.#queue, schedulerNames }
    const options = { ...watched, tracker, volumesChanged }
    this.#unwatch = Promise.resolve(context.synced()).then(() => watchCluster(options))
    clock.queues?.add(this)
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#writes.size === 0 && this.#queue.isIdle
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#rest()
  }

  resume(): void {
    this.#isPaused = false
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const unwatch = await this.#unwatch
    unwatch()
    this.#queue.stop()
    this.#context.clock.queues?.delete(this)
    await this.#rest()
  }

  async #rest(): Promise<void> {
    await this.#running
    while (this.#writes.size > 0) await Promise.all(this.#writes)
  }

  #wake(): void {
    if (this.#running !== undefined || this.#isPaused || this.#isStopped) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      if (this.#queue.hasReady) this.#wake()
    })
  }

  async #run(): Promise<void> {
    // What happens in the same turn is known before the first pod is tried.
    await Promise.resolve()
    while (!this.#isPaused && !this.#isStopped) {
      if (this.#writes.size >= maxWrites) await Promise.race(this.#writes)
      const weighed = this.#queue.proceed()
      if (weighed > 0) {
        const pause = this.#spend(weighed * unitsOfAWeighing)
        if (pause !== undefined) await pause
        continue
      }
      const queued = this.#queue.pop()
      if (queued === undefined) return
      try {
        const pending = this.#schedule(queued)
        if (pending !== undefined) await pending
      } catch (error) {
        this.#context.logger.error({ pod: queued.info.key, err: error }, 'a pod cannot be scheduled')
        this.#fail(queued, { reason: 'SchedulerError', message: reasonOf(error), nominated: '' })
      }
      const pause = this.#spend(unitsOfAPod)
      if (pause !== undefined) await pause
    }
  }

  #spend(units: number): Promise<void> | undefined {
    this.#units += units
    if (this.#units < unitsInATurn) return undefined
    this.#units = 0
    return nextTurn()
  }

  #onVolumeChange(changed: () => void): () => void {
    this.#volumeListeners.add(changed)
    return () => this.#volumeListeners.delete(changed)
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.#context.logger.error({ err: error }, 'a pod cannot be scheduled'))
      .finally(() => this.#writes.delete(tracked))
    this.#writes.add(tracked)
  }

  /** In one go, except where room has to be made. */
  #schedule(queued: QueuedPod): Promise<void> | undefined {
    const { info } = queued
    if (info.pod.metadata.deletionTimestamp !== undefined) {
      this.#writer.warn(info.pod, `skip schedule deleting pod: ${info.key}`)
      return this.#queue.done(info.uid)
    }
    if (this.#state.isAssumed(info.uid)) return this.#queue.done(info.uid)
    if (this.#state.nodes.length === 0) {
      const message = 'no nodes available to schedule pods'
      return this.#fail(queued, { reason: 'Unschedulable', message, nominated: '' })
    }
    const cycle = new Cycle(info, this.#cycles)
    try {
      const feasible = cycle.feasibleNodes(this.#startIndex)
      this.#units += cycle.tried
      this.#startIndex = (this.#startIndex + cycle.tried) % this.#state.nodes.length
      if (feasible.length === 0) return this.#makeRoom(queued, cycle)
      this.#place(queued, cycle, cycle.best(feasible).name)
    } catch (error) {
      if (!(error instanceof PluginError)) throw error
      this.#fail(queued, { reason: 'SchedulerError', message: error.message, nominated: '' })
    }
    return undefined
  }

  async #makeRoom(queued: QueuedPod, cycle: Cycle): Promise<void> {
    const { nominated, message } = await this.#postFilter(cycle)
    cycle.diagnosis.postFilterMessage = message
    queued.plugins = new Set(cycle.diagnosis.plugins)
    const report = cycle.diagnosis.message(this.#state.nodes.length)
    this.#fail(queued, { reason: 'Unschedulable', message: report, nominated })
  }

  async #postFilter(cycle: Cycle): Promise<PostFilterResult> {
    const messages: string[] = []
    try {
      for (const { name, postFilter } of this.#cycles.plugins) {
        const run = cycle.runs.find(({ plugin }) => plugin === name)?.run
        const message = await postFilter?.(cycle.info, run)
        if (message !== undefined && message !== '') messages.push(message)
      }
    } catch (error) {
      return { nominated: undefined, message: reasonOf(error) }
    }
    const { nominated, message } = await this.#preemption.preempt(cycle)
    return { nominated, message: message === '' ? '' : [...messages, message].join(', ') }
  }

  #place(queued: QueuedPod, cycle: Cycle, node: string): void {
    const { info } = queued
    this.#state.assume(info, node)
    this.#queue.nominator.remove(info.uid)
    for (const { run, plugin } of cycle.runs) {
      const status = run.reserve?.(node)
      if (status === undefined) continue
      this.#release(cycle, node)
      this.#failReservation(queued, plugin, status, node)
      return
    }
    this.#queue.done(info.uid)
    this.#track(this.#prepare({ queued, cycle, node }))
  }

  #failReservation(queued: QueuedPod, plugin: string, status: Status, node: string): void {
    if (status.code === 'Error') {
      const message = `running Reserve plugin "${plugin}": ${statusMessage(status)}`
      this.#fail(queued, { reason: 'SchedulerError', message, nominated: '' })
      return
    }
    queued.plugins = new Set([plugin])
    const message = `0/1 nodes are available: 1 ${statusMessage(status)}.`
    this.#fail(queued, { reason: 'Unschedulable', message, nominated: '' })
    this.#context.logger.debug({ pod: queued.info.key, node }, 'a reservation was refused')
  }

  #release(cycle: Cycle, node: string): void {
    for (const { run } of cycle.runs) run.unreserve?.(node)
    this.#state.forget(cycle.info.uid)
  }

  /** Writes what plugins reserved. What others have to do then is no work of the scheduler's. */
  async #prepare(placement: Placement): Promise<void> {
    const { cycle, node } = placement
    await this.#guard(placement, async () => {
      for (const { run, plugin } of cycle.runs) await named(`PreBind plugin "${plugin}"`, run.preBind?.(node))
      const waits = cycle.runs.flatMap(({ run, plugin }) => {
        const wait = run.untilBound?.(node)
        return wait === undefined ? [] : [named(`PreBind plugin "${plugin}"`, wait)]
      })
      if (waits.length === 0) return this.#bind(placement)
      void this.#bindAfter(waits, placement)
    })
  }

  async #bindAfter(waits: readonly Promise<void>[], placement: Placement): Promise<void> {
    const bound = Promise.all(waits).then(
      () => this.#guard(placement, () => this.#bind(placement)),
      (error: unknown) => this.#guard(placement, () => Promise.reject(error as Error)),
    )
    await Promise.allSettled(waits)
    if (!this.#isStopped) this.#track(bound)
  }

  async #bind({ queued, node }: Placement): Promise<void> {
    await named('Bind plugin "DefaultBinder"', this.#writer.bind(queued.info.pod, node))
  }

  async #guard({ queued, cycle, node }: Placement, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof PluginError)) throw error
      this.#release(cycle, node)
      this.#queue.move({ resource: 'AssignedPod', actions: action.delete, old: queued.info.pod })
      this.#fail(queued, { reason: 'SchedulerError', message: error.message, nominated: '' })
    }
  }

  /** Requeues the pod, with the reason in its condition. */
  #fail(queued: QueuedPod, report: FailureReport): undefined {
    const { info } = queued
    const current = this.#cycles.view.listers.pods.get(info.namespace, info.pod.metadata.name ?? '')
    if (current?.metadata.uid !== info.uid || (current?.spec.nodeName ?? '') !== '') {
      this.#queue.done(info.uid)
      return undefined
    }
    queued.info = info.updated(current)
    queued.hasFailed = report.reason === 'SchedulerError'
    this.#queue.reject(queued)
    this.#queue.nominator.nominate(queued.info, report.nominated)
    this.#track(this.#report(current, report))
    return undefined
  }

  async #report(pod: Pod, report: FailureReport): Promise<void> {
    try {
      await this.#writer.report(pod, report)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#context.logger.debug({ pod: schedulingKey(pod), err: error }, 'the condition of a pod was not written')
    }
  }
}

interface Placement {
  readonly queued: QueuedPod
  readonly cycle: Cycle
  readonly node: string
}

/** Failures name their plugin. */
async function named(which: string, work: Promise<void> | undefined): Promise<void> {
  try {
    await work
  } catch (error) {
    throw new PluginError(`running ${which}: ${reasonOf(error)}`)
  }
}

/** Events are reported by the scheduler that the pod names; of a victim, by its preemptor's. */
function recorderOf(context: SimulationContext, names: Iterable<string>): EventRecorder {
  const recorders = new Map<string, EventRecorder>()
  for (const name of names) recorders.set(name, context.recorder(name, { style: 'events', actor }))
  return {
    event(regarding, details) {
      const pod = (details.related ?? regarding) as Pod
      recorders.get(pod.spec.schedulerName ?? '')?.event(regarding, details)
    },
  }
}

function viewOf({ clock, gate }: SimulationContext, listers: SchedulerInformers, state: ClusterState): ClusterView {
  return {
    clock,
    listers,
    gate,
    get nodes() {
      return state.nodes
    },
    node: (name) => state.node(name),
    get affinityNodes() {
      return state.affinityNodes
    },
    get antiAffinityNodes() {
      return state.antiAffinityNodes
    },
    isClaimInUse: (key) => state.isClaimInUse(key),
  }
}

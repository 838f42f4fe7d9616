/**
 * Runs Jobs: pods until enough have succeeded, or too much has failed.
 * Mirrors pkg/controller/job: Controller.
 */
import { selectorOfObject } from '../../../api/label-selector.ts'
import { ApiError } from '../../../api/status-error.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { Job, JobStatus } from '../../../catalog/types/batch-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { followOwned } from '../../framework/follow-owned.ts'
import { claimObjects, controllerOf } from '../../framework/owners.ts'
import {
  createPod,
  deletePod,
  isNamespaceTerminating,
  type PodControl,
  slowStart,
} from '../../framework/pod-control.ts'
import { byController, isReady, orphansOf } from '../../framework/pods.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import { omitEmpty } from '../../framework/values.ts'
import {
  countsTerminating,
  isJobFinished,
  isReached,
  isSuspended,
  isTracked,
  type JobGates,
  type JobVerdict,
  type JobView,
  type PodPlan,
  planJobPods,
  trackingFinalizer,
  untilDeadline,
  verdictOf,
  viewJob,
} from './job-facts.ts'
import { jobPod } from './job-pods.ts'
import { type BackoffRecord, nextBackoff, remainingBackoff } from './job-policies.ts'
import { countUncounted, ensureCondition, jobCondition, trackPods } from './job-tracking.ts'

const kind = 'Job'
const controllerName = 'kubernetes.io/job-controller'
const selectorOf = ({ spec }: Job) => selectorOfObject(spec.selector as Parameters<typeof selectorOfObject>[0])

export const job: SimulatedController = {
  name: 'job-controller',
  start(context) {
    const jobs = context.informer<Job>('batch', 'jobs')
    const pods = context.informer<Pod>('', 'pods')
    const runs = new JobRuns(context)
    const queue = reconciler(context, { name: 'job', reconcile: (key) => runs.reconcile(key) })
    const orphans = reconciler(context, { name: 'job_orphan_pod', reconcile: (key) => runs.releaseOrphan(key) })
    const add = (key: string): void => queue.add(key)
    const endings = [
      jobs.subscribe(({ type, object }) => {
        add(keyOf(object))
        if (type !== 'DELETED') return
        for (const pod of pods.byIndex(byController, object.metadata.uid ?? '')) orphans.add(keyOf(pod))
      }),
      followOwned({ owned: pods, owners: jobs, kind, selectorOf, add }),
      pods.subscribe(({ type, object }) => {
        if (type !== 'DELETED' && isTracked(object) && runs.isOrphan(object)) orphans.add(keyOf(object))
      }),
    ]
    return {
      async stop() {
        for (const end of endings) end()
        await Promise.all([queue.stop(), orphans.stop()])
      },
    }
  },
}

class JobRuns {
  readonly #context: SimulationContext
  readonly #control: PodControl
  readonly #gates: JobGates
  /** Failures since the last success, by key; of jobs that are not over. */
  readonly #backoffs = new Map<string, BackoffRecord>()

  constructor(context: SimulationContext) {
    this.#context = context
    this.#control = { writer: context.writer('job-controller'), recorder: context.recorder('job-controller') }
    this.#gates = {
      podReplacementPolicy: context.gate('JobPodReplacementPolicy'),
      managedBy: context.gate('JobManagedBy'),
    }
  }

  async reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const { namespace, name } = splitKey(key)
    const found = this.#context.informer<Job>('batch', 'jobs').get(namespace, name)
    if (found === undefined || isJobFinished(found)) this.#backoffs.delete(key)
    if (found === undefined || this.#isManagedElsewhere(found) || isJobFinished(found)) return undefined
    const pods = await this.#claim(found)
    const now = this.#context.clock.now()
    const startTime = found.status.startTime ?? (isSuspended(found) ? undefined : this.#time())
    const started = { ...found, status: { ...found.status, ...(startTime === undefined ? {} : { startTime }) } }
    return this.#run(key, viewJob(started, pods, { gates: this.#gates, now }))
  }

  #isManagedElsewhere({ spec }: Job): boolean {
    return this.#gates.managedBy && spec.managedBy !== undefined && spec.managedBy !== controllerName
  }

  #time(): string {
    return formatTime(instantOfMillis(this.#context.clock.now()))
  }

  #claim(owner: Job): Promise<Pod[]> {
    const pods = this.#context.informer<Pod>('', 'pods')
    const own = pods.byIndex(byController, owner.metadata.uid ?? '')
    const orphans = pods.byIndex(byController, orphansOf(owner.metadata.namespace ?? ''))
    const { writer } = this.#control
    const selector = selectorOf(owner)
    const finalizers = [trackingFinalizer]
    const claim = { owner, apiVersion: 'batch/v1', kind, selector, writer, group: '', resource: 'pods', finalizers }
    return claimObjects(claim, [...own, ...orphans])
  }

  async #run(key: string, view: JobView): Promise<{ requeueAfter: number } | undefined> {
    const { job: found, now } = view
    const backoff = nextBackoff(this.#backoffs.get(key), view.newSucceeded, view.newFailed)
    let verdict = verdictOf(view)
    let { active, terminating } = { active: view.active.length, terminating: view.terminating }
    let ready = view.active.filter(isReady).length
    let conditions = found.status.conditions ?? []
    let startTime = found.status.startTime
    let failed: { readonly error: unknown } | undefined
    const waits: number[] = []
    if (verdict !== undefined) {
      failed = await this.#firstFailure(view.active.map((pod) => deletePod(this.#control, found, pod)))
      if (failed !== undefined) verdict = undefined
      else [terminating, active, ready] = [terminating + active, 0, 0]
    } else {
      const deadline = untilDeadline(found, now)
      if (deadline !== undefined) waits.push(deadline)
      if (found.metadata.deletionTimestamp === undefined) {
        const plan = planJobPods(view, remainingBackoff(backoff, now))
        if (plan.wait > 0) waits.push(plan.wait)
        const done = await this.#carryOut(view, plan)
        failed = done.failed
        active += done.created - plan.remove.length
        terminating += plan.remove.length
        ready -= plan.remove.filter(isReady).length
        const suspended = isReached(view, active) ? undefined : this.#suspension(found)
        if (suspended !== undefined) [conditions, startTime] = [suspended.conditions, suspended.startTime]
      }
      if (isReached(view, active)) verdict = this.#success()
    }
    const status = { ...found.status, ...(startTime === undefined ? {} : { startTime }), conditions }
    const counted = this.#withCounts(found, status, { active, ready, terminating })
    await this.#track(key, view, { status: counted, verdict, terminating, backoff })
    if (failed !== undefined) throw failed.error
    return waits.length === 0 ? undefined : { requeueAfter: Math.max(0, Math.min(...waits)) }
  }

  #success(): JobVerdict {
    const isDelayed = this.#gates.managedBy || this.#gates.podReplacementPolicy
    const message = 'Reached expected number of succeeded pods'
    return { type: isDelayed ? 'SuccessCriteriaMet' : 'Complete', reason: 'CompletionsReached', message }
  }

  #withCounts(
    found: Job,
    status: JobStatus,
    counts: { active: number; ready: number; terminating: number },
  ): JobStatus {
    const { active: _, terminating: __, conditions = [], ...rest } = status
    return {
      ...rest,
      ...omitEmpty({ active: counts.active, conditions: [...conditions] }),
      ready: counts.ready,
      ...(this.#gates.podReplacementPolicy && countsTerminating(found, this.#gates)
        ? { terminating: counts.terminating }
        : {}),
      uncountedTerminatedPods: status.uncountedTerminatedPods ?? {},
    }
  }

  /** The conditions of a job that was suspended or resumed just now. */
  #suspension(found: Job): { conditions: JobStatus['conditions'] & object; startTime: string | undefined } | undefined {
    const time = this.#time()
    const conditions = found.status.conditions ?? []
    const isOn = isSuspended(found)
    const words = isOn
      ? { reason: 'JobSuspended', message: 'Job suspended', time }
      : { reason: 'JobResumed', message: 'Job resumed', time }
    const next = ensureCondition(conditions, jobCondition('Suspended', isOn ? 'True' : 'False', words))
    if (next === undefined) return undefined
    const reason = isOn ? 'Suspended' : 'Resumed'
    this.#control.recorder.event(found, { type: 'Normal', reason, message: words.message })
    return { conditions: next, startTime: isOn ? found.status.startTime : time }
  }

  async #carryOut(view: JobView, { remove, create, indexes }: PodPlan) {
    const { job: found, kept } = view
    if (remove.length > 0) {
      return { created: 0, failed: await this.#firstFailure(remove.map((pod) => this.#removePod(found, pod))) }
    }
    const hasIndexLabel = this.#context.gate('PodIndexLabel')
    let created = 0
    try {
      await slowStart(create, async (i) => {
        const index = indexes[i]
        const indexed = index === undefined ? undefined : { index, replaces: kept.get(index), hasIndexLabel }
        try {
          await createPod(this.#control, found, jobPod(found, indexed))
        } catch (error) {
          if (!isNamespaceTerminating(error)) throw error
        }
        created++
      })
      return { created, failed: undefined }
    } catch (error) {
      return { created, failed: { error } }
    }
  }

  async #removePod(found: Job, pod: Pod): Promise<void> {
    await this.#release(pod)
    await deletePod(this.#control, found, pod)
  }

  /** The first error, after all have ended. */
  async #firstFailure(acts: readonly Promise<unknown>[]): Promise<{ readonly error: unknown } | undefined> {
    const results = await Promise.allSettled(acts)
    const rejected = results.find((result) => result.status === 'rejected')
    return rejected === undefined ? undefined : { error: rejected.reason }
  }

  async #track(
    key: string,
    view: JobView,
    given: { status: JobStatus; verdict: JobVerdict | undefined; terminating: number; backoff: BackoffRecord },
  ): Promise<void> {
    const { job: found } = view
    const { verdict, terminating, backoff } = given
    const { status, release, isFull } = trackPods(view, given.status, verdict)
    const announced = this.#announce(status, verdict)
    await this.#writeStatus(found, announced)
    this.#backoffs.set(key, backoff)
    const failed = await this.#firstFailure(release.map((pod) => this.#release(pod)))
    const still = new Set(
      view.pods.filter((pod) => isTracked(this.#fresh(pod))).map(({ metadata }) => metadata.uid ?? ''),
    )
    const counted = countUncounted(announced, still)
    const { succeeded = [], failed: unfinished = [] } = counted.uncountedTerminatedPods ?? {}
    const isDelayed = this.#gates.managedBy || this.#gates.podReplacementPolicy
    const isWaiting = succeeded.length + unfinished.length > 0 || (isDelayed && terminating > 0)
    const isOver = verdict !== undefined && !isFull && !isWaiting && failed === undefined
    await this.#writeStatus(found, isOver ? this.#finish(counted, verdict) : counted)
    if (failed !== undefined) throw failed.error
    if (isOver) this.#tellFinish(found, counted, verdict)
  }

  /** The decision becomes a condition before the last pods are counted. */
  #announce(status: JobStatus, verdict: JobVerdict | undefined): JobStatus {
    if (verdict?.type !== 'FailureTarget' && verdict?.type !== 'SuccessCriteriaMet') return status
    const conditions = status.conditions ?? []
    if (conditions.some(({ type, status: value }) => type === verdict.type && value === 'True')) return status
    return {
      ...status,
      conditions: [...conditions, jobCondition(verdict.type, 'True', { ...verdict, time: this.#time() })],
    }
  }

  #finish(status: JobStatus, verdict: JobVerdict): JobStatus {
    const time = this.#time()
    const isSuccess = verdict.type === 'SuccessCriteriaMet' || verdict.type === 'Complete'
    const condition = jobCondition(isSuccess ? 'Complete' : 'Failed', 'True', { ...verdict, time })
    const conditions = ensureCondition(status.conditions ?? [], condition) ?? status.conditions ?? []
    return { ...status, conditions, ...(isSuccess ? { completionTime: time } : {}) }
  }

  #tellFinish(found: Job, status: JobStatus, { type, reason, message }: JobVerdict): void {
    const { recorder } = this.#control
    if (type !== 'SuccessCriteriaMet' && type !== 'Complete') {
      recorder.event(found, { type: 'Warning', reason, message })
      return
    }
    const { completions } = found.spec
    if (completions !== undefined && (status.succeeded ?? 0) > completions) {
      const tooMany = 'Too many succeeded pods running after completion count reached'
      recorder.event(found, { type: 'Warning', reason: 'TooManySucceededPods', message: tooMany })
    }
    recorder.event(found, { type: 'Normal', reason: 'Completed', message: 'Job completed' })
  }

  async #writeStatus({ metadata }: Job, status: JobStatus): Promise<void> {
    const { namespace = '', name = '', uid } = metadata
    const target = { namespace, name, subresource: 'status' }
    await this.#control.writer.update<Job>('batch', 'jobs', target, (current) =>
      current.metadata.uid === uid ? { ...current, status } : undefined,
    )
  }

  #fresh(pod: Pod): Pod {
    const { namespace = '', name = '', uid } = pod.metadata
    const found = this.#context.informer<Pod>('', 'pods').get(namespace, name)
    if (found?.metadata.uid === uid && found !== undefined) return found
    return { ...pod, metadata: { ...pod.metadata, finalizers: [] } }
  }

  async #release(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    try {
      await this.#control.writer.update<Pod>('', 'pods', { namespace, name }, (current) => {
        if (current.metadata.uid !== uid || !isTracked(current)) return undefined
        const { finalizers = [], ...metadata } = current.metadata
        const left = finalizers.filter((finalizer) => finalizer !== trackingFinalizer)
        return { ...current, metadata: { ...metadata, ...(left.length === 0 ? {} : { finalizers: left }) } }
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
    }
  }

  /** Whether a pod is an orphan: its job is gone or over. */
  isOrphan(pod: Pod): boolean {
    const reference = controllerOf(pod)
    if (reference === undefined) return true
    if (reference.kind !== kind || reference.apiVersion !== 'batch/v1') return false
    const found = this.#context.informer<Job>('batch', 'jobs').get(pod.metadata.namespace ?? '', reference.name)
    if (found === undefined || found.metadata.uid !== reference.uid) return true
    return !this.#isManagedElsewhere(found) && isJobFinished(found)
  }

  async releaseOrphan(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const pod = this.#context.informer<Pod>('', 'pods').get(namespace, name)
    if (pod !== undefined && isTracked(pod) && this.isOrphan(pod)) await this.#release(pod)
  }
}

/**
 * What the pods of a Job mean for it: how many succeeded and failed, whether it is over, and which pods it wants next. Pure.
 * Mirrors pkg/controller/job: Controller.syncJob, Controller.manageJob, calculateSucceededIndexes, calculateFailedIndexes.
 */

import type { Job, JobCondition } from '../../../catalog/types/batch-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { inDeletionOrder, isActive, isFinished, isTerminating, millisOf } from '../../framework/pods.ts'
import { has, type Intervals, merge, missingIndexes, parseIndexes, total, withIndexes } from './indexes.ts'
import { counts, finishedAt, judgeFailure, metSuccessRule, remainingBackoff } from './job-policies.ts'

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index'
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count'
export const ignoredCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count'

export interface JobGates {
  readonly podReplacementPolicy: boolean
  readonly managedBy: boolean
}

export interface JobView {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly terminating: number
  /** Ended pods that were not counted before. */
  readonly newSucceeded: readonly Pod[]
  readonly newFailed: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  readonly previousIndexes: Intervals
  readonly succeededIndexes: Intervals
  /** Undefined where indexes do not fail one by one. */
  readonly failedIndexes: Intervals | undefined
  /** The failed pod of an index that is kept until another takes its place: it counts the failures. */
  readonly kept: ReadonlyMap<number, Pod>
  readonly gates: JobGates
  readonly now: number
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed'
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false

export function isJobFinished({ status }: Job): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  )
}

/** Undefined for a pod that has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? ''
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

const annotated = ({ metadata }: Pod, annotation: string): number => {
  const text = metadata.annotations?.[annotation] ?? ''
  return /^\d{1,10}$/.test(text) && Number(text) <= 2 ** 31 - 1 ? Number(text) : 0
}

export const failuresOfIndex = (pod: Pod) => ({
  failed: annotated(pod, failureCountAnnotation),
  ignored: annotated(pod, ignoredCountAnnotation),
})

const allFailures = (pod: Pod): number => failuresOfIndex(pod).failed + failuresOfIndex(pod).ignored

/** Whether a pod is replaced only once it has ended, not when it is about to. */
function replacesFailedOnly({ spec }: Job, { podReplacementPolicy }: JobGates): boolean {
  return (podReplacementPolicy && spec.podReplacementPolicy === 'Failed') || spec.podFailurePolicy != null
}

export function isFailed(pod: Pod, job: Job, gates: JobGates): boolean {
  if (pod.status.phase === 'Failed') return true
  return !replacesFailedOnly(job, gates) && isTerminating(pod) && pod.status.phase !== 'Succeeded'
}

export const countsTerminating = ({ spec }: Job, gates: JobGates): boolean =>
  gates.podReplacementPolicy || gates.managedBy || spec.podFailurePolicy != null

export function viewJob(job: Job, pods: readonly Pod[], { gates, now }: { gates: JobGates; now: number }): JobView {
  const { spec, status } = job
  const completions = spec.completions ?? 0
  const uncounted = new Set([
    ...(status.uncountedTerminatedPods?.succeeded ?? []),
    ...(status.uncountedTerminatedPods?.failed ?? []),
  ])
  const isValid = (pod: Pod): boolean =>
    isTracked(pod) && (!isIndexed(job) || (indexOf(pod) ?? completions) < completions)
  const fresh = pods.filter((pod) => isValid(pod) && !uncounted.has(pod.metadata.uid ?? ''))
  const newSucceeded = fresh.filter((pod) => pod.status.phase === 'Succeeded')
  const newFailed = fresh.filter((pod) => isFailed(pod, job, gates))
  const active = pods.filter(isActive)
  const indexed = isIndexed(job) ? indexFacts(job, pods, gates) : undefined
  const succeededIndexes = indexed?.succeeded ?? []
  const view = {
    job,
    pods,
    active,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    newSucceeded,
    newFailed,
    succeeded: isIndexed(job)
      ? total(succeededIndexes)
      : (status.succeeded ?? 0) + newSucceeded.length + (status.uncountedTerminatedPods?.succeeded?.length ?? 0),
    failed:
      (status.failed ?? 0) +
      newFailed.filter((pod) => counts(judgeFailure(job, pod))).length +
      (status.uncountedTerminatedPods?.failed?.length ?? 0),
    previousIndexes: indexed?.previous ?? [],
    succeededIndexes,
    failedIndexes: indexed?.failed,
    gates,
    now,
  }
  return { ...view, kept: keptPods(view, pods.filter(isValid)) }
}

function indexFacts(job: Job, pods: readonly Pod[], gates: JobGates) {
  const { spec, status } = job
  const completions = spec.completions ?? 0
  const previous = parseIndexes(status.completedIndexes ?? '', completions)
  const valid = pods.filter((pod) => isTracked(pod) && (indexOf(pod) ?? completions) < completions)
  const indexesOf = (some: readonly Pod[]): number[] => some.map((pod) => indexOf(pod) ?? 0)
  const succeeded = withIndexes(previous, indexesOf(valid.filter((pod) => pod.status.phase === 'Succeeded')))
  const limit = spec.backoffLimitPerIndex
  if (limit === undefined) return { previous, succeeded, failed: undefined }
  const failedPods = valid.filter((pod) => {
    if (!isFailed(pod, job, gates)) return false
    const verdict = judgeFailure(job, pod)
    return verdict.action === 'FailIndex' || (counts(verdict) && failuresOfIndex(pod).failed >= limit)
  })
  return {
    previous,
    succeeded,
    failed: withIndexes(parseIndexes(status.failedIndexes ?? '', completions), indexesOf(failedPods)),
  }
}

function keptPods(view: Omit<JobView, 'kept'>, valid: readonly Pod[]): ReadonlyMap<number, Pod> {
  const kept = new Map<number, Pod>()
  if (view.failedIndexes === undefined) return kept
  const activeIndexes = new Set(view.active.map(indexOf))
  for (const pod of valid) {
    const index = indexOf(pod) ?? 0
    if (!isFailed(pod, view.job, view.gates) || activeIndexes.has(index)) continue
    if (has(view.succeededIndexes, index) || has(view.failedIndexes, index)) continue
    const last = kept.get(index)
    const isLater = last === undefined || (allFailures(last) <= allFailures(pod) && finishedAt(pod) >= finishedAt(last))
    if (isLater) kept.set(index, pod)
  }
  return kept
}

export interface JobVerdict {
  readonly type: 'FailureTarget' | 'Failed' | 'SuccessCriteriaMet' | 'Complete'
  readonly reason: string
  readonly message: string
}

const conditionOf = ({ status }: Job, type: string): JobCondition | undefined =>
  (status.conditions ?? []).find((condition) => condition.type === type && condition.status === 'True')

/** Whether the job is over whatever its active pods do, and why. */
export function verdictOf(view: JobView): JobVerdict | undefined {
  const { job, pods, gates } = view
  const met = conditionOf(job, 'SuccessCriteriaMet')
  if (met !== undefined) return { type: 'SuccessCriteriaMet', reason: met.reason ?? '', message: met.message ?? '' }
  const target = conditionOf(job, 'FailureTarget')
  if (target !== undefined) return { type: 'Failed', reason: target.reason ?? '', message: target.message ?? '' }
  for (const pod of pods) {
    const { message } = isFailed(pod, job, gates) ? judgeFailure(job, pod) : {}
    if (message !== undefined) return { type: 'FailureTarget', reason: 'PodFailurePolicy', message }
  }
  return limitVerdict(view) ?? (isIndexed(job) ? indexVerdict(view) : undefined)
}

const failure = ({ gates }: JobView, reason: string, message: string): JobVerdict => ({
  type: gates.managedBy || gates.podReplacementPolicy ? 'FailureTarget' : 'Failed',
  reason,
  message,
})

function limitVerdict(view: JobView): JobVerdict | undefined {
  const { job, pods, failed, now } = view
  const { backoffLimit = 6, activeDeadlineSeconds } = job.spec
  if (failed > backoffLimit || hasRestartedTooOften(job, pods)) {
    return failure(view, 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const left = untilDeadline(job, now)
  if (activeDeadlineSeconds === undefined || left === undefined || left > 0) return undefined
  return failure(view, 'DeadlineExceeded', 'Job was active longer than specified deadline')
}

/** Milliseconds; undefined where there is no deadline, or it does not run. */
export function untilDeadline({ spec, status }: Job, now: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status.startTime === undefined || spec.suspend) return undefined
  return spec.activeDeadlineSeconds * 1000 - (now - millisOf(status.startTime))
}

/** Pods that restart their containers count by these. */
function hasRestartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false
  const { backoffLimit = 6 } = spec
  const restarts = pods
    .filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending')
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0)
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

function indexVerdict(view: JobView): JobVerdict | undefined {
  const { job, succeededIndexes, failedIndexes } = view
  const { completions = 0, maxFailedIndexes, successPolicy } = job.spec
  const failed = failedIndexes === undefined ? 0 : total(failedIndexes)
  if (failedIndexes !== undefined && maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes'
    return failure(view, 'MaxFailedIndexesExceeded', message)
  }
  if (failed > 0 && failed + total(succeededIndexes) >= completions) {
    return failure(view, 'FailedIndexes', 'Job has failed indexes')
  }
  const message = metSuccessRule(successPolicy, succeededIndexes, completions)
  return message === undefined ? undefined : { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message }
}

export interface PodPlan {
  readonly remove: readonly Pod[]
  /** How many to create, or for which indexes. */
  readonly create: number
  readonly indexes: readonly number[]
  /** Milliseconds until failed pods may be replaced. */
  readonly wait: number
}

/** Pods created or deleted at a time. */
const maxPodsAtATime = 500
const nothing: PodPlan = { remove: [], create: 0, indexes: [], wait: 0 }

/** Which pods a job that goes on wants to have and not to have. */
export function planJobPods(view: JobView, backoffMs: number): PodPlan {
  const { job, active } = view
  if (isSuspended(job)) return { ...nothing, remove: active }
  const wanted = wantedActive(view)
  const remove = podsToRemove(view, Math.max(0, active.length - wanted)).slice(0, maxPodsAtATime)
  if (remove.length > 0) return { ...nothing, remove }
  const going = replacesFailedOnly(job, view.gates) ? view.terminating : 0
  const missing = Math.min(wanted - going - active.length, maxPodsAtATime)
  if (missing <= 0) return nothing
  const perIndex = view.failedIndexes !== undefined
  if (!perIndex && backoffMs > 0) return { ...nothing, wait: backoffMs }
  return isIndexed(job) ? planIndexes(view, missing) : { ...nothing, create: missing }
}

function wantedActive({ job: { spec }, active, succeeded }: JobView): number {
  const { completions, parallelism = 1 } = spec
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

function planIndexes(view: JobView, count: number): PodPlan {
  const { job, active, pods, succeededIndexes, failedIndexes = [], kept, now } = view
  const indexesOf = (some: readonly Pod[]): number[] => some.flatMap((pod) => indexOf(pod) ?? [])
  const going = replacesFailedOnly(job, view.gates) ? pods.filter((pod) => isTerminating(pod) && !isFinished(pod)) : []
  const taken = merge(withIndexes(succeededIndexes, [...indexesOf(active), ...indexesOf(going)]), failedIndexes)
  const indexes = missingIndexes(taken, count, job.spec.completions ?? 0)
  const waits = new Map(
    indexes.map((index) => {
      const last = kept.get(index)
      const record = last && { failures: allFailures(last) + 1, lastFailure: finishedAt(last) }
      return [index, record === undefined ? 0 : remainingBackoff(record, now)]
    }),
  )
  const due = indexes.filter((index) => waits.get(index) === 0)
  const wait = due.length === indexes.length ? 0 : Math.min(...[...waits.values()].filter((ms) => ms > 0))
  return { ...nothing, create: due.length, indexes: due, wait }
}

/** Pods of the same index, or of none, go in any case; then those that got least far. */
function podsToRemove({ job, active, now }: JobView, atLeast: number): Pod[] {
  const ordered = inDeletionOrder(active, active, now)
  const remove: Pod[] = []
  const left: Pod[] = []
  if (isIndexed(job)) {
    const seen = new Set<number>()
    for (const pod of ordered.toReversed()) {
      const index = indexOf(pod)
      const isExtra = index === undefined || index >= (job.spec.completions ?? 0) || seen.has(index)
      if (index !== undefined) seen.add(index)
      ;(isExtra ? remove : left).unshift(pod)
    }
  } else pushAll(left, ordered)
  return [...remove, ...left.slice(0, Math.max(0, atLeast - remove.length))]
}

/** Whether enough has succeeded, when nothing is active any more. */
export function isReached({ job: { spec }, succeeded }: JobView, active: number): boolean {
  return active === 0 && (spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions)
}

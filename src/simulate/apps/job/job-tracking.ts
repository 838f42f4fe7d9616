/**
 * How ended pods are counted exactly once: first their uids go into the status, then they lose the finalizer that keeps
 * them, then they are counts. Pure: statuses in, statuses out.
 * Mirrors pkg/controller/job: Controller.trackJobStatusAndRemoveFinalizers, cleanUncountedPodsWithoutFinalizers, ensureJobConditionStatus.
 */
import type { JobCondition, JobStatus } from '../../../catalog/types/batch-v1.ts'
import type { Pod } from '../../../catalog/types/core-v1.ts'
import { omitEmpty } from '../../framework/values.ts'
import { formatIndexes, has, total, withIndexes } from './indexes.ts'
import { indexOf, isFailed, isIndexed, isTracked, type JobVerdict, type JobView } from './job-facts.ts'
import { counts, judgeFailure } from './job-policies.ts'

/** Pods that are counted at a time: their uids have room in a status. */
const maxUncounted = 500

export function jobCondition(type: string, status: string, words: { reason: string; message: string; time: string }) {
  const { reason, message, time } = words
  return {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    ...omitEmpty({ reason, message }),
  } satisfies JobCondition
}

/** The conditions with one set; undefined when it is so already, or is not there and would be False. */
export function ensureCondition(conditions: readonly JobCondition[], next: JobCondition): JobCondition[] | undefined {
  const present = conditions.find(({ type }) => type === next.type)
  if (present === undefined) return next.status === 'False' ? undefined : [...conditions, next]
  const isSame = present.status === next.status && present.reason === next.reason && present.message === next.message
  return isSame ? undefined : conditions.map((condition) => (condition === present ? next : condition))
}

/** Uids whose pods have lost the finalizer, or are gone, become counts. */
export function countUncounted(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const still = (uids: readonly string[]): string[] => uids.filter((uid) => tracked.has(uid))
  const [left, leftFailed] = [still(succeeded), still(failed)]
  const { succeeded: _, failed: __, ...rest } = status
  return {
    ...rest,
    ...omitEmpty({
      succeeded: (status.succeeded ?? 0) + succeeded.length - left.length,
      failed: (status.failed ?? 0) + failed.length - leftFailed.length,
    }),
    uncountedTerminatedPods: omitEmpty({ succeeded: left, failed: leftFailed }),
  }
}

export interface Tracking {
  readonly status: JobStatus
  /** The pods that may lose their finalizer once the status is written. */
  readonly release: readonly Pod[]
  /** More wait to be counted. */
  readonly isFull: boolean
}

/** Notes the uids of ended pods. */
export function trackPods(view: JobView, before: JobStatus, verdict: JobVerdict | undefined): Tracking {
  const { job, previousIndexes } = view
  const tracked = view.pods.filter(isTracked)
  const cleaned = countUncounted(before, new Set(tracked.map(({ metadata }) => metadata.uid ?? '')))
  const succeeded = [...(cleaned.uncountedTerminatedPods?.succeeded ?? [])]
  const failed = [...(cleaned.uncountedTerminatedPods?.failed ?? [])]
  const indexes: number[] = []
  const release: Pod[] = []
  const completions = job.spec.completions ?? 0
  let isFull = false
  for (const pod of isIndexed(job) ? byIndex(tracked) : tracked) {
    const hasFailed = isFailed(pod, job, view.gates)
    if (!mayRelease(view, pod, { hasFailed, verdict })) continue
    release.push(pod)
    const uid = pod.metadata.uid ?? ''
    const index = indexOf(pod)
    const isValid = !isIndexed(job) || (index !== undefined && index < completions)
    if (pod.status.phase === 'Succeeded' && !failed.includes(uid)) {
      if (!isIndexed(job)) addOnce(succeeded, uid)
      else if (isValid && !has(previousIndexes, index ?? 0)) indexes.push(index ?? 0)
    } else if ((hasFailed || isFailure(verdict)) && isValid && counts(judgeFailure(job, pod))) addOnce(failed, uid)
    isFull = indexes.length + succeeded.length + failed.length >= maxUncounted
    if (isFull) break
  }
  const status = { ...cleaned, uncountedTerminatedPods: omitEmpty({ succeeded, failed }) }
  return { status: isIndexed(job) ? withIndexStatus(view, status, indexes) : status, release, isFull }
}

function withIndexStatus(view: JobView, status: JobStatus, indexes: readonly number[]): JobStatus {
  const completed = withIndexes(view.previousIndexes, indexes)
  const { succeeded: _, completedIndexes: __, failedIndexes: ___, ...rest } = status
  return {
    ...rest,
    ...omitEmpty({ succeeded: total(completed), completedIndexes: formatIndexes(completed) }),
    ...(view.failedIndexes === undefined ? {} : { failedIndexes: formatIndexes(view.failedIndexes) }),
  }
}

const isFailure = (verdict: JobVerdict | undefined): boolean =>
  verdict !== undefined && verdict.type !== 'SuccessCriteriaMet' && verdict.type !== 'Complete'

function mayRelease(
  { job, kept }: JobView,
  pod: Pod,
  { hasFailed, verdict }: { hasFailed: boolean; verdict: JobVerdict | undefined },
): boolean {
  const isOver = job.metadata.deletionTimestamp !== undefined || verdict !== undefined
  if (isOver || pod.status.phase === 'Succeeded') return true
  return hasFailed && kept.get(indexOf(pod) ?? -1)?.metadata.uid !== pod.metadata.uid
}

const byIndex = (pods: readonly Pod[]): Pod[] => [...pods].sort((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1))

function addOnce(uids: string[], uid: string): void {
  if (!uids.includes(uid)) uids.push(uid)
}

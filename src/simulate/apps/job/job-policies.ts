/**
 * What the policies of a Job say about its pods, and how long it waits after failures.
 * Mirrors pkg/controller/job: matchPodFailurePolicy, matchSuccessPolicy, getFinishedTime, getRemainingTimeForFailuresCount.
 */
import type {
  Job,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicy,
} from '../../../catalog/types/batch-v1.ts'
import type { ContainerStatus, Pod } from '../../../catalog/types/core-v1.ts'
import { createdAt, millisOf, podCondition } from '../../framework/pods.ts'
import { type Intervals, overlap, parseIndexes, total } from './indexes.ts'

/** What a failed pod means. */
export interface FailureVerdict {
  readonly action?: 'Ignore' | 'FailIndex' | 'Count' | 'FailJob'
  /** Why the job fails. */
  readonly message?: string
}

export const counts = ({ action }: FailureVerdict): boolean => action !== 'Ignore'

export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const matched = matchRule(rule, pod)
    if (matched === undefined) continue
    const action = rule.action as FailureVerdict['action']
    if (action === undefined) continue
    return action === 'FailJob'
      ? { action, message: `${matched} matching ${action} rule at index ${index}` }
      : { action }
  }
  return {}
}

function matchRule(rule: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata
  const { onExitCodes, onPodConditions } = rule
  if (onExitCodes != null) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status
    const failed = [...containerStatuses, ...initContainerStatuses].find((status) => matchExit(status, onExitCodes))
    const code = failed?.state?.terminated?.exitCode
    return failed && `Container ${failed.name} for pod ${namespace}/${name} failed with exit code ${code}`
  }
  const condition = (pod.status.conditions ?? []).find(({ type, status }) =>
    (onPodConditions ?? []).some((pattern) => pattern.type === type && pattern.status === status),
  )
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`
}

function matchExit({ name, state }: ContainerStatus, required: PodFailurePolicyOnExitCodesRequirement): boolean {
  const code = state?.terminated?.exitCode ?? 0
  if (code === 0 || (required.containerName !== undefined && required.containerName !== name)) return false
  return (required.values ?? []).includes(code) === (required.operator === 'In')
}

/** Which rule of a success policy is met. */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  succeeded: Intervals,
  completions: number,
): string | undefined {
  if (succeeded.length === 0) return undefined
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && total(succeeded) >= succeededCount
    const required = parseIndexes(succeededIndexes, completions)
    if (required.length === 0) return false
    const met = overlap(required, succeeded)
    return met === total(required) || (succeededCount !== undefined && met >= succeededCount)
  })
  return index < 0 ? undefined : `Matched rules at index ${index}`
}

/** When a pod ended, as far as its status says. */
export function finishedAt(pod: Pod): number {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  )
  const ends = [...containerStatuses, ...initContainerStatuses.filter(({ name }) => sidecars.has(name))].map(
    ({ state }) => state?.terminated?.finishedAt ?? undefined,
  )
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends.map(millisOf))
  const ready = podCondition(pod, 'Ready')
  if (ready?.status === 'False' && ready.lastTransitionTime != null) return millisOf(ready.lastTransitionTime)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  if (deletionTimestamp !== undefined) return millisOf(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return createdAt(pod)
}

/** Failures since the last success. */
export interface BackoffRecord {
  readonly failures: number
  readonly lastFailure: number
}

const firstBackoffMs = 10_000
const maxBackoffMs = 600_000

export function remainingBackoff({ failures, lastFailure }: BackoffRecord, now: number): number {
  if (failures === 0) return 0
  const backoff = Math.min(firstBackoffMs * 2 ** (failures - 1), maxBackoffMs)
  return Math.max(0, backoff - (now - lastFailure))
}

export function nextBackoff(
  before: BackoffRecord | undefined,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): BackoffRecord {
  const known = before ?? { failures: 0, lastFailure: 0 }
  if (succeeded.length === 0 && failed.length === 0) return known
  const failures = failed.map(finishedAt)
  if (succeeded.length === 0) {
    return { failures: known.failures + failed.length, lastFailure: Math.max(...failures) }
  }
  const lastSuccess = Math.max(...succeeded.map(finishedAt))
  const later = failures.filter((time) => time > lastSuccess)
  return { failures: later.length, lastFailure: Math.max(0, ...later) }
}

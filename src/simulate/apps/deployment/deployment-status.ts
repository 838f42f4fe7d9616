/**
 * What a Deployment says of its ReplicaSets, and whether it gets on.
 * Mirrors pkg/controller/deployment: calculateStatus, DeploymentController.syncRolloutStatus, DeploymentController.checkPausedConditions.
 */
import { quote } from '../../../api/golang/quote.ts'
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import { millisOf } from '../../framework/pods.ts'
import { omitEmpty } from '../../framework/values.ts'
import { fenceposts, replicasOf, totalReplicas } from './rollout.ts'

export interface RolloutFacts {
  /** With the status as far as it was brought in this round. */
  readonly deployment: Deployment
  readonly newSet: ReplicaSet | undefined
  readonly olds: readonly ReplicaSet[]
  /** Whether the gate DeploymentReplicaSetTerminatingReplicas is on. */
  readonly countsTerminating: boolean
  readonly now: number
  readonly time: string
}

type Conditions = readonly DeploymentCondition[]

export const conditionOf = (conditions: Conditions | undefined, type: string): DeploymentCondition | undefined =>
  conditions?.find((condition) => condition.type === type)

/** The same status and reason leave a condition as it is; another reason alone leaves its transition. */
export function withDeploymentCondition(
  conditions: Conditions,
  next: Omit<DeploymentCondition, 'lastTransitionTime'>,
): Conditions {
  const present = conditionOf(conditions, next.type)
  if (present?.status === next.status && present.reason === next.reason) return conditions
  const since = present?.status === next.status ? present.lastTransitionTime : next.lastUpdateTime
  return [...conditions.filter(({ type }) => type !== next.type), { ...next, lastTransitionTime: since }]
}

const without = (conditions: Conditions, type: string): Conditions => conditions.filter((each) => each.type !== type)

export const hasDeadline = ({ spec }: Deployment): boolean =>
  (spec.progressDeadlineSeconds ?? 2 ** 31 - 1) !== 2 ** 31 - 1

/** Counts and availability. */
export function deploymentStatus(facts: RolloutFacts): DeploymentStatus {
  const { deployment, newSet, olds, countsTerminating, time } = facts
  const all = newSet === undefined ? olds : [...olds, newSet]
  const sum = (of: (set: ReplicaSet) => number | undefined): number => all.reduce((n, set) => n + (of(set) ?? 0), 0)
  const available = sum(({ status }) => status.availableReplicas)
  const isEnough = available >= replicasOf(deployment) - fenceposts(deployment).unavailable
  const conditions = withDeploymentCondition(deployment.status.conditions ?? [], {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isEnough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    lastUpdateTime: time,
  })
  const terminating = all.every(({ status }) => status.terminatingReplicas !== undefined)
    ? sum(({ status }) => status.terminatingReplicas)
    : undefined
  const { collisionCount } = deployment.status
  return {
    ...omitEmpty({
      observedGeneration: deployment.metadata.generation,
      replicas: sum(({ status }) => status.replicas),
      updatedReplicas: newSet?.status.replicas,
      readyReplicas: sum(({ status }) => status.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalReplicas(all) - available),
    }),
    ...(countsTerminating && terminating !== undefined ? { terminatingReplicas: terminating } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: [...conditions],
  }
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = replicasOf(deployment)
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

function isProgressing({ status: before }: Deployment, status: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  return (
    (status.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(status) < old(before) ||
    (status.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

/** Milliseconds until the deadline is over; negative when it is. Undefined when there is nothing to wait for. */
function untilDeadline(deployment: Deployment, conditions: Conditions, now: number): number | undefined {
  const condition = conditionOf(conditions, 'Progressing')
  const since = condition?.lastUpdateTime
  if (!hasDeadline(deployment) || condition?.reason === 'NewReplicaSetAvailable' || since == null) return undefined
  return millisOf(since) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - now
}

/** Counts, availability, progress and failures. */
export function rolloutStatus(facts: RolloutFacts): DeploymentStatus {
  const { deployment } = facts
  const status = deploymentStatus(facts)
  const progressed = hasDeadline(deployment)
    ? withProgress(facts, status)
    : without(status.conditions ?? [], 'Progressing')
  return { ...status, conditions: [...withFailure(facts, progressed)] }
}

function withProgress({ deployment, newSet, now, time }: RolloutFacts, status: DeploymentStatus): Conditions {
  const conditions = status.conditions ?? []
  const current = conditionOf(conditions, 'Progressing')
  const isOver = current?.reason === 'NewReplicaSetAvailable'
  if (isOver && (status.replicas ?? 0) === (status.updatedReplicas ?? 0)) return conditions
  const name =
    newSet === undefined
      ? `Deployment ${quote(deployment.metadata.name ?? '')}`
      : `ReplicaSet ${quote(newSet.metadata.name ?? '')}`
  const progress = { type: 'Progressing', status: 'True', lastUpdateTime: time }
  if (isComplete(deployment, status)) {
    const message = `${name} has successfully progressed.`
    return withDeploymentCondition(conditions, { ...progress, reason: 'NewReplicaSetAvailable', message })
  }
  if (isProgressing(deployment, status)) {
    // Its last update is when there was progress last.
    const since = current?.status === 'True' ? current.lastTransitionTime : time
    const next = { ...progress, reason: 'ReplicaSetUpdated', message: `${name} is progressing.` }
    return [...without(conditions, 'Progressing'), { ...next, lastTransitionTime: since }]
  }
  if ((untilDeadline(deployment, conditions, now) ?? 0) >= 0 && current?.reason !== 'ProgressDeadlineExceeded') {
    return conditions
  }
  const message = `${name} has timed out progressing.`
  return withDeploymentCondition(conditions, {
    ...progress,
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message,
  })
}

function withFailure({ newSet, olds }: RolloutFacts, conditions: Conditions): Conditions {
  const failures = [...(newSet === undefined ? [] : [newSet]), ...olds]
    .flatMap(({ status }) => status.conditions ?? [])
    .filter(({ type }) => type === 'ReplicaFailure')
  const [failure] = failures
  if (failure === undefined) return without(conditions, 'ReplicaFailure')
  const { type, status, reason, message, lastTransitionTime } = failure
  return withDeploymentCondition(conditions, {
    type,
    status,
    reason,
    message,
    lastUpdateTime: lastTransitionTime,
  } as never)
}

/** When to look again whether the deadline is over; undefined when there is none to look at. */
export function deadlineCheck(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const condition = conditionOf(status.conditions, 'Progressing')
  if (isComplete(deployment, status) || condition?.reason === 'ProgressDeadlineExceeded') return undefined
  const wait = untilDeadline(deployment, status.conditions ?? [], now)
  return wait === undefined ? undefined : Math.max(wait, 0) + 1000
}

/** Notes that it was paused or resumed, so that the deadline does not run meanwhile. */
export function pausedConditions(deployment: Deployment, time: string): Conditions | undefined {
  const present = deployment.status.conditions ?? []
  const reason = conditionOf(present, 'Progressing')?.reason
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return undefined
  const { paused = false } = deployment.spec
  const wasPaused = reason === 'DeploymentPaused'
  if (paused === wasPaused) return undefined
  return withDeploymentCondition(present, {
    type: 'Progressing',
    status: 'Unknown',
    reason: paused ? 'DeploymentPaused' : 'DeploymentResumed',
    message: paused ? 'Deployment is paused' : 'Deployment is resumed',
    lastUpdateTime: time,
  })
}

export const withDeploymentStatus = (owner: Deployment, status: Partial<DeploymentStatus>): Deployment => ({
  ...owner,
  status: { ...owner.status, ...status },
})

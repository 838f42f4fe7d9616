/**
 * How many pods each ReplicaSet of a Deployment should have next. Pure: objects in, sizes out.
 * Mirrors pkg/controller/deployment/util: ResolveFenceposts, NewRSNewReplicas, GetReplicaSetProportion, FindActiveOrLatest, IsSaturated.
 * Mirrors pkg/controller/deployment: DeploymentController.scale, DeploymentController.reconcileOldReplicaSets.
 */
import type { Deployment, ReplicaSet } from '../../../catalog/types/apps-v1.ts'
import { createdAt } from '../../framework/pods.ts'
import { scaledOrZero } from '../../framework/values.ts'

export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas'
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas'

/** A set and the size that it should have. */
export interface Resize {
  readonly set: ReplicaSet
  readonly replicas: number
}

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 1

const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type === 'RollingUpdate'

export function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 }
  const replicas = replicasOf(deployment)
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {}
  const surge = scaledOrZero(maxSurge, replicas, 'up')
  const down = scaledOrZero(maxUnavailable, replicas, 'down')
  // Something must be allowed to move.
  const unavailable = surge === 0 && down === 0 ? 1 : down
  return { surge, unavailable: Math.min(unavailable, replicas) }
}

export const totalReplicas = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0)

export const isActiveSet = (set: ReplicaSet): boolean => replicasOf(set) > 0

/** The size of the newest set, of which `others` are the older siblings. */
export function newSetSize(deployment: Deployment, current: number, others: readonly ReplicaSet[]): number {
  const replicas = replicasOf(deployment)
  if (!isRolling(deployment)) return replicas
  const room = replicas + fenceposts(deployment).surge - totalReplicas(others) - current
  return room <= 0 ? current : current + Math.min(room, replicas - current)
}

/**
 * The steps in which older sets shrink in a rolling update: first what is not available, then what is no longer needed. A set
 * may take both, as two resizes.
 */
export function rollingDownsizes(deployment: Deployment, newSet: ReplicaSet, olds: readonly ReplicaSet[]): Resize[] {
  const old = olds.filter(isActiveSet)
  const minAvailable = replicasOf(deployment) - fenceposts(deployment).unavailable
  const newUnavailable = replicasOf(newSet) - (newSet.status.availableReplicas ?? 0)
  const maxDown = totalReplicas([...old, newSet]) - minAvailable - newUnavailable
  if (old.length === 0 || maxDown <= 0) return []
  const steps: Resize[] = []
  const shrink = (set: ReplicaSet, by: number): ReplicaSet => {
    const replicas = replicasOf(set) - by
    steps.push({ set, replicas })
    return { ...set, spec: { ...set.spec, replicas } }
  }
  let room = maxDown
  const healthy = byAge(old).map((set) => {
    const unhealthy = Math.min(room, replicasOf(set) - (set.status.availableReplicas ?? 0))
    if (unhealthy <= 0) return set
    room -= unhealthy
    return shrink(set, unhealthy)
  })
  const available = [...old, newSet].reduce((sum, set) => sum + (set.status.availableReplicas ?? 0), 0)
  let surplus = available - minAvailable
  for (const set of healthy) {
    const down = Math.min(replicasOf(set), surplus)
    if (down <= 0) continue
    surplus -= down
    shrink(set, down)
  }
  return steps
}

/** Sizes when only the number of replicas changed, or the Deployment is paused: in proportion to what there is. */
export function scaleSizes(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  olds: readonly ReplicaSet[],
): Resize[] {
  const replicas = replicasOf(deployment)
  const all = newSet === undefined ? olds : [...olds, newSet]
  const active = all.filter(isActiveSet)
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? byAge(olds).at(-1)
    return only === undefined || replicasOf(only) === replicas ? [] : [{ set: only, replicas }]
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return olds.filter(isActiveSet).map((set) => ({ set, replicas: 0 }))
  }
  return isRolling(deployment) ? proportional(deployment, active) : []
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const replicas = replicasOf(deployment)
  const desired = annotatedCount(set, desiredReplicasAnnotation)
  return replicasOf(set) === replicas && desired === replicas && (set.status.availableReplicas ?? 0) === replicas
}

/** All active sets, also those whose size stays: their annotations follow the Deployment. */
function proportional(deployment: Deployment, active: readonly ReplicaSet[]): Resize[] {
  const replicas = replicasOf(deployment)
  const allowed = replicas > 0 ? replicas + fenceposts(deployment).surge : 0
  const toAdd = allowed - totalReplicas(active)
  const ordered = bySize(active, toAdd > 0 ? 'newer' : 'older')
  let added = 0
  const sizes = ordered.map((set) => {
    const share = toAdd === 0 ? 0 : proportionOf(deployment, set, { toAdd, added })
    added += share
    return { set, replicas: replicasOf(set) + share }
  })
  return sizes.map((size, i) =>
    i === 0 && toAdd !== 0 ? { ...size, replicas: Math.max(0, size.replicas + toAdd - added) } : size,
  )
}

function proportionOf(deployment: Deployment, set: ReplicaSet, { toAdd, added }: { toAdd: number; added: number }) {
  if (toAdd === added) return 0
  const share = fractionOf(deployment, set)
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
}

function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = replicasOf(set)
  const replicas = replicasOf(deployment)
  if (replicas === 0) return -size
  const before = annotatedCount(set, maxReplicasAnnotation) || deployment.status.replicas || 0
  if (before === 0) return 0
  return roundHalfAway((size * (replicas + fenceposts(deployment).surge)) / before) - size
}

const roundHalfAway = (value: number): number => (value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5))

/** Undefined where there is no such annotation, or none that is a count. */
export function annotatedCount({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? ''
  return /^\d{1,10}$/.test(text) && Number(text) <= 2 ** 31 - 1 ? Number(text) : undefined
}

const nameOf = ({ metadata }: ReplicaSet): string => metadata.name ?? ''

/** The oldest first. */
export function byAge(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort((a, b) => createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** The largest first, of the same size the newer or the older. */
function bySize(sets: readonly ReplicaSet[], then: 'newer' | 'older'): ReplicaSet[] {
  const aged = then === 'older' ? byAge(sets) : byAge(sets).reverse()
  return aged.sort((a, b) => replicasOf(b) - replicasOf(a))
}

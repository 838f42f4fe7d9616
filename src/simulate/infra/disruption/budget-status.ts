/**
 * What a disruption budget's status says of its pods. Pure.
 * Mirrors pkg/controller/disruption: DisruptionController.trySync, DisruptionController.getExpectedPodCount,
 * DisruptionController.buildDisruptedPodMap, countHealthyPods, DisruptionController.updatePdbStatus.
 */
import { equalSemantic } from '../../../api/json.ts'
import type { OwnerReference } from '../../../api/object.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'
import type { PodDisruptionBudgetStatus } from '../../../catalog/types/policy-v1.ts'
import type { Pod, PodDisruptionBudget } from '../../objects.ts'
import { withCondition } from '../common/conditions.ts'
import { scaledValue } from '../common/int-or-percent.ts'
import { isPodReady } from '../endpoint/service-pods.ts'

/** After so long an eviction that did not delete its pod no longer counts. */
const deletionTimeoutMs = 120_000
/** After so long a pod that is not deleted is no disruption's target any more. */
const staleDisruptionMs = 120_000

export interface PodScale {
  readonly uid: string
  readonly replicas: number
}

/** The workload that a pod belongs to; undefined when it is not there. Throws when it cannot have a scale. */
export type FindScale = (owner: OwnerReference, namespace: string) => PodScale | undefined

export interface PodCounts {
  readonly expected: number
  readonly desiredHealthy: number
  readonly unmanaged: readonly string[]
}

export function podCounts({ spec }: PodDisruptionBudget, pods: readonly Pod[], findScale: FindScale): PodCounts {
  const { maxUnavailable, minAvailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    const { expected, unmanaged } = expectedScale(pods, findScale)
    const most = scaledValue(maxUnavailable, expected, 'up')
    return { expected, desiredHealthy: Math.max(expected - most, 0), unmanaged }
  }
  if (typeof minAvailable === 'number') {
    return { expected: pods.length, desiredHealthy: minAvailable, unmanaged: [] }
  }
  if (minAvailable === undefined) return { expected: 0, desiredHealthy: 0, unmanaged: [] }
  const { expected, unmanaged } = expectedScale(pods, findScale)
  return { expected, desiredHealthy: scaledValue(minAvailable, expected, 'up'), unmanaged }
}

function expectedScale(pods: readonly Pod[], findScale: FindScale) {
  const scales = new Map<string, number>()
  const known = new Set<string>()
  const unmanaged: string[] = []
  for (const { metadata } of pods) {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner === undefined) {
      unmanaged.push(metadata.name ?? '')
      continue
    }
    if (known.has(owner.uid)) continue
    known.add(owner.uid)
    const found = findScale(owner, metadata.namespace ?? '')
    if (found === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(metadata.name)}`)
    scales.set(found.uid, found.replicas)
  }
  return { expected: [...scales.values()].reduce((sum, count) => sum + count, 0), unmanaged }
}

export interface DisruptedPods {
  readonly pods: Record<string, string>
  /** When the first of them has to be looked at again, in milliseconds. */
  readonly recheckAt: number | undefined
  /** Evicted, and still there. */
  readonly notDeleted: readonly Pod[]
}

export function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): DisruptedPods {
  const result: Record<string, string> = {}
  const notDeleted: Pod[] = []
  let recheckAt: number | undefined
  const noted = new Map(Object.entries(status?.disruptedPods ?? {}))
  for (const pod of pods) {
    const name = pod.metadata.name ?? ''
    const time = noted.get(name)
    if (time == null || pod.metadata.deletionTimestamp !== undefined) continue
    const due = Date.parse(time) + deletionTimeoutMs
    if (due < now) {
      notDeleted.push(pod)
      continue
    }
    recheckAt = Math.min(recheckAt ?? due, due)
    result[name] = time
  }
  return { pods: result, recheckAt, notDeleted }
}

export function countHealthy(pods: readonly Pod[], disrupted: Readonly<Record<string, string>>, now: number): number {
  return pods.filter((pod) => {
    if (pod.metadata.deletionTimestamp !== undefined) return false
    const name = pod.metadata.name ?? ''
    const time = Object.hasOwn(disrupted, name) ? disrupted[name] : undefined
    if (time !== undefined && Date.parse(time) + deletionTimeoutMs > now) return false
    return isPodReady(pod)
  }).length
}

export interface HealthCounts {
  readonly healthy: number
  readonly desiredHealthy: number
  readonly expected: number
  readonly disrupted: Readonly<Record<string, string>>
}

/** The new status; undefined when the budget says all of it already. */
export function budgetStatus(
  { metadata, status }: PodDisruptionBudget,
  { healthy, desiredHealthy, expected, disrupted }: HealthCounts,
  now: string,
): PodDisruptionBudgetStatus | undefined {
  const spare = healthy - desiredHealthy
  const disruptionsAllowed = expected <= 0 || spare <= 0 ? 0 : spare
  const generation = metadata.generation ?? 0
  const counts = {
    observedGeneration: generation,
    disruptionsAllowed,
    currentHealthy: healthy,
    desiredHealthy,
    expectedPods: expected,
  }
  const { conditions, disruptedPods: noted, ...before } = status ?? {}
  const wanted = allowedCondition(disruptionsAllowed, generation)
  const found = conditions?.find(({ type }) => type === wanted.type)
  const isCurrent =
    equalSemantic(before, counts) &&
    equalSemantic({ ...noted }, { ...disrupted }) &&
    found?.status === wanted.status &&
    found.reason === wanted.reason
  if (isCurrent) return undefined
  return {
    ...counts,
    ...(Object.keys(disrupted).length > 0 ? { disruptedPods: { ...disrupted } } : {}),
    conditions: withCondition(conditions, { ...wanted, now }),
  }
}

const allowedCondition = (disruptionsAllowed: number, observedGeneration: number) => ({
  type: 'DisruptionAllowed',
  status: disruptionsAllowed > 0 ? 'True' : 'False',
  observedGeneration,
  reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
  message: '',
})

/** No disruption is allowed while the budget cannot be calculated. Mirrors DisruptionController.failSafe. */
export function failSafeConditions({ status }: PodDisruptionBudget, message: string, now: string): Condition[] {
  const observedGeneration = status?.observedGeneration ?? 0
  const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }
  return withCondition(status?.conditions, { ...failed, message, observedGeneration, now })
}

/** In how many milliseconds a pod's DisruptionTarget condition is to be reset; undefined when it has none to reset. */
export function staleDisruptionIn({ metadata, status }: Pod, now: number): number | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return undefined
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined
  return Math.max(staleDisruptionMs - (now - Date.parse(condition.lastTransitionTime ?? '')), 0)
}

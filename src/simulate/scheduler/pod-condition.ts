/** Conditions of a pod. Mirrors pkg/api/v1/pod: UpdatePodCondition. */

import type { PodCondition } from '../../catalog/types/core-v1.ts'
import type { Pod } from '../objects.ts'

type NewCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'> & { observedGeneration?: number }

/** The pod with the condition; undefined where it says so already. The time is that of the last change of its status. */
export function withSchedulingCondition(pod: Pod, condition: NewCondition, now: string): Pod | undefined {
  const conditions = pod.status?.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const isSame =
    old !== undefined &&
    old.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    (condition.observedGeneration === undefined || old['observedGeneration'] === condition.observedGeneration)
  if (isSame) return undefined
  const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? null) : now
  const next: PodCondition = { lastProbeTime: null, ...condition, lastTransitionTime }
  const list = old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each))
  return { ...pod, status: { ...pod.status, conditions: list } }
}

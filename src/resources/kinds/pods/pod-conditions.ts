/**
 * Conditions of a pod that the server itself sets.
 * Mirrors pkg/registry/core/pod: applySchedulingGatedCondition.
 */
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { PodCondition, PodStatus } from '../../../catalog/types/core-v1.ts'

export interface NewPodCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

/** The conditions with one set; the time of its last change stays where its status does. */
export function withNewPodCondition(
  conditions: readonly PodCondition[] | undefined,
  { type, status, reason, message }: NewPodCondition,
  now: number,
): PodCondition[] {
  const all = [...(conditions ?? [])]
  const i = all.findIndex((condition) => condition.type === type)
  const old = all[i]
  const condition: PodCondition = {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : formatTime(instantOfMillis(now)),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  }
  if (i < 0) all.push(condition)
  else all[i] = condition
  return all
}

export const hasReadyCondition = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True')

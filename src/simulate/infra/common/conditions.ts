/** Lists of conditions, changed by type. */
import type { PodCondition } from '../../../catalog/types/core-v1.ts'
import type { Condition } from '../../../catalog/types/meta-v1.ts'

/**
 * The list with this condition; the transition time moves only with the status. The same list when nothing changes.
 * Mirrors k8s.io/apimachinery/pkg/api/meta: SetStatusCondition.
 */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  { now, ...wanted }: Omit<Condition, 'lastTransitionTime'> & { readonly now: string },
): Condition[] {
  const list = conditions ?? []
  const found = list.find(({ type }) => type === wanted.type)
  if (found === undefined) return [...list, { ...wanted, lastTransitionTime: now }]
  const lastTransitionTime = found.status === wanted.status ? found.lastTransitionTime : now
  return list.map((each) => (each === found ? { ...found, ...wanted, lastTransitionTime } : each))
}

/** Mirrors pkg/api/v1/pod: UpdatePodCondition. Undefined when it says so already. */
export function withPodCondition(
  conditions: readonly PodCondition[] | undefined,
  { now, ...wanted }: Omit<PodCondition, 'lastTransitionTime' | 'lastProbeTime'> & { readonly now: string },
): PodCondition[] | undefined {
  const list = conditions ?? []
  const found = list.find(({ type }) => type === wanted.type)
  if (found === undefined) return [...list, { lastProbeTime: null, ...wanted, lastTransitionTime: now }]
  const isSame =
    found.status === wanted.status &&
    (found.reason ?? '') === (wanted.reason ?? '') &&
    (found.message ?? '') === (wanted.message ?? '')
  if (isSame) return undefined
  const lastTransitionTime = found.status === wanted.status ? (found.lastTransitionTime ?? now) : now
  return list.map((each) => (each === found ? { lastProbeTime: null, ...wanted, lastTransitionTime } : each))
}

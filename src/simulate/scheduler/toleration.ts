/** Taints and what tolerates them. Mirrors component-helpers/scheduling/corev1: FindMatchingUntoleratedTaint. */
import type { Taint, Toleration } from '../../catalog/types/core-v1.ts'

export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { effect = '', key = '', operator = '', value = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '')
}

export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] | undefined): boolean =>
  tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false

const keepsAway = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute'

/** The first taint that keeps pods with these tolerations away. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints?.find((taint) => keepsAway(taint) && !isTolerated(taint, tolerations))
}

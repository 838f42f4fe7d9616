/**
 * For how long a pod may stay on a node with taints that evict. Pure.
 * Mirrors pkg/controller/tainteviction: getMinTolerationTime.
 * Mirrors pkg/apis/core/v1/helper: GetMatchingTolerations.
 */
import type { Taint, Toleration } from '../../../catalog/types/core-v1.ts'

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (operator ?? 'Equal') === 'Equal' && (value ?? '') === (taint.value ?? '')
}

/** Milliseconds; 0: not at all, undefined: for ever. */
export function stayMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number | undefined {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)))
  if (used.some((toleration) => toleration === undefined)) return 0
  const limits = used.flatMap((toleration) => toleration?.tolerationSeconds ?? [])
  if (limits.length === 0) return undefined
  return Math.max(Math.min(...limits), 0) * 1000
}

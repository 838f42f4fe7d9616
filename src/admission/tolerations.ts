/** Tolerations as lists: which of them say more than others, and merging two lists without repetition. */
import { equalJson } from '../api/json.ts'
import type { Toleration } from '../catalog/types/core-v1.ts'

/** Those of both, in order; of two where one covers the other only the wider stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  next: for (const [i, toleration] of all.entries()) {
    for (const kept of merged) if (coversToleration(kept, toleration)) continue next
    for (const later of all.slice(i + 1)) {
      if (!equalJson(toleration, later) && coversToleration(later, toleration)) continue next
    }
    merged.push(toleration)
  }
  return merged
}

/** Whether all that `narrow` tolerates, `wide` tolerates as long. */
export function coversToleration(wide: Toleration, narrow: Toleration): boolean {
  if (equalJson(wide, narrow)) return true
  if (wide.key !== narrow.key && (wide.key ?? '') !== '') return false
  if (wide.effect !== narrow.effect && (wide.effect ?? '') !== '') return false
  if (wide.effect === 'NoExecute') {
    const { tolerationSeconds: wideSeconds } = wide
    const { tolerationSeconds: narrowSeconds } = narrow
    if (wideSeconds !== undefined && (narrowSeconds === undefined || narrowSeconds > wideSeconds)) return false
  }
  switch (wide.operator ?? '') {
    case '':
    case 'Equal':
      return (narrow.operator ?? 'Equal') !== 'Exists' && (wide.value ?? '') === (narrow.value ?? '')
    case 'Exists':
      return true
    default:
      return false
  }
}

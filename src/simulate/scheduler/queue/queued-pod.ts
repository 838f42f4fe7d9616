/** A pod that waits for a node. Mirrors pkg/scheduler/framework: QueuedPodInfo, and plugins/queuesort. */
import type { PodInfo } from '../pod-info.ts'

const firstBackoffMs = 1000
const longestBackoffMs = 10_000
/** Pods whose back-off ends in the same window are in the order in which they would be tried. */
export const backoffWindowMs = 1000

export interface QueuedPod {
  info: PodInfo
  /** When it was queued, or last tried in vain. */
  timestamp: number
  /** Orders pods of the same moment. */
  sequence: number
  attempts: number
  /** The plugins that rejected it when it was last tried; none: it failed for another reason. */
  plugins: Set<string>
  /** A plugin keeps it from being tried at all. */
  isGated: boolean
  /** Something went wrong when it was last tried. */
  hasFailed: boolean
}

/** Higher priorities first, then who waits longer. */
export function isBefore(a: QueuedPod, b: QueuedPod): boolean {
  const difference = b.info.priority - a.info.priority
  if (difference !== 0) return difference < 0
  return a.timestamp === b.timestamp ? a.sequence < b.sequence : a.timestamp < b.timestamp
}

const windowOf = (time: number): number => time - (time % backoffWindowMs)

/** When it may be tried again; -Infinity for one that has not been tried. */
export function backoffEnd({ attempts, timestamp }: QueuedPod): number {
  if (attempts === 0) return Number.NEGATIVE_INFINITY
  const doubled = firstBackoffMs * 2 ** Math.min(attempts - 1, 10)
  return windowOf(timestamp + Math.min(doubled, longestBackoffMs))
}

export const isBackingOff = (pod: QueuedPod, now: number): boolean => backoffEnd(pod) >= windowOf(now)

export function endsBackoffBefore(a: QueuedPod, b: QueuedPod): boolean {
  const difference = backoffEnd(a) - backoffEnd(b)
  return difference === 0 || Number.isNaN(difference) ? isBefore(a, b) : difference < 0
}

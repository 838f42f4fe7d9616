/** Counts attempts to act as somebody else. Mirrors k8s.io/apiserver/pkg/endpoints/filters/impersonation/metrics. */
import { hasChange } from '../api/release-changes.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { ImpersonationObserver } from './impersonation.ts'

/** Undefined at a release that does not count them. */
export function impersonationObserver(metrics: MetricSet, release: number): ImpersonationObserver | undefined {
  if (!hasChange(release, 'impersonationMetrics')) return undefined
  const counted = (name: string): ImpersonationObserver['asked'] => {
    const total = metrics.counter(`apiserver_impersonation_${name}_total`)
    const durations = metrics.histogram(`apiserver_impersonation_${name}_duration_seconds`)
    return (mode, decision, seconds) => {
      total.add(1, mode, decision)
      durations.observe(seconds, mode, decision)
    }
  }
  return { attempted: counted('attempts'), asked: counted('authorization_attempts') }
}

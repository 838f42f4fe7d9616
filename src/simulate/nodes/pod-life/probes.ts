/** Probes as delays: they succeed as soon as their own settings let them. */

import type { Container, Probe } from '../../../catalog/types/core-v1.ts'
import type { ContainerBehaviour } from './behaviour.ts'

/** From the start of a container (or the success of its startup probe) to the success of the probe. */
function probeMs(probe: Probe | undefined): number {
  if (probe == null) return 0
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1 } = probe
  return (initialDelaySeconds + (successThreshold - 1) * periodSeconds) * 1000
}

/** When the container counts as started. */
export const startedTime = (container: Container, startedAt: number): number =>
  startedAt + probeMs(container.startupProbe)

/** When its readiness probe succeeds for the first time: both probes count from the start of the container. */
export function readyTime(container: Container, behaviour: ContainerBehaviour, startedAt: number): number {
  const delay = Math.max(probeMs(container.startupProbe), probeMs(container.readinessProbe))
  return startedAt + delay + behaviour.readyMs
}

/** How long the hook before the end takes: `sleep` says it. */
export function preStopMs({ lifecycle }: Container): number {
  const hook = lifecycle?.['preStop'] as { sleep?: { seconds?: number } } | undefined
  return (hook?.sleep?.seconds ?? 0) * 1000
}

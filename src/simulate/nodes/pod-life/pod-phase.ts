/** The phase of a pod by the states of its containers. Mirrors pkg/kubelet: getPhase. */

import type { ContainerStatus } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { restartPolicyOf } from './behaviour.ts'
import { initRole } from './pod.ts'

export interface PhaseFacts {
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  /** Containers are not started again. */
  readonly isTerminal: boolean
  readonly isInitialized: boolean
}

interface Counts {
  waiting: number
  running: number
  stopped: number
  succeeded: number
  unknown: number
}

export function podPhase(pod: Pod, facts: PhaseFacts): string {
  const policy = restartPolicyOf(pod)
  const initial = initialCounts(pod, facts)
  if (initial.failed > 0 && policy === 'Never') return 'Failed'
  const counts = containerCounts(pod, facts, initial)
  const { waiting, running, stopped, succeeded, unknown } = counts
  if (initial.pending > 0 || (initial.pendingSidecars > 0 && !facts.isInitialized) || waiting > 0) return 'Pending'
  if (running > 0 && unknown === 0) return 'Running'
  if (running > 0 || stopped === 0 || unknown > 0) return 'Pending'
  if (facts.isTerminal) return stopped === succeeded ? 'Succeeded' : 'Failed'
  if (policy === 'Always') return 'Running'
  if (stopped === succeeded) return 'Succeeded'
  return policy === 'Never' ? 'Failed' : 'Running'
}

interface InitialCounts {
  pending: number
  failed: number
  pendingSidecars: number
  sidecars: Counts
}

const find = (statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined =>
  statuses.find((status) => status.name === name)

function initialCounts({ spec }: Pod, { init }: PhaseFacts): InitialCounts {
  const counts: InitialCounts = { pending: 0, failed: 0, pendingSidecars: 0, sidecars: zero() }
  for (const container of spec.initContainers ?? []) {
    const status = find(init, container.name)
    if (initRole(container) === 'sidecar') countSidecar(counts, status)
    else if (status?.state.terminated !== undefined) counts.failed += status.state.terminated.exitCode === 0 ? 0 : 1
    else if (status?.state.waiting !== undefined && status.lastState.terminated !== undefined) {
      counts.failed += status.lastState.terminated.exitCode === 0 ? 0 : 1
    } else counts.pending++
  }
  return counts
}

function countSidecar(counts: InitialCounts, status: ContainerStatus | undefined): void {
  if (status === undefined) counts.sidecars.unknown++
  else if (status.state.running !== undefined) {
    if (status.started !== true) counts.pendingSidecars++
    counts.sidecars.running++
  } else if (status.state.waiting !== undefined && status.lastState.terminated === undefined) {
    counts.pendingSidecars++
    counts.sidecars.waiting++
  }
}

const zero = (): Counts => ({ waiting: 0, running: 0, stopped: 0, succeeded: 0, unknown: 0 })

function containerCounts({ spec }: Pod, { main }: PhaseFacts, { sidecars }: InitialCounts): Counts {
  const counts = { ...sidecars }
  for (const { name } of spec.containers) {
    const status = find(main, name)
    if (status === undefined) counts.unknown++
    else if (status.state.running !== undefined) counts.running++
    else if (status.state.terminated !== undefined) {
      counts.stopped++
      if (status.state.terminated.exitCode === 0) counts.succeeded++
    } else if (status.lastState.terminated !== undefined) counts.stopped++
    else counts.waiting++
  }
  return counts
}

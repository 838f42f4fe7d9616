/** What a runtime would know of a pod whose status is all that is left: after a restart of the server, a restore or a fork. */
import { millisOfInstant, parseTime } from '../../../api/time.ts'
import type { ContainerStateTerminated, ContainerStatus } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { type ContainerRun, type ContainerState, newRun, type PodRun, type Terminated } from './pod-run.ts'

const firstBackOffMs = 10_000
const maxBackOffMs = 300_000

/** A pod that has no status of a kubelet yet begins now. */
export function adoptedRun(pod: Pod, now: number): PodRun {
  const { status = {} } = pod
  const statuses = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ]
  const run = newRun(status.startTime === undefined ? now : millis(status.startTime, now), status.podIP)
  const isEnded = status.phase === 'Succeeded' || status.phase === 'Failed'
  const main = status.containerStatuses ?? []
  return {
    ...run,
    containers: new Map(statuses.map((each) => [each.name, containerRun(each, now)])),
    isInitialized: main.some(({ state, lastState }) => state.running ?? state.terminated ?? lastState.terminated),
    isEnded: isEnded && statuses.every(({ state }) => state.running === undefined),
  }
}

function millis(text: string | null | undefined, otherwise: number): number {
  if (text == null) return otherwise
  try {
    return millisOfInstant(parseTime(text))
  } catch {
    return otherwise
  }
}

function containerRun(status: ContainerStatus, now: number): ContainerRun {
  const { restartCount: restarts, lastState, resources } = status
  const last = lastState?.terminated === undefined ? undefined : terminated(lastState.terminated, now)
  const ms = Math.min(firstBackOffMs * 2 ** Math.max(restarts - 1, 0), maxBackOffMs)
  const backOff = restarts === 0 ? undefined : { ms, since: last?.finishedAt ?? now }
  return { state: containerState(status, { last, ms, now }), restarts, last, backOff, resources }
}

interface StateFacts {
  readonly last: Terminated | undefined
  readonly ms: number
  readonly now: number
}

function containerState({ state, restartCount }: ContainerStatus, { last, ms, now }: StateFacts): ContainerState {
  if (state.running !== undefined) return { kind: 'running', startedAt: millis(state.running.startedAt, now) }
  if (state.terminated !== undefined) return { kind: 'exited', ...terminated(state.terminated, now) }
  if (state.waiting?.reason === 'CrashLoopBackOff' && restartCount > 0) {
    const { reason, message } = state.waiting
    return { kind: 'waiting', reason, message, until: (last?.finishedAt ?? now) + ms, next: 'restart' }
  }
  return { kind: 'idle' }
}

function terminated(
  { exitCode, reason, message, startedAt, finishedAt }: ContainerStateTerminated,
  now: number,
): Terminated {
  const end = millis(finishedAt, now)
  return {
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    message,
    startedAt: millis(startedAt, end),
    finishedAt: end,
  }
}

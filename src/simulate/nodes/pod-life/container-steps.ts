/**
 * The life of one container: pull, create, run, exit, back off, start again. Mirrors
 * pkg/kubelet/kuberuntime: kubeGenericRuntimeManager.doBackOff and pkg/kubelet/images: imageManager.pullImage.
 */

import type { Container } from '../../../catalog/types/core-v1.ts'
import type { ContainerExit } from './behaviour.ts'
import { restartPolicyOf } from './behaviour.ts'
import { type ContainerRole, podText } from './pod.ts'
import type { ContainerRun, Terminated } from './pod-run.ts'
import { readyTime, startedTime } from './probes.ts'
import type { PodWork } from './work.ts'

const firstBackOffMs = 10_000
const maxBackOffMs = 300_000
/** After so long without a restart the back-off begins anew. */
const backOffExpiryMs = 2 * maxBackOffMs
/** When the kubelet looks again after a failed pull. */
const resyncMs = 200
/** Changes of one container in one advance; more of them come in the next one. */
const maxSteps = 64

/** Brings a container to the present. True: there is more to do at once. */
export function stepContainer(work: PodWork, container: Container, role: ContainerRole): boolean {
  for (let steps = 0; steps < maxSteps; steps++) if (!step(work, container, role)) return false
  return true
}

/** True: something changed. */
function step(work: PodWork, container: Container, role: ContainerRole): boolean {
  const run = work.container(container)
  const { state } = run
  switch (state.kind) {
    case 'idle':
      return false
    case 'waiting':
      if (state.until > work.now) {
        work.wake(state.until)
        return false
      }
      afterWait(work, container, role)
      return true
    case 'running':
      return stepRunning(work, container, role)
    case 'exited':
      if (!restarts(work, role, state.exitCode)) return false
      backOff(work, container, role)
      return true
  }
}

/** Begins to start a container at a time that has come. */
export function beginContainer(work: PodWork, container: Container, { role, at }: { role: ContainerRole; at: number }) {
  const { pullMs, pullError, startMs, startError } = work.behaviour(container, role)
  const image = container.image ?? ''
  const pulls = pullError !== undefined || pullMs > 0 || container.imagePullPolicy === 'Always'
  if (pulls) work.tellOf(container, role, { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` })
  if (pullError !== undefined) {
    const message = `Failed to pull image "${image}": ${pullError}`
    work.tellOf(container, role, { type: 'Warning', reason: 'Failed', message })
    work.tellOf(container, role, { type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' })
    const until = at + resyncMs
    const state = { kind: 'waiting', reason: 'ErrImagePull', message: pullError, until, next: 'pull-back-off' } as const
    work.set(container, { state, pullError })
    return
  }
  if (startError !== undefined) {
    work.tellOf(container, role, { type: 'Warning', reason: 'Failed', message: `Error: ${startError}` })
    work.setState(container, {
      kind: 'waiting',
      reason: 'CreateContainerError',
      message: startError,
      until: at + firstBackOffMs,
      next: 'create',
    })
    return
  }
  const reason = waitingReason(work, role)
  work.setState(container, { kind: 'waiting', reason, until: at + pullMs + startMs, next: 'run' })
}

const waitingReason = ({ pod }: PodWork, role: ContainerRole): string =>
  role !== 'ephemeral' && (pod.spec.initContainers?.length ?? 0) > 0 ? 'PodInitializing' : 'ContainerCreating'

function afterWait(work: PodWork, container: Container, role: ContainerRole): void {
  const {
    state,
    pullBackOffMs = firstBackOffMs,
    pullError = '',
    restarts: count,
    backOff: entry,
  } = work.container(container)
  if (state.kind !== 'waiting') return
  const { until: at } = state
  const image = container.image ?? ''
  switch (state.next) {
    case 'run':
      tellStarted(work, container, role)
      work.set(container, {
        state: { kind: 'running', startedAt: at },
        resources: work.run.pendingResize === undefined ? container.resources : work.container(container).resources,
        pullBackOffMs: undefined,
        pullError: undefined,
      })
      return
    case 'pull-back-off': {
      const text = `Back-off pulling image "${image}"`
      work.tellOf(container, role, { type: 'Normal', reason: 'BackOff', message: text })
      work.tellOf(container, role, { type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' })
      const message = `${text}: ErrImagePull: ${pullError}`
      work.set(container, {
        state: { kind: 'waiting', reason: 'ImagePullBackOff', message, until: at + pullBackOffMs, next: 'pull' },
        pullBackOffMs: Math.min(pullBackOffMs * 2, maxBackOffMs),
      })
      return
    }
    case 'restart':
      work.set(container, {
        restarts: count + 1,
        backOff: { ms: Math.min((entry?.ms ?? firstBackOffMs) * 2, maxBackOffMs), since: at },
      })
      beginContainer(work, container, { role, at })
      return
    default:
      beginContainer(work, container, { role, at })
  }
}

function tellStarted(work: PodWork, container: Container, role: ContainerRole): void {
  const { pullMs } = work.behaviour(container, role)
  const image = container.image ?? ''
  const pulled =
    pullMs > 0 || container.imagePullPolicy === 'Always'
      ? `Successfully pulled image "${image}" in ${pullMs}ms (${pullMs}ms including waiting). Image size: 0 bytes.`
      : `Container image "${image}" already present on machine`
  work.tellOf(container, role, { type: 'Normal', reason: 'Pulled', message: pulled })
  work.tellOf(container, role, { type: 'Normal', reason: 'Created', message: `Created container: ${container.name}` })
  work.tellOf(container, role, { type: 'Normal', reason: 'Started', message: `Started container ${container.name}` })
}

function stepRunning(work: PodWork, container: Container, role: ContainerRole): boolean {
  const { state } = work.container(container)
  if (state.kind !== 'running') return false
  const behaviour = work.behaviour(container, role)
  const { exit } = behaviour
  if (exit !== undefined && exit.at <= work.now) {
    exitContainer(work, container, role, exit)
    return true
  }
  if (exit !== undefined) work.wake(exit.at)
  work.wake(startedTime(container, state.startedAt))
  work.wake(readyTime(container, behaviour, state.startedAt))
  if (behaviour.readinessChangesAt !== undefined) work.wake(behaviour.readinessChangesAt)
  return false
}

/** `exit.at` is not before the start. */
export function exitContainer(work: PodWork, container: Container, role: ContainerRole, exit: ContainerExit): void {
  const { state } = work.container(container)
  if (state.kind !== 'running') return
  const { exitCode, message, signal, probe } = exit
  if (probe !== undefined) tellProbe(work, container, role, probe)
  const terminated: Terminated = {
    exitCode,
    reason: exit.reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    message,
    signal,
    startedAt: state.startedAt,
    finishedAt: Math.max(exit.at, state.startedAt),
  }
  work.setState(container, { kind: 'exited', ...terminated })
}

function tellProbe(
  work: PodWork,
  container: Container,
  role: ContainerRole,
  probe: NonNullable<ContainerExit['probe']>,
) {
  const failed = `${probe.type} probe failed: ${probe.output}`
  work.tellOf(container, role, { type: 'Warning', reason: 'Unhealthy', message: failed })
  const message = `Container ${container.name} failed ${probe.type.toLowerCase()} probe, will be restarted`
  work.tellOf(container, role, { type: 'Normal', reason: 'Killing', message })
}

export function restarts({ pod, run }: PodWork, role: ContainerRole, exitCode: number): boolean {
  if (run.stop !== undefined || role === 'ephemeral') return false
  if (role === 'sidecar') return true
  const policy = restartPolicyOf(pod)
  if (role === 'init') return exitCode !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** The first restart is at once, further ones after a while that doubles. */
function backOff(work: PodWork, container: Container, role: ContainerRole): void {
  const run: ContainerRun = work.container(container)
  const { state } = run
  if (state.kind !== 'exited') return
  const { kind: _, ...last } = state
  const at = state.finishedAt
  const entry = run.backOff
  if (entry === undefined || at - entry.since > backOffExpiryMs) {
    work.set(container, { last, restarts: run.restarts + 1, backOff: { ms: firstBackOffMs, since: at } })
    beginContainer(work, container, { role, at })
    return
  }
  const pod = podText(work.pod)
  const { name } = container
  const text = `Back-off restarting failed container ${name} in pod ${pod}`
  if (at + entry.ms > work.now) work.tellOf(container, role, { type: 'Warning', reason: 'BackOff', message: text })
  const message = `back-off ${backOffText(entry.ms)} restarting failed container=${name} pod=${pod}`
  const wait = { kind: 'waiting', reason: 'CrashLoopBackOff', message, until: at + entry.ms, next: 'restart' } as const
  work.set(container, { last, state: wait })
}

/** As Go prints durations: `10s`, `1m20s`. */
function backOffText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

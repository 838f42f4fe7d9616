/**
 * The life of a pod on its node, as a pure function: what has become of it by now, and when to look again. Times between are
 * exact: a pod that is looked at late is where it would have been.
 */

import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { Behaviours } from './behaviour.ts'
import { beginContainer, exitContainer, restarts, stepContainer } from './container-steps.ts'
import { type ContainerRole, initRole } from './pod.ts'
import type { PodRun, PodStop } from './pod-run.ts'
import { preStopMs, startedTime } from './probes.ts'
import { stepResize } from './resize.ts'
import { type PodEvent, PodWork } from './work.ts'

export interface Advanced {
  readonly run: PodRun
  /** When it changes by itself; infinite: never. */
  readonly wakeAt: number
  readonly events: readonly PodEvent[]
}

const defaultGraceSeconds = 30
const killedExitCode = 137

export function advance(pod: Pod, run: PodRun, given: { behaviours: Behaviours; now: number }): Advanced {
  const work = new PodWork(pod, run, given)
  if (!run.isEnded) {
    beginStop(work)
    if (work.run.stop === undefined && startContainers(work)) work.wakeAt = work.now
    if (work.run.stop !== undefined) stopContainers(work)
  }
  return { run: work.finished(), wakeAt: work.wakeAt, events: work.events }
}

/** Whether something ends the pod from outside. */
function beginStop(work: PodWork): void {
  const { pod, run, now } = work
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  const graceMs = (deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000
  if (run.stop !== undefined) {
    if (graceMs < run.stop.graceMs) work.run = { ...run, stop: { ...run.stop, graceMs } }
    return
  }
  const deadline = deadlineOf(work)
  const eviction = work.eviction()
  work.wake(deadline)
  if (eviction !== undefined) work.wake(eviction.at)
  if (deletionTimestamp !== undefined) begin(work, { cause: 'delete', at: now, graceMs })
  else if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') {
    begin(work, { cause: 'phase', at: now, graceMs })
  } else if (deadline <= now) begin(work, { cause: 'deadline', at: deadline, graceMs, message: deadlineMessage })
  else if (eviction !== undefined && eviction.at <= now) {
    work.recordEvent('Warning', 'Evicted', eviction.message)
    begin(work, { cause: 'eviction', at: eviction.at, graceMs: 0, message: eviction.message })
  }
}

const deadlineMessage = 'Pod was active on the node longer than the specified deadline'

const deadlineOf = ({ pod, run }: PodWork): number =>
  pod.spec.activeDeadlineSeconds === undefined
    ? Number.POSITIVE_INFINITY
    : run.startTime + pod.spec.activeDeadlineSeconds * 1000

function begin(work: PodWork, stop: PodStop): void {
  if (stop.cause === 'deadline') work.recordEvent('Normal', 'DeadlineExceeded', deadlineMessage)
  work.run = { ...work.run, stop }
}

/** True: there is more to do at once. */
function startContainers(work: PodWork): boolean {
  const { spec } = work.pod
  const initial = startInitial(work)
  if (initial.outcome === 'waits') return initial.isBusy
  if (initial.outcome === 'failed') return complete(work)
  work.run = { ...work.run, isInitialized: true }
  let isBusy = initial.isBusy
  for (const container of spec.containers) {
    if (work.container(container).state.kind === 'idle')
      beginContainer(work, container, { role: 'main', at: initial.at })
    if (stepContainer(work, container, 'main')) isBusy = true
    stepResize(work, container)
  }
  for (const container of spec.ephemeralContainers ?? []) {
    if (work.container(container).state.kind === 'idle')
      beginContainer(work, container, { role: 'ephemeral', at: work.now })
    if (stepContainer(work, container, 'ephemeral')) isBusy = true
  }
  const isOver = spec.containers.every((container) => isDone(work, container, 'main'))
  return isOver ? complete(work) : isBusy
}

/** Nothing is left that runs or will: sidecars get SIGTERM. */
function complete(work: PodWork): boolean {
  const { terminationGracePeriodSeconds = defaultGraceSeconds } = work.pod.spec
  const ends = [...roles(work.pod)].map(([container]) => {
    const { state } = work.container(container)
    return state.kind === 'exited' ? state.finishedAt : 0
  })
  begin(work, {
    cause: 'completed',
    at: Math.max(work.run.startTime, ...ends),
    graceMs: terminationGracePeriodSeconds * 1000,
  })
  return false
}

function isDone(work: PodWork, container: Container, role: ContainerRole): boolean {
  const { state } = work.container(container)
  return state.kind === 'exited' && !restarts(work, role, state.exitCode)
}

interface Initial {
  readonly outcome: 'done' | 'waits' | 'failed'
  /** When it was done. */
  readonly at: number
  readonly isBusy: boolean
}

/** Init containers one after the other; sidecars among them must have started. */
function startInitial(work: PodWork): Initial {
  const { initContainers = [] } = work.pod.spec
  let at = work.run.startTime
  let isBusy = false
  for (const container of initContainers) {
    const role = initRole(container)
    if (work.run.isInitialized && role === 'init') continue
    if (work.container(container).state.kind === 'idle') beginContainer(work, container, { role, at })
    if (stepContainer(work, container, role)) isBusy = true
    stepResize(work, container)
    if (work.run.isInitialized) continue
    const { state } = work.container(container)
    if (role === 'sidecar') {
      if (state.kind !== 'running' || startedTime(container, state.startedAt) > work.now) {
        return { outcome: 'waits', at, isBusy }
      }
      at = Math.max(at, startedTime(container, state.startedAt))
    } else {
      if (state.kind !== 'exited') return { outcome: 'waits', at, isBusy }
      if (state.exitCode !== 0) return { outcome: isDone(work, container, role) ? 'failed' : 'waits', at, isBusy }
      at = Math.max(at, state.finishedAt)
    }
  }
  return { outcome: 'done', at, isBusy }
}

function* roles({ spec }: Pod): Iterable<readonly [Container, ContainerRole]> {
  for (const container of spec.initContainers ?? []) yield [container, initRole(container)]
  for (const container of spec.containers) yield [container, 'main']
  for (const container of spec.ephemeralContainers ?? []) yield [container, 'ephemeral']
}

/** Main containers end together; then sidecars, the last one first. */
function stopContainers(work: PodWork): void {
  const { stop } = work.run
  if (stop === undefined) return
  const all = [...roles(work.pod)]
  const together = all.filter(([, role]) => role !== 'sidecar')
  const sidecars = all.filter(([, role]) => role === 'sidecar').reverse()
  let { at } = stop
  let isOver = true
  for (const [container, role] of together) {
    const end = stopContainer(work, container, role, stop.at)
    if (end === undefined) isOver = false
    else at = Math.max(at, end)
  }
  for (const [container, role] of sidecars) {
    if (!isOver) return
    const end = stopContainer(work, container, role, at)
    if (end === undefined) isOver = false
    else at = Math.max(at, end)
  }
  if (isOver) work.run = { ...work.run, isEnded: true }
}

/** When it ended; undefined: not yet. What does not run never will. */
function stopContainer(work: PodWork, container: Container, role: ContainerRole, at: number): number | undefined {
  const { stop } = work.run
  const { state } = work.container(container)
  if (stop === undefined || state.kind !== 'running') return state.kind === 'exited' ? state.finishedAt : at
  const { exit, stopMs, stopExitCode } = work.behaviour(container, role)
  const killedAt = Math.max(stop.at + stop.graceMs, at)
  const wantedAt = at + preStopMs(container) + stopMs
  const endAt = Math.max(Math.min(killedAt, wantedAt), state.startedAt)
  const killing = `Stopping container ${container.name}`
  if (work.container(container).isStopping !== true) {
    work.tellOf(container, role, { type: 'Normal', reason: 'Killing', message: killing })
    work.set(container, { isStopping: true })
  }
  if (exit !== undefined && exit.at < endAt && exit.at <= work.now) {
    exitContainer(work, container, role, exit)
    return exit.at
  }
  if (endAt > work.now) {
    work.wake(endAt)
    if (exit !== undefined) work.wake(exit.at)
    return undefined
  }
  exitContainer(work, container, role, {
    at: endAt,
    exitCode: wantedAt <= killedAt ? stopExitCode : killedExitCode,
  })
  return endAt
}

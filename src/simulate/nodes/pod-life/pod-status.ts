/** The status that a kubelet writes, from what its runtime knows. Mirrors pkg/kubelet: Kubelet.generateAPIPodStatus. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../api/json.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  PodStatus,
} from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { Behaviours } from './behaviour.ts'
import { type ContainerRole, initRole } from './pod.ts'
import { podConditions } from './pod-conditions.ts'
import { podPhase } from './pod-phase.ts'
import { type ContainerRun, idle, type PodRun, type Terminated } from './pod-run.ts'
import { readyTime, startedTime } from './probes.ts'

export interface PodStatusFacts {
  readonly behaviours: Behaviours
  readonly hostIP: string
  readonly now: number
}

export const timeText = (millis: number): string => formatTime(instantOfMillis(millis))

export function podStatus(pod: Pod, run: PodRun, facts: PodStatusFacts): PodStatus {
  const { spec, status: present = {} } = pod
  const { rejection } = run
  if (rejection !== undefined) {
    const { reason, message } = rejection
    const { conditions: _, ...rest } = withoutKubeletFields(present)
    return {
      ...rest,
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      startTime: timeText(run.startTime),
    }
  }
  const statusOf = (container: Container, role: ContainerRole) => containerStatus(pod, run, { container, role, facts })
  const init = (spec.initContainers ?? []).map((container) => statusOf(container, initRole(container)))
  const main = spec.containers.map((container) => statusOf(container, 'main')).sort(byName)
  const ephemeral = (spec.ephemeralContainers ?? []).map((container) => statusOf(container, 'ephemeral')).sort(byName)
  const phase = finalPhase(pod, run, { init, main })
  const conditions = podConditions(pod, {
    phase,
    init,
    main,
    hasSandbox: run.ip !== undefined && !run.isEnded,
    isInitialized: run.isInitialized,
    disruption:
      run.stop?.cause === 'eviction' ? { reason: 'TerminationByKubelet', message: run.stop.message ?? '' } : undefined,
    pendingResize: run.pendingResize,
    now: timeText(facts.now),
  })
  return {
    ...withoutKubeletFields(present),
    phase,
    ...reasonOf(run, present, phase),
    conditions,
    ...addresses(pod, run, facts.hostIP),
    startTime: timeText(run.startTime),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: main,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  }
}

const byName = (a: ContainerStatus, b: ContainerStatus): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

function withoutKubeletFields({ reason: _, message: __, nominatedNodeName: ___, ...rest }: PodStatus): PodStatus {
  return rest
}

/** What ended from outside has the reason of that; other reasons are kept with their phase. */
function reasonOf({ stop, isEnded }: PodRun, present: PodStatus, phase: string): JsonObject {
  if (isEnded && stop?.cause === 'deadline') return { reason: 'DeadlineExceeded', message: stop.message ?? '' }
  if (isEnded && stop?.cause === 'eviction') return { reason: 'Evicted', message: stop.message ?? '' }
  if (phase !== present.phase) return {}
  const { reason, message } = present
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
}

function finalPhase(pod: Pod, run: PodRun, statuses: { init: ContainerStatus[]; main: ContainerStatus[] }): string {
  const present = pod.status?.phase
  if (present === 'Succeeded' || present === 'Failed') return present
  const { stop, isEnded, isInitialized } = run
  const phase = podPhase(pod, { ...statuses, isTerminal: isEnded, isInitialized })
  if (!isEnded) return phase === 'Succeeded' || phase === 'Failed' ? 'Running' : phase
  if (stop?.cause === 'deadline' || stop?.cause === 'eviction') return 'Failed'
  return phase === 'Succeeded' ? phase : 'Failed'
}

function addresses({ spec, status }: Pod, { ip }: PodRun, hostIP: string): JsonObject {
  const podIP = status?.podIP ?? (spec.hostNetwork === true ? hostIP : ip)
  return {
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
  }
}

interface StatusOf {
  readonly container: Container
  readonly role: ContainerRole
  readonly facts: PodStatusFacts
}

function containerStatus(pod: Pod, podRun: PodRun, { container, role, facts }: StatusOf): ContainerStatus {
  const run = podRun.containers.get(container.name) ?? idle
  const { state, restarts, last } = run
  const hasRun = state.kind === 'running' || state.kind === 'exited'
  const id = containerId(pod, container, restarts)
  const started =
    state.kind === 'running' && (role !== 'init' ? startedTime(container, state.startedAt) <= facts.now : true)
  const lastId = containerId(pod, container, Math.max(restarts - (state.kind === 'waiting' ? 0 : 1), 0))
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: hasRun ? imageId(container) : '',
    ...(hasRun ? { containerID: id } : {}),
    ready: isReady(pod, run, { container, role, facts }),
    started,
    restartCount: restarts,
    state: stateStatus(pod, run, { role, id }),
    lastState: last === undefined ? {} : { terminated: terminatedStatus(last, lastId) },
    ...(hasRun ? resourcesOf(container, run) : {}),
    ...volumeMounts(container),
  }
}

function resourcesOf(container: Container, { resources = container.resources ?? {} }: ContainerRun): JsonObject {
  const { requests } = resources
  return { resources, ...(requests === undefined ? {} : { allocatedResources: requests }) }
}

function isReady(pod: Pod, { state }: ContainerRun, { container, role, facts }: StatusOf): boolean {
  if (role === 'init') return state.kind === 'exited' && state.exitCode === 0
  if (state.kind !== 'running' || role === 'ephemeral') return false
  const { startedAt } = state
  const instance = { pod, container, role, restarts: 0, startedAt, now: facts.now }
  const behaviour = facts.behaviours.container(instance)
  return behaviour.isUnready !== true && readyTime(container, behaviour, startedAt) <= facts.now
}

function stateStatus(pod: Pod, { state }: ContainerRun, { role, id }: { role: ContainerRole; id: string }) {
  const status: ContainerState = {}
  switch (state.kind) {
    case 'idle': {
      const isInitializing = role !== 'ephemeral' && (pod.spec.initContainers?.length ?? 0) > 0
      status.waiting = { reason: isInitializing ? 'PodInitializing' : 'ContainerCreating' }
      return status
    }
    case 'waiting':
      status.waiting = { reason: state.reason, ...(state.message === undefined ? {} : { message: state.message }) }
      return status
    case 'running':
      status.running = { startedAt: timeText(state.startedAt) }
      return status
    case 'exited':
      status.terminated = terminatedStatus(state, id)
      return status
  }
}

function terminatedStatus(terminated: Terminated, containerID: string): ContainerStateTerminated {
  const { exitCode, reason, message, signal, startedAt, finishedAt } = terminated
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: timeText(startedAt),
    finishedAt: timeText(finishedAt),
    containerID,
  }
}

/** No container of this name exists anywhere: the scheme says so. */
function containerId({ metadata }: Pod, { name }: Container, restarts: number): string {
  return `simulated://${digest(`${metadata.uid ?? ''}/${name}/${restarts}`)}`
}

const imageId = ({ image = '' }: Container): string => `${image}@sha256:${digest(image)}`

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

function volumeMounts({ volumeMounts: mounts }: Container): JsonObject {
  if (mounts === undefined || mounts.length === 0) return {}
  const statuses = mounts.map(({ name, mountPath, readOnly }) => ({
    name: name as string,
    mountPath: mountPath as string,
    ...(readOnly === true ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
  }))
  return { volumeMounts: statuses }
}

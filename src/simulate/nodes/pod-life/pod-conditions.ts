/** The conditions that a kubelet keeps on a pod. Mirrors pkg/kubelet/status: GeneratePodInitializedCondition and the others there. */
import type { ContainerStatus, PodCondition } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { initRole } from './pod.ts'
import type { PendingResize } from './pod-run.ts'

export interface ConditionFacts {
  readonly phase: string
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  readonly hasSandbox: boolean
  readonly isInitialized: boolean
  /** Set once, when the kubelet ends the pod. */
  readonly disruption?: { readonly reason: string; readonly message: string } | undefined
  readonly pendingResize?: PendingResize | undefined
  /** Of transitions, RFC 3339. */
  readonly now: string
}

type Said = Pick<PodCondition, 'status' | 'reason' | 'message'>

const kubeletTypes: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
])

/** The conditions of others stay, in front. */
export function podConditions(pod: Pod, facts: ConditionFacts): PodCondition[] {
  const present = pod.status?.conditions ?? []
  const others = present.filter(({ type }) => !kubeletTypes.has(type) && !(type === disruption && facts.disruption))
  const containersReady = containersReadyCondition(pod, facts)
  const said: [string, Said][] = [
    ...(facts.disruption === undefined
      ? []
      : [[disruption, { status: 'True', ...facts.disruption }] as [string, Said]]),
    ['PodReadyToStartContainers', { status: facts.hasSandbox ? 'True' : 'False' }],
    ['Initialized', initializedCondition(pod, facts)],
    ['Ready', containersReady.status === 'True' ? gatesCondition(pod, present) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
  ]
  const resize = resizeCondition(present, facts)
  return [...others, ...resize, ...said.map(([type, each]) => condition(present, type, each, facts.now))]
}

/** A resize is done at once or not at all: it is never in progress. Mirrors pkg/kubelet/status: updatedPodResizeCondition. */
function resizeCondition(
  present: readonly PodCondition[],
  { pendingResize, phase, now }: ConditionFacts,
): PodCondition[] {
  if (pendingResize === undefined || phase === 'Succeeded' || phase === 'Failed') return []
  const type = 'PodResizePending'
  const { reason, message } = pendingResize
  const old = present.find((each) => each.type === type)
  const time = old?.reason === reason ? (old.lastTransitionTime ?? now) : now
  return [{ type, status: 'True', reason, message, lastProbeTime: time, lastTransitionTime: time }]
}

const disruption = 'DisruptionTarget'

function condition(present: readonly PodCondition[], type: string, said: Said, now: string): PodCondition {
  const old = present.find((each) => each.type === type)
  const lastTransitionTime = old?.status === said.status ? (old.lastTransitionTime ?? now) : now
  return { type, ...said, lastProbeTime: null, lastTransitionTime }
}

function containersReadyCondition({ spec }: Pod, { phase, init, main }: ConditionFacts): Said {
  const names = [
    ...(spec.initContainers ?? []).filter((container) => initRole(container) === 'sidecar'),
    ...spec.containers,
  ]
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = names.map(({ name }) => name).filter((name) => !isReady(init, name) && !isReady(main, name))
  if (unready.length === 0) return { status: 'True' }
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  }
}

const isReady = (statuses: readonly ContainerStatus[], name: string): boolean =>
  statuses.some((status) => status.name === name && status.ready)

function gatesCondition({ spec }: Pod, present: readonly PodCondition[]): Said {
  const messages: string[] = []
  for (const { conditionType } of spec.readinessGates ?? []) {
    const gate = JSON.stringify(conditionType)
    const found = present.find(({ type }) => type === conditionType)
    if (found === undefined) messages.push(`corresponding condition of pod readiness gate ${gate} does not exist.`)
    else if (found.status !== 'True') {
      messages.push(`the status of pod readiness gate ${gate} is not "True", but ${found.status}`)
    }
  }
  if (messages.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') }
}

function initializedCondition({ spec }: Pod, { phase, init, isInitialized }: ConditionFacts): Said {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (isInitialized) return { status: 'True' }
  const incomplete = (spec.initContainers ?? []).filter((container) => {
    const status = init.find(({ name }) => name === container.name)
    return initRole(container) === 'sidecar' ? status?.started !== true : status?.ready !== true
  })
  if (incomplete.length === 0) return { status: 'True' }
  const names = incomplete.map(({ name }) => name).join(' ')
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names}]`,
  }
}

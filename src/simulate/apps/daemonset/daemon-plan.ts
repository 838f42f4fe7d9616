/**
 * On which nodes a DaemonSet wants pods, and which it wants to go. Pure.
 * Mirrors pkg/controller/daemon: NodeShouldRunDaemonPod, DaemonSetsController.podsShouldBeOnNode, DaemonSetsController.rollingUpdate.
 */

import type { DaemonSet, DaemonSetStatus } from '../../../catalog/types/apps-v1.ts'
import type { Node, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { createdAt, isAvailable, isReady, isTerminating } from '../../framework/pods.ts'
import { omitEmpty, scaledOrZero } from '../../framework/values.ts'
import { requiredNodeAffinity } from '../../scheduler/node-selector.ts'
import { isTolerated } from '../../scheduler/toleration.ts'
import { revisionHashLabel } from '../history/controller-revisions.ts'

const generationAnnotation = 'deprecated.daemonset.template.generation'
const generationLabel = 'pod-template-generation'
const nameField = 'metadata.name'

/** What pods of a DaemonSet always tolerate: nodes in trouble have daemons, too. */
const daemonTolerations: readonly (readonly [key: string, effect: string])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
]

function withTolerations(spec: PodSpec): PodSpec {
  const wanted: Toleration[] = [
    ...daemonTolerations,
    ...(spec.hostNetwork ? [['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const] : []),
  ].map(([key, effect]) => ({ key, operator: 'Exists', effect }))
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && (a.operator ?? 'Equal') === b.operator
  const own = spec.tolerations ?? []
  return { ...spec, tolerations: [...own, ...wanted.filter((each) => !own.some((given) => isSame(given, each)))] }
}

export function daemonTemplate({ metadata, spec }: DaemonSet, hash: string, node: string): PodTemplateSpec {
  const { template } = spec
  const generation = metadata.annotations?.[generationAnnotation]
  const nodeSelectorTerms = [{ matchFields: [{ key: nameField, operator: 'In', values: [node] }] }]
  const { affinity } = template.spec
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  }
  return {
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [revisionHashLabel]: hash,
      },
    },
    spec: { ...withTolerations(template.spec), affinity: { ...affinity, nodeAffinity } },
  }
}

/** The node that a pod of a DaemonSet is for, whether it is there already or not. */
export function targetNode({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values = [] } of matchFields) {
      if (key === nameField && operator === 'In' && values.length === 1) return values[0]
    }
  }
  return undefined
}

export interface NodeVerdict {
  readonly shouldRun: boolean
  /** Pods that are there may stay. */
  readonly mayStay: boolean
}

function judgeNode({ spec }: DaemonSet, node: Node): NodeVerdict {
  const { name = '', labels } = node.metadata
  const pod = withTolerations(spec.template.spec)
  const isNamed = (pod.nodeName ?? '') === '' || pod.nodeName === name
  if (!isNamed || !requiredNodeAffinity({ spec: pod } as never)({ name, labels })) {
    return { shouldRun: false, mayStay: false }
  }
  const barring = (node.spec.taints ?? []).filter((taint) => !isTolerated(taint as never, pod.tolerations as never))
  const hasEffect = (effect: string): boolean => barring.some((taint) => taint.effect === effect)
  const mayStay = !hasEffect('NoExecute')
  return { shouldRun: mayStay && !hasEffect('NoSchedule'), mayStay }
}

const isUpdated = (set: DaemonSet, { metadata }: Pod, hash: string): boolean => {
  const generation = set.metadata.annotations?.[generationAnnotation]
  const isSameGeneration = generation !== undefined && metadata.labels?.[generationLabel] === generation
  return isSameGeneration || metadata.labels?.[revisionHashLabel] === hash
}

export interface DaemonFacts {
  readonly set: DaemonSet
  readonly nodes: readonly Node[]
  /** The pods of the set, by the nodes that they are for. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>
  readonly hash: string
  readonly now: number
}

export interface DaemonPlan {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  /** Pods that have ended; the failed ones are removed with a growing pause. */
  readonly ended: readonly { readonly pod: Pod; readonly node: string }[]
}

const strategyOf = ({ spec }: DaemonSet) =>
  spec.updateStrategy.type === 'OnDelete' ? {} : (spec.updateStrategy.rollingUpdate ?? {})

const allowsSurge = (set: DaemonSet): boolean => scaledOrZero(strategyOf(set).maxSurge, 1, 'up') > 0

const byAgeOnNode = (pods: readonly Pod[]): Pod[] =>
  [...pods].sort(
    (a, b) =>
      Number((a.spec.nodeName ?? '') === '') - Number((b.spec.nodeName ?? '') === '') ||
      createdAt(a) - createdAt(b) ||
      ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  )

/** One pod on every node that should have one, none elsewhere. */
export function planPods(facts: DaemonFacts): DaemonPlan {
  const create: string[] = []
  const remove: Pod[] = []
  const ended: { pod: Pod; node: string }[] = []
  const names = new Set(facts.nodes.map(({ metadata }) => metadata.name ?? ''))
  for (const node of facts.nodes) {
    const name = node.metadata.name ?? ''
    const { shouldRun, mayStay } = judgeNode(facts.set, node)
    const pods = facts.pods.get(name) ?? []
    const alive = pods.filter((pod) => !isTerminating(pod))
    if (shouldRun && pods.length === 0) create.push(name)
    else if (!mayStay) pushAll(remove, alive)
    else {
      const running = alive.filter(({ status }) => status.phase !== 'Failed' && status.phase !== 'Succeeded')
      for (const pod of alive) if (!running.includes(pod)) ended.push({ pod, node: name })
      if (allowsSurge(facts.set) && running.length === 0 && shouldRun) create.push(name)
      pushAll(remove, surplusOn(facts, running))
    }
  }
  for (const [node, pods] of facts.pods) {
    if (!names.has(node))
      pushAll(
        remove,
        pods.filter(({ spec }) => (spec.nodeName ?? '') === ''),
      )
  }
  return { create, remove, ended }
}

/** Of several pods on a node, those that are too many: an update may have one of each kind there for a while. */
function surplusOn({ set, hash, now }: DaemonFacts, running: readonly Pod[]): Pod[] {
  const ordered = byAgeOnNode(running)
  if (!allowsSurge(set) || ordered.length <= 1) return ordered.slice(1)
  const [newPod, ...newOthers] = ordered.filter(({ metadata }) => metadata.labels?.[revisionHashLabel] === hash)
  const [oldPod, ...oldOthers] = ordered.filter(({ metadata }) => metadata.labels?.[revisionHashLabel] !== hash)
  const isReplaced =
    newPod !== undefined &&
    oldPod !== undefined &&
    (!isReady(oldPod) || isAvailable(newPod, set.spec.minReadySeconds ?? 0, now))
  return [...newOthers, ...oldOthers, ...(isReplaced ? [oldPod] : [])]
}

/** The next step of a rolling update. */
export function planUpdate(facts: DaemonFacts): {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
} {
  const { set, nodes } = facts
  if (set.spec.updateStrategy.type === 'OnDelete') return { create: [], remove: [] }
  const verdicts = new Map(nodes.map((node) => [node.metadata.name ?? '', judgeNode(set, node)]))
  const wanted = [...verdicts].filter(([, { shouldRun }]) => shouldRun).map(([name]) => name)
  const { maxSurge, maxUnavailable } = strategyOf(set)
  const surge = scaledOrZero(maxSurge, wanted.length, 'up')
  const given = scaledOrZero(maxUnavailable, wanted.length, 'up')
  const unavailable = wanted.length > 0 && surge === 0 && given === 0 ? 1 : given
  const onNodes = new Map([...wanted.map((name) => [name, [] as readonly Pod[]] as const), ...facts.pods])
  return surge === 0
    ? { create: [], remove: replaceInPlace(facts, onNodes, unavailable) }
    : surgeFirst(facts, onNodes, { surge, verdicts, wanted: wanted.length })
}

interface Pair {
  readonly newPod: Pod | undefined
  readonly oldPod: Pod | undefined
}

/** Undefined when there are more than one of a kind, which is put right first. */
function pairOn({ set, hash }: DaemonFacts, pods: readonly Pod[]): Pair | undefined {
  const alive = pods.filter((pod) => !isTerminating(pod))
  const [newPod, ...moreNew] = alive.filter((pod) => isUpdated(set, pod, hash))
  const [oldPod, ...moreOld] = alive.filter((pod) => !isUpdated(set, pod, hash))
  return moreNew.length > 0 || moreOld.length > 0 ? undefined : { newPod, oldPod }
}

function replaceInPlace(
  facts: DaemonFacts,
  onNodes: ReadonlyMap<string, readonly Pod[]>,
  maxUnavailable: number,
): Pod[] {
  const { set, now } = facts
  const isUp = (pod: Pod): boolean => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  const allowed: Pod[] = []
  const candidates: Pod[] = []
  let down = 0
  for (const pods of onNodes.values()) {
    const pair = pairOn(facts, pods)
    const { newPod, oldPod } = pair ?? {}
    if (pair === undefined || (newPod === undefined) === (oldPod === undefined)) down++
    else if (newPod !== undefined) down += Number(!isUp(newPod))
    else if (oldPod !== undefined && !isUp(oldPod)) {
      allowed.push(oldPod)
      down++
    } else if (oldPod !== undefined) candidates.push(oldPod)
  }
  return [...allowed, ...candidates.slice(0, Math.max(0, maxUnavailable - down))]
}

function surgeFirst(
  facts: DaemonFacts,
  onNodes: ReadonlyMap<string, readonly Pod[]>,
  limits: { surge: number; wanted: number; verdicts: ReadonlyMap<string, NodeVerdict> },
): { create: string[]; remove: Pod[] } {
  const { set, now } = facts
  const isUp = (pod: Pod): boolean => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  const [remove, leaving, allowed, candidates] = [[] as Pod[], [] as Pod[], [] as string[], [] as string[]]
  let [surging, available] = [0, 0]
  for (const [node, pods] of onNodes) {
    const pair = pairOn(facts, pods)
    if (pair === undefined) {
      surging++
      continue
    }
    const { newPod, oldPod } = pair
    const shown = oldPod ?? newPod
    if (shown !== undefined && isUp(shown)) available++
    if (oldPod === undefined) continue
    if (newPod !== undefined) {
      if (isUp(newPod)) remove.push(oldPod)
      else surging++
    } else if (limits.verdicts.get(node)?.shouldRun) (isUp(oldPod) ? candidates : allowed).push(node)
    else (isUp(oldPod) ? leaving : remove).push(oldPod)
  }
  pushAll(remove, leaving.slice(0, Math.max(0, available - limits.wanted)))
  return { remove, create: [...allowed, ...candidates.slice(0, Math.max(0, limits.surge - surging))] }
}

export function daemonStatus({ set, nodes, pods, hash, now }: DaemonFacts): DaemonSetStatus {
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0]
  for (const node of nodes) {
    const [pod] = byAgeOnNode(pods.get(node.metadata.name ?? '') ?? [])
    const { shouldRun } = judgeNode(set, node)
    if (!shouldRun) {
      misscheduled += Number(pod !== undefined)
      continue
    }
    desired++
    if (pod === undefined) continue
    current++
    ready += Number(isReady(pod))
    available += Number(isAvailable(pod, set.spec.minReadySeconds ?? 0, now))
    updated += Number(isUpdated(set, pod, hash))
  }
  const { conditions, collisionCount } = set.status
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...omitEmpty({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: updated,
      numberAvailable: available,
      numberUnavailable: desired - available,
      conditions,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  }
}

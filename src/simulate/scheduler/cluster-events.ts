/**
 * What happens in the cluster, by resource and kind of change, so that a pod that waits is tried again only when something
 * changed that a plugin that rejected it waits for. Mirrors pkg/scheduler/framework: ClusterEvent, PodSchedulingPropertiesChange,
 * NodeSchedulingPropertiesChange.
 */
import { equalJson, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Node, Pod } from '../objects.ts'
import type { PodInfo } from './pod-info.ts'
import type { ResourceAmounts } from './resource-amounts.ts'

/** Kinds of change, as bits. */
export const action = {
  add: 1,
  delete: 1 << 1,
  updateNodeAllocatable: 1 << 2,
  updateNodeLabel: 1 << 3,
  updateNodeTaint: 1 << 4,
  updateNodeCondition: 1 << 5,
  updateNodeAnnotation: 1 << 6,
  updatePodLabel: 1 << 7,
  updatePodScaleDown: 1 << 8,
  updatePodToleration: 1 << 9,
  updatePodGatesEliminated: 1 << 10,
  updatePodGeneratedClaim: 1 << 11,
  updatePodOther: 1 << 12,
  update: ((1 << 13) - 1) & ~3,
} as const

export type EventResource =
  | 'AssignedPod'
  | 'UnscheduledPod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass'

export interface ClusterEvent {
  /** `*` concerns every pod that waits, or the one that `object` is. */
  readonly resource: EventResource | '*'
  readonly actions: number
  /** Before and after; one of them is absent where an object came or went. */
  readonly old?: KubeObject | undefined
  readonly object?: KubeObject | undefined
}

/** Whether what happened may make the pod schedulable. */
export type QueueingHint = (pod: Pod, change: HintChange) => boolean

export interface HintChange {
  readonly old: KubeObject | undefined
  readonly object: KubeObject | undefined
}

/** An event that a plugin waits for when it has rejected a pod. No hint: every one is worth another try. */
export interface Registration {
  /** `Pod` stands for both kinds of pods. */
  readonly resource: EventResource | 'Pod'
  readonly actions: number
  readonly hint?: QueueingHint
}

export const registrationMatches = (registration: Registration, event: ClusterEvent): boolean => {
  if ((registration.actions & event.actions) === 0) return false
  if (registration.resource === event.resource) return true
  return registration.resource === 'Pod' && (event.resource === 'AssignedPod' || event.resource === 'UnscheduledPod')
}

/** An event for each kind of change; a change of anything else is one, too. */
export function podChanges(old: PodInfo, info: PodInfo): ClusterEvent[] {
  const resource = (info.pod.spec.nodeName ?? '') === '' ? 'UnscheduledPod' : 'AssignedPod'
  const kinds = podChangeKinds(old, info)
  const list = kinds.length === 0 ? [action.updatePodOther] : kinds
  return list.map((actions) => ({ resource, actions, old: old.pod, object: info.pod }))
}

function podChangeKinds(before: PodInfo, info: PodInfo): number[] {
  const [old, pod] = [before.pod, info.pod]
  const kinds: number[] = []
  if (differs(old.metadata.labels, pod.metadata.labels)) kinds.push(action.updatePodLabel)
  if (isAnyLess(info.requests, before.requests)) kinds.push(action.updatePodScaleDown)
  const gates = (each: Pod): number => each.spec.schedulingGates?.length ?? 0
  const tolerations = (each: Pod): number => each.spec.tolerations?.length ?? 0
  if (gates(pod) === 0 && gates(old) > 0) kinds.push(action.updatePodGatesEliminated)
  // Never read of a pod that is bound, and not kept.
  if (!before.isBrief && tolerations(pod) !== tolerations(old)) kinds.push(action.updatePodToleration)
  const claims = (each: Pod): JsonValue => each.status?.resourceClaimStatuses ?? []
  if (!before.isBrief && differs(claims(old), claims(pod))) kinds.push(action.updatePodGeneratedClaim)
  return kinds
}

function isAnyLess(amounts: ResourceAmounts, before: ResourceAmounts): boolean {
  if (amounts.milliCpu < before.milliCpu || amounts.memory < before.memory) return true
  if (amounts.ephemeralStorage < before.ephemeralStorage) return true
  return [...(before.scalars ?? [])].some(([name, amount]) => (amounts.scalars?.get(name) ?? -1) < amount)
}

/** An event for each kind of change that can make a node fit; none for others, such as heartbeats. */
export function nodeChanges(old: Node, node: Node): ClusterEvent[] {
  const kinds: number[] = []
  if (old.spec?.unschedulable === true && node.spec?.unschedulable !== true) kinds.push(action.updateNodeTaint)
  if (differs(old.status?.allocatable, node.status?.allocatable)) kinds.push(action.updateNodeAllocatable)
  if (differs(old.metadata.labels, node.metadata.labels)) kinds.push(action.updateNodeLabel)
  if (differs(old.spec?.taints, node.spec?.taints)) kinds.push(action.updateNodeTaint)
  if (differs(conditionsOf(old), conditionsOf(node))) kinds.push(action.updateNodeCondition)
  if (differs(old.metadata.annotations, node.metadata.annotations)) kinds.push(action.updateNodeAnnotation)
  return kinds.map((actions) => ({ resource: 'Node', actions, old, object: node }))
}

const conditionsOf = ({ status }: Node): JsonValue =>
  (status?.conditions ?? []).map((condition) => `${condition.type}=${condition.status}`).sort()

export const differs = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a !== b && !equalJson(a ?? null, b ?? null)

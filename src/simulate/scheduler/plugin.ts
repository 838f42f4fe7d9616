/**
 * The shape of a plugin. What it works out about one pod before it looks at nodes (upstream's PreFilter and PreScore) is an
 * object of its own, so that cycles share nothing, and preemption works on clones. Mirrors pkg/scheduler/framework: Plugin.
 */

import type { KubeObject } from '../../api/object.ts'
import type { Clock } from '../../lib/clock.ts'
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceSlice,
  Service,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '../objects.ts'
import type { Registration } from './cluster-events.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import type { Status } from './status.ts'

export const maxNodeScore = 100

/** What a cache of one resource answers; '' is the namespace of what has none. */
export interface Lister<T> {
  get(namespace: string, name: string): T | undefined
  list(namespace?: string): readonly T[]
}

export interface Listers {
  readonly pods: Lister<Pod>
  readonly namespaces: Lister<KubeObject>
  readonly services: Lister<Service>
  readonly replicationControllers: Lister<ReplicationController>
  readonly replicaSets: Lister<ReplicaSet>
  readonly statefulSets: Lister<StatefulSet>
  readonly claims: Lister<PersistentVolumeClaim>
  readonly volumes: Lister<PersistentVolume>
  readonly storageClasses: Lister<StorageClass>
  readonly csiNodes: Lister<CSINode>
  readonly csiDrivers: Lister<CSIDriver>
  readonly csiStorageCapacities: Lister<CSIStorageCapacity>
  readonly volumeAttachments: Lister<VolumeAttachment>
  readonly disruptionBudgets: Lister<PodDisruptionBudget>
  /** Asked only with the gate DynamicResourceAllocation. */
  readonly resourceClaims: Lister<ResourceClaim>
  readonly resourceSlices: Lister<ResourceSlice>
  readonly deviceClasses: Lister<DeviceClass>
}

/** The cluster as plugins see it. */
export interface ClusterView {
  readonly clock: Pick<Clock, 'now' | 'random'>
  readonly listers: Listers
  gate(name: string): boolean
  /** All nodes, in the order in which they are tried. */
  readonly nodes: readonly NodeInfo[]
  node(name: string): NodeInfo | undefined
  /** Nodes with pods that have affinity, or required anti-affinity, to others. */
  readonly affinityNodes: Iterable<NodeInfo>
  readonly antiAffinityNodes: Iterable<NodeInfo>
  /** Whether a pod on some node uses the claim of this key. */
  isClaimInUse(key: string): boolean
}

/** One plugin's work on one pod, up to its binding. */
export interface FilterRun {
  /** Of these nodes alone the pod may be on one. */
  readonly nodeNames?: ReadonlySet<string>
  /** Undefined where the node passes. */
  filter(node: NodeInfo): Status | undefined
  /** As if the pod were, or were not, on the node; on a clone. */
  addPod?(info: PodInfo, node: NodeInfo): void
  removePod?(info: PodInfo, node: NodeInfo): void
  clone?(): FilterRun
  reserve?(node: string): Status | undefined
  unreserve?(node: string): void
  /** Makes real what was reserved. Throws to have the pod tried again. */
  preBind?(node: string): Promise<void>
  /** What others have to do before the pod can be bound; undefined: nothing. Rejects to have the pod tried again. */
  untilBound?(node: string): Promise<void> | undefined
}

export interface ScoreRun {
  score(node: NodeInfo): number
  /** Brings the scores, in place, to 0…100. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void
}

export interface Plugin {
  readonly name: string
  /** Of its score. */
  readonly weight?: number
  readonly events?: readonly Registration[]
  /** Undefined where the pod may be tried. */
  preEnqueue?(pod: Pod): Status | undefined
  /** Undefined where every node passes. */
  preFilter?(info: PodInfo): FilterRun | Status | undefined
  /**
   * What it did about a pod that fits nowhere; '' for nothing. `run` is its own work on the pod, if there was any. Throws
   * where nothing more is to be done about the pod.
   */
  postFilter?(info: PodInfo, run: FilterRun | undefined): Promise<string> | string
  /** Undefined where all nodes are the same to it. */
  preScore?(info: PodInfo, nodes: readonly NodeInfo[]): ScoreRun | undefined
}

export const isStatus = (outcome: FilterRun | Status): outcome is Status => 'code' in outcome

/** The highest becomes 100, or 0 in reverse. Mirrors plugins/helper: DefaultNormalizeScore. */
export function normalizeByHighest(scores: number[], reverse: boolean): void {
  const highest = scores.reduce((a, b) => Math.max(a, b), 0)
  for (const [i, score] of scores.entries()) {
    const scaled = highest === 0 ? 0 : Math.trunc((maxNodeScore * score) / highest)
    scores[i] = reverse ? maxNodeScore - scaled : scaled
  }
}

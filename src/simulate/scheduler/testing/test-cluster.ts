/** A cluster of objects in memory for tests of plugins: what a pod's cycle makes of it. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject, StringMap } from '../../../api/object.ts'
import type { Node, Pod, ResourceClaim } from '../../objects.ts'
import { ClusterState } from '../cluster-state.ts'
import { Cycle } from '../cycle.ts'
import { ClaimTracker } from '../devices/claim-tracker.ts'
import { nameOf, namespaceOf } from '../objects.ts'
import type { ClusterView, Lister, Listers, Plugin } from '../plugin.ts'
import { dynamicResourcesPlugin } from '../plugins/dynamic-resources.ts'
import { PodInfo } from '../pod-info.ts'
import { defaultProfile } from '../profile.ts'
import { VolumeBinder } from '../volumes/volume-binder.ts'

export interface NodeOptions {
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly more?: StringMap
  readonly labels?: StringMap
  readonly taints?: readonly { key: string; value?: string; effect: string }[]
  readonly unschedulable?: boolean
  readonly images?: readonly { names: string[]; sizeBytes: number }[]
}

export function node(name: string, options: NodeOptions = {}): Node {
  const { cpu = '4', memory = '8Gi', pods = '110', more, labels, taints, unschedulable, images } = options
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(unschedulable === true ? { unschedulable } : {}), taints: [...(taints ?? [])] },
    status: { allocatable: { cpu, memory, pods, ...more }, images: [...(images ?? [])] },
  }
}

export interface PodOptions {
  readonly node?: string
  readonly namespace?: string
  readonly cpu?: string
  readonly memory?: string
  readonly labels?: StringMap
  readonly priority?: number
  readonly startTime?: string
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string }
  readonly spec?: JsonObject
  readonly status?: JsonObject
}

export function pod(name: string, options: PodOptions = {}): Pod {
  const { namespace = 'default', cpu, memory, labels, priority, owner, spec, status, startTime } = options
  const requests: StringMap = {}
  if (cpu !== undefined) requests['cpu'] = cpu
  if (memory !== undefined) requests['memory'] = memory
  const ownerReferences = owner === undefined ? [] : [{ ...owner, uid: `uid-${owner.name}`, controller: true }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, labels: labels ?? {}, ownerReferences },
    spec: {
      containers: [{ name: 'main', image: 'image', resources: { requests } }],
      schedulerName: 'default-scheduler',
      ...(options.node === undefined ? {} : { nodeName: options.node }),
      ...(priority === undefined ? {} : { priority }),
      ...spec,
    },
    status: { ...(startTime === undefined ? {} : { startTime }), ...status },
  } as Pod
}

export const object = (kind: string, name: string, rest: JsonObject = {}, namespace = ''): KubeObject => ({
  apiVersion: 'v1',
  kind,
  ...rest,
  metadata: { name, uid: `uid-${name}`, ...(namespace === '' ? {} : { namespace }), ...(rest['metadata'] as object) },
})

const kinds: Readonly<Record<keyof Listers, string>> = {
  pods: 'Pod',
  namespaces: 'Namespace',
  services: 'Service',
  replicationControllers: 'ReplicationController',
  replicaSets: 'ReplicaSet',
  statefulSets: 'StatefulSet',
  claims: 'PersistentVolumeClaim',
  volumes: 'PersistentVolume',
  storageClasses: 'StorageClass',
  csiNodes: 'CSINode',
  csiDrivers: 'CSIDriver',
  csiStorageCapacities: 'CSIStorageCapacity',
  volumeAttachments: 'VolumeAttachment',
  disruptionBudgets: 'PodDisruptionBudget',
  resourceClaims: 'ResourceClaim',
  resourceSlices: 'ResourceSlice',
  deviceClasses: 'DeviceClass',
}

const listerOf = (objects: readonly KubeObject[], kind: string): Lister<KubeObject> => {
  const own = objects.filter((each) => each.kind === kind)
  return {
    get: (namespace, name) => own.find((each) => nameOf(each) === name && namespaceOf(each) === namespace),
    list: (namespace) => own.filter((each) => namespace === undefined || namespaceOf(each) === namespace),
  }
}

/** On by default in this release. */
const defaultGates = ['InPlacePodVerticalScaling', 'MatchLabelKeysInPodTopologySpread']

export interface ClusterOptions {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly objects?: readonly KubeObject[]
  readonly gates?: readonly string[]
}

export interface Placement {
  /** The nodes that fit. */
  readonly feasible: readonly string[]
  /** Of them, those with the highest score. */
  readonly best: readonly string[]
  readonly totals: Readonly<Record<string, number>>
  /** Why none fits; '' where one does. */
  readonly message: string
}

export class TestCluster {
  readonly state: ClusterState
  readonly view: ClusterView
  readonly plugins: readonly Plugin[]

  constructor({ nodes, pods = [], objects = [], gates = [] }: ClusterOptions) {
    const on = new Set([...defaultGates, ...gates])
    const state = new ClusterState({ podLevelResources: on.has('PodLevelResources'), inPlaceResize: true })
    for (const each of nodes) state.setNode(each)
    for (const each of pods) if (each.spec.nodeName !== undefined) state.setPod(each)
    const all = [...pods, ...objects]
    const listers = Object.fromEntries(
      Object.entries(kinds).map(([name, kind]) => [name, listerOf(all, kind)]),
    ) as unknown as Listers
    this.state = state
    this.view = {
      clock: { now: () => 0, random: () => 0 },
      listers,
      gate: (name) => on.has(name),
      get nodes() {
        return state.nodes
      },
      node: (name) => state.node(name),
      get affinityNodes() {
        return state.affinityNodes
      },
      get antiAffinityNodes() {
        return state.antiAffinityNodes
      },
      isClaimInUse: (key) => state.isClaimInUse(key),
    }
    const { view } = this
    const nothing = () => Promise.reject(new Error('a test of plugins writes nothing'))
    const writer = { create: nothing, append: nothing, update: nothing, delete: nothing, post: nothing, apply: nothing }
    const clock = { now: () => 0, setTimeout: () => () => undefined, random: () => 0, uuid: () => '' }
    const volumes = new VolumeBinder({ view, clock, writer, onChange: () => () => undefined })
    const tracker = new ClaimTracker(listers.resourceClaims)
    for (const claim of listers.resourceClaims.list()) tracker.set(claim as ResourceClaim)
    const devices = on.has('DynamicResourceAllocation')
      ? dynamicResourcesPlugin({ view, tracker, writer, track: () => undefined })
      : undefined
    this.plugins = defaultProfile(view, { volumes, devices, preemption: { name: 'DefaultPreemption' } })
  }

  info(of: Pod): PodInfo {
    return new PodInfo(of, { podLevelResources: this.view.gate('PodLevelResources'), inPlaceResize: true })
  }

  cycle(of: Pod): Cycle {
    return new Cycle(this.info(of), { view: this.view, plugins: this.plugins, nominatedTo: () => [] })
  }

  place(of: Pod): Placement {
    const cycle = this.cycle(of)
    const nodes = cycle.feasibleNodes(0)
    const names = nodes.map(({ name }) => name)
    if (nodes.length === 0) {
      return { feasible: [], best: [], totals: {}, message: cycle.diagnosis.message(this.view.nodes.length) }
    }
    const totals = cycle.totals(nodes)
    const highest = Math.max(...totals)
    return {
      feasible: names,
      best: names.filter((_, i) => totals[i] === highest),
      totals: Object.fromEntries(names.map((name, i) => [name, totals[i] ?? 0])),
      message: '',
    }
  }

  /** The normalized scores of one plugin. */
  scores(plugin: string, of: Pod): Readonly<Record<string, number>> | undefined {
    const { nodes } = this.view
    const run = this.plugins.find(({ name }) => name === plugin)?.preScore?.(this.info(of), nodes)
    if (run === undefined) return undefined
    const scores = nodes.map((each) => run.score(each))
    run.normalize?.(scores, nodes)
    return Object.fromEntries(nodes.map(({ name }, i) => [name, scores[i] ?? 0]))
  }

  /** Whether some hint of the plugin takes the change for worth another try. */
  isWorthTrying(plugin: string, of: Pod, event: HintedEvent): boolean {
    const registrations = this.plugins.find(({ name }) => name === plugin)?.events ?? []
    return registrations.some(
      ({ resource, actions, hint }) =>
        resource === event.resource &&
        (actions & event.actions) !== 0 &&
        (hint === undefined || hint(of, { old: event.old, object: event.object })),
    )
  }
}

export interface HintedEvent {
  readonly resource: string
  readonly actions: number
  readonly old?: KubeObject
  readonly object?: KubeObject
}

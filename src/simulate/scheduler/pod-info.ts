/** A pod with what plugins ask of it again and again, worked out when first asked for. */
import type { JsonObject } from '../../api/json.ts'
import type { StringMap } from '../../api/object.ts'
import type { ContainerPort } from '../../catalog/types/core-v1.ts'
import type { Pod } from '../objects.ts'
import { type AffinityTerm, preferredTerms, requiredTerms, type WeightedTerm } from './affinity-term.ts'
import { namespaceOf, priorityOf, schedulingKey, uidOf } from './objects.ts'
import {
  defaultMemory,
  defaultMilliCpu,
  hasPodLevelRequests,
  podRequests,
  type ResourceAmounts,
} from './resource-amounts.ts'

export interface HostPort {
  readonly ip: string
  /** `TCP/80`. */
  readonly port: string
}

export interface PodInfoOptions {
  readonly podLevelResources: boolean
  readonly inPlaceResize: boolean
}

export interface AffinityTerms {
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly preferred: readonly WeightedTerm[]
  readonly preferredAnti: readonly WeightedTerm[]
}

const noTerms: AffinityTerms = { affinity: [], antiAffinity: [], preferred: [], preferredAnti: [] }
const noPorts: readonly HostPort[] = []
const noClaims: readonly string[] = []

/** Every host address. */
export const anyAddress = '0.0.0.0'

export class PodInfo {
  readonly pod: Pod
  readonly uid: string
  /** Containers, tolerations and most of the status are left out. */
  readonly isBrief: boolean
  readonly #options: PodInfoOptions
  #requests: ResourceAmounts | undefined
  #nonZero: { readonly milliCpu: number; readonly memory: number } | undefined
  #terms: AffinityTerms | undefined
  #ports: readonly HostPort[] | undefined
  #affinityKey: string | undefined

  constructor(pod: Pod, options: PodInfoOptions, isBrief = false) {
    this.pod = pod
    this.isBrief = isBrief
    this.uid = uidOf(pod)
    this.#options = options
  }

  get key(): string {
    return schedulingKey(this.pod)
  }

  get namespace(): string {
    return namespaceOf(this.pod)
  }

  get labels(): StringMap | undefined {
    return this.pod.metadata.labels
  }

  get priority(): number {
    return priorityOf(this.pod)
  }

  /** With what the kubelet reports of a pod that runs. */
  get requests(): ResourceAmounts {
    this.#requests ??= podRequests(this.pod, this.#requestOptions())
    return this.#requests
  }

  /** With the default for every container that asks for none. */
  get nonZero(): { readonly milliCpu: number; readonly memory: number } {
    this.#nonZero ??= this.#nonZeroRequests()
    return this.#nonZero
  }

  /** Throws where a selector of another program's making cannot be read. */
  get terms(): AffinityTerms {
    this.#terms ??= termsOf(this.pod)
    return this.#terms
  }

  /** As `terms`, with none in the place of what cannot be read. */
  get readableTerms(): AffinityTerms {
    try {
      return this.terms
    } catch {
      this.#terms = noTerms
      return noTerms
    }
  }

  get hasPodAffinity(): boolean {
    const { affinity } = this.pod.spec
    return affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined
  }

  /** The same for pods whose terms mean the same. */
  get affinityKey(): string {
    const { podAffinity, podAntiAffinity } = this.pod.spec.affinity ?? {}
    this.#affinityKey ??= JSON.stringify([this.namespace, podAffinity, podAntiAffinity])
    return this.#affinityKey
  }

  get hasRequiredAntiAffinity(): boolean {
    return (this.pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0
  }

  get hostPorts(): readonly HostPort[] {
    this.#ports ??= hostPortsOf(this.pod)
    return this.#ports
  }

  /** Keys of the claims that its volumes name. */
  get claimKeys(): readonly string[] {
    const { volumes } = this.pod.spec
    if (volumes === undefined || volumes.length === 0) return noClaims
    return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
      claim === undefined ? [] : [`${this.namespace}/${claim.claimName}`],
    )
  }

  /** What is asked of a pod that has a node, without the rest of the object, which would be kept in memory by it. */
  brief(): PodInfo {
    const info = new PodInfo(briefPod(this.pod), this.#options, true)
    info.#requests = this.requests
    info.#nonZero = this.nonZero
    info.#ports = this.hostPorts
    info.#terms = this.#terms
    info.#affinityKey = this.#affinityKey
    return info
  }

  /** The same pod later. What its specification alone decides is kept. */
  updated(pod: Pod): PodInfo {
    const next = new PodInfo(pod, this.#options)
    if (pod.spec !== this.pod.spec) return next
    next.#terms = this.#terms
    next.#ports = this.#ports
    next.#affinityKey = this.#affinityKey
    return next
  }

  #requestOptions() {
    const { podLevelResources: podLevel, inPlaceResize: useStatus } = this.#options
    return { podLevel, useStatus }
  }

  #nonZeroRequests(): { milliCpu: number; memory: number } {
    const { requests } = this
    const podLevel = this.#options.podLevelResources && hasPodLevelRequests(this.pod)
    const nonMissing: StringMap = {}
    if (!podLevel || requests.milliCpu === 0) nonMissing['cpu'] = `${defaultMilliCpu}m`
    if (!podLevel || requests.memory === 0) nonMissing['memory'] = `${defaultMemory}`
    const { milliCpu, memory } = podRequests(this.pod, { ...this.#requestOptions(), nonMissing })
    return { milliCpu, memory }
  }
}

function briefPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata
  const { nodeName, schedulerName, priority, affinity } = spec
  const { startTime, nominatedNodeName, conditions } = status ?? {}
  const volumes = spec.volumes?.filter((volume) => storageSources.some((source) => volume[source] !== undefined))
  const disruption = conditions?.find(({ type }) => type === 'DisruptionTarget')
  return {
    apiVersion,
    kind,
    metadata: present({ name, namespace, uid, resourceVersion, labels, deletionTimestamp }),
    spec: {
      containers: [],
      ...present({ nodeName, schedulerName, priority, affinity, volumes: volumes?.length === 0 ? undefined : volumes }),
    },
    status: present({ startTime, nominatedNodeName, conditions: disruption && [disruption] }),
  }
}

/** Volumes that plugins look at. */
const storageSources = [
  'persistentVolumeClaim',
  'ephemeral',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'azureDisk',
  'cinder',
  'iscsi',
  'rbd',
] as const

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends JsonObject>(object: T): Present<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<T>
}

function termsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms
  return {
    affinity: requiredTerms(pod, podAffinity),
    antiAffinity: requiredTerms(pod, podAntiAffinity),
    preferred: preferredTerms(pod, podAffinity),
    preferredAnti: preferredTerms(pod, podAntiAffinity),
  }
}

/** Of containers that run as long as the pod. Mirrors pkg/scheduler/util: GetHostPorts. */
function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  let ports: HostPort[] | undefined
  const collect = (list: readonly ContainerPort[] | undefined): void => {
    for (const { hostPort = 0, hostIP = '', protocol = 'TCP' } of list ?? []) {
      if (hostPort <= 0) continue
      ports ??= []
      ports.push({ ip: hostIP === '' ? anyAddress : hostIP, port: `${protocol}/${hostPort}` })
    }
  }
  for (const { restartPolicy, ports: own } of spec.initContainers ?? []) if (restartPolicy === 'Always') collect(own)
  for (const { ports: own } of spec.containers) collect(own)
  return ports ?? noPorts
}

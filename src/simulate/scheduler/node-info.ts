/**
 * A node with the pods on it and their sums, kept up to date by delta. The cache owns one a node; preemption works on
 * clones. Mirrors pkg/scheduler/framework: NodeInfo.
 */
import type { StringMap } from '../../api/object.ts'
import type { Taint } from '../../catalog/types/core-v1.ts'
import type { Node } from '../objects.ts'
import { labelValue } from './objects.ts'
import { anyAddress, type HostPort, type PodInfo } from './pod-info.ts'
import { addAmounts, amountsOfList, cloneAmounts, noAmounts, type ResourceAmounts } from './resource-amounts.ts'

/** An image, and the nodes that have it. */
export interface ImageState {
  readonly size: number
  readonly nodes: Set<string>
}

const noImages: ReadonlyMap<string, ImageState> = new Map()
const noPods: ReadonlyMap<string, PodInfo> = new Map()
const maxLabelValues = 64
const noGroups: ReadonlyMap<string, AffinityGroup> = new Map()

/** Pods with the same terms, in the same namespace. */
export interface AffinityGroup {
  readonly example: PodInfo
  readonly pods: number
}

export class NodeInfo {
  readonly name: string
  /** Absent while only pods refer to it. */
  node: Node | undefined
  images: ReadonlyMap<string, ImageState> = noImages
  /** By uid. */
  readonly pods = new Map<string, PodInfo>()
  readonly requested: ResourceAmounts = noAmounts()
  readonly nonZeroRequested = { milliCpu: 0, memory: 0 }
  allocatable: ResourceAmounts = noAmounts()
  /** Changes with everything that is counted over pods. */
  generation = 0
  /** Labels that plugins looked up: every pod asks every node for the same few topology keys. */
  readonly #labelValues = new Map<string, string | undefined>()
  #affinityGroups: Map<string, AffinityGroup> | undefined
  #antiAffinityPods: Map<string, PodInfo> | undefined
  /** By protocol and port: how many pods use it at each address. */
  #ports: Map<string, Map<string, number>> | undefined

  constructor(name: string) {
    this.name = name
  }

  get labels(): StringMap | undefined {
    return this.node?.metadata.labels
  }

  /** Memoized: a lookup by a variable key in an object costs ten times as much. */
  label(key: string): string | undefined {
    const known = this.#labelValues.get(key)
    if (known !== undefined || this.#labelValues.has(key)) return known
    const value = labelValue(this.labels, key)
    if (this.#labelValues.size >= maxLabelValues) this.#labelValues.clear()
    this.#labelValues.set(key, value)
    return value
  }

  get taints(): readonly Taint[] | undefined {
    return this.node?.spec?.taints
  }

  /** Pods with affinity or anti-affinity to other pods, by what they say. */
  get affinityGroups(): ReadonlyMap<string, AffinityGroup> {
    return this.#affinityGroups ?? noGroups
  }

  get antiAffinityPods(): ReadonlyMap<string, PodInfo> {
    return this.#antiAffinityPods ?? noPods
  }

  setNode(node: Node): void {
    if (this.node?.status?.allocatable !== node.status?.allocatable || this.node === undefined) {
      this.allocatable = amountsOfList(node.status?.allocatable)
    }
    if (this.labels !== node.metadata.labels) this.#labelValues.clear()
    this.node = node
  }

  /** Pods may still be there. */
  unsetNode(): void {
    this.node = undefined
    this.#labelValues.clear()
  }

  addPod(info: PodInfo): void {
    this.pods.set(info.uid, info)
    if (info.hasRequiredAntiAffinity) {
      this.#antiAffinityPods ??= new Map()
      this.#antiAffinityPods.set(info.uid, info)
    }
    this.#count(info, 1)
  }

  /** Whether there was such a pod. */
  removePod(uid: string): boolean {
    const info = this.pods.get(uid)
    if (info === undefined) return false
    this.pods.delete(uid)
    this.#antiAffinityPods?.delete(uid)
    this.#count(info, -1)
    return true
  }

  /** Whether another pod has one of the ports. */
  conflictsWith(ports: readonly HostPort[]): boolean {
    return ports.some(({ ip, port }) => {
      const used = this.#ports?.get(port)
      if (used === undefined) return false
      return ip === anyAddress || used.has(anyAddress) || used.has(ip)
    })
  }

  clone(): NodeInfo {
    const copy = new NodeInfo(this.name)
    copy.node = this.node
    copy.images = this.images
    copy.allocatable = this.allocatable
    for (const [uid, info] of this.pods) copy.pods.set(uid, info)
    Object.assign(copy.requested, cloneAmounts(this.requested))
    Object.assign(copy.nonZeroRequested, this.nonZeroRequested)
    copy.generation = this.generation
    copy.#affinityGroups = this.#affinityGroups && new Map(this.#affinityGroups)
    copy.#antiAffinityPods = this.#antiAffinityPods && new Map(this.#antiAffinityPods)
    copy.#ports = this.#ports && new Map([...this.#ports].map(([port, used]) => [port, new Map(used)]))
    return copy
  }

  #count(info: PodInfo, sign: 1 | -1): void {
    addAmounts(this.requested, info.requests, sign)
    this.nonZeroRequested.milliCpu += sign * info.nonZero.milliCpu
    this.nonZeroRequested.memory += sign * info.nonZero.memory
    for (const { ip, port } of info.hostPorts) this.#countPort(port, ip, sign)
    if (info.hasPodAffinity) this.#countGroup(info, sign)
    this.generation++
  }

  #countGroup(info: PodInfo, sign: 1 | -1): void {
    this.#affinityGroups ??= new Map()
    const { affinityKey } = info
    const { example = info, pods = 0 } = this.#affinityGroups.get(affinityKey) ?? {}
    if (pods + sign > 0) this.#affinityGroups.set(affinityKey, { example, pods: pods + sign })
    else this.#affinityGroups.delete(affinityKey)
  }

  #countPort(port: string, ip: string, sign: 1 | -1): void {
    this.#ports ??= new Map()
    const used = this.#ports.get(port) ?? new Map<string, number>()
    const count = (used.get(ip) ?? 0) + sign
    if (count > 0) used.set(ip, count)
    else used.delete(ip)
    if (used.size > 0) this.#ports.set(port, used)
    else this.#ports.delete(port)
  }
}

/**
 * Nodes and the pods on them, with pods that are on their way to a node counted there already (assumed). Changed by delta
 * only. Mirrors pkg/scheduler/backend/cache.
 */

import type { Node, Pod } from '../objects.ts'
import { type ImageState, NodeInfo } from './node-info.ts'
import { NodeTree } from './node-tree.ts'
import { nameOf } from './objects.ts'
import { PodInfo, type PodInfoOptions } from './pod-info.ts'

interface PlacedPod {
  readonly info: PodInfo
  readonly node: string
  /** The server has not confirmed it yet. */
  readonly isAssumed: boolean
}

export class ClusterState {
  readonly #options: PodInfoOptions
  readonly #nodes = new Map<string, NodeInfo>()
  readonly #tree = new NodeTree()
  readonly #pods = new Map<string, PlacedPod>()
  readonly #images = new Map<string, ImageState>()
  /** How many pods use each claim. */
  readonly #claims = new Map<string, number>()
  readonly #affinityNodes = new Set<NodeInfo>()
  readonly #antiAffinityNodes = new Set<NodeInfo>()
  #list: { readonly order: readonly string[]; readonly nodes: readonly NodeInfo[] } | undefined

  constructor(options: PodInfoOptions) {
    this.#options = options
  }

  /** Those that exist, in the order in which they are tried. */
  get nodes(): readonly NodeInfo[] {
    const { order } = this.#tree
    if (this.#list?.order !== order) {
      this.#list = { order, nodes: order.flatMap((name) => this.#nodes.get(name) ?? []) }
    }
    return this.#list.nodes
  }

  get affinityNodes(): Iterable<NodeInfo> {
    return this.#affinityNodes
  }

  get antiAffinityNodes(): Iterable<NodeInfo> {
    return this.#antiAffinityNodes
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name)
    return info?.node === undefined ? undefined : info
  }

  isClaimInUse(key: string): boolean {
    return this.#claims.has(key)
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.isAssumed ?? false
  }

  placed(uid: string): PodInfo | undefined {
    return this.#pods.get(uid)?.info
  }

  setNode(node: Node): void {
    const name = nameOf(node)
    const info = this.#nodes.get(name) ?? new NodeInfo(name)
    this.#nodes.set(name, info)
    const old = info.node
    if (old === undefined) this.#tree.add(node)
    else this.#tree.update(old, node)
    info.setNode(node)
    if (old === undefined || old.status?.images !== node.status?.images) {
      if (old !== undefined) this.#dropImages(info)
      info.images = this.#imagesOf(node)
    }
  }

  /** Pods that are still there keep their place until they go, too. */
  removeNode(node: Node): void {
    const info = this.#nodes.get(nameOf(node))
    if (info?.node === undefined) return
    this.#tree.remove(info.node)
    this.#dropImages(info)
    info.unsetNode()
    if (info.pods.size === 0) this.#nodes.delete(info.name)
  }

  /** As if the pod were on the node, until the server says so or `forget`. */
  assume(info: PodInfo, node: string): void {
    this.#place(info, node, true)
  }

  forget(uid: string): void {
    if (this.isAssumed(uid)) this.removePod(uid)
  }

  /** A pod that the server has on a node, new or changed. */
  setPod(pod: Pod): PodInfo {
    const info = new PodInfo(pod, this.#options).brief()
    this.#place(info, pod.spec.nodeName ?? '', false)
    return info
  }

  removePod(uid: string): void {
    const placed = this.#pods.get(uid)
    if (placed === undefined) return
    this.#pods.delete(uid)
    for (const key of placed.info.claimKeys) this.#countClaim(key, -1)
    const node = this.#nodes.get(placed.node)
    node?.removePod(uid)
    if (node === undefined) return
    this.#indexAffinity(node)
    if (node.node === undefined && node.pods.size === 0) this.#nodes.delete(node.name)
  }

  #place(info: PodInfo, name: string, isAssumed: boolean): void {
    this.removePod(info.uid)
    const node = this.#nodes.get(name) ?? new NodeInfo(name)
    this.#nodes.set(name, node)
    node.addPod(info)
    this.#indexAffinity(node)
    for (const key of info.claimKeys) this.#countClaim(key, 1)
    this.#pods.set(info.uid, { info, node: name, isAssumed })
  }

  #indexAffinity(node: NodeInfo): void {
    if (node.affinityGroups.size > 0) this.#affinityNodes.add(node)
    else this.#affinityNodes.delete(node)
    if (node.antiAffinityPods.size > 0) this.#antiAffinityNodes.add(node)
    else this.#antiAffinityNodes.delete(node)
  }

  #countClaim(key: string, delta: number): void {
    const count = (this.#claims.get(key) ?? 0) + delta
    if (count > 0) this.#claims.set(key, count)
    else this.#claims.delete(key)
  }

  #imagesOf(node: Node): ReadonlyMap<string, ImageState> {
    const images = new Map<string, ImageState>()
    for (const { names, sizeBytes = 0 } of node.status?.images ?? []) {
      for (const name of names ?? []) {
        const state = this.#images.get(name) ?? { size: sizeBytes, nodes: new Set<string>() }
        state.nodes.add(nameOf(node))
        this.#images.set(name, state)
        images.set(name, state)
      }
    }
    return images
  }

  #dropImages(info: NodeInfo): void {
    for (const [name, { nodes }] of info.images) {
      nodes.delete(info.name)
      if (nodes.size === 0) this.#images.delete(name)
    }
    info.images = new Map()
  }
}

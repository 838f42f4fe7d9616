/**
 * Which pods a kubelet takes: those that fit what its node has beside the pods that it took before, by any scheduler.
 * Mirrors pkg/kubelet/lifecycle: predicateAdmitHandler. Mirrors pkg/scheduler: AdmissionCheck.
 */

import type { Node, Pod } from '../objects.ts'
import { NodeInfo } from '../scheduler/node-info.ts'
import { requiredNodeAffinity } from '../scheduler/node-selector.ts'
import { PodInfo, type PodInfoOptions } from '../scheduler/pod-info.ts'
import { isTolerated } from '../scheduler/toleration.ts'
import type { PendingResize } from './pod-life/pod-run.ts'

export interface Rejection {
  readonly reason: string
  readonly message: string
}

const osLabel = 'kubernetes.io/os'

export class PodAdmission {
  readonly #options: PodInfoOptions
  readonly #nodes = new Map<string, NodeInfo>()
  /** The nodes of pods that were taken, by uid. */
  readonly #taken = new Map<string, NodeInfo>()

  constructor(options: PodInfoOptions) {
    this.#options = options
  }

  /** Takes the pod, or says why not. */
  admit(pod: Pod, node: Node): Rejection | undefined {
    const info = this.#infoOf(pod)
    const on = this.#nodeOf(node)
    on.removePod(info.uid)
    // A node that says nothing of what it has has all of it.
    const rejection = node.status?.allocatable === undefined ? undefined : rejectionOf(info, on)
    if (rejection === undefined) this.#count(info, on)
    return rejection
  }

  /** Takes a pod that runs there already, or whose requests have changed. */
  adopt(pod: Pod, node: Node): void {
    this.#count(this.#infoOf(pod), this.#nodeOf(node))
  }

  /** Gives a pod that it took what its spec asks for now, or says why not. Mirrors pkg/kubelet: Kubelet.canResizePod. */
  resize({ status: _, ...asked }: Pod, node: Node): PendingResize | undefined {
    const info = this.#infoOf(asked)
    const on = this.#nodeOf(node)
    const isLimited = node.status?.allocatable !== undefined
    const beyond = isLimited ? beyondNode(info, on) : undefined
    if (beyond !== undefined) return { reason: 'Infeasible', message: beyond }
    const before = on.pods.get(info.uid)
    on.removePod(info.uid)
    const rejection = isLimited ? rejectionOf(info, on) : undefined
    if (rejection === undefined) {
      this.#count(info, on)
      return undefined
    }
    if (before !== undefined) on.addPod(before)
    return { reason: 'Deferred', message: rejection.message }
  }

  /** It takes no room any more. */
  release(uid: string): void {
    const on = this.#taken.get(uid)
    if (on === undefined) return
    this.#taken.delete(uid)
    on.removePod(uid)
    if (on.pods.size === 0) this.#nodes.delete(on.name)
  }

  #infoOf(pod: Pod): PodInfo {
    return new PodInfo(pod, this.#options)
  }

  #nodeOf(node: Node): NodeInfo {
    const name = node.metadata.name ?? ''
    const info = this.#nodes.get(name) ?? new NodeInfo(name)
    info.setNode(node)
    this.#nodes.set(name, info)
    return info
  }

  #count(info: PodInfo, on: NodeInfo): void {
    this.release(info.uid)
    this.#nodes.set(on.name, on)
    on.addPod(info)
    this.#taken.set(info.uid, on)
  }
}

/** The first reason, as the kubelet words it. */
function rejectionOf(info: PodInfo, node: NodeInfo): Rejection | undefined {
  const { labels } = info.pod.metadata
  const { os } = info.pod.spec as { os?: { name?: string } }
  const nodeOs = 'linux'
  if (labels?.[osLabel] !== undefined && labels[osLabel] !== nodeOs) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message }
  }
  if (os?.name !== undefined && os.name !== nodeOs) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
  }
  return lackOf(info, node) ?? predicateFailure(info, node)
}

/** What not even an empty node would have. */
function beyondNode({ requests }: PodInfo, { allocatable }: NodeInfo): string | undefined {
  for (const [name, asked, capacity] of [
    ['memory', requests.memory, allocatable.memory],
    ['cpu', requests.milliCpu, allocatable.milliCpu],
  ] as const) {
    if (asked > capacity) return `Node didn't have enough capacity: ${name}, requested: ${asked}, capacity: ${capacity}`
  }
  return undefined
}

function lackOf({ requests }: PodInfo, { allocatable, requested, pods }: NodeInfo): Rejection | undefined {
  const scalars = [...(requests.scalars ?? [])]
    // What the node does not know is the cluster's.
    .filter(([name]) => allocatable.scalars?.has(name) === true || !name.includes('/'))
    .map(
      ([name, asked]) => [name, asked, requested.scalars?.get(name) ?? 0, allocatable.scalars?.get(name) ?? 0] as const,
    )
  const amounts: readonly (readonly [name: string, asked: number, used: number, capacity: number])[] = [
    ['pods', 1, pods.size, allocatable.pods],
    ['cpu', requests.milliCpu, requested.milliCpu, allocatable.milliCpu],
    ['memory', requests.memory, requested.memory, allocatable.memory],
    ['ephemeral-storage', requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage],
    ...scalars,
  ]
  const lack = amounts.find(([, asked, used, capacity]) => asked > 0 && asked > capacity - used)
  if (lack === undefined) return undefined
  const [name, asked, used, capacity] = lack
  const message = `Node didn't have enough resource: ${name}, requested: ${asked}, used: ${used}, capacity: ${capacity}`
  return { reason: `OutOf${name}`, message }
}

function predicateFailure({ pod, hostPorts }: PodInfo, node: NodeInfo): Rejection | undefined {
  const failed = (reason: string, why: string): Rejection => ({ reason, message: `Predicate ${reason} failed: ${why}` })
  if (!requiredNodeAffinity(pod)({ name: node.name, labels: node.labels })) {
    return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")
  }
  if (node.conflictsWith(hostPorts)) {
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports")
  }
  const taint = node.taints?.find((each) => each.effect === 'NoExecute' && !isTolerated(each, pod.spec.tolerations))
  return taint === undefined ? undefined : failed('TaintToleration', "node(s) had taints that the pod didn't tolerate")
}

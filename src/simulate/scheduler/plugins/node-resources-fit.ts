/** What a pod requests must be free on its node, and nodes with more left are liked. Mirrors plugins/noderesources: Fit, LeastAllocated. */
import { compileOnce } from '../../../lib/memo.ts'
import type { Node, Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { NodeInfo } from '../node-info.ts'
import { nameOf, uidOf } from '../objects.ts'
import { type ClusterView, maxNodeScore, type Plugin } from '../plugin.ts'
import type { PodInfo } from '../pod-info.ts'
import {
  defaultMemory,
  defaultMilliCpu,
  isNothing,
  type PodRequestOptions,
  podRequests,
  type ResourceAmounts,
} from '../resource-amounts.ts'
import { unschedulable } from '../status.ts'
import { mayHaveOccupiedNode } from './node-ports.ts'

const name = 'NodeResourcesFit'

export function nodeResourcesFitPlugin(view: ClusterView): Plugin {
  const options: PodRequestOptions = { podLevel: view.gate('PodLevelResources') }
  const inPlaceResize = view.gate('InPlacePodVerticalScaling')
  return {
    name,
    weight: 1,
    events: [
      {
        resource: 'Pod',
        actions: action.delete | (inPlaceResize ? action.updatePodScaleDown : 0),
        hint(pod, { old, object }) {
          if (object === undefined) return mayHaveOccupiedNode(old as Pod)
          return isUsefulScaleDown(pod, old as Pod, object as Pod)
        },
      },
      {
        resource: 'Node',
        actions: action.add | action.updateNodeAllocatable,
        hint: (pod, { old, object }) =>
          isUsefulNode(podRequests(pod, options), old as Node | undefined, object as Node),
      },
    ],
    preFilter({ pod }) {
      const requests = podRequests(pod, options)
      return {
        filter(node) {
          const insufficient = insufficientResources(requests, node)
          return insufficient.length === 0 ? undefined : unschedulable(name, ...insufficient)
        },
      }
    },
    preScore(info) {
      const { milliCpu, memory } = scoredRequests(info)
      return {
        score({ allocatable, nonZeroRequested }) {
          const cpu = leastRequested(nonZeroRequested.milliCpu + milliCpu, allocatable.milliCpu)
          const bytes = leastRequested(nonZeroRequested.memory + memory, allocatable.memory)
          const weights = (allocatable.milliCpu === 0 ? 0 : 1) + (allocatable.memory === 0 ? 0 : 1)
          return weights === 0 ? 0 : Math.trunc((cpu + bytes) / weights)
        },
      }
    },
  }
}

/** The reference leaves pod-level requests and what the kubelet reports out of this score. */
function scoredRequests({ pod }: PodInfo): { milliCpu: number; memory: number } {
  const nonMissing = { cpu: `${defaultMilliCpu}m`, memory: `${defaultMemory}` }
  return podRequests(pod, { podLevel: false, nonMissing })
}

const leastRequested = (requested: number, capacity: number): number =>
  capacity === 0 || requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxNodeScore) / capacity)

/** The reasons why the requests do not fit; none where they do. */
function insufficientResources(requests: ResourceAmounts, node: NodeInfo): string[] {
  const { allocatable, requested } = node
  const reasons: string[] = []
  if (node.pods.size + 1 > allocatable.pods) reasons.push('Too many pods')
  if (isNothing(requests)) return reasons
  const lacks = (asked: number, capacity: number, used: number): boolean => asked > 0 && asked > capacity - used
  if (lacks(requests.milliCpu, allocatable.milliCpu, requested.milliCpu)) reasons.push('Insufficient cpu')
  if (lacks(requests.memory, allocatable.memory, requested.memory)) reasons.push('Insufficient memory')
  if (lacks(requests.ephemeralStorage, allocatable.ephemeralStorage, requested.ephemeralStorage)) {
    reasons.push('Insufficient ephemeral-storage')
  }
  for (const [resource, asked] of requests.scalars ?? []) {
    const capacity = allocatable.scalars?.get(resource) ?? 0
    if (lacks(asked, capacity, requested.scalars?.get(resource) ?? 0)) reasons.push(`Insufficient ${resource}`)
  }
  return reasons
}

/** An empty node of this size would do, and has more of something that is asked for than before. */
function isUsefulNode(requests: ResourceAmounts, old: Node | undefined, node: Node): boolean {
  const now = emptyNode(node)
  if (insufficientResources(requests, now).length > 0) return false
  if (old === undefined) return true
  const before = emptyNode(old).allocatable
  const after = now.allocatable
  if (after.pods > before.pods) return true
  if (requests.milliCpu > 0 && after.milliCpu > before.milliCpu) return true
  if (requests.memory > 0 && after.memory > before.memory) return true
  if (requests.ephemeralStorage > 0 && after.ephemeralStorage > before.ephemeralStorage) return true
  return [...(requests.scalars ?? [])].some(
    ([resource, asked]) => asked > 0 && (after.scalars?.get(resource) ?? 0) > (before.scalars?.get(resource) ?? 0),
  )
}

/** Every pod that waits asks for it when a node changes. */
const emptyNode = compileOnce('scheduler-empty-node', (node: Node): NodeInfo => {
  const info = new NodeInfo(nameOf(node))
  info.setNode(node)
  return info
})

/** A pod on a node asks for less of something that the pod asks for; or the pod itself for less. */
function isUsefulScaleDown(pod: Pod, old: Pod, changed: Pod): boolean {
  if (uidOf(changed) === uidOf(pod)) return true
  if ((changed.spec.nodeName ?? '') === '') return false
  const options = { podLevel: true, useStatus: true }
  const asked = podRequests(pod, options)
  const before = podRequests(old, options)
  const after = podRequests(changed, options)
  if (asked.milliCpu > 0 && before.milliCpu > after.milliCpu) return true
  if (asked.memory > 0 && before.memory > after.memory) return true
  if (asked.ephemeralStorage > 0 && before.ephemeralStorage > after.ephemeralStorage) return true
  return [...(asked.scalars ?? [])].some(
    ([resource, amount]) => amount > 0 && (before.scalars?.get(resource) ?? 0) > (after.scalars?.get(resource) ?? 0),
  )
}

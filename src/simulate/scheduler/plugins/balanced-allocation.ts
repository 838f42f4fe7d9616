/** Nodes whose computing and memory would be used to the same share are liked. Mirrors plugins/noderesources: BalancedAllocation. */
import { type ClusterView, maxNodeScore, type Plugin } from '../plugin.ts'
import { podRequests } from '../resource-amounts.ts'

export function balancedAllocationPlugin(view: ClusterView): Plugin {
  const options = { podLevel: view.gate('PodLevelResources'), useStatus: view.gate('InPlacePodVerticalScaling') }
  return {
    name: 'NodeResourcesBalancedAllocation',
    weight: 1,
    preScore({ pod }) {
      const { milliCpu, memory } = podRequests(pod, options)
      if (milliCpu === 0 && memory === 0) return undefined
      return {
        score({ allocatable, requested }) {
          const cpu = fraction(requested.milliCpu + milliCpu, allocatable.milliCpu)
          const bytes = fraction(requested.memory + memory, allocatable.memory)
          const deviation = cpu === undefined || bytes === undefined ? 0 : Math.abs((cpu - bytes) / 2)
          return Math.trunc((1 - deviation) * maxNodeScore)
        },
      }
    },
  }
}

const fraction = (requested: number, capacity: number): number | undefined =>
  capacity === 0 ? undefined : Math.min(requested / capacity, 1)

/**
 * How many pods on a node a selector matches. Counts are kept by selector and counted anew only for nodes whose pods changed:
 * the pods of a workload ask the same of all nodes, one after the other, and each changes one node.
 *
 * Bound: a few dozen selectors; the one that was asked for longest ago goes.
 */

import type { LabelSelector } from '../../../api/label-selector.ts'
import { SideTable } from '../../../lib/memo.ts'
import type { NodeInfo } from '../node-info.ts'
import { namespaceOf } from '../objects.ts'

const maxSelectors = 64

interface Count {
  generation: number
  pods: number
}

export class MatchingPods {
  readonly #bySelector = new Map<string, SideTable<NodeInfo, Count>>()

  /** Counts of the namespace's pods that are not being deleted. A selector that restricts nothing matches none. */
  counter(selector: LabelSelector, namespace: string): (node: NodeInfo) => number {
    if (selector.isEmpty()) return () => 0
    const counts = this.#countsOf(`${namespace} ${selector.toString()}`)
    return (node) => {
      const known = counts.get(node)
      if (known?.generation === node.generation) return known.pods
      const pods = countPods(node, selector, namespace)
      counts.set(node, { generation: node.generation, pods })
      return pods
    }
  }

  #countsOf(key: string): SideTable<NodeInfo, Count> {
    const counts = this.#bySelector.get(key) ?? new SideTable<NodeInfo, Count>()
    this.#bySelector.delete(key)
    this.#bySelector.set(key, counts)
    if (this.#bySelector.size > maxSelectors) {
      const [oldest] = this.#bySelector.keys()
      if (oldest !== undefined) this.#bySelector.delete(oldest)
    }
    return counts
  }
}

function countPods({ pods }: NodeInfo, selector: LabelSelector, namespace: string): number {
  let count = 0
  for (const { pod } of pods.values()) {
    if (pod.metadata.deletionTimestamp !== undefined || namespaceOf(pod) !== namespace) continue
    if (selector.matches(pod.metadata.labels)) count++
  }
  return count
}

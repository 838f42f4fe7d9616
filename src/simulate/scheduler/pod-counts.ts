/**
 * How many pods on a node something is true of. Counts are kept by question and counted anew only for nodes whose pods
 * changed: the pods of a workload ask the same of all nodes, one after the other, and each changes one node.
 *
 * Bound: a few dozen questions; the one that was asked longest ago goes.
 */

import type { LabelSelector } from '../../api/label-selector.ts'
import { SideTable } from '../../lib/memo.ts'
import type { Pod } from '../objects.ts'
import type { NodeInfo } from './node-info.ts'
import { namespaceOf } from './objects.ts'

const maxQuestions = 64

interface Count {
  readonly generation: number
  readonly pods: number
}

export type PodCounter = (node: NodeInfo) => number

export class DomainPodCounts {
  readonly #byQuestion = new Map<string, SideTable<NodeInfo, Count>>()

  /** `question` says all that the answer depends on besides the pod. */
  counter(question: string, isCounted: (pod: Pod) => boolean): PodCounter {
    const counts = this.#countsOf(question)
    return (node) => {
      const known = counts.get(node)
      if (known?.generation === node.generation) return known.pods
      let pods = 0
      for (const { pod } of node.pods.values()) if (isCounted(pod)) pods++
      counts.set(node, { generation: node.generation, pods })
      return pods
    }
  }

  /** Of the namespace's pods that are not being deleted. A selector that restricts nothing matches none. */
  selected(selector: LabelSelector, namespace: string): PodCounter {
    if (selector.isEmpty() || selector.selectsNothing) return () => 0
    return this.counter(`selected ${namespace} ${selector.toString()}`, (pod) => {
      const { deletionTimestamp, labels } = pod.metadata
      return deletionTimestamp === undefined && namespaceOf(pod) === namespace && selector.matches(labels)
    })
  }

  #countsOf(question: string): SideTable<NodeInfo, Count> {
    const counts = this.#byQuestion.get(question) ?? new SideTable<NodeInfo, Count>()
    this.#byQuestion.delete(question)
    this.#byQuestion.set(question, counts)
    if (this.#byQuestion.size > maxQuestions) {
      const [oldest] = this.#byQuestion.keys()
      if (oldest !== undefined) this.#byQuestion.delete(oldest)
    }
    return counts
  }
}

/** Node selectors and node affinity. Mirrors plugins/nodeaffinity. */

import type { NodeSelectorTerm } from '../../../catalog/types/core-v1.ts'
import type { Node, Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { type NamedLabels, nodeSelectorTerm, requiredNodeAffinity } from '../node-selector.ts'
import { nameOf } from '../objects.ts'
import { normalizeByHighest, type Plugin } from '../plugin.ts'
import { unresolvable } from '../status.ts'

const name = 'NodeAffinity'
const rejected = unresolvable(name, "node(s) didn't match Pod's node affinity/selector")
const conflict = unresolvable(name, 'pod affinity terms conflict')

const named = (node: Node): NamedLabels => ({ name: nameOf(node), labels: node.metadata.labels })

export const nodeAffinityPlugin: Plugin = {
  name,
  weight: 2,
  events: [
    {
      resource: 'Node',
      actions: action.add | action.updateNodeLabel,
      hint(pod, { old, object }) {
        const matches = requiredNodeAffinity(pod)
        return matches(named(object as Node)) && (old === undefined || !matches(named(old as Node)))
      },
    },
  ],
  preFilter({ pod }) {
    const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    if (required === undefined && pod.spec.nodeSelector === undefined) return undefined
    const nodeNames = namesOf(required?.nodeSelectorTerms ?? [])
    if (nodeNames?.size === 0) return conflict
    const matches = requiredNodeAffinity(pod)
    const filter = (node: NamedLabels) => (matches(node) ? undefined : rejected)
    return nodeNames === undefined ? { filter } : { filter, nodeNames }
  },
  preScore({ pod }) {
    const terms = preferences(pod)
    if (terms === undefined) return undefined
    return {
      score: (node) => terms.reduce((sum, { weight, matches }) => sum + (matches(node) ? weight : 0), 0),
      normalize: (scores) => normalizeByHighest(scores, false),
    }
  },
}

/** The nodes that the terms name; undefined where some term names none. */
function namesOf(terms: readonly NodeSelectorTerm[]): Set<string> | undefined {
  if (terms.length === 0) return undefined
  const all = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => new Set(values))
    const [first, ...others] = lists
    if (first === undefined) return undefined
    for (const value of first) if (others.every((list) => list.has(value))) all.add(value)
  }
  return all
}

function preferences({ spec }: Pod) {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  return preferred
    ?.filter(({ weight }) => weight !== 0)
    .map(({ weight, preference }) => ({ weight, matches: nodeSelectorTerm(preference) }))
}

/** Nodes in domains with fewer pods of the kind are liked. Mirrors plugins/podtopologyspread: scoring. */
import type { NodeInfo } from '../node-info.ts'
import { requiredNodeAffinity } from '../node-selector.ts'
import { type ClusterView, maxNodeScore, type ScoreRun } from '../plugin.ts'
import type { DomainPodCounts, PodCounter } from '../pod-counts.ts'
import type { PodInfo } from '../pod-info.ts'
import {
  type Constraint,
  constraintsOf,
  hasOwnConstraints,
  hasTopologyKeys,
  hostnameLabel,
  includesNode,
} from './spread-constraints.ts'

interface Weighted extends Constraint {
  /** Matching pods by value of the topology key; not for host names, which are counted node by node. */
  readonly domains: Map<string, number> | undefined
  /** The more domains there are, the more each pod in one weighs. */
  readonly weight: number
  readonly count: PodCounter
}

interface Context {
  readonly view: ClusterView
  readonly matching: DomainPodCounts
}

export function spreadScores(info: PodInfo, nodes: readonly NodeInfo[], context: Context): ScoreRun | undefined {
  const found = constraintsOf(info.pod, 'ScheduleAnyway', context.view)
  if (found.length === 0) return undefined
  const requireAll = hasOwnConstraints(info.pod)
  const isIgnored = (node: NodeInfo): boolean => requireAll && !hasTopologyKeys(node, found)
  const scored = nodes.filter((node) => !isIgnored(node))
  const constraints = found.map((constraint) => weighted(constraint, scored, info, context))
  countDomains(info, constraints, { nodes: context.view.nodes, isIgnored })
  return {
    score: (node) => (isIgnored(node) ? 0 : Math.round(scoreOf(node, constraints))),
    normalize: (scores, of) => normalizeInverse(scores, of, isIgnored),
  }
}

function weighted(
  constraint: Constraint,
  scored: readonly NodeInfo[],
  { namespace }: PodInfo,
  { matching }: Context,
): Weighted {
  const count = matching.selected(constraint.selector, namespace)
  const isHostname = constraint.topologyKey === hostnameLabel
  const domains = isHostname ? undefined : new Map<string, number>()
  if (domains !== undefined) for (const node of scored) domains.set(node.label(constraint.topologyKey) ?? '', 0)
  return { ...constraint, domains, weight: Math.log((domains?.size ?? scored.length) + 2), count }
}

interface AllNodes {
  readonly nodes: readonly NodeInfo[]
  isIgnored(node: NodeInfo): boolean
}

function countDomains({ pod }: PodInfo, constraints: readonly Weighted[], { nodes, isIgnored }: AllNodes): void {
  const counted = constraints.filter(({ domains }) => domains !== undefined)
  if (counted.length === 0) return
  const inclusion = { pod, affinity: requiredNodeAffinity(pod) }
  for (const node of nodes) {
    if (isIgnored(node)) continue
    for (const constraint of counted) {
      const value = node.label(constraint.topologyKey) ?? ''
      const before = constraint.domains?.get(value)
      if (before === undefined || !includesNode(constraint, node, inclusion)) continue
      constraint.domains?.set(value, before + constraint.count(node))
    }
  }
}

function scoreOf(node: NodeInfo, constraints: readonly Weighted[]): number {
  let score = 0
  for (const { topologyKey, domains, count, weight, maxSkew } of constraints) {
    const value = node.label(topologyKey)
    if (value === undefined) continue
    const pods = domains === undefined ? count(node) : (domains.get(value) ?? 0)
    score += pods * weight + (maxSkew - 1)
  }
  return score
}

/** The fewest pods get the highest score; nodes without the labels none. */
function normalizeInverse(scores: number[], nodes: readonly NodeInfo[], isIgnored: (node: NodeInfo) => boolean): void {
  const ignored = nodes.map(isIgnored)
  let lowest = Number.POSITIVE_INFINITY
  let highest = 0
  for (const [i, score] of scores.entries()) {
    if (ignored[i] === true) continue
    lowest = Math.min(lowest, score)
    highest = Math.max(highest, score)
  }
  for (const [i, score] of scores.entries()) {
    if (ignored[i] === true) scores[i] = 0
    else if (highest === 0) scores[i] = maxNodeScore
    else scores[i] = Math.trunc((maxNodeScore * (highest + lowest - score)) / highest)
  }
}

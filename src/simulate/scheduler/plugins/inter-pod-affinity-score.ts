/** How much a pod would like to be where other pods are, and they where it is. Mirrors plugins/interpodaffinity: scoring. */
import type { StringMap } from '../../../api/object.ts'
import type { Pod } from '../../objects.ts'
import { termMatches, termsKey, type WeightedTerm, withNamespaces } from '../affinity-term.ts'
import { namespaceLabels, namespacesMatching } from '../namespaces.ts'
import type { NodeInfo } from '../node-info.ts'
import { labelValue } from '../objects.ts'
import { type ClusterView, maxNodeScore, type ScoreRun } from '../plugin.ts'
import type { DomainPodCounts } from '../pod-counts.ts'
import type { PodInfo } from '../pod-info.ts'

/** Of the required affinity of pods on nodes, towards a new pod. */
const hardAffinityWeight = 1

/** By topology key and value. */
type Scores = Map<string, Map<string, number>>

interface Incoming {
  readonly pod: Pod
  readonly preferred: readonly WeightedTerm[]
  readonly preferredAnti: readonly WeightedTerm[]
  readonly namespaceLabels: StringMap | undefined
}

export function interPodAffinityScores(
  info: PodInfo,
  view: ClusterView,
  matching: DomainPodCounts,
): ScoreRun | undefined {
  const scores = topologyScores(info, view, matching)
  if (scores.size === 0) return undefined
  return { score: ({ labels }) => scoreOf(scores, labels), normalize: normalizeByRange }
}

function scoreOf(scores: Scores, labels: StringMap | undefined): number {
  let sum = 0
  for (const [key, values] of scores) {
    const value = labelValue(labels, key)
    if (value !== undefined) sum += values.get(value) ?? 0
  }
  return sum
}

function normalizeByRange(scores: number[]): void {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const score of scores) {
    lowest = Math.min(lowest, score)
    highest = Math.max(highest, score)
  }
  const range = highest - lowest
  for (const [i, score] of scores.entries()) {
    scores[i] = range > 0 ? Math.trunc(maxNodeScore * ((score - lowest) / range)) : 0
  }
}

function topologyScores(info: PodInfo, view: ClusterView, matching: DomainPodCounts): Scores {
  const incoming = incomingOf(info, view)
  const scores: Scores = new Map()
  const theirs = new Map<string, readonly Liking[]>()
  for (const node of view.affinityNodes) {
    if (node.labels === undefined) continue
    for (const [key, { example, pods }] of node.affinityGroups) {
      const likings = theirs.get(key) ?? likingsOf(example, incoming)
      theirs.set(key, likings)
      for (const { topologyKey, weight } of likings) add(scores, node, topologyKey, weight * pods)
    }
  }
  const own = [...incoming.preferred, ...incoming.preferredAnti.map(({ term, weight }) => ({ term, weight: -weight }))]
  for (const { term, weight } of own) {
    const count = matching.counter(`term ${termsKey([term])}`, (other) => termMatches(term, other, undefined))
    for (const node of view.nodes) {
      const pods = count(node)
      if (pods > 0) add(scores, node, term.topologyKey, weight * pods)
    }
  }
  return scores
}

/** How much pods of a kind like the new one, by topology. */
interface Liking {
  readonly topologyKey: string
  readonly weight: number
}

function likingsOf(other: PodInfo, { pod, namespaceLabels: labels }: Incoming): Liking[] {
  const { affinity, preferred, preferredAnti } = other.readableTerms
  const all = [
    ...affinity.map((term) => ({ term, weight: hardAffinityWeight })),
    ...preferred,
    ...preferredAnti.map(({ term, weight }) => ({ term, weight: -weight })),
  ]
  return all
    .filter(({ term }) => termMatches(term, pod, labels))
    .map(({ term, weight }) => ({ topologyKey: term.topologyKey, weight }))
}

function incomingOf(info: PodInfo, view: ClusterView): Incoming {
  const resolve = namespacesMatching(view)
  const resolved = (terms: readonly WeightedTerm[]): WeightedTerm[] =>
    terms.map(({ weight, term }) => ({ weight, term: withNamespaces(term, resolve) }))
  return {
    pod: info.pod,
    preferred: resolved(info.terms.preferred),
    preferredAnti: resolved(info.terms.preferredAnti),
    namespaceLabels: namespaceLabels(view, info.namespace),
  }
}

function add(scores: Scores, { labels }: NodeInfo, key: string, weight: number): void {
  const value = labelValue(labels, key)
  if (value === undefined) return
  const values = scores.get(key) ?? new Map<string, number>()
  values.set(value, (values.get(value) ?? 0) + weight)
  scores.set(key, values)
}

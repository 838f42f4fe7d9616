/** How much a pod would like to be where other pods are, and they where it is. Mirrors plugins/interpodaffinity: scoring. */
import type { StringMap } from '../../../api/object.ts'
import { type AffinityTerm, termMatches, type WeightedTerm, withNamespaces } from '../affinity-term.ts'
import { namespaceLabels, namespacesMatching } from '../namespaces.ts'
import type { NodeInfo } from '../node-info.ts'
import { labelValue, type Pod } from '../objects.ts'
import { type ClusterView, maxNodeScore, type ScoreRun } from '../plugin.ts'
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

export function interPodAffinityScores(info: PodInfo, view: ClusterView): ScoreRun | undefined {
  const scores = topologyScores(info, view)
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

function topologyScores(info: PodInfo, view: ClusterView): Scores {
  const incoming = incomingOf(info, view)
  const scores: Scores = new Map()
  const hasPreferences = incoming.preferred.length > 0 || incoming.preferredAnti.length > 0
  for (const node of hasPreferences ? view.nodes : view.affinityNodes) {
    if (node.labels === undefined) continue
    const others = hasPreferences ? node.pods : node.affinityPods
    for (const other of others.values()) addPair(scores, incoming, other, node)
  }
  return scores
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

function addPair(scores: Scores, incoming: Incoming, other: PodInfo, node: NodeInfo): void {
  const towardsOther = (term: AffinityTerm, weight: number): void => {
    if (termMatches(term, other.pod, undefined)) add(scores, node, term.topologyKey, weight)
  }
  const towardsIncoming = (term: AffinityTerm, weight: number): void => {
    if (termMatches(term, incoming.pod, incoming.namespaceLabels)) add(scores, node, term.topologyKey, weight)
  }
  for (const { term, weight } of incoming.preferred) towardsOther(term, weight)
  for (const { term, weight } of incoming.preferredAnti) towardsOther(term, -weight)
  const theirs = other.readableTerms
  for (const term of theirs.affinity) towardsIncoming(term, hardAffinityWeight)
  for (const { term, weight } of theirs.preferred) towardsIncoming(term, weight)
  for (const { term, weight } of theirs.preferredAnti) towardsIncoming(term, -weight)
}

function add(scores: Scores, { labels }: NodeInfo, key: string, weight: number): void {
  const value = labelValue(labels, key)
  if (value === undefined) return
  const values = scores.get(key) ?? new Map<string, number>()
  values.set(value, (values.get(value) ?? 0) + weight)
  scores.set(key, values)
}

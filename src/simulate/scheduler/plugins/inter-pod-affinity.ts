/** Affinity and anti-affinity between pods, by topology. Mirrors plugins/interpodaffinity. */
import type { StringMap } from '../../../api/object.ts'
import { reasonOf } from '../../../lib/fault.ts'
import type { Pod } from '../../objects.ts'
import {
  type AffinityTerm,
  allTermsMatch,
  requiredTerms,
  termMatches,
  termsKey,
  withNamespaces,
} from '../affinity-term.ts'
import { action, type QueueingHint } from '../cluster-events.ts'
import { namespaceLabels, namespacesMatching } from '../namespaces.ts'
import type { NodeInfo } from '../node-info.ts'
import { labelValue } from '../objects.ts'
import type { ClusterView, FilterRun, Plugin } from '../plugin.ts'
import { DomainPodCounts } from '../pod-counts.ts'
import type { PodInfo } from '../pod-info.ts'
import { unresolvable, unschedulable } from '../status.ts'
import { interPodAffinityScores } from './inter-pod-affinity-score.ts'

const name = 'InterPodAffinity'
const affinityRejected = unresolvable(name, "node(s) didn't match pod affinity rules")
const antiAffinityRejected = unschedulable(name, "node(s) didn't match pod anti-affinity rules")
const existingRejected = unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules")

export function interPodAffinityPlugin(view: ClusterView): Plugin {
  const matching = new DomainPodCounts()
  return {
    name,
    weight: 2,
    events: [
      { resource: 'Pod', actions: action.add | action.updatePodLabel | action.delete, hint: afterPodChange },
      { resource: 'Node', actions: action.add | action.updateNodeLabel, hint: afterNodeChange },
    ],
    preFilter(info) {
      try {
        return affinityRun(info, view, matching)
      } catch (error) {
        return unresolvable(name, `parsing pod: ${reasonOf(error)}`)
      }
    },
    preScore: (info) => interPodAffinityScores(info, view, matching),
  }
}

/** How many pods match in each value of a topology key. */
class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>()

  clone(): TopologyCounts {
    const copy = new TopologyCounts()
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values))
    return copy
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  get keys(): Iterable<string> {
    return this.#counts.keys()
  }

  at(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0
  }

  add(node: NodeInfo, key: string, delta: number): void {
    const value = labelValue(node.labels, key)
    if (value === undefined || delta === 0) return
    const values = this.#counts.get(key) ?? new Map<string, number>()
    const count = (values.get(value) ?? 0) + delta
    if (count === 0) values.delete(value)
    else values.set(value, count)
    if (values.size === 0) this.#counts.delete(key)
    else this.#counts.set(key, values)
  }
}

interface RunState {
  readonly info: PodInfo
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly namespaceLabels: StringMap | undefined
}

interface RunCounts {
  /** Pods on nodes whose anti-affinity is against this pod. */
  readonly existing: TopologyCounts
  readonly affinity: TopologyCounts
  readonly antiAffinity: TopologyCounts
}

function affinityRun(info: PodInfo, view: ClusterView, matching: DomainPodCounts): FilterRun | undefined {
  const resolve = namespacesMatching(view)
  const state: RunState = {
    info,
    affinity: info.terms.affinity.map((term) => withNamespaces(term, resolve)),
    antiAffinity: info.terms.antiAffinity.map((term) => withNamespaces(term, resolve)),
    namespaceLabels: namespaceLabels(view, info.namespace),
  }
  const counts = countPods(state, view, matching)
  if (counts.existing.isEmpty && state.affinity.length === 0 && state.antiAffinity.length === 0) return undefined
  return runOver(state, counts)
}

function countPods(state: RunState, view: ClusterView, matching: DomainPodCounts): RunCounts {
  const counts = {
    existing: new TopologyCounts(),
    affinity: new TopologyCounts(),
    antiAffinity: new TopologyCounts(),
  }
  const against = new Map<string, readonly string[]>()
  for (const node of view.antiAffinityNodes) {
    if (node.node === undefined) continue
    for (const [key, { example, pods }] of node.affinityGroups) {
      const keys = against.get(key) ?? keysAgainst(example, state)
      against.set(key, keys)
      for (const topologyKey of keys) counts.existing.add(node, topologyKey, pods)
    }
  }
  const { affinity, antiAffinity } = state
  if (affinity.length === 0 && antiAffinity.length === 0) return counts
  const near = matching.counter(`all ${termsKey(affinity)}`, (other) => allTermsMatch(affinity, other))
  const away = antiAffinity.map((term) =>
    matching.counter(`term ${termsKey([term])}`, (other) => termMatches(term, other, undefined)),
  )
  for (const node of view.nodes) {
    for (const { topologyKey } of affinity) counts.affinity.add(node, topologyKey, near(node))
    for (const [i, { topologyKey }] of antiAffinity.entries()) {
      counts.antiAffinity.add(node, topologyKey, away[i]?.(node) ?? 0)
    }
  }
  return counts
}

/** Topology keys of the terms of a pod on a node that are against this one. */
const keysAgainst = (other: PodInfo, { info, namespaceLabels: labels }: RunState): string[] =>
  other.readableTerms.antiAffinity
    .filter((term) => termMatches(term, info.pod, labels))
    .map(({ topologyKey }) => topologyKey)

function countExisting(state: RunState, counts: RunCounts, other: PodInfo, node: NodeInfo, delta: number): void {
  for (const topologyKey of keysAgainst(other, state)) counts.existing.add(node, topologyKey, delta)
}

function countIncoming(state: RunState, counts: RunCounts, other: PodInfo, node: NodeInfo, delta: number): void {
  if (allTermsMatch(state.affinity, other.pod)) {
    for (const { topologyKey } of state.affinity) counts.affinity.add(node, topologyKey, delta)
  }
  for (const term of state.antiAffinity) {
    if (termMatches(term, other.pod, undefined)) counts.antiAffinity.add(node, term.topologyKey, delta)
  }
}

function runOver(state: RunState, counts: RunCounts): FilterRun {
  const count = (other: PodInfo, node: NodeInfo, delta: number): void => {
    countExisting(state, counts, other, node, delta)
    countIncoming(state, counts, other, node, delta)
  }
  return {
    filter(node) {
      if (!satisfiesAffinity(state, counts, node)) return affinityRejected
      if (violatesAntiAffinity(state, counts, node)) return antiAffinityRejected
      return violatesExisting(counts, node) ? existingRejected : undefined
    },
    addPod: (other, node) => count(other, node, 1),
    removePod: (other, node) => count(other, node, -1),
    clone: () =>
      runOver(state, {
        existing: counts.existing.clone(),
        affinity: counts.affinity.clone(),
        antiAffinity: counts.antiAffinity.clone(),
      }),
  }
}

function satisfiesAffinity({ affinity, info }: RunState, counts: RunCounts, { labels }: NodeInfo): boolean {
  let podsExist = true
  for (const { topologyKey } of affinity) {
    const value = labelValue(labels, topologyKey)
    if (value === undefined) return false
    if (counts.affinity.at(topologyKey, value) <= 0) podsExist = false
  }
  // The first of a series of pods that are to be together matches only itself.
  return podsExist || (counts.affinity.isEmpty && allTermsMatch(affinity, info.pod))
}

function violatesAntiAffinity({ antiAffinity }: RunState, counts: RunCounts, { labels }: NodeInfo): boolean {
  if (counts.antiAffinity.isEmpty) return false
  return antiAffinity.some(({ topologyKey }) => {
    const value = labelValue(labels, topologyKey)
    return value !== undefined && counts.antiAffinity.at(topologyKey, value) > 0
  })
}

function violatesExisting({ existing }: RunCounts, { labels }: NodeInfo): boolean {
  for (const key of existing.keys) {
    const value = labelValue(labels, key)
    if (value !== undefined && existing.at(key, value) > 0) return true
  }
  return false
}

const isOnNode = (pod: Pod | undefined): boolean => pod === undefined || (pod.spec.nodeName ?? '') !== ''

const afterPodChange: QueueingHint = (pod, change) => {
  const old = change.old as Pod | undefined
  const object = change.object as Pod | undefined
  if (!isOnNode(old) || !isOnNode(object)) return false
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const affinity = requiredTerms(pod, podAffinity)
  const antiAffinity = requiredTerms(pod, podAntiAffinity)
  if (old !== undefined && object !== undefined) {
    if (!allTermsMatch(affinity, old) && allTermsMatch(affinity, object)) return true
    return allTermsMatch(antiAffinity, old) && !allTermsMatch(antiAffinity, object)
  }
  if (object !== undefined) return allTermsMatch(affinity, object)
  return old !== undefined && allTermsMatch(antiAffinity, old)
}

const afterNodeChange: QueueingHint = (pod, change) => {
  const before = change.old?.metadata.labels
  const after = change.object?.metadata.labels
  const isNew = change.old === undefined
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const joins = requiredTerms(pod, podAffinity).some(({ topologyKey: key }) => {
    const value = labelValue(after, key)
    return value !== undefined && (isNew || labelValue(before, key) !== value)
  })
  if (joins) return true
  return requiredTerms(pod, podAntiAffinity).some(({ topologyKey: key }) => {
    if (isNew) return true
    const value = labelValue(before, key)
    return value !== undefined && labelValue(after, key) !== value
  })
}

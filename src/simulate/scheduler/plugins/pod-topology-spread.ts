/** Pods of a kind are spread over topology. Mirrors plugins/podtopologyspread: filtering, queueing hints. */
import { reasonOf } from '../../../lib/fault.ts'
import type { Node, Pod } from '../../objects.ts'
import { action, differs, type QueueingHint } from '../cluster-events.ts'
import type { NodeInfo } from '../node-info.ts'
import { requiredNodeAffinity } from '../node-selector.ts'
import { labelValue, namespaceOf, uidOf } from '../objects.ts'
import type { ClusterView, FilterRun, Plugin } from '../plugin.ts'
import { DomainPodCounts } from '../pod-counts.ts'
import type { PodInfo } from '../pod-info.ts'
import { failure, unresolvable, unschedulable } from '../status.ts'
import { spreadScores } from './pod-topology-spread-score.ts'
import { type Constraint, constraintsOf, hasTopologyKeys, type Inclusion, includesNode } from './spread-constraints.ts'

const podTopologySpread = 'PodTopologySpread'
const reason = "node(s) didn't match pod topology spread constraints"
const rejected = unschedulable(podTopologySpread, reason)
const labelMissing = unresolvable(podTopologySpread, `${reason} (missing required label)`)

export function podTopologySpreadPlugin(view: ClusterView): Plugin {
  const matching = new DomainPodCounts()
  return {
    name: podTopologySpread,
    weight: 2,
    events: [
      {
        resource: 'Pod',
        actions: action.add | action.updatePodLabel | action.updatePodToleration | action.delete,
        hint: afterPodChange(view),
      },
      {
        resource: 'Node',
        actions: action.add | action.delete | action.updateNodeLabel | action.updateNodeTaint,
        hint: afterNodeChange(view),
      },
    ],
    preFilter(info) {
      try {
        return spreadRun(info, view, matching)
      } catch (error) {
        const why = `get constraints from pod: obtaining pod's hard topology spread constraints: ${reasonOf(error)}`
        return failure(podTopologySpread, why)
      }
    },
    preScore: (info, nodes) => spreadScores(info, nodes, { view, matching }),
  }
}

/** Matching pods by value of the topology key, one map a constraint. */
type Domains = Map<string, number>

interface SpreadState {
  readonly inclusion: Inclusion
  readonly constraints: readonly Constraint[]
  /** Whether the pod itself counts for the constraint. */
  readonly selfMatches: readonly boolean[]
}

function spreadRun(info: PodInfo, view: ClusterView, matching: DomainPodCounts): FilterRun | undefined {
  const { pod, namespace, labels } = info
  const constraints = constraintsOf(pod, 'DoNotSchedule', view)
  if (constraints.length === 0) return undefined
  const inclusion: Inclusion = { pod, affinity: requiredNodeAffinity(pod) }
  const counters = constraints.map(({ selector }) => matching.selected(selector, namespace))
  const domains = constraints.map((): Domains => new Map())
  for (const node of view.nodes) {
    if (!hasTopologyKeys(node, constraints)) continue
    for (const [i, constraint] of constraints.entries()) {
      if (!includesNode(constraint, node, inclusion)) continue
      addTo(domains[i], node.label(constraint.topologyKey), counters[i]?.(node) ?? 0)
    }
  }
  const selfMatches = constraints.map(({ selector }) => selector.matches(labels))
  return runOver({ inclusion, constraints, selfMatches }, domains)
}

function addTo(domains: Domains | undefined, value: string | undefined, count: number): void {
  if (value !== undefined) domains?.set(value, (domains.get(value) ?? 0) + count)
}

function runOver(state: SpreadState, domains: readonly Domains[]): FilterRun {
  const { constraints, selfMatches } = state
  /** The fewest in any domain; worked out anew when counts changed. */
  let fewest: number[] | undefined
  const count = (other: PodInfo, node: NodeInfo, delta: number): void => {
    if (countPod(state, domains, other, { node, delta })) fewest = undefined
  }
  return {
    filter(node) {
      fewest ??= constraints.map((constraint, i) => fewestIn(domains[i], constraint))
      for (const [i, { topologyKey, maxSkew }] of constraints.entries()) {
        const value = node.label(topologyKey)
        if (value === undefined) return labelMissing
        const pods = (domains[i]?.get(value) ?? 0) + (selfMatches[i] === true ? 1 : 0)
        if (pods - (fewest[i] ?? 0) > maxSkew) return rejected
      }
      return undefined
    },
    addPod: (other, node) => count(other, node, 1),
    removePod: (other, node) => count(other, node, -1),
    clone: () =>
      runOver(
        state,
        domains.map((each) => new Map(each)),
      ),
  }
}

/** Of fewer domains than there have to be, those that are missing have none. */
function fewestIn(domains: Domains | undefined, { minDomains }: Constraint): number {
  if (domains === undefined || domains.size < minDomains) return 0
  let fewest = 2 ** 31 - 1
  for (const count of domains.values()) fewest = Math.min(fewest, count)
  return fewest
}

interface Placed {
  readonly node: NodeInfo
  readonly delta: number
}

/** Whether the pod counts for anything. */
function countPod(state: SpreadState, domains: readonly Domains[], other: PodInfo, { node, delta }: Placed): boolean {
  const { constraints, inclusion } = state
  if (other.namespace !== namespaceOf(inclusion.pod) || !hasTopologyKeys(node, constraints)) return false
  let counts = false
  for (const [i, constraint] of constraints.entries()) {
    if (!constraint.selector.matches(other.labels) || !includesNode(constraint, node, inclusion)) continue
    addTo(domains[i], node.label(constraint.topologyKey), delta)
    counts = true
  }
  return counts
}

/** The pod itself, or one on a node in its namespace. */
const isInvolved = (other: Pod | undefined, pod: Pod): boolean =>
  other === undefined ||
  uidOf(other) === uidOf(pod) ||
  ((other.spec.nodeName ?? '') !== '' && namespaceOf(other) === namespaceOf(pod))

const afterPodChange =
  (view: ClusterView): QueueingHint =>
  (pod, change) => {
    const old = change.old as Pod | undefined
    const object = change.object as Pod | undefined
    if (!isInvolved(old, pod) || !isInvolved(object, pod)) return false
    const constraints = constraintsOf(pod, 'DoNotSchedule', view)
    if (old !== undefined && object !== undefined) return isUsefulUpdate(pod, constraints, { old, object })
    const labels = (object ?? old)?.metadata.labels
    return constraints.some(({ selector }) => selector.matches(labels))
  }

function isUsefulUpdate(pod: Pod, constraints: readonly Constraint[], { old, object }: { old: Pod; object: Pod }) {
  const isOwn = uidOf(pod) === uidOf(object)
  if (isOwn && differs(old.spec.tolerations, object.spec.tolerations)) {
    if (constraints.some(({ honorsTaints }) => honorsTaints)) return true
  }
  return constraints.some(
    ({ selector }) => selector.matches(old.metadata.labels) !== selector.matches(object.metadata.labels),
  )
}

const afterNodeChange =
  (view: ClusterView): QueueingHint =>
  (pod, change) => {
    const old = change.old as Node | undefined
    const node = change.object as Node | undefined
    const constraints = constraintsOf(pod, 'DoNotSchedule', view)
    const hasKeys = (each: Node | undefined): boolean =>
      each !== undefined &&
      constraints.every(({ topologyKey }) => labelValue(each.metadata.labels, topologyKey) !== undefined)
    if (old === undefined || node === undefined) return hasKeys(old ?? node)
    if (hasKeys(old) !== hasKeys(node)) return true
    if (!hasKeys(node)) return false
    const moved = constraints.some(
      ({ topologyKey: key }) => labelValue(old.metadata.labels, key) !== labelValue(node.metadata.labels, key),
    )
    return moved || differs(old.spec?.taints, node.spec?.taints)
  }

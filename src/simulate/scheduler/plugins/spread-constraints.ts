/** Topology spread constraints, compiled; those of the pod, or the system's defaults. Mirrors plugins/podtopologyspread: common. */
import { LabelSelector, selectorOfObject } from '../../../api/label-selector.ts'
import type { StringMap } from '../../../api/object.ts'
import type { TopologySpreadConstraint } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import type { NodePredicate } from '../node-selector.ts'
import { labelValue, namespaceOf } from '../objects.ts'
import type { ClusterView, Listers } from '../plugin.ts'
import { untoleratedTaint } from '../toleration.ts'

export const hostnameLabel = 'kubernetes.io/hostname'

export interface Constraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selector: LabelSelector
  readonly minDomains: number
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway'

/** Soft ones for pods that say nothing: they apply to what services and controllers select. */
const systemDefaults: readonly Omit<Constraint, 'selector'>[] = [
  { topologyKey: hostnameLabel, maxSkew: 3, minDomains: 1, honorsAffinity: true, honorsTaints: false },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, minDomains: 1, honorsAffinity: true, honorsTaints: false },
]

export const hasOwnConstraints = ({ spec }: Pod): boolean => (spec.topologySpreadConstraints?.length ?? 0) > 0

/** Throws where a selector cannot be read. */
export function constraintsOf(pod: Pod, when: WhenUnsatisfiable, view: ClusterView): readonly Constraint[] {
  if (hasOwnConstraints(pod)) return compiled(pod.spec.topologySpreadConstraints ?? [], pod, when, view)
  if (when !== 'ScheduleAnyway') return []
  const selector = defaultSelector(pod, view.listers)
  return selector.isEmpty() ? [] : systemDefaults.map((constraint) => ({ ...constraint, selector }))
}

function compiled(
  constraints: readonly TopologySpreadConstraint[],
  pod: Pod,
  when: WhenUnsatisfiable,
  view: ClusterView,
): Constraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: selectorOf(constraint, pod.metadata.labels, view.gate('MatchLabelKeysInPodTopologySpread')),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsTaints: (constraint.nodeTaintsPolicy ?? 'Ignore') === 'Honor',
    }))
}

function selectorOf(
  constraint: TopologySpreadConstraint,
  labels: StringMap | undefined,
  useKeys: boolean,
): LabelSelector {
  const selector = selectorOfObject(constraint.labelSelector)
  const own = (useKeys ? (constraint.matchLabelKeys ?? []) : []).flatMap((key) => {
    const value = labelValue(labels, key)
    return value === undefined ? [] : [{ key, operator: '=' as const, values: [value] }]
  })
  if (own.length === 0 || selector.selectsNothing) return selector
  return LabelSelector.of([...own, ...selector.requirements])
}

/** Of the services and the controller that select the pod. Mirrors plugins/helper: DefaultSelector. */
function defaultSelector(pod: Pod, listers: Listers): LabelSelector {
  const namespace = namespaceOf(pod)
  const labels = new Map<string, string>()
  const merge = (more: StringMap | undefined): void => {
    for (const [key, value] of Object.entries(more ?? {})) labels.set(key, value)
  }
  for (const { spec } of listers.services.list(namespace)) {
    const selector = spec?.selector
    if (selector !== undefined && hasLabels(pod, selector)) merge(selector)
  }
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  const kind = owner === undefined ? '' : `${owner.apiVersion}/${owner.kind}`
  const name = owner?.name ?? ''
  if (kind === 'v1/ReplicationController') {
    merge(listers.replicationControllers.get(namespace, name)?.spec?.selector)
  }
  const equal = [...labels].map(([key, value]) => ({ key, operator: '=' as const, values: [value] }))
  const workload =
    kind === 'apps/v1/ReplicaSet'
      ? listers.replicaSets.get(namespace, name)
      : kind === 'apps/v1/StatefulSet'
        ? listers.statefulSets.get(namespace, name)
        : undefined
  const more = workload === undefined ? [] : selectorOfObject(workload.spec.selector).requirements
  return LabelSelector.of([...equal, ...more])
}

const hasLabels = (pod: Pod, selector: StringMap): boolean =>
  Object.entries(selector).every(([key, value]) => labelValue(pod.metadata.labels, key) === value)

export const hasTopologyKeys = (node: NodeInfo, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ topologyKey }) => node.label(topologyKey) !== undefined)

/** Whether pods on the node count. */
export function includesNode(constraint: Constraint, node: NodeInfo, { pod, affinity }: Inclusion): boolean {
  if (constraint.honorsAffinity && !affinity(node)) return false
  return !constraint.honorsTaints || untoleratedTaint(node.taints, pod.spec.tolerations) === undefined
}

export interface Inclusion {
  readonly pod: Pod
  /** The pod's required node affinity. */
  readonly affinity: NodePredicate
}

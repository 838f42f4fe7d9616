/**
 * Whether a node's kubelet is heard of, and what that makes of the node's conditions. Pure; times in milliseconds.
 * Mirrors pkg/controller/nodelifecycle: Controller.tryUpdateNodeHealth, Controller.ComputeZoneState.
 */
import type { NodeCondition } from '../../../catalog/types/core-v1.ts'
import type { Lease, Node } from '../../objects.ts'

/** How long a kubelet may be silent: --node-monitor-grace-period, --node-startup-grace-period. */
const monitorGraceMs = 50_000
const startupGraceMs = 60_000
const unhealthyZoneThreshold = 0.55

/** When the node was last heard of, and what it said then. */
export interface NodeHealth {
  readonly probedAt: number
  readonly heartbeat: string | undefined
  readonly hasReady: boolean
  readonly renewed: string | undefined
  /** For how long its Lease lasts. */
  readonly leaseMs: number
}

export const readyOf = ({ status }: Node): NodeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')

export function nextHealth(
  before: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  now: number,
): NodeHealth {
  const ready = readyOf(node)
  const heartbeat = ready?.lastHeartbeatTime ?? undefined
  const renewed = lease?.spec?.renewTime ?? before?.renewed
  const created = Date.parse(node.metadata.creationTimestamp ?? '')
  const isRenewed = lease?.spec?.renewTime != null && (before?.renewed ?? '') < lease.spec.renewTime
  const leaseMs = (lease?.spec?.leaseDurationSeconds ?? 0) * 1000
  const facts = { heartbeat, hasReady: ready !== undefined, renewed, leaseMs }
  if (before === undefined) return { ...facts, probedAt: ready === undefined && !isRenewed ? created : now }
  const isHeard = isRenewed || before.hasReady !== facts.hasReady || before.heartbeat !== heartbeat
  return { ...facts, probedAt: isHeard ? now : before.probedAt }
}

/**
 * When the node's silence becomes too long. The reference does not look at how long a Lease lasts, whose kubelets have
 * theirs for 40 s; simulated ones may have one that lasts, and are then silent by agreement.
 */
export const silentAt = (node: Node, { probedAt, leaseMs }: NodeHealth): number =>
  probedAt + Math.max(readyOf(node) === undefined ? startupGraceMs : monitorGraceMs, leaseMs)

const watchedConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** The conditions of a node that is not heard of any more; undefined when they say so already. */
export function unknownConditions({ metadata, status }: Node, now: string): NodeCondition[] | undefined {
  const conditions = [...(status?.conditions ?? [])]
  let isChanged = false
  for (const type of watchedConditions) {
    const at = conditions.findIndex((each) => each.type === type)
    const found = conditions[at]
    if (found?.status === 'Unknown') continue
    isChanged = true
    if (found === undefined) {
      conditions.push({
        type,
        status: 'Unknown',
        lastHeartbeatTime: metadata.creationTimestamp ?? now,
        lastTransitionTime: now,
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
      })
    } else {
      conditions[at] = {
        ...found,
        status: 'Unknown',
        lastTransitionTime: now,
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      }
    }
  }
  return isChanged ? conditions : undefined
}

export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption'

export function zoneState(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption'
  const share = notReady / (ready + notReady)
  return notReady > 2 && share >= unhealthyZoneThreshold ? 'PartialDisruption' : 'Normal'
}

/** Region and zone; nodes without either are one zone together. */
export function zoneOf({ metadata }: Node): string {
  const label = (name: string, beta: string) => metadata.labels?.[name] ?? metadata.labels?.[beta] ?? ''
  const region = label('topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region')
  const zone = label('topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone')
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`
}

/** Nodes that are tainted a second in a zone of that state. Mirrors Controller.ReducedQPSFunc. */
export function evictionRate(state: ZoneState, size: number): number {
  if (state === 'Normal') return 0.1
  if (state === 'FullDisruption') return 0.1
  return size > 50 ? 0.01 : 0
}

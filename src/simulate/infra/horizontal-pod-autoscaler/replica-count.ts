/**
 * How many replicas a metric asks for. Pure: metrics and pods in, a count and the present usage out. Values are in
 * thousandths.
 * Mirrors pkg/controller/podautoscaler: ReplicaCalculator and pkg/controller/podautoscaler/metrics:
 * GetResourceUtilizationRatio, GetMetricUsageRatio.
 */
import { Quantity } from '../../../api/quantity.ts'
import type { Pod } from '../../objects.ts'
import { isPodReady, readyCondition } from '../endpoint/service-pods.ts'

export interface PodMetric {
  readonly value: number
  /** Milliseconds since 1970, and how long before that it was measured. */
  readonly timestamp: number
  readonly windowMs: number
}

export type PodMetrics = ReadonlyMap<string, PodMetric>

export interface Tolerances {
  readonly up: number
  readonly down: number
}

export interface ReplicaCountRequest {
  readonly replicas: number
  readonly pods: readonly Pod[]
  readonly tolerances: Tolerances
  readonly now: number
}

/** How long after its start a pod's processor use is ignored while the pod is not ready. */
const cpuInitializationMs = 300_000
const initialReadinessMs = 30_000

const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up

interface PodGroups {
  readonly ready: number
  readonly unready: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
  readonly ignored: ReadonlySet<string>
}

function groupPods(pods: readonly Pod[], metrics: PodMetrics, resource: string, now: number): PodGroups {
  const groups = { unready: new Set<string>(), missing: new Set<string>(), ignored: new Set<string>() }
  let ready = 0
  for (const pod of pods) {
    const name = pod.metadata.name ?? ''
    const metric = metrics.get(name)
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') groups.ignored.add(name)
    else if (pod.status?.phase === 'Pending') groups.unready.add(name)
    else if (metric === undefined) groups.missing.add(name)
    else if (resource === 'cpu' && isWarmingUp(pod, metric, now)) groups.unready.add(name)
    else ready++
  }
  return { ...groups, ready }
}

function isWarmingUp(pod: Pod, { timestamp, windowMs }: PodMetric, now: number): boolean {
  const condition = readyCondition(pod)
  if (condition === undefined || pod.status?.startTime === undefined) return true
  const started = Date.parse(pod.status.startTime)
  const changed = Date.parse(condition.lastTransitionTime ?? '') || 0
  if (started + cpuInitializationMs > now) return condition.status === 'False' || timestamp < changed + windowMs
  return condition.status === 'False' && started + initialReadinessMs > changed
}

export interface ReplicaUsage {
  readonly replicas: number
  readonly usage: number
}

export interface Utilization extends ReplicaUsage {
  readonly utilization: number
}

interface Ratio extends ReplicaUsage {
  readonly ratio: number
  readonly utilization?: number
}

/** A target in percent of what the pods' containers request. */
export function resourceReplicas(
  request: ReplicaCountRequest & { readonly resource: string; readonly container: string; readonly target: number },
  metrics: PodMetrics,
): Utilization {
  const { pods, resource, container, target } = request
  let requests: ReadonlyMap<string, number> | undefined
  const ratioOf = (values: ReadonlyMap<string, number>): Omit<Ratio, 'replicas'> => {
    requests ??= podRequests(pods, container, resource)
    return utilizationRatio(values, requests, target)
  }
  const fallback = (name: string) => Math.trunc(((requests?.get(name) ?? 0) * Math.max(100, target)) / 100)
  const { replicas, usage, utilization = 0 } = balanced(request, metrics, { resource, ratioOf, fallback })
  return { replicas, usage, utilization }
}

/** A target for the average of the pods' own values. */
export function averageReplicas(
  request: ReplicaCountRequest & { readonly resource: string; readonly target: number },
  metrics: PodMetrics,
): ReplicaUsage {
  const { resource, target } = request
  const ratioOf = (values: ReadonlyMap<string, number>) => {
    const total = sum(values.values())
    const usage = Math.trunc(total / values.size)
    return { ratio: usage / target, usage }
  }
  const { replicas, usage } = balanced(request, metrics, { resource, ratioOf, fallback: () => target })
  return { replicas, usage }
}

interface Balance {
  readonly resource: string
  ratioOf(values: ReadonlyMap<string, number>): Omit<Ratio, 'replicas'>
  /** What a pod without a metric is taken to use when that would scale down. */
  fallback(pod: string): number
}

/** Pods without metrics and pods that are not ready damp the change, and never turn it round. */
function balanced(
  { replicas, pods, tolerances, now }: ReplicaCountRequest,
  metrics: PodMetrics,
  balance: Balance,
): Ratio {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count')
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, balance.resource, now)
  const values = new Map<string, number>()
  for (const [name, { value }] of metrics) if (!ignored.has(name) && !unready.has(name)) values.set(name, value)
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const first = balance.ratioOf(values)
  const upWithUnready = unready.size > 0 && first.ratio > 1
  if (!upWithUnready && missing.size === 0) {
    const wanted = isWithin(tolerances, first.ratio) ? replicas : Math.ceil(first.ratio * ready)
    return { ...first, replicas: wanted }
  }
  if (first.ratio < 1) for (const name of missing) values.set(name, balance.fallback(name))
  else if (first.ratio > 1) for (const name of missing) values.set(name, 0)
  if (upWithUnready) for (const name of unready) values.set(name, 0)
  const { ratio } = balance.ratioOf(values)
  const turned = (first.ratio < 1 && ratio > 1) || (first.ratio > 1 && ratio < 1)
  if (isWithin(tolerances, ratio) || turned) return { ...first, replicas }
  const wanted = Math.ceil(ratio * values.size)
  const isContrary = (ratio < 1 && wanted > replicas) || (ratio > 1 && wanted < replicas)
  return { ...first, replicas: isContrary ? replicas : wanted }
}

function utilizationRatio(values: ReadonlyMap<string, number>, requests: ReadonlyMap<string, number>, target: number) {
  const known = [...values].filter(([name]) => requests.has(name))
  const used = sum(known.map(([, value]) => value))
  const requested = sum(known.map(([name]) => requests.get(name) ?? 0))
  if (requested === 0) throw new Error('no metrics returned matched known pods')
  const utilization = Math.trunc((used * 100) / requested)
  return { ratio: utilization / target, utilization, usage: Math.trunc(used / known.length) }
}

function podRequests(pods: readonly Pod[], container: string, resource: string): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? '', podRequest(pod, container, resource)]))
}

function podRequest({ metadata, spec }: Pod, container: string, resource: string): number {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const counted = [...(spec?.containers ?? []), ...sidecars].filter(
    ({ name }) => container === '' || name === container,
  )
  return sum(
    counted.map(({ name, resources }) => {
      const amount = resources?.requests?.[resource]
      if (amount === undefined) {
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name ?? ''}`)
      }
      return Quantity.parse(String(amount)).milliValue()
    }),
  )
}

/** One value for the whole target, against a total. */
export function replicasForTotal(
  { replicas, pods, tolerances }: ReplicaCountRequest,
  usage: number,
  target: number,
): ReplicaUsage {
  const ratio = usage / target
  if (replicas === 0) return { replicas: Math.ceil(ratio), usage }
  if (isWithin(tolerances, ratio)) return { replicas, usage }
  if (pods.length === 0) {
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count')
  }
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length
  return { replicas: Math.ceil(ratio * ready), usage }
}

/** One value for the whole target, against an average for each of the replicas that there are. */
export function perPodReplicas(
  { replicas, tolerances }: Pick<ReplicaCountRequest, 'replicas' | 'tolerances'>,
  usage: number,
  target: number,
): ReplicaUsage {
  const wanted = isWithin(tolerances, usage / (target * replicas)) ? replicas : Math.ceil(usage / target)
  return { replicas: wanted, usage: Math.ceil(usage / replicas) }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

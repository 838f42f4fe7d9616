/**
 * Hints from the annotation `service.kubernetes.io/topology-mode: Auto`: each zone gets endpoints in proportion to the
 * processors of its nodes, and no hints are given where a zone would be overloaded.
 * Mirrors k8s.io/endpointslice/topologycache: TopologyCache.
 */
import { Quantity } from '../../../api/quantity.ts'
import type { Endpoint } from '../../../catalog/types/discovery-v1.ts'
import type { EndpointSlice, Node } from '../../objects.ts'
import type { FamilyPlan } from './slice-plan.ts'
import { isReadyEndpoint, withHints, withoutAllHints } from './traffic-hints.ts'

const overloadThreshold = 0.2
const zoneLabel = 'topology.kubernetes.io/zone'
const excludedLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export interface HintsEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Hinted {
  readonly plan: FamilyPlan
  readonly event?: HintsEvent
}

type Counts = Map<string, number>

interface Allocation {
  readonly desired: number
  readonly maximum: number
}

export function wantsTopologyHints(annotations: Readonly<Record<string, string>> | undefined): boolean {
  const value =
    annotations?.['service.kubernetes.io/topology-aware-hints'] ?? annotations?.['service.kubernetes.io/topology-mode']
  return value === 'Auto' || value === 'auto'
}

export class TopologyHints {
  #ratios: ReadonlyMap<string, number> | undefined
  /** By service, then by address type: how many endpoints each zone was given. */
  readonly #given = new Map<string, Map<string, Counts>>()
  readonly #populated = new Set<string>()

  setNodes(nodes: readonly Node[]): void {
    this.#ratios = zoneRatios(nodes)
  }

  /** Services whose hints no longer fit the nodes. */
  overloaded(): string[] {
    const isOver = (byType: Map<string, Counts>) => [...byType.values()].some((counts) => this.#isOverloaded(counts))
    return [...this.#given].filter(([, byType]) => isOver(byType)).map(([key]) => key)
  }

  forget(key: string): void {
    this.#given.delete(key)
    this.#populated.delete(key)
  }

  /** The service asks for no topology hints any more, or never did. */
  removed(key: string, plan: FamilyPlan): HintsEvent | undefined {
    const had = this.#populated.has(key)
    this.#remove(key, plan.addressType)
    return had ? disabled('Topology Aware Hints has been disabled', plan) : undefined
  }

  add(key: string, plan: FamilyPlan): Hinted {
    const allocations = this.#allocations(readyCount(plan))
    if (typeof allocations === 'string') return this.#none(key, plan, allocations)
    const given: Counts = new Map()
    const slices = allocatable(plan, allocations, given)
    const wanted: FamilyPlan = { ...plan, ...slices }
    const loose = [...slices.create, ...slices.update]
    const endpoints = loose.flatMap(({ endpoints: all }) => (all ?? []).filter(isReadyEndpoint))
    if (endpoints.some(({ zone }) => !zone)) {
      return this.#none(key, wanted, 'One or more endpoints do not have a zone specified')
    }
    const hints = new Map(endpoints.map((endpoint) => [endpoint, endpoint.zone ?? '']))
    for (const zone of hints.values()) increase(given, zone, 1)
    redistribute(hints, transfers(allocations, given), given)
    if (given.size === 0) return this.#none(key, wanted, 'No hints allocated for zones')
    const hinted = (slice: EndpointSlice): EndpointSlice => ({
      ...slice,
      endpoints: (slice.endpoints ?? []).map((endpoint) => withZone(endpoint, hints.get(endpoint))),
    })
    const isFirst = !this.#populated.has(key)
    this.#remember(key, plan.addressType, given)
    const next = { ...wanted, create: slices.create.map(hinted), update: slices.update.map(hinted) }
    if (!isFirst) return { plan: next }
    const message = `Topology Aware Hints has been enabled, addressType: ${plan.addressType}`
    return { plan: next, event: { type: 'Normal', reason: 'TopologyAwareHintsEnabled', message } }
  }

  #none(key: string, plan: FamilyPlan, why: string): Hinted {
    this.#remove(key, plan.addressType)
    return { plan: withoutAllHints(plan), event: disabled(why, plan) }
  }

  #remember(key: string, addressType: string, given: Counts): void {
    const byType = this.#given.get(key) ?? new Map<string, Counts>()
    this.#given.set(key, byType.set(addressType, given))
    this.#populated.add(key)
  }

  #remove(key: string, addressType: string): void {
    const byType = this.#given.get(key)
    byType?.delete(addressType)
    if (byType?.size === 0) this.#given.delete(key)
    this.#populated.delete(key)
  }

  #isOverloaded(given: Counts): boolean {
    if (given.size === 0) return false
    if (this.#ratios === undefined) return true
    const total = [...given.values()].reduce((sum, count) => sum + count, 0)
    return [...this.#ratios].some(([zone, ratio]) => (given.get(zone) ?? -1) < leastFor(total * ratio))
  }

  /** By zone; or why there can be none. */
  #allocations(count: number): Map<string, Allocation> | string {
    const ratios = this.#ratios
    if (ratios === undefined) {
      return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'
    }
    const numbers = `(${count} endpoints, ${ratios.size} zones)`
    if (ratios.size > count) return `Insufficient number of endpoints ${numbers}`
    const least = [...ratios].map(([zone, ratio]) => ({
      zone,
      desired: ratio * count,
      minimum: leastFor(ratio * count),
    }))
    const spare = count - least.reduce((sum, { minimum }) => sum + minimum, 0)
    if (spare < 0) {
      const why = 'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold'
      return `${why} ${numbers}`
    }
    return new Map(
      least.map(({ zone, desired, minimum }) => [
        zone,
        { desired: Math.max(desired, minimum), maximum: minimum + spare },
      ]),
    )
  }
}

const leastFor = (desired: number): number => Math.ceil(desired * (1 / (1 + overloadThreshold)))

const increase = (counts: Counts, key: string, by: number): void => void counts.set(key, (counts.get(key) ?? 0) + by)

const withZone = (endpoint: Endpoint, zone: string | undefined): Endpoint =>
  zone === undefined ? endpoint : withHints(endpoint, { forZones: [{ name: zone }] })

const disabled = (why: string, { addressType }: FamilyPlan): HintsEvent => ({
  type: 'Warning',
  reason: 'TopologyAwareHintsDisabled',
  message: `${why}, addressType: ${addressType}`,
})

const readyCount = ({ create, update, unchanged }: FamilyPlan): number =>
  [...create, ...update, ...unchanged].reduce(
    (sum, { endpoints }) => sum + (endpoints ?? []).filter(isReadyEndpoint).length,
    0,
  )

/** The share of all processors that each zone has; undefined where it is unknown, or the same for all. */
function zoneRatios(nodes: readonly Node[]): ReadonlyMap<string, number> | undefined {
  const byZone: Counts = new Map()
  for (const { metadata, status } of nodes) {
    if (excludedLabels.some((label) => metadata.labels?.[label] !== undefined)) continue
    if (status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True') continue
    const cpu = Quantity.parse(String(status.allocatable?.['cpu'] ?? '0')).milliValue()
    const zone = metadata.labels?.[zoneLabel]
    if (!zone || cpu === 0) return undefined
    increase(byZone, zone, cpu)
  }
  if (byZone.size < 2) return undefined
  const total = [...byZone.values()].reduce((sum, cpu) => sum + cpu, 0)
  return new Map([...byZone].map(([zone, cpu]) => [zone, cpu / total]))
}

/** Slices that keep their hints are counted; the other unchanged ones are assigned anew. */
function allocatable(plan: FamilyPlan, allocations: ReadonlyMap<string, Allocation>, given: Counts) {
  const update = [...plan.update]
  const unchanged: EndpointSlice[] = []
  for (const slice of plan.unchanged) {
    const hints = fittingHints(slice, given, allocations)
    if (hints === undefined) {
      update.push(slice)
      continue
    }
    unchanged.push(slice)
    for (const [zone, count] of hints) increase(given, zone, count)
  }
  return { create: plan.create, update, unchanged }
}

function fittingHints(
  { endpoints }: EndpointSlice,
  given: Counts,
  allocations: ReadonlyMap<string, Allocation>,
): Counts | undefined {
  const hints: Counts = new Map()
  for (const endpoint of (endpoints ?? []).filter(isReadyEndpoint)) {
    const zones = endpoint.hints?.forZones ?? []
    if (zones.length === 0) return undefined
    for (const { name } of zones) increase(hints, name, 1)
  }
  const fits = [...hints].every(
    ([zone, count]) => count + (given.get(zone) ?? 0) <= (allocations.get(zone)?.maximum ?? -1),
  )
  return fits ? hints : undefined
}

interface Transfers {
  readonly giving: Counts
  readonly receiving: Counts
}

/** How many endpoints each zone gives away or takes, one at a time from the fullest to the emptiest. */
function transfers(allocations: ReadonlyMap<string, Allocation>, given: Counts): Transfers {
  const surplus: Counts = new Map()
  const shortage: Counts = new Map()
  for (const [zone, { desired }] of allocations) {
    const has = given.get(zone) ?? 0
    if (has > desired) surplus.set(zone, has - desired)
    else if (has < desired) shortage.set(zone, desired - has)
  }
  const result = { giving: new Map<string, number>(), receiving: new Map<string, number>() }
  for (;;) {
    const from = most(surplus)
    const to = most(shortage)
    if (from === undefined || to === undefined) return result
    if ((from.count < 1 && to.count < 1) || from.count < 0.5 || to.count < 0.5) return result
    increase(result.giving, from.zone, 1)
    increase(surplus, from.zone, -1)
    increase(result.receiving, to.zone, 1)
    increase(shortage, to.zone, -1)
  }
}

function most(counts: Counts): { readonly zone: string; readonly count: number } | undefined {
  let best: { zone: string; count: number } | undefined
  for (const [zone, count] of counts) if (count > (best?.count ?? 0)) best = { zone, count }
  return best
}

function redistribute(hints: Map<Endpoint, string>, { giving, receiving }: Transfers, given: Counts): void {
  for (const [endpoint, zone] of hints) {
    const left = giving.get(zone) ?? 0
    const [to] = [...receiving].find(([, count]) => count > 0) ?? []
    if (to === undefined) return
    if (left === 0) continue
    hints.set(endpoint, to)
    increase(giving, zone, -1)
    increase(receiving, to, -1)
    increase(given, zone, -1)
    increase(given, to, 1)
  }
}

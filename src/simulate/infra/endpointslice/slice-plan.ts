/**
 * Which slices of a service are created, changed and deleted so that they hold its pods: as few writes as possible, each
 * slice at most `maxEndpoints` long. Pure: hints are added by others, and nothing is written here.
 * Mirrors k8s.io/endpointslice: Reconciler.Reconcile, Reconciler.reconcileByPortMapping, Reconciler.finalize.
 */

import { equalSemantic } from '../../../api/json.ts'
import type { Endpoint, EndpointPort } from '../../../catalog/types/discovery-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import type { EndpointSlice, Node, Pod, Service } from '../../objects.ts'
import { groupBy } from '../common/group-by.ts'
import { findPort, shouldBeEndpoint } from '../endpoint/service-pods.ts'
import {
  type AddressType,
  addressTypes,
  endpointKey,
  endpointOfPod,
  endpointPorts,
  isSliceOwnedBy,
  labelsDiffer,
  newSlice,
  portsKey,
  sameEndpoint,
  sliceLabels,
} from './slice-parts.ts'

export interface SlicePlan {
  create: EndpointSlice[]
  /** With all that they shall say; by name. */
  update: EndpointSlice[]
  delete: EndpointSlice[]
}

/** The part of a plan that hints are assigned in. */
export interface FamilyPlan extends SlicePlan {
  readonly addressType: AddressType
  readonly unchanged: EndpointSlice[]
}

export interface ServiceState {
  readonly service: Service
  readonly pods: readonly Pod[]
  /** Those that this controller manages, without those being deleted. */
  readonly slices: readonly EndpointSlice[]
  readonly node: (name: string) => Node | undefined
  readonly maxEndpoints: number
}

export interface ServicePlan {
  readonly families: FamilyPlan[]
  /** Of address types that the service no longer has. */
  readonly stale: EndpointSlice[]
  /** Pods that were left out because their node is unknown: to be tried again. */
  readonly skipped: { readonly pod: string; readonly node: string }[]
}

export function planSlices(state: ServiceState): ServicePlan {
  const types = addressTypes(state.service)
  const stale = state.slices.filter(({ addressType }) => !types.some((type) => type === addressType))
  const skipped: ServicePlan['skipped'] = []
  const families = types.map((addressType) => {
    const slices = state.slices.filter((slice) => slice.addressType === addressType)
    return planFamily({ ...state, slices }, addressType, skipped)
  })
  return { families, stale, skipped }
}

interface PortGroup {
  readonly ports: EndpointPort[]
  readonly endpoints: Map<string, Endpoint>
}

function planFamily(state: ServiceState, addressType: AddressType, skipped: ServicePlan['skipped']): FamilyPlan {
  const { service, slices } = state
  const owned = slices.filter((slice) => isSliceOwnedBy(slice, service))
  const plan: SlicePlan = { create: [], update: [], delete: slices.filter((slice) => !isSliceOwnedBy(slice, service)) }
  const existing = groupBy(owned, (slice) => portsKey(slice.ports))
  const wanted = wantedEndpoints(state, addressType, skipped)
  for (const [key, group] of wanted) {
    const part = planPorts(state, existing.get(key) ?? [], { ...group, addressType })
    pushAll(plan.create, part.create)
    pushAll(plan.update, part.update)
    pushAll(plan.delete, part.delete)
  }
  for (const [key, unwanted] of existing) if (!wanted.has(key)) pushAll(plan.delete, unwanted)
  keepPlaceholder(state, addressType, plan)
  const changed = new Set([...plan.update, ...plan.delete].map(({ metadata }) => metadata.name))
  return { ...plan, addressType, unchanged: slices.filter(({ metadata }) => !changed.has(metadata.name)) }
}

function wantedEndpoints(state: ServiceState, addressType: AddressType, skipped: ServicePlan['skipped']) {
  const { service, pods, node: findNode } = state
  const groups = new Map<string, PortGroup>()
  const groupOf = portGroups(service, groups)
  for (const pod of pods) {
    if (!shouldBeEndpoint(pod, true)) continue
    const group = groupOf(pod)
    const nodeName = pod.spec?.nodeName ?? ''
    const node = findNode(nodeName)
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      skipped.push({ pod: pod.metadata.name ?? '', node: nodeName })
      continue
    }
    const endpoint = endpointOfPod(pod, node, service, addressType)
    if (endpoint.addresses?.length) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return groups
}

/** Most pods of a service have the same ports: hashes are made once for each set of numbers. */
function portGroups(service: Service, groups: Map<string, PortGroup>): (pod: Pod) => PortGroup {
  const byNumbers = new Map<string, PortGroup>()
  return (pod) => {
    const numbers = (service.spec?.ports ?? []).map((port) => findPort(pod, port) ?? 0).join()
    const known = byNumbers.get(numbers)
    if (known !== undefined) return known
    const ports = endpointPorts(service, pod)
    const key = portsKey(ports)
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() }
    groups.set(key, group)
    byNumbers.set(numbers, group)
    return group
  }
}

/** A service always has a slice of each address type, however empty. */
function keepPlaceholder({ service, slices }: ServiceState, addressType: AddressType, plan: SlicePlan): void {
  if (slices.length !== plan.delete.length || plan.create.length > 0) return
  const placeholder = newSlice(service, addressType, [])
  const [only, ...others] = plan.delete
  if (only !== undefined && others.length === 0 && isPlaceholder(only, placeholder)) plan.delete = []
  else plan.create.push(placeholder)
}

const isPlaceholder = (slice: EndpointSlice, { metadata, addressType }: EndpointSlice): boolean =>
  slice.addressType === addressType &&
  !slice.ports?.length &&
  !slice.endpoints?.length &&
  slice.metadata.namespace === metadata.namespace &&
  equalSemantic(slice.metadata.labels ?? {}, metadata.labels ?? {})

/** One set of ports: what its slices hold is kept where it is, and what is new goes where it costs the fewest writes. */
function planPorts(
  { service, maxEndpoints }: ServiceState,
  existing: readonly EndpointSlice[],
  group: PortGroup & { readonly addressType: AddressType },
): SlicePlan {
  const rest = new Map(group.endpoints)
  const labels = sliceLabels(service)
  const update: EndpointSlice[] = []
  const unchanged: EndpointSlice[] = []
  const gone: EndpointSlice[] = []
  for (const slice of existing) {
    const { endpoints, isChanged } = keptEndpoints(slice, rest)
    if (isChanged && endpoints.length === 0) gone.push(slice)
    else if (isChanged) update.push(withContent(slice, endpoints, labels))
    else if (labelsDiffer(slice, service)) update.push(withContent(slice, [...(slice.endpoints ?? [])], labels))
    else unchanged.push(slice)
  }
  const added = [...rest.values()]
  for (const slice of update.sort((a, b) => lengthOf(b) - lengthOf(a))) fill(slice, added, maxEndpoints)
  const create: EndpointSlice[] = []
  while (added.length > 0) {
    const fullest = added.length < maxEndpoints ? fullestWithRoom(unchanged, added.length, maxEndpoints) : undefined
    const slice =
      fullest === undefined
        ? newSlice(service, group.addressType, group.ports)
        : withContent(fullest, [...(fullest.endpoints ?? [])], fullest.metadata.labels ?? {})
    fill(slice, added, maxEndpoints)
    if (fullest === undefined) create.push(slice)
    else {
      unchanged.splice(unchanged.indexOf(fullest), 1)
      update.push(slice)
    }
  }
  return { create, update, delete: gone }
}

/** What a slice holds that is still wanted, taken out of `rest`. */
function keptEndpoints(slice: EndpointSlice, rest: Map<string, Endpoint>) {
  const endpoints: Endpoint[] = []
  let isChanged = false
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint)
    const wanted = rest.get(key)
    if (wanted === undefined) {
      isChanged = true
      continue
    }
    if (!sameEndpoint(wanted, endpoint)) isChanged = true
    endpoints.push(wanted)
    rest.delete(key)
  }
  return { endpoints, isChanged }
}

const lengthOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0

const withContent = (
  slice: EndpointSlice,
  endpoints: Endpoint[],
  labels: Readonly<Record<string, string>>,
): EndpointSlice => ({ ...slice, metadata: { ...slice.metadata, labels: { ...labels } }, endpoints })

function fill(slice: EndpointSlice, added: Endpoint[], maxEndpoints: number): void {
  const taken = added.splice(0, Math.max(maxEndpoints - lengthOf(slice), 0))
  slice.endpoints = [...(slice.endpoints ?? []), ...taken]
}

/** The slice that is nearest to full when so many are added. Mirrors getSliceToFill. */
function fullestWithRoom(slices: readonly EndpointSlice[], count: number, max: number): EndpointSlice | undefined {
  let best: EndpointSlice | undefined
  let least = max
  for (const slice of slices) {
    const left = max - (count + lengthOf(slice))
    if (left >= 0 && left < least) {
      least = left
      best = slice
    }
  }
  return best
}

/** A slice that goes lends its name to one that comes: one write instead of two. */
export function reuseNames(plan: SlicePlan, service: Service): SlicePlan {
  const create = [...plan.create]
  const update = [...plan.update]
  const gone: EndpointSlice[] = []
  for (const slice of plan.delete) {
    const next = create.at(-1)
    if (next === undefined || next.addressType !== slice.addressType || !isSliceOwnedBy(slice, service)) {
      gone.push(slice)
      continue
    }
    create.pop()
    update.push({ ...next, metadata: { ...next.metadata, name: slice.metadata.name ?? '' } })
  }
  return { create, update, delete: gone }
}

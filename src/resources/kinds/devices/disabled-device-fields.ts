/**
 * Fields of claims and slices that go when their gate is off, unless the old object uses what the gate is for.
 * Mirrors pkg/registry/resource/resourceclaim: dropDisabledFields.
 * Mirrors pkg/registry/resource/resourceslice: dropDisabledFields.
 * Mirrors pkg/registry/resource/resourceclaimtemplate: dropDisabledFields.
 */
import type { KubeObject } from '../../../api/object.ts'
import type {
  ResourceClaimSpec as ReleasedClaimSpec,
  ResourceClaimStatus,
  ResourceSliceSpec,
} from '../../../catalog/types/resource-v1beta1.ts'
import type { WriteContext } from '../../../registry/strategy.ts'

type Gate = WriteContext['gate']

/** With the fields of later releases. */
type Later<T> = T & { readonly capacity?: unknown; readonly distinctAttribute?: unknown }
type Devices = ReleasedClaimSpec['devices']
type SubRequest = Later<NonNullable<NonNullable<Devices['requests']>[number]['firstAvailable']>[number]>
type Request = Later<Omit<NonNullable<Devices['requests']>[number], 'firstAvailable'>> & {
  readonly firstAvailable?: readonly SubRequest[]
}
type Constraint = Later<NonNullable<Devices['constraints']>[number]>
type ResourceClaimSpec = Omit<ReleasedClaimSpec, 'devices'> & {
  readonly devices: Omit<Devices, 'requests' | 'constraints'> & {
    readonly requests?: readonly Request[]
    readonly constraints?: readonly Constraint[]
  }
}

/** The shape in which claims are stored. */
interface Claiming {
  spec: ResourceClaimSpec
  status?: ResourceClaimStatus
}

/** The list with some keys of its members gone; the same list where nothing has them. */
function withoutKeys<T extends object>(list: readonly T[], keys: readonly (keyof T)[]): T[] {
  if (!hasKeys(list, keys)) return list as T[]
  return list.map((item) => {
    const copy = { ...item }
    for (const key of keys) delete copy[key]
    return copy
  })
}

const hasKeys = <T extends object>(list: readonly T[] | null | undefined, keys: readonly (keyof T)[]): boolean =>
  (list ?? []).some((item) => keys.some((key) => item[key] !== undefined))

type RequestKey = Exclude<keyof Request, 'name'>

/** From requests, and from what is asked for one after the other. */
function dropInRequests(spec: ResourceClaimSpec, keys: readonly RequestKey[]): ResourceClaimSpec {
  const { requests } = spec.devices
  if (!isInUse(spec, keys)) return spec
  const subKeys = keys as readonly (keyof SubRequest)[]
  const kept = withoutKeys(keptExact(requests ?? [], keys), keys).map((request) =>
    request.firstAvailable == null
      ? request
      : { ...request, firstAvailable: withoutKeys(request.firstAvailable, subKeys) },
  )
  return { ...spec, devices: { ...spec.devices, requests: kept } }
}

const isInUse = ({ devices: { requests } }: ResourceClaimSpec, keys: readonly RequestKey[]): boolean =>
  hasKeys(requests, keys) ||
  (requests ?? []).some(({ firstAvailable }) => hasKeys(firstAvailable, keys as readonly (keyof SubRequest)[]))

/** A request with nothing but what is dropped stays one for exact devices without it, and is refused as such. */
function keptExact(requests: readonly Request[], keys: readonly RequestKey[]): readonly Request[] {
  const isNothingElse = ({ name: _, firstAvailable: __, deviceClassName, ...others }: Request): boolean => {
    const given = Object.keys(others) as RequestKey[]
    return (deviceClassName ?? '') === '' && given.length > 0 && given.every((key) => keys.includes(key))
  }
  return requests.map((request) => (isNothingElse(request) ? { ...request, allocationMode: '' } : request))
}

const results = ({ status }: Claiming) => status?.allocation?.devices.results ?? []

const usesAdminAccess = (old: Claiming): boolean =>
  hasKeys(old.spec.devices.requests, ['adminAccess']) || results(old).some(({ adminAccess }) => adminAccess != null)

/** Mirrors pkg/api/resourceclaimspec: DropDisabledFields. */
function dropInSpec(draft: Claiming, old: Claiming | undefined, gate: Gate): void {
  const isOff = (name: string, keys: readonly RequestKey[]): boolean => !gate(name) && !(old && isInUse(old.spec, keys))
  if (isOff('DRAPrioritizedList', ['firstAvailable'])) draft.spec = dropInRequests(draft.spec, ['firstAvailable'])
  const dropsAll = gate('release:dropsInClaimSpecs')
  if (dropsAll && isOff('DRADeviceTaints', ['tolerations'])) draft.spec = dropInRequests(draft.spec, ['tolerations'])
  if (isOff('DRAConsumableCapacity', ['capacity']) && !(old && hasKeys(old.spec.devices.constraints, distinctKeys))) {
    draft.spec = dropInRequests(draft.spec, ['capacity'])
    if (dropsAll) draft.spec = withoutDistinct(draft.spec)
  }
  if (gate('DRAAdminAccess') || (old && usesAdminAccess(old))) return
  draft.spec = dropInRequests(draft.spec, ['adminAccess'])
  if (!results(draft).some(({ adminAccess }) => adminAccess !== null)) return
  const allocation = draft.status?.allocation
  if (draft.status === undefined || allocation === undefined) return
  const devices = { ...allocation.devices, results: results(draft).map((one) => ({ ...one, adminAccess: null })) }
  draft.status = { ...draft.status, allocation: { ...allocation, devices } }
}

const distinctKeys = ['distinctAttribute'] as const

function withoutDistinct(spec: ResourceClaimSpec): ResourceClaimSpec {
  const { constraints } = spec.devices
  if (!hasKeys(constraints, distinctKeys)) return spec
  return { ...spec, devices: { ...spec.devices, constraints: withoutKeys(constraints ?? [], distinctKeys) } }
}

export function dropDisabledInClaim(draft: KubeObject, old: KubeObject | undefined, gate: Gate): void {
  const [claim, before] = [draft as unknown as Claiming, old as unknown as Claiming | undefined]
  dropInSpec(claim, before, gate)
  if (gate('DRAResourceClaimDeviceStatus') || (before?.status?.devices?.length ?? 0) > 0) return
  if (claim.status?.devices === undefined) return
  const { devices: _, ...status } = claim.status
  claim.status = status
}

export function dropDisabledInTemplate(draft: KubeObject, old: KubeObject | undefined, gate: Gate): void {
  const { spec } = draft as unknown as { spec: Claiming }
  const before = (old as unknown as { spec: Claiming } | undefined)?.spec
  const inner: Claiming = { spec: spec.spec }
  dropInSpec(inner, before === undefined ? undefined : { spec: before.spec }, gate)
  if (inner.spec !== spec.spec) Object.assign(draft, { spec: { ...spec, spec: inner.spec } })
}

const placeKeys = ['consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'] as const

type Basic = NonNullable<NonNullable<ResourceSliceSpec['devices']>[number]['basic']>

const basicsOf = ({ devices }: ResourceSliceSpec): Basic[] => (devices ?? []).flatMap(({ basic }) => basic ?? [])

export function dropDisabledInSlice(draft: KubeObject, old: KubeObject | undefined, gate: Gate): void {
  const slice = draft as unknown as { spec: ResourceSliceSpec }
  const before = (old as unknown as { spec: ResourceSliceSpec } | undefined)?.spec
  if (!gate('DRADeviceTaints') && !(before && hasKeys(basicsOf(before), ['taints']))) {
    slice.spec = dropInDevices(slice.spec, ['taints'])
  }
  if (gate('DRAPartitionableDevices') || (before && isPartitioned(before))) return
  const { sharedCounters, perDeviceNodeSelection, ...rest } = dropInDevices(slice.spec, placeKeys)
  slice.spec =
    sharedCounters === undefined && perDeviceNodeSelection === undefined ? dropInDevices(slice.spec, placeKeys) : rest
}

const isPartitioned = (spec: ResourceSliceSpec): boolean =>
  (spec.sharedCounters?.length ?? 0) > 0 ||
  spec.perDeviceNodeSelection !== undefined ||
  hasKeys(basicsOf(spec), placeKeys)

function dropInDevices(spec: ResourceSliceSpec, keys: readonly (keyof Basic)[]): ResourceSliceSpec {
  if (!hasKeys(basicsOf(spec), keys)) return spec
  const devices = (spec.devices ?? []).map((device) =>
    device.basic === undefined ? device : { ...device, basic: withoutKeys([device.basic], keys)[0] as Basic },
  )
  return { ...spec, devices }
}

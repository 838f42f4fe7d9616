/**
 * Fields of claims and slices that go when their gate is off, unless the old object uses what the gate is for.
 * Mirrors pkg/registry/resource/resourceclaim: dropDisabledFields.
 * Mirrors pkg/registry/resource/resourceslice: dropDisabledFields.
 * Mirrors pkg/registry/resource/resourceclaimtemplate: dropDisabledFields.
 */
import type { KubeObject } from '../../../api/object.ts'
import type {
  ResourceClaimSpec,
  ResourceClaimStatus,
  ResourceSliceSpec,
} from '../../../catalog/types/resource-v1beta1.ts'
import type { WriteContext } from '../../../registry/strategy.ts'

type Gate = WriteContext['gate']

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

type Request = NonNullable<ResourceClaimSpec['devices']['requests']>[number]

function dropInRequests(spec: ResourceClaimSpec, keys: readonly (keyof Request)[]): ResourceClaimSpec {
  const requests = spec.devices.requests ?? []
  const kept = withoutKeys(requests, keys)
  return kept === requests ? spec : { ...spec, devices: { ...spec.devices, requests: kept } }
}

/** A request for nothing but access stays one for exact devices without it, and is refused as such. */
function keepExact(spec: ResourceClaimSpec): ResourceClaimSpec {
  const isAccessOnly = ({ name: _, firstAvailable: __, adminAccess, deviceClassName, ...others }: Request): boolean =>
    adminAccess !== undefined && (deviceClassName ?? '') === '' && Object.keys(others).length === 0
  const requests = spec.devices.requests ?? []
  if (!requests.some(isAccessOnly)) return spec
  const kept = requests.map((request) => (isAccessOnly(request) ? { ...request, allocationMode: '' } : request))
  return { ...spec, devices: { ...spec.devices, requests: kept } }
}

const results = ({ status }: Claiming) => status?.allocation?.devices.results ?? []

const usesAdminAccess = (old: Claiming): boolean =>
  hasKeys(old.spec.devices.requests, ['adminAccess']) || results(old).some(({ adminAccess }) => adminAccess != null)

function dropInSpec(draft: Claiming, old: Claiming | undefined, gate: Gate): void {
  if (!gate('DRAPrioritizedList') && !(old && hasKeys(old.spec.devices.requests, ['firstAvailable']))) {
    draft.spec = dropInRequests(draft.spec, ['firstAvailable'])
  }
  if (gate('DRAAdminAccess') || (old && usesAdminAccess(old))) return
  draft.spec = dropInRequests(keepExact(draft.spec), ['adminAccess'])
  if (!results(draft).some(({ adminAccess }) => adminAccess !== null)) return
  const allocation = draft.status?.allocation
  if (draft.status === undefined || allocation === undefined) return
  const devices = { ...allocation.devices, results: results(draft).map((one) => ({ ...one, adminAccess: null })) }
  draft.status = { ...draft.status, allocation: { ...allocation, devices } }
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

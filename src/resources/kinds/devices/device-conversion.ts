/**
 * The versions of `resource.k8s.io`. The hub is v1beta1, in which the one device of a request is spread over the request
 * and a device keeps its facts under `basic`; v1beta2 and v1 have `exactly` and no `basic`, v1alpha3 plain capacities.
 * Mirrors pkg/apis/resource/v1beta1: Convert_v1beta1_DeviceRequest_To_resource_DeviceRequest,
 * Convert_resource_DeviceRequest_To_v1beta1_DeviceRequest, Convert_v1beta1_Device_To_resource_Device,
 * Convert_resource_Device_To_v1beta1_Device.
 * Mirrors pkg/apis/resource/v1alpha3: Convert_v1alpha3_Device_To_resource_Device,
 * Convert_resource_Device_To_v1alpha3_Device.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { listInSteps, mapInSteps } from '../../../api/large-values.ts'
import type { KubeObject } from '../../../api/object.ts'
import { stepsOfRules } from '../../../api/rules-in-steps.ts'
import { withoutAbsent } from '../../conversions/wire-order.ts'

const group = 'resource.k8s.io'

type Change = (value: JsonObject) => JsonObject

/** The object with what lies at a path changed; the same parts everywhere else. A missing path changes nothing. */
function changeAt(value: JsonValue | undefined, path: readonly string[], change: Change): JsonValue | undefined {
  const [key, ...rest] = path
  if (Array.isArray(value)) {
    // An empty list is known by its identity.
    if (value.length === 0) return value
    return stepsOfRules(value, value.length, () => listInSteps(value, (item) => changeAt(item, path, change) ?? null))
  }
  if (!isJsonObject(value)) return value
  if (key === undefined) return change(value)
  return value[key] === undefined ? value : { ...value, [key]: changeAt(value[key], rest, change) }
}

const converter =
  (version: string, path: readonly string[], change: Change) =>
  (object: KubeObject): KubeObject =>
    ({ ...(changeAt(object, path, change) as KubeObject), apiVersion: `${group}/${version}` }) as KubeObject

function requestToHub({ name, exactly, firstAvailable }: JsonObject): JsonObject {
  const exact = isJsonObject(exactly) ? exactly : {}
  return withoutAbsent({
    name,
    deviceClassName: exact['deviceClassName'] ?? '',
    selectors: exact['selectors'],
    allocationMode: exact['allocationMode'],
    count: exact['count'],
    adminAccess: exact['adminAccess'],
    firstAvailable,
    tolerations: exact['tolerations'],
    capacity: exact['capacity'],
  })
}

function requestFromHub({ name, firstAvailable, ...exact }: JsonObject): JsonObject {
  const isExact = Object.entries(exact).some(([key, value]) => key !== 'deviceClassName' || value !== '')
  const exactly = withoutAbsent({
    deviceClassName: exact['deviceClassName'] ?? '',
    selectors: exact['selectors'],
    allocationMode: exact['allocationMode'],
    count: exact['count'],
    adminAccess: exact['adminAccess'],
    tolerations: exact['tolerations'],
    capacity: exact['capacity'],
  })
  return withoutAbsent({ name, exactly: isExact ? exactly : undefined, firstAvailable })
}

const deviceToHub = ({ name, ...basic }: JsonObject): JsonObject => withoutAbsent({ name, basic })

const deviceFromHub = ({ name, basic }: JsonObject): JsonObject =>
  withoutAbsent({ name, ...(isJsonObject(basic) ? basic : {}) })

/** Every capacity of a device, changed. */
function eachCapacity(basic: JsonObject, change: (value: JsonValue | undefined) => JsonValue): JsonObject {
  const { capacity } = basic
  if (!isJsonObject(capacity)) return basic
  const keys = keysOf(capacity)
  const changed = stepsOfRules(capacity, keys.length, () =>
    mapInSteps(keys, (i) => change(capacity[keys[i] as string])),
  )
  return { ...basic, capacity: changed }
}

const wrapCapacities: Change = (basic) => eachCapacity(basic, (value) => ({ value: value ?? '0' }))
const unwrapCapacities: Change = (basic) =>
  eachCapacity(basic, (value) => (isJsonObject(value) ? (value['value'] ?? '0') : '0'))

const claimRequests = ['spec', 'devices', 'requests']
const templateRequests = ['spec', ...claimRequests]
const devices = ['spec', 'devices']
const basics = [...devices, 'basic']

/** Of a version that has `exactly` and no `basic`: v1beta2, and v1 of later releases. */
const newer = (version: string) => (path: readonly string[], toHub: Change, fromHub: Change) => ({
  toHub: converter('v1beta1', path, toHub),
  fromHub: converter(version, path, fromHub),
})

const beta = newer('v1beta2')
export const claimConversion = beta(claimRequests, requestToHub, requestFromHub)
export const claimTemplateConversion = beta(templateRequests, requestToHub, requestFromHub)
export const sliceConversion = beta(devices, deviceToHub, deviceFromHub)
const stable = newer('v1')
export const stableClaimConversion = stable(claimRequests, requestToHub, requestFromHub)
export const stableClaimTemplateConversion = stable(templateRequests, requestToHub, requestFromHub)
export const stableSliceConversion = stable(devices, deviceToHub, deviceFromHub)
export const olderSliceConversion = {
  toHub: converter('v1beta1', basics, wrapCapacities),
  fromHub: converter('v1alpha3', basics, unwrapCapacities),
}

const isOlder = ({ apiVersion }: JsonObject): boolean =>
  apiVersion !== `${group}/v1beta2` && apiVersion !== `${group}/v1`

/** In the versions that have `basic`, every device has it, and its conversions leave out what is empty. */
export const withBasics = (slice: JsonObject): JsonObject =>
  isOlder(slice) ? (changeAt(slice, devices, withBasic) as JsonObject) : slice

/** In the versions that have no `exactly`, conversions leave out tolerations that are empty, but not where they alone make a request exact. */
const withoutEmptyTolerations =
  (path: readonly string[]) =>
  (claim: JsonObject): JsonObject =>
    isOlder(claim) ? (changeAt(claim, path, withoutTolerations) as JsonObject) : claim

export const decodedClaim = withoutEmptyTolerations(claimRequests)
export const decodedClaimTemplate = withoutEmptyTolerations(templateRequests)

const exactFields = ['deviceClassName', 'selectors', 'allocationMode', 'count', 'adminAccess']

function withoutTolerations(request: JsonObject): JsonObject {
  const { tolerations, ...rest } = request
  const isExact = exactFields.some((name) => rest[name] !== undefined && rest[name] !== '')
  return isExact && isEmpty(tolerations) ? rest : request
}

const collections = ['attributes', 'capacity', 'consumesCounters', 'taints']

function withBasic(device: JsonObject): JsonObject {
  const { basic } = device
  if (!isJsonObject(basic)) return basic === undefined ? { ...device, basic: {} } : device
  if (!collections.some((name) => isEmpty(basic[name]))) return device
  const rest = { ...basic }
  for (const name of collections) if (isEmpty(rest[name])) delete rest[name]
  return { ...device, basic: rest }
}

const isEmpty = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) ? value.length === 0 : isJsonObject(value) && keysOf(value).length === 0

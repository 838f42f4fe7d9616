/**
 * Which devices a claim was given, who may use them, and how they are.
 * Mirrors pkg/apis/resource/validation: ValidateResourceClaimStatusUpdate.
 */

import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  ofPlainText,
  quote,
  required,
  tooLong,
  tooMany,
} from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { goJson } from '../../../api/golang/json-text.ts'
import { GoLiteral } from '../../../api/golang/literal.ts'
import { checkInterfaceAddress } from '../../../api/ip-validation.ts'
import { equalSemantic, type JsonValue } from '../../../api/json.ts'
import { isLongerThan } from '../../../api/names.ts'
import { hasChange } from '../../../api/release-changes.ts'
import { goDump } from '../../../catalog/golang/dump.ts'
import { duplicateAs, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  NetworkDeviceData,
  ResourceClaimStatus,
} from '../../../catalog/types/resource-v1beta2.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { addMessages, type Errors, immutableMessage } from '../../checks/checks.ts'
import { validateConditions } from '../../checks/conditions.ts'
import { validateDriverName } from '../../checks/csi-names.ts'
import { validateNodeSelectorTerms } from '../pods/affinity.ts'
import {
  checkConfiguration,
  checkLabelAt,
  checkList,
  checkPoolName,
  checkRaw,
  checkSet,
  maxConfigurations,
  textItself,
} from './device-checks.ts'
import { checkReference, checkReferences, type RequestNames } from './device-claim.ts'
import { validateBinding } from './device-sharing.ts'

const at = FieldPath.of('status')
const maxConsumers = 256
const maxResults = 32
const maxConditions = 8
const maxAddresses = 16
const maxInterfaceName = 256
const maxHardwareAddress = 128

interface DeviceReference {
  readonly driver: string
  readonly pool: string
  readonly device: string
  /** Of a device that several claims share. */
  readonly shareID?: string
}

/** The identity of a device. */
export const deviceId = ({ driver, pool, device, shareID }: DeviceReference): string =>
  [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/')

/** Mirrors k8s.io/dynamic-resource-allocation/structured: SharedDeviceID, whose parts were handles that JSON cannot show. */
const shownDevice = (reference: DeviceReference): GoLiteral =>
  new GoLiteral(deviceId(reference), (release) => {
    const { driver, pool, device, shareID = '' } = reference
    const part = (text: string): JsonValue => (hasChange(release, 'readableDeviceIds') ? text : {})
    return goJson({ Driver: part(driver), Pool: part(pool), Device: part(device), ShareID: part(shareID) })
  })

export const allocatedIds = ({ allocation }: ResourceClaimStatus): Set<string> =>
  new Set((allocation?.devices.results ?? []).map(deviceId))

export function validateClaimStatus(
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  { names, isDeleted }: { readonly names: RequestNames; readonly isDeleted: boolean },
): FieldError[] {
  const errors: Errors = []
  checkSet(errors, status.reservedFor, maxConsumers, at.child('reservedFor'), {
    check(errors, consumer, itemAt) {
      for (const key of ['resource', 'name', 'uid'] as const) {
        if (consumer[key] === '') errors.push(required(itemAt.child(key)))
      }
    },
    key: ({ uid }) => uid,
    field: 'uid',
  })
  validateDevices(errors, status)
  validateReservations(errors, status, old, isDeleted)
  const { allocation } = status
  const where = at.child('allocation')
  if (allocation === undefined) return errors
  if (old.allocation === undefined) validateAllocation(errors, allocation, where, names)
  else if (!equalSemantic(allocation, old.allocation)) {
    errors.push(invalidAs(where, () => goDump('resource.AllocationResult', allocation), immutableMessage))
  }
  return errors
}

function validateReservations(
  errors: Errors,
  { reservedFor = [], allocation }: ResourceClaimStatus,
  old: ResourceClaimStatus,
  isDeleted: boolean,
): void {
  if (reservedFor.length === 0) return
  const where = at.child('reservedFor')
  if (allocation === undefined) {
    errors.push(forbidden(where, 'may not be specified when `allocated` is not set'))
    return
  }
  const known = (old.reservedFor ?? []) as JsonValue[]
  const isNew = reservedFor.some((consumer) => !known.some((other) => equalSemantic(other, consumer)))
  if (!isDeleted || !isNew) return
  const why = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
  errors.push(forbidden(where, why))
}

function validateDevices(errors: Errors, status: ResourceClaimStatus): void {
  const allocated = allocatedIds(status)
  const where = at.child('devices')
  checkList(errors, status.devices, Number.POSITIVE_INFINITY, where, (errors, device, itemAt) => {
    validateDevice(errors, device, itemAt, allocated)
  })
  const seen = new Set<string>()
  status.devices?.forEach((device, i) => {
    const id = deviceId(device)
    if (seen.has(id)) {
      errors.push(duplicateAs(where.index(i).child('deviceID'), () => shownDevice(device)))
    }
    seen.add(id)
  })
}

function validateDevice(
  errors: Errors,
  device: AllocatedDeviceStatus,
  where: FieldPath,
  allocated: ReadonlySet<string>,
): void {
  checkDevice(errors, device, where)
  checkShare(errors, device, where)
  if (!allocated.has(deviceId(device))) {
    errors.push(invalidAs(where, () => shownDevice(device), 'must be an allocated device in the claim'))
  }
  const conditions = device.conditions ?? []
  const conditionsAt = where.child('conditions')
  if (conditions.length > maxConditions) errors.push(tooMany(conditionsAt, conditions.length, maxConditions))
  pushAll(errors, validateConditions(conditions, conditionsAt))
  if (device.data !== undefined) checkRaw(errors, device.data, where.child('data'), false)
  if (device.networkData !== undefined) validateNetwork(errors, device.networkData, where.child('networkData'))
}

function checkDevice(errors: Errors, { driver, pool, device }: DeviceReference, where: FieldPath): void {
  validateDriverName(errors, driver, where.child('driver'))
  checkPoolName(errors, pool, where.child('pool'))
  checkLabelAt(errors, device, where.child('device'))
}

function validateNetwork(errors: Errors, network: NetworkDeviceData, where: FieldPath): void {
  const { interfaceName = '', hardwareAddress = '', ips } = network
  if (isLongerThan(interfaceName, maxInterfaceName)) {
    errors.push(tooLong(where.child('interfaceName'), maxInterfaceName))
  }
  if (isLongerThan(hardwareAddress, maxHardwareAddress)) {
    errors.push(tooLong(where.child('hardwareAddress'), maxHardwareAddress))
  }
  checkSet(errors, ips, maxAddresses, where.child('ips'), {
    check: (errors, address, itemAt) => addMessages(errors, itemAt, address, checkInterfaceAddress(address)),
    key: textItself,
  })
}

function validateAllocation(
  errors: Errors,
  { devices, nodeSelector }: AllocationResult,
  where: FieldPath,
  names: RequestNames,
): void {
  const devicesAt = where.child('devices')
  checkList(errors, devices.results, maxResults, devicesAt.child('results'), (errors, result, itemAt) => {
    checkReference(errors, result.request, itemAt.child('request'), names)
    checkDevice(errors, result, itemAt)
    validateBinding(errors, result, itemAt)
    checkShare(errors, result, itemAt)
  })
  // Those of the class and those of the claim.
  checkList(errors, devices.config, 2 * maxConfigurations, devicesAt.child('config'), (errors, config, itemAt) => {
    validateConfiguration(errors, config, itemAt, names)
  })
  if (nodeSelector === undefined) return
  const termsAt = where.child('nodeSelector', 'nodeSelectorTerms')
  validateNodeSelectorTerms(errors, nodeSelector.nodeSelectorTerms, termsAt, false)
}

/** Mirrors pkg/apis/resource/validation: validateUID. */
function checkShare(errors: Errors, { shareID }: DeviceReference, where: FieldPath): void {
  const problem = shareID === undefined ? undefined : shareProblem(shareID)
  if (problem !== undefined) errors.push(ofPlainText(invalid(where.child('shareID'), shareID ?? '', problem)))
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const normalForm = '`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`'

/** Other forms of the same number are known, and not wanted. */
function shareProblem(text: string): string | undefined {
  if (uuid.test(text)) return undefined
  const length = Buffer.byteLength(text)
  const why = (problem: string): string => `error validating uid: ${problem}`
  if (length === 45 && !/^urn:uuid:/i.test(text)) return why(`invalid urn prefix: ${quote(text.slice(0, 9))}`)
  if (length === 38 && !/^\{.*\}$/s.test(text)) return why('invalid bracketed UUID format')
  if (![32, 36, 38, 45].includes(length)) return why(`invalid UUID length: ${length}`)
  const bare = text
    .replace(/^urn:uuid:/i, '')
    .replace(/^\{(.*)\}$/s, '$1')
    .toLowerCase()
  if (!uuid.test(bare) && !/^[0-9a-f]{32}$/.test(bare)) return why('invalid UUID format')
  return `uid must be in RFC 4122 normalized form, ${normalForm} with lowercase hexadecimal characters`
}

const sources = ['FromClaim', 'FromClass']

function validateConfiguration(
  errors: Errors,
  { source, requests, opaque }: DeviceAllocationConfiguration,
  where: FieldPath,
  names: RequestNames,
): void {
  if (source === '') errors.push(required(where.child('source')))
  else if (!sources.includes(source)) errors.push(notSupported(where.child('source'), source, sources))
  checkReferences(errors, requests, where.child('requests'), names)
  checkConfiguration(errors, opaque, where, false)
}

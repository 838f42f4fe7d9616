/**
 * What a claim asks for: requests for devices, what they must have in common, and how they are set up.
 * Mirrors pkg/apis/resource/validation: ValidateResourceClaim, ValidateResourceClaimUpdate,
 * ValidateResourceClaimTemplate, ValidateResourceClaimTemplateUpdate.
 */
import { invalid, notSupported, ofNamedText, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { goNull, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type { DeviceClaim, DeviceRequest, ExactDeviceRequest } from '../../../catalog/types/resource-v1beta2.ts'
import type { Errors } from '../../checks/checks.ts'
import {
  type CheckLeniency,
  checkClassName,
  checkConfiguration,
  checkIdentifier,
  checkLabelAt,
  checkList,
  checkSelectors,
  checkSet,
  checkToleration,
  maxConfigurations,
  textItself,
} from './device-checks.ts'

const maxRequests = 32
const maxConstraints = 32
const maxAlternatives = 8

/** The names of requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

export const requestNamesOf = ({ requests }: DeviceClaim): RequestNames =>
  new Map(
    (requests ?? []).map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((one) => one.name))]),
  )

export function validateDeviceClaim(errors: Errors, claim: DeviceClaim, at: FieldPath, held: CheckLeniency): void {
  const names = requestNamesOf(claim)
  checkSet(errors, claim.requests, maxRequests, at.child('requests'), {
    check: (errors, request, itemAt) => validateRequest(errors, request, itemAt, held),
    key: ({ name }) => name,
    field: 'name',
  })
  checkList(errors, claim.constraints, maxConstraints, at.child('constraints'), (errors, constraint, itemAt) => {
    checkReferences(errors, constraint.requests, itemAt.child('requests'), names)
    const { matchAttribute, distinctAttribute } = constraint as typeof constraint & { distinctAttribute?: string }
    const where = itemAt.child('matchAttribute')
    if (matchAttribute !== undefined) validateFullName(errors, matchAttribute, where, held)
    else if (distinctAttribute !== undefined) {
      validateFullName(errors, distinctAttribute, itemAt.child('distinctAttribute'), held)
    } else if (held.distinct === true) {
      const one = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
      errors.push(required(itemAt, one))
    } else errors.push(required(where))
  })
  checkList(errors, claim.config, maxConfigurations, at.child('config'), (errors, { requests, opaque }, itemAt) => {
    checkReferences(errors, requests, itemAt.child('requests'), names)
    checkConfiguration(errors, opaque, itemAt, held.stored)
  })
}

function validateFullName(errors: Errors, name: string, at: FieldPath, { emptyIsWrong = false }: CheckLeniency): void {
  checkIdentifier(errors, name, at, emptyIsWrong)
  if ((name !== '' || emptyIsWrong) && !name.includes('/')) errors.push(invalid(at, name, 'must include a domain'))
}

function validateRequest(
  errors: Errors,
  { name, exactly, firstAvailable = [] }: DeviceRequest,
  at: FieldPath,
  held: CheckLeniency,
): void {
  checkLabelAt(errors, name, at.child('name'))
  const one = 'exactly one of `exactly` or `firstAvailable` is required'
  const isTwofold = exactly !== undefined && firstAvailable.length > 0
  if (isTwofold && held.oneWay === true) {
    errors.push(invalidAs(at, () => goNull, `${one}, but multiple fields are set`))
    return
  }
  if (firstAvailable.length > 0) {
    checkSet(errors, firstAvailable, maxAlternatives, at.child('firstAvailable'), {
      check(errors, request, itemAt) {
        checkLabelAt(errors, request.name, itemAt.child('name'))
        validateDevices(errors, request, itemAt, held)
      },
      key: (request) => request.name,
      field: 'name',
    })
  }
  if (exactly !== undefined) validateDevices(errors, exactly, at.child('exactly'), held)
  if (exactly === undefined && firstAvailable.length === 0) errors.push(required(at, one))
  if (isTwofold) errors.push(invalidAs(at, () => goNull, `${one}, but multiple fields are set`))
}

type Devices = Omit<ExactDeviceRequest, 'adminAccess'>

function validateDevices(errors: Errors, devices: Devices, at: FieldPath, held: CheckLeniency): void {
  const { deviceClassName, allocationMode = '', count = 0 } = devices
  if (deviceClassName === '') errors.push(required(at.child('deviceClassName')))
  else checkClassName(errors, deviceClassName, at.child('deviceClassName'))
  checkSelectors(errors, devices.selectors, at.child('selectors'), held)
  if (allocationMode === 'All') {
    const why = "must not be specified when allocationMode is 'All'"
    if (count !== 0) errors.push(invalid(at.child('count'), count, why))
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalid(at.child('count'), count, 'must be greater than zero'))
  } else errors.push(ofNamedText(notSupported(at.child('allocationMode'), allocationMode, ['All', 'ExactCount'])))
  devices.tolerations?.forEach((toleration, i) => {
    checkToleration(errors, toleration, at.child('tolerations').index(i), held.effects)
  })
}

export function checkReferences(
  errors: Errors,
  references: readonly string[] | undefined,
  at: FieldPath,
  names: RequestNames,
): void {
  checkSet(errors, references, maxRequests, at, {
    check: (errors, name, itemAt) => checkReference(errors, name, itemAt, names),
    key: textItself,
  })
}

/** The name of a request, or of one of its alternatives: `request/alternative`. */
export function checkReference(errors: Errors, reference: string, at: FieldPath, names: RequestNames): void {
  const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  const parts = reference.split('/')
  if (parts.length <= 2) for (const part of parts) checkLabelAt(errors, part, at)
  const [request = '', alternative] = parts
  const isKnown =
    parts.length <= 2 &&
    names.has(request) &&
    (alternative === undefined || names.get(request)?.has(alternative) === true)
  if (!isKnown) errors.push(invalid(at, reference, why))
}

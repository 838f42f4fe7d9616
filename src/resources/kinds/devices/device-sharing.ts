/**
 * What devices of later releases say of being shared: capacity that requests take a part of, and conditions of binding.
 * Mirrors pkg/apis/resource/validation: validateMultiAllocatableDeviceCapacity, validateSingleAllocatableDeviceCapacity,
 * validateRequestPolicy, validateDeviceBindingParameters.
 */
import { duplicate, forbidden, invalid, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import { goStrings, invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type { Device } from '../../../catalog/types/resource-v1beta2.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'
import { checkList, checkSet } from './device-checks.ts'

interface RequestPolicy {
  readonly default?: string | null
  readonly validValues?: readonly string[]
  readonly validRange?: { readonly min?: string; readonly max?: string; readonly step?: string }
}

interface SharedCapacity {
  readonly value: string
  readonly requestPolicy?: RequestPolicy
}

interface Sharing {
  readonly allowMultipleAllocations?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
}

const maxConditions = 4
const maxValues = 10

export function validateCapacityPolicy(errors: Errors, device: Device, name: string, at: FieldPath): void {
  const { value, requestPolicy } = (device.capacity?.[name] ?? { value: '0' }) as SharedCapacity
  if (requestPolicy === undefined) return
  const policyAt = at.child('requestPolicy')
  if ((device as Sharing).allowMultipleAllocations !== true) {
    errors.push(forbidden(policyAt, 'allowMultipleAllocations must be true'))
    return
  }
  validatePolicy(errors, requestPolicy, policyAt, Quantity.parse(value))
}

function validatePolicy(errors: Errors, policy: RequestPolicy, at: FieldPath, capacity: Quantity): void {
  const { validValues = [], validRange } = policy
  const { default: given } = policy
  const initial = given === undefined || given === null ? undefined : Quantity.parse(given)
  if (validValues.length > 0 && validRange !== undefined) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
    errors.push(forbidden(at, why))
  } else if (validValues.length > 0) {
    if (initial === undefined) errors.push(required(at.child('default'), 'required when validValues is defined'))
    else validateValues(errors, validValues.map(Quantity.parse), at.child('validValues'), { initial, capacity })
  } else if (validRange !== undefined) {
    if (initial === undefined) errors.push(required(at.child('default'), 'required when validRange is defined'))
    else validateRange(errors, validRange, at.child('validRange'), { initial, capacity })
  }
}

interface Bounds {
  /** What is taken where a request says nothing. */
  readonly initial: Quantity
  readonly capacity: Quantity
}

function validateValues(
  errors: Errors,
  values: readonly Quantity[],
  at: FieldPath,
  { initial, capacity }: Bounds,
): void {
  values.forEach((value, i) => {
    const next = values[i + 1]
    if (next !== undefined && value.compare(next) > 0) {
      errors.push(invalid(at.index(i + 1), next.toString(), 'values must be sorted in ascending order'))
    }
  })
  checkSet(errors, values, maxValues, at, {
    check(errors, value, itemAt) {
      if (value.compare(capacity) <= 0) return
      errors.push(invalid(itemAt, value.toString(), `option is larger than capacity value: ${capacity}`))
    },
    key: (value) => String(value.value()),
  })
  if (!values.some((value) => value.equals(initial))) {
    errors.push(invalid(at, initial.toString(), 'default value is not valid according to the requestPolicy'))
  }
}

function validateRange(
  errors: Errors,
  range: NonNullable<RequestPolicy['validRange']>,
  at: FieldPath,
  { initial, capacity }: Bounds,
): void {
  if (range.min === undefined) {
    errors.push(required(at.child('min'), 'required when validRange is defined'))
    return
  }
  const min = Quantity.parse(range.min)
  const max = range.max === undefined ? undefined : Quantity.parse(range.max)
  const refuse = (key: string, value: Quantity, why: string): void => {
    errors.push(invalid(at.child(key), value.toString(), why))
  }
  if (min.compare(capacity) > 0) refuse('min', min, `min is larger than capacity value: ${capacity}`)
  if (initial.compare(min) < 0) refuse('min', initial, `default is less than min: ${min}`)
  if (max !== undefined) {
    if (min.compare(max) > 0) refuse('max', min, `min is larger than max: ${max}`)
    if (max.compare(capacity) > 0) refuse('max', max, `max is larger than capacity value: ${capacity}`)
    if (initial.compare(max) > 0) refuse('max', initial, `default is more than max: ${max}`)
  }
  if (range.step === undefined) return
  const step = Quantity.parse(range.step)
  const first = min.add(step)
  if (first.compare(capacity) > 0) refuse('step', step, `one step ${first} is larger than capacity value: ${capacity}`)
  for (const value of max === undefined ? [initial] : [initial, max]) {
    const isMultiple = step.value() !== 0 && (value.value() - min.value()) % step.value() === 0
    if (!isMultiple) refuse('step', value, `value is not a multiple of a given step (${step}) from (${min})`)
  }
}

export function validateBinding(errors: Errors, device: object, at: FieldPath): void {
  const { bindingConditions: wanted, bindingFailureConditions: failures } = device as Sharing
  const lists = { bindingConditions: wanted, bindingFailureConditions: failures }
  for (const [name, list] of Object.entries(lists)) {
    checkList(errors, list, maxConditions, at.child(name), (errors, condition, itemAt) => {
      addMessages(errors, itemAt, condition, checkQualifiedName(condition))
    })
  }
  const seen = new Set<string>()
  wanted?.forEach((condition, i) => {
    if (seen.has(condition)) errors.push(duplicate(at.child('bindingConditions').index(i), condition))
    seen.add(condition)
  })
  const failed = new Set<string>()
  failures?.forEach((condition, i) => {
    const where = at.child('bindingFailureConditions').index(i)
    if (failed.has(condition)) errors.push(duplicate(where, condition))
    failed.add(condition)
    const why = 'bindingFailureConditions must not overlap with bindingConditions'
    if (seen.has(condition)) errors.push(invalid(where, condition, why))
  })
  const [hasWanted, hasFailures] = [(wanted ?? []).length > 0, (failures ?? []).length > 0]
  const needs = (missing: string, given: string, list: readonly string[] | undefined): void => {
    const why = `${missing} are required to use ${given}`
    errors.push(invalidAs(at.child(missing), () => goStrings(list === undefined ? undefined : [...list]), why))
  }
  if (hasFailures && !hasWanted) needs('bindingConditions', 'bindingFailureConditions', wanted)
  if (hasWanted && !hasFailures) needs('bindingFailureConditions', 'bindingConditions', failures)
}

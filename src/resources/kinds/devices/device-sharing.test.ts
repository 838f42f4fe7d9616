import { describe, expect, test } from 'vitest'
import { FieldPath } from '../../../api/field-path.ts'
import type { Device } from '../../../catalog/types/resource-v1beta2.ts'
import type { Errors } from '../../checks/checks.ts'
import { validateBinding, validateCapacityPolicy } from './device-sharing.ts'

const at = FieldPath.of('d')
const told = (errors: Errors): string[] => errors.map(({ field, message }) => `${field}: ${message}`)

describe('capacity that is shared', () => {
  const found = (requestPolicy: object | undefined, isShared = true): string[] => {
    const errors: Errors = []
    const capacity = { m: { value: '10', ...(requestPolicy && { requestPolicy }) } }
    validateCapacityPolicy(errors, { name: 'd', allowMultipleAllocations: isShared, capacity } as Device, 'm', at)
    return told(errors)
  }
  test.each<[string, object | undefined, string[]]>([
    ['no policy', undefined, []],
    ['a default alone', { default: '1' }, []],
    ['values', { default: '2', validValues: ['1', '2'] }, []],
    [
      'values without a default',
      { validValues: ['1'] },
      ['d.requestPolicy.default: Required value: required when validValues is defined'],
    ],
    [
      'both',
      { default: '1', validValues: ['1'], validRange: {} },
      [
        'd.requestPolicy: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ],
    ],
    [
      'values out of order',
      { default: '1', validValues: ['2', '1'] },
      ['d.requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order'],
    ],
    [
      'too much',
      { default: '1', validValues: ['1', '11'] },
      ['d.requestPolicy.validValues[1]: Invalid value: "11": option is larger than capacity value: 10'],
    ],
    [
      'another default',
      { default: '3', validValues: ['1'] },
      ['d.requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy'],
    ],
    ['a range', { default: '2', validRange: { min: '1', max: '9', step: '1' } }, []],
    [
      'no minimum',
      { default: '2', validRange: {} },
      ['d.requestPolicy.validRange.min: Required value: required when validRange is defined'],
    ],
    [
      'below',
      { default: '1', validRange: { min: '2' } },
      ['d.requestPolicy.validRange.min: Invalid value: "1": default is less than min: 2'],
    ],
    [
      'above',
      { default: '5', validRange: { min: '1', max: '4' } },
      ['d.requestPolicy.validRange.max: Invalid value: "5": default is more than max: 4'],
    ],
    [
      'between steps',
      { default: '4', validRange: { min: '1', step: '2' } },
      ['d.requestPolicy.validRange.step: Invalid value: "4": value is not a multiple of a given step (2) from (1)'],
    ],
  ])('%s', (_name, policy, errors) => {
    expect(found(policy)).toEqual(errors)
  })
  test('a device for one has no policy', () => {
    expect(found({ default: '1' }, false)).toEqual([
      'd.requestPolicy: Forbidden: allowMultipleAllocations must be true',
    ])
  })
})

test.each<[object, string[]]>([
  [{}, []],
  [{ bindingConditions: ['A'], bindingFailureConditions: ['B'] }, []],
  [
    { bindingConditions: ['A', 'A'], bindingFailureConditions: ['B'] },
    ['d.bindingConditions[1]: Duplicate value: "A"'],
  ],
  [
    { bindingConditions: ['A'], bindingFailureConditions: ['A'] },
    [
      'd.bindingFailureConditions[0]: Invalid value: "A": bindingFailureConditions must not overlap with bindingConditions',
    ],
  ],
  [
    { bindingConditions: ['A'], bindingFailureConditions: ['B', 'B'] },
    ['d.bindingFailureConditions[1]: Duplicate value: "B"'],
  ],
])('binding by %j', (device, errors) => {
  const found: Errors = []
  validateBinding(found, device as Device, at)
  expect(told(found)).toEqual(errors)
})

import { describe, expect, test } from 'vitest'
import { type FieldError, invalid, invalidAs, required, tooLong, tooMany } from './field-error.ts'
import { goNamed } from './golang/literal.ts'
import { goStringMap, goStruct } from './golang/struct.ts'
import { errorAtRelease, errorsAtRelease, warningAtRelease } from './release-wordings.ts'
import { invalid as invalidObject } from './status-error.ts'

const cases: [string, FieldError, string, string][] = [
  [
    'a map',
    invalidAs('a', () => goStringMap({ b: 'x<', a: 'y' }), 'no'),
    'map[string]string{"a":"y", "b":"x<"}',
    '{"a":"y","b":"x\\u003c"}',
  ],
  ['no map', invalidAs('a', () => goStringMap(undefined), 'no'), 'map[string]string(nil)', 'null'],
  [
    'a struct of an internal type',
    invalidAs('a', () => goStruct('core.PodIP', { IP: '""' }), 'no'),
    'core.PodIP{IP:""}',
    '{"IP":""}',
  ],
  [
    'a struct with tags',
    invalidAs('a', () => goStruct('v1.X', { Key: '"k"', Values: goStringMap(undefined) }), 'no'),
    'v1.X{Key:"k", Values:map[string]string(nil)}',
    '{"key":"k"}',
  ],
  ['a name', invalidAs('a', () => goNamed('bananas'), 'no'), 'bananas', '"bananas"'],
]

describe('values', () => {
  test.each(cases)('%s', (_, error, go, json) => {
    expect(errorAtRelease(error, 33).message).toBe(`Invalid value: ${go}: no`)
    expect(errorAtRelease(error, 34).message).toBe(`Invalid value: ${json}: no`)
  })
})

describe('words', () => {
  test.each([
    [required('status.conditions[0].reason', 'must be set'), 'Required value: must be set', 'Required value'],
    [tooMany('spec.a', 2, 1), 'Too many: 2: must have at most 1 items', 'Too many: 2: must have at most 1 item'],
    [tooMany('spec.a', 3, 2), 'Too many: 3: must have at most 2 items', 'Too many: 3: must have at most 2 items'],
    [tooLong('spec.a', 1), 'Too long: may not be more than 1 bytes', 'Too long: may not be more than 1 byte'],
    [required('spec.other', 'must be set'), 'Required value: must be set', 'Required value: must be set'],
    [
      invalid('metadata.ownerReferences.uid', '', 'uid must not be empty'),
      'Invalid value: "": uid must not be empty',
      'Invalid value: "": must not be empty',
    ],
  ])('%j', (error, before, after) => {
    expect([errorAtRelease(error, 33).message, errorAtRelease(error, 34).message]).toEqual([before, after])
  })
})

test.each([
  [34, 3],
  [35, 2],
])('at 1.%d, the name of a driver that is missing and was another has %d errors', (release, count) => {
  const errors = [required('spec.driver'), invalid('spec.driver', '', 'a lowercase RFC 1123 subdomain must consist of')]
  const all = errorsAtRelease([...errors, invalid('spec.driver', '', 'field is immutable')], release)
  expect(all).toHaveLength(count)
})

test('an answer is in the words of its release, in its message and in its causes', () => {
  const error = invalidObject({ group: '', kind: 'Thing' }, 'a', [
    invalidAs('spec', () => goStringMap({ a: 'b' }), 'no'),
  ])
  expect(error.status.message).toBe('Thing "a" is invalid: spec: Invalid value: map[string]string{"a":"b"}: no')
  const later = error.atRelease?.(34).status
  expect(later?.message).toBe('Thing "a" is invalid: spec: Invalid value: {"a":"b"}: no')
  expect(later?.details?.causes?.[0]?.message).toBe('Invalid value: {"a":"b"}: no')
})

test.each([
  [
    'spec.a[0]: non-standard IP address "01.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
    'spec.a[0]: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"',
  ],
  [
    'spec.a: non-standard CIDR value "01.2.3.0/24" will be considered invalid in a future Kubernetes release: use "1.2.3.0/24"',
    'spec.a: non-standard CIDR value "01.2.3.0/24" is invalid: use "1.2.3.0/24"',
  ],
  ['x "will be considered invalid in a future Kubernetes release: use "', undefined],
])('the warning %j', (before, after) => {
  expect(warningAtRelease(before, () => false)).toBe(before)
  expect(warningAtRelease(before, () => true)).toBe(after ?? before)
})

test.each([
  ['metadata.labels', true],
  ['spec.tolerations[0].operator', true],
  ['metadata.taints[1].value', true],
  ['spec.taint.value', true],
  ['endpoints[0].hints.forZones[0].name', true],
  ['metadata.name', false],
  ['spec.taints[0].name', false],
])('the length of a label value is in bytes since 1.35: %s', (field, isLabel) => {
  const form =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
  for (const rest of ['', `;${form}`]) {
    const told = (unit: string): string => `Invalid value: "x": must be no more than 63 ${unit}${rest}`
    const error = invalid(field, 'x', `must be no more than 63 characters${rest}`)
    expect(errorAtRelease(error, 34).message).toBe(told('characters'))
    expect(errorAtRelease(error, 35).message).toBe(told(isLabel ? 'bytes' : 'characters'))
  }
})

import { describe, expect, it } from 'vitest'
import { checkSubdomainName } from '../api/names.ts'
import type { ObjectMeta } from '../api/object.ts'
import { validateObjectMeta } from './object-meta.ts'

const rules = { namespaced: false, anyFinalizer: false, validateName: checkSubdomainName }
const reported = (metadata: ObjectMeta): string[] =>
  validateObjectMeta({ name: 'x', ...metadata }, rules).map(({ field, message }) => `${field}: ${message}`)

describe('owner references', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: 'u' }
  const printed = (name: string, controller: string) =>
    `v1.OwnerReference{APIVersion:"apps/v1", Kind:"ReplicaSet", Name:"${name}", UID:"u", Controller:(*bool)(${controller}), BlockOwnerDeletion:(*bool)(nil)}`

  it('have one controller at most', () => {
    expect(reported({ ownerReferences: [{ ...owner, controller: true }, owner] })).toEqual([])
    const two = [
      { ...owner, controller: true },
      { ...owner, name: 'b', controller: true },
    ]
    expect(reported({ ownerReferences: two })).toEqual([
      `metadata.ownerReferences: Invalid value: []v1.OwnerReference{${printed('a', '0xc000000000')}, ${printed('b', '0xc000000000')}}: Only one reference can have Controller set to true. Found "true" in references for ReplicaSet/a and ReplicaSet/b`,
    ])
  })

  it('name somebody who can own', () => {
    expect(reported({ ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'Event' }] })).toEqual([
      expect.stringContaining('/v1, Kind=Event is disallowed from being an owner'),
    ])
    expect(reported({ ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": kind must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": name must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ])
  })
})

it('finalizers cannot both orphan and delete what depends on the object', () => {
  expect(reported({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
    'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
  ])
})

it.each([
  ['a\tb\n', ['invalid character U+0009 (at position 1)', 'invalid character U+000A (at position 3)']],
  ['\u00e9\u0001', ['invalid character U+0001 (at position 2)']],
])('managers of fields are printable: %j', (manager, why) => {
  const entry = { manager, operation: 'Update', apiVersion: 'v1' }
  expect(reported({ managedFields: [entry] })).toEqual(
    why.map(
      (text) =>
        `metadata.managedFields[0].manager: Invalid value: ${JSON.stringify(manager).replace('\\u0001', '\\x01')}: ${text}`,
    ),
  )
})

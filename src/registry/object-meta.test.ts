import { describe, expect, it } from 'vitest'
import { checkSubdomainName } from '../api/names.ts'
import type { ObjectMeta } from '../api/object.ts'
import { nextGeneration, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'

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

describe('metadata', () => {
  const named = { ...rules, namespaced: true }
  const errorsOf = (metadata: ObjectMeta, given = named): string[] =>
    validateObjectMeta({ name: 'x', namespace: 'ns', ...metadata }, given).map(
      ({ field, message }) => `${field}: ${message}`,
    )
  const qualified = 'name is neither a standard finalizer name nor is it fully qualified'

  it.each<[string, ObjectMeta, unknown[]]>([
    ['that is plain', { labels: { 'a.io/b': 'c' }, annotations: { 'a.io/B': 'any text!' }, generation: 0 }, []],
    [
      'with a namespace that is no label',
      { namespace: 'a.b' },
      [expect.stringContaining('metadata.namespace: Invalid')],
    ],
    ['without a namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    ['without a name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    [
      'with a bad generateName',
      { generateName: 'Ab-' },
      [expect.stringContaining('metadata.generateName: Invalid value: "Ab-"')],
    ],
    ['with a generateName that ends in a hyphen', { generateName: 'a-' }, []],
    ['with a name that does', { name: 'a-' }, [expect.stringContaining('metadata.name: Invalid value: "a-"')]],
    [
      'with a namespace that does',
      { namespace: 'a-' },
      [expect.stringContaining('metadata.namespace: Invalid value: "a-"')],
    ],
    [
      'with a negative generation',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'with a bad label',
      { labels: { 'a b': 'c d' } },
      [
        expect.stringContaining('metadata.labels: Invalid value: "a b": name part'),
        expect.stringContaining('metadata.labels: Invalid value: "c d": a valid label'),
      ],
    ],
    [
      'with a bad annotation',
      { annotations: { 'a b': '' } },
      [expect.stringContaining('metadata.annotations: Invalid value: "a b"')],
    ],
    ['with as many annotations as there may be', { annotations: { a: 'x'.repeat(256 * 1024 - 1) } }, []],
    [
      'with too many annotations',
      { annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['with standard finalizers', { finalizers: ['kubernetes', 'orphan', 'a.io/b'] }, []],
    [
      'with a finalizer without a domain',
      { finalizers: ['a.io/b', 'c'] },
      [`metadata.finalizers[1]: Invalid value: "c": ${qualified}`],
    ],
    [
      'with a bad finalizer',
      { finalizers: ['a.io/b c'] },
      [expect.stringContaining('metadata.finalizers: Invalid value: "a.io/b c"')],
    ],
    [
      'with bad managed fields',
      { managedFields: [{ manager: 'm'.repeat(129), operation: 'x', fieldsType: 'y', subresource: 'z'.repeat(257) }] },
      [
        'metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "y": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Too long: may not be more than 128 bytes',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
      ],
    ],
    [
      'with good managed fields',
      {
        managedFields: [
          { manager: 'm'.repeat(128), operation: 'Apply', fieldsType: 'FieldsV1', subresource: 'z'.repeat(256) },
        ],
      },
      [],
    ],
  ])('%s', (_, metadata, expected) => {
    expect(errorsOf(metadata)).toEqual(expected)
  })

  it('shows a uid as JSON in later releases, and a name as Go quotes it', () => {
    const known: ObjectMeta = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' }
    const odd = { ...known, name: '\u0000', uid: '\u0000' }
    const later = validateObjectMetaUpdate(odd, known, rules).map(({ field, messageAt }, i, errors) => [
      field,
      messageAt?.call(errors[i], 34),
    ])
    expect(later).toContainEqual(['metadata.uid', 'Invalid value: "\\u0000": field is immutable'])
    expect(later).toContainEqual(['metadata.name', 'Invalid value: "\\x00": field is immutable'])
  })

  it('may have any finalizer where its kind says so', () => {
    expect(errorsOf({ finalizers: ['c'] }, { ...named, anyFinalizer: true })).toEqual([])
  })

  it('has no namespace where its kind has none', () => {
    expect(errorsOf({}, rules)).toEqual(['metadata.namespace: Forbidden: not allowed on this type'])
  })
})

describe('an update of metadata', () => {
  const time = '2024-01-01T00:00:00Z'
  const old: ObjectMeta = { name: 'x', uid: 'u', resourceVersion: '7', generation: 3, creationTimestamp: time }
  const going: ObjectMeta = { ...old, deletionTimestamp: time, finalizers: ['a.io/b', 'a.io/c'] }

  it.each<[string, ObjectMeta, ObjectMeta, unknown[]]>([
    ['of nothing', old, {}, []],
    ['of labels', old, { labels: { a: 'b' } }, []],
    [
      'to bad labels',
      old,
      { labels: { a: 'b c' } },
      [expect.stringContaining('metadata.labels: Invalid value: "b c"')],
    ],
    [
      'to a bad annotation',
      old,
      { annotations: { 'a b': '' } },
      [expect.stringContaining('metadata.annotations: Invalid')],
    ],
    [
      'to a bad owner',
      old,
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": uid must not be empty'],
    ],
    [
      'to a bad manager',
      old,
      { managedFields: [{ operation: 'x' }] },
      ['metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`'],
    ],
    [
      'to a bad finalizer',
      old,
      { finalizers: ['c'] },
      [expect.stringContaining('metadata.finalizers[0]: Invalid value: "c"')],
    ],
    [
      'without a version',
      old,
      { resourceVersion: '' },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    ['to the next generation', old, { generation: 4 }, []],
    [
      'to an earlier generation',
      old,
      { generation: 2 },
      ['metadata.generation: Invalid value: 2: must not be decremented'],
    ],
    ['of the name', old, { name: 'y' }, ['metadata.name: Invalid value: "y": field is immutable']],
    ['of the uid', old, { uid: 'v' }, ['metadata.uid: Invalid value: "v": field is immutable']],
    [
      'to a deletion',
      old,
      { deletionGracePeriodSeconds: 3 },
      ['metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable'],
    ],
    ['to fewer finalizers while it goes', going, { finalizers: ['a.io/c'] }, []],
    ['to the same finalizers while it goes', going, {}, []],
    [
      'to more finalizers while it goes',
      going,
      { finalizers: ['z.io/z', 'a.io/b', 'd.io/d'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.io/d", "z.io/z"}',
      ],
    ],
    ['to more finalizers', old, { finalizers: ['d.io/d'] }, []],
  ])('%s', (_, before, change, expected) => {
    const errors = validateObjectMetaUpdate({ ...before, ...change }, before, rules)
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
  })

  it('may have any finalizer where its kind says so', () => {
    expect(validateObjectMetaUpdate({ ...old, finalizers: ['c'] }, old, { ...rules, anyFinalizer: true })).toEqual([])
  })
})

it.each([
  [{}, 1],
  [{ generation: 4 }, 5],
  [{ generation: (2n ** 53n) as unknown as number }, 2n ** 53n + 1n],
])('after a generation comes the next: case %#', (metadata, next) => {
  expect(nextGeneration(metadata)).toBe(next)
})

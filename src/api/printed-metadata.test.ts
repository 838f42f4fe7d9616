import { describe, expect, test } from 'vitest'
import type { GoLiteral } from './golang/literal.ts'
import type { ObjectMeta } from './object.ts'
import { printedMetadata } from './printed-metadata.ts'

const shown = (fields: Readonly<Record<string, string>>): string => {
  const all = {
    Name: '""',
    GenerateName: '""',
    Namespace: '""',
    SelfLink: '""',
    UID: '""',
    ResourceVersion: '""',
    Generation: '0',
    CreationTimestamp: 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)',
    DeletionTimestamp: '<nil>',
    DeletionGracePeriodSeconds: '(*int64)(nil)',
    Labels: 'map[string]string(nil)',
    Annotations: 'map[string]string(nil)',
    OwnerReferences: '[]v1.OwnerReference(nil)',
    Finalizers: '[]string(nil)',
    ManagedFields: '[]v1.ManagedFieldsEntry(nil)',
    ...fields,
  }
  const members = Object.entries(all).map(([name, value]) => `${name}:${value}`)
  return `v1.ObjectMeta{${members.join(', ')}}`
}

describe('printedMetadata', () => {
  test.each<[string, ObjectMeta, Readonly<Record<string, string>>]>([
    ['nothing', { creationTimestamp: null }, {}],
    ['texts', { name: 'n', namespace: 'x', generation: 3 }, { Name: '"n"', Namespace: '"x"', Generation: '3' }],
    [
      'maps and lists',
      { labels: { b: 'c', a: 'd' }, annotations: {}, finalizers: ['x/y'] },
      {
        Labels: 'map[string]string{"a":"d", "b":"c"}',
        Annotations: 'map[string]string{}',
        Finalizers: '[]string{"x/y"}',
      },
    ],
    [
      'managed fields',
      {
        managedFields: [
          { manager: 'm', operation: 'Update', apiVersion: 'v1', time: '2024-05-06T07:08:09Z', fieldsV1: {} },
        ],
      },
      {
        ManagedFields:
          '[]v1.ManagedFieldsEntry{v1.ManagedFieldsEntry{Manager:"m", Operation:"Update", APIVersion:"v1", Time:time.Date(2024, time.May, 6, 7, 8, 9, 0, time.Local), FieldsType:"", FieldsV1:(*v1.FieldsV1)(0xc000000000), Subresource:""}}',
      },
    ],
  ])('%s', (_, meta, fields) => {
    expect(String(printedMetadata(meta))).toBe(shown(fields))
  })
})

test.each<[string, ObjectMeta, string]>([
  ['no time that there is not', { name: 'n', creationTimestamp: null }, '{"name":"n"}'],
  [
    'all that an owner must have',
    { ownerReferences: [{ kind: 'A' }], finalizers: ['f'] } as unknown as ObjectMeta,
    '{"ownerReferences":[{"apiVersion":"","kind":"A","name":"","uid":""}],"finalizers":["f"]}',
  ],
  [
    'nothing that is empty',
    {
      ...{ name: '', generation: 0, labels: {}, finalizers: [], ownerReferences: [], deletionGracePeriodSeconds: 0 },
      managedFields: [{ manager: '', operation: 'Update', apiVersion: 'v1', fieldsV1: {} }],
    },
    '{"deletionGracePeriodSeconds":0,"managedFields":[{"operation":"Update","apiVersion":"v1","fieldsV1":{}}]}',
  ],
])('in JSON it has %s', (_, meta, wanted) => {
  expect((printedMetadata(meta) as GoLiteral).jsonAt(34)).toBe(wanted)
})

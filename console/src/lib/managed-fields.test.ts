import { describe, expect, it } from 'vitest'
import { extract, ownersAt, ownershipOf } from './managed-fields.ts'

const object = {
  metadata: {
    name: 'web',
    labels: { app: 'web', tier: 'front' },
    finalizers: ['a/b', 'c/d'],
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Apply',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} }, 'f:finalizers': { 'v:"c/d"': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"b"}': {
                '.': {},
                'f:image': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { 'f:containerPort': {} } },
              },
            },
            'f:args': {},
          },
        },
      },
      {
        manager: 'hpa',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:gone': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
      },
    ],
  },
  spec: {
    replicas: 2,
    args: ['x', { deep: 1 }],
    containers: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:1', ports: [{ containerPort: 80, protocol: 'TCP' }] },
    ],
  },
}

describe('ownership', () => {
  const ownership = ownershipOf(object)

  it.each([
    [
      ['metadata', 'labels', 'app'],
      [0, 1],
    ],
    [['metadata', 'labels', 'tier'], []],
    [['metadata', 'labels'], [0]],
    [['metadata', 'finalizers', 1], [0]],
    [['metadata', 'finalizers', 0], []],
    [['spec'], []],
    [['spec', 'replicas'], [1]],
    [['spec', 'containers', 1, 'image'], [0]],
    [['spec', 'containers', 1], [0]],
    [['spec', 'containers', 0, 'image'], []],
    [['spec', 'containers', 1, 'ports', 0, 'containerPort'], [0]],
    [['spec', 'containers', 1, 'ports', 0, 'protocol'], []],
    // What is owned as one is owned in all its parts.
    [['spec', 'args', 1, 'deep'], [0]],
  ])('of %j', (path, wanted) => {
    expect(ownersAt(ownership, path)).toEqual(wanted)
  })

  it('counts what this version does not show', () => {
    expect(ownership.unseen.get(1)).toBe(1)
  })

  it('of an object without managers is empty', () => {
    expect(ownersAt(ownershipOf({ metadata: {} }), ['spec'])).toEqual([])
  })
})

it('extracts what a manager owns, with the keys of items', () => {
  const [entry] = object.metadata.managedFields
  expect(extract(entry!.fieldsV1 as never, object)).toEqual({
    metadata: { labels: { app: 'web' }, finalizers: ['c/d'] },
    spec: {
      containers: [{ name: 'b', image: 'b:1', ports: [{ containerPort: 80, protocol: 'TCP' }] }],
      args: ['x', { deep: 1 }],
    },
  })
})

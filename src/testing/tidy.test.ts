import { describe, expect, it } from 'vitest'
import { tidy } from './tidy.ts'

describe('tidy', () => {
  it('leaves out what differs from run to run, and nothing else', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        uid: 'u',
        resourceVersion: '7',
        creationTimestamp: '2025-01-01T00:00:00Z',
        deletionTimestamp: '2025-01-01T00:00:00Z',
        managedFields: [{ manager: 'm' }],
        labels: { uid: 'kept', startTime: 'kept' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u' }],
      },
      spec: { nodeName: 'n', volumes: [{ name: 'v' }] },
      data: { uid: 'kept', lastTransitionTime: 'kept' },
      status: {
        startTime: '2025-01-01T00:00:00Z',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' }],
      },
    }
    const expected = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        deletionTimestamp: '<time>',
        labels: { uid: 'kept', startTime: 'kept' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }],
      },
      spec: { nodeName: 'n', volumes: [{ name: 'v' }] },
      data: { uid: 'kept', lastTransitionTime: 'kept' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }
    expect(tidy(object)).toEqual(expected)
    expect(tidy([object])).toEqual([expected])
    expect(object.metadata.uid).toBe('u')
    expect(tidy(undefined)).toBeUndefined()
  })
})

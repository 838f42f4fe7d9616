import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import { VersionedAttributes } from './versioned-attributes.ts'

const entry = (time: string) => ({ manager: 'm', operation: 'Update', apiVersion: 'v1', time })
const configMap = (metadata: object, more: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', ...metadata }, ...more }) as KubeObject

const [before, now] = [entry('2026-01-01T00:00:00Z'), entry('2026-01-01T00:00:01Z')]
const stored = configMap(
  { uid: 'u', resourceVersion: '7', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', managedFields: [before] },
  { data: { a: 'b' } },
)

describe('times of this very request', () => {
  it.each<[string, KubeObject, KubeObject | undefined, boolean]>([
    ['a new object has them', configMap({ managedFields: [now] }), undefined, true],
    ['one that nobody owns has none', configMap({}), undefined, false],
    [
      'a replacement that changes nothing has none, whatever it says of what nobody owns',
      configMap({ managedFields: [before] }, { data: { a: 'b' } }),
      stored,
      false,
    ],
    [
      'a change has them, even in the same second',
      configMap({ managedFields: [before] }, { data: { a: 'c' } }),
      stored,
      true,
    ],
    [
      'one that only removes has none, though its owners own less',
      configMap({ managedFields: [{ ...before, fieldsV1: {} }] }, { data: {} }),
      stored,
      false,
    ],
    [
      'items that are left of a list are none',
      configMap({ finalizers: ['b'], managedFields: [before] }),
      configMap({ finalizers: ['a', 'b'], managedFields: [before] }),
      false,
    ],
    ['an owner with another time has them', configMap({ managedFields: [now] }, { data: { a: 'b' } }), stored, true],
  ])('%s', (_, object, oldObject, expected) => {
    const request = { object, oldObject } as unknown as AdmissionRequest
    expect(new VersionedAttributes(request, (_request, made) => made).hasExactTimes).toBe(expected)
    expect(new VersionedAttributes(request, (_request, made) => made, true).hasExactTimes).toBe(false)
  })
})

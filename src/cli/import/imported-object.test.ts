import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { importedObject, withoutForeignOwners } from './imported-object.ts'

const all = { withSecretValues: false, namespaces: undefined }
const of = (kind: string, metadata: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata,
  ...more,
})

describe('an imported object', () => {
  it.each<[string, JsonObject, Partial<typeof all> | { namespaces: ReadonlySet<string> }, JsonObject | undefined]>([
    [
      'loses its version',
      of('Pod', { name: 'a', uid: 'u', resourceVersion: '7' }),
      {},
      of('Pod', { name: 'a', uid: 'u' }),
    ],
    [
      'stays out of other namespaces',
      of('Pod', { name: 'a', namespace: 'b' }),
      { namespaces: new Set(['c']) },
      undefined,
    ],
    ['may be of the cluster', of('Node', { name: 'a' }), { namespaces: new Set(['c']) }, of('Node', { name: 'a' })],
    [
      'may be a namespace that is meant',
      of('Namespace', { name: 'c' }),
      { namespaces: new Set(['c']) },
      of('Namespace', { name: 'c' }),
    ],
    ['is no other namespace', of('Namespace', { name: 'd' }), { namespaces: new Set(['c']) }, undefined],
    ['is none of the server itself', of('Service', { name: 'kubernetes', namespace: 'default' }), {}, undefined],
    [
      'is a secret without values',
      of(
        'Secret',
        {
          name: 's',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"eA=="}}', b: 'c' },
        },
        { type: 'Opaque', data: { a: 'eA==' } },
      ),
      {},
      of(
        'Secret',
        { name: 's', annotations: { b: 'c', 'pilothouse.dev/values-left-out': 'true' } },
        { type: 'Opaque', data: { a: '' } },
      ),
    ],
    [
      'is a secret with values where asked',
      of('Secret', { name: 's' }, { data: { a: 'eA==' } }),
      { withSecretValues: true },
      of('Secret', { name: 's' }, { data: { a: 'eA==' } }),
    ],
  ])('%s', (_, object, settings, expected) => {
    expect(importedObject(object, { ...all, ...settings } as never)).toEqual(expected)
  })

  it('keeps the owners that came along, and no others', () => {
    const owned = (...uids: string[]) =>
      of('Pod', { name: 'a', ...(uids.length === 0 ? {} : { ownerReferences: uids.map((uid) => ({ uid })) }) }) as never
    expect(withoutForeignOwners(owned('x'), new Set(['x']))).toEqual(owned('x'))
    expect(withoutForeignOwners(owned('x', 'y'), new Set(['y']))).toEqual(owned('y'))
    expect(withoutForeignOwners(owned('x'), new Set())).toEqual(owned())
  })
})

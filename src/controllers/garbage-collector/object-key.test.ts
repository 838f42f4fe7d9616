import { describe, expect, it } from 'vitest'
import { ownerKey, parseKey } from './object-key.ts'

describe('keys of work', () => {
  it('bring an owner back as its dependents see it', () => {
    const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' }
    expect(parseKey(ownerKey(reference, 'default'))).toEqual({
      type: 'owner',
      address: { reference, namespace: 'default' },
    })
  })

  it('bring an object back', () => {
    const address = { group: '', resource: 'pods', namespace: 'default', name: 'web' }
    expect(parseKey('object\0\0pods\0default\0web')).toEqual({ type: 'object', address })
  })
})

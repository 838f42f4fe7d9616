import { expect, test } from 'vitest'
import { unreadableForUpdate, unreadableObject } from './unreadable.ts'

const undecryptable = { key: '/registry/secrets/a/b', revision: 7, reason: 'transform', why: 'no key' } as const
const undecodable = { ...undecryptable, reason: 'decode' } as const
const plain = { unsafeDeletion: false, prefix: '/registry' }
const gated = { ...plain, unsafeDeletion: true }

test.each([
  ['not decrypted', undecryptable, 'InternalError'],
  ['not decoded', undecodable, ''],
])('an object that is %s is a 500 of its reason', (_, value, reason) => {
  for (const error of [unreadableObject(value, plain), unreadableForUpdate(value, plain)]) {
    expect([error.code, error.status.reason ?? '']).toEqual([500, reason])
  }
})

test('under the gate of unsafe deletion a get names the key, without the prefix, and says that it is corrupt', () => {
  expect(unreadableObject(undecodable, gated).message).toContain(
    'corrupt object, Code: 7, Key: /secrets/a/b, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=7: no key',
  )
  expect(unreadableForUpdate(undecryptable, gated).message).toContain('not transformable revision=0: no key')
})

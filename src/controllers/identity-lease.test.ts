import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { serverIdentity } from '../api/server-identity.ts'
import { isExpired } from './identity-lease.ts'

describe('the identity of a server', () => {
  it.each([
    ['kind-control-plane', 'apiserver-c7uylvfxlbqccnk6myfkwetzze'],
    ['', 'apiserver-2ikcnb3wory4bpirwz777r2iv4'],
  ])('follows from the host name %j', (hostname, expected) => {
    expect(serverIdentity(hostname)).toBe(expected)
  })
})

describe('an identity Lease', () => {
  const lease = (spec: object): KubeObject =>
    ({ apiVersion: '', kind: '', metadata: {}, spec }) as unknown as KubeObject
  const now = Date.parse('2024-01-01T01:00:00Z')
  it.each([
    [{}, true],
    [{ renewTime: '2024-01-01T00:30:00.000000Z' }, true],
    [{ leaseDurationSeconds: 3600 }, true],
    [{ renewTime: '2024-01-01T00:30:00.000000Z', leaseDurationSeconds: 3600 }, false],
    [{ renewTime: '2023-12-31T23:30:00.000000Z', leaseDurationSeconds: 3600 }, true],
  ])('with %j has run out: %s', (spec, expired) => {
    expect(isExpired(lease(spec), now)).toBe(expired)
  })
})

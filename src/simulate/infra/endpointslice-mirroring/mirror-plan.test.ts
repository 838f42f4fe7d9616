import { expect, it } from 'vitest'
import type { EndpointSlice, Endpoints } from '../../objects.ts'
import { isMirrored, planMirror } from './mirror-plan.ts'

const endpoints = (subsets: object[], metadata: object = {}): Endpoints =>
  ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'db', namespace: 'ns', uid: 'u', ...metadata },
    subsets,
  }) as Endpoints
const subset = (ips: string[], port = 5432, more: object = {}) => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: [{ name: 'db', port, protocol: 'TCP' }],
  ...more,
})
const written = (of: Endpoints): EndpointSlice[] =>
  planMirror(of, []).create.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `s${i}` } }))

it('makes a slice for each family and set of ports', () => {
  const { create } = planMirror(endpoints([subset(['10.0.0.1', 'fd00::1']), subset(['10.0.0.2'], 1)]), [])
  expect(create.map(({ addressType, ports, endpoints: all }) => [addressType, ports?.[0]?.port, all?.length])).toEqual([
    ['IPv4', 5432, 1],
    ['IPv6', 5432, 1],
    ['IPv4', 1, 1],
  ])
  expect(create[0]?.metadata).toMatchObject({
    generateName: 'db-',
    labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
    ownerReferences: [{ kind: 'Endpoints', uid: 'u' }],
  })
})

it('leaves what is mirrored already, and changes what is not', () => {
  const before = endpoints([subset(['10.0.0.1'])], { labels: { a: 'b' }, annotations: { c: 'd' } })
  const again = planMirror(before, written(before))
  expect([again.create, again.update, again.delete]).toEqual([[], [], []])
  const after = endpoints([subset(['10.0.0.1'], 5432, { notReadyAddresses: [{ ip: '10.0.0.2' }] })])
  expect(planMirror(after, written(before)).update).toMatchObject([
    { metadata: { name: 's0' }, endpoints: [{ conditions: { ready: true } }, { conditions: { ready: false } }] },
  ])
  expect(planMirror(endpoints([]), written(before)).delete).toHaveLength(1)
  const other = planMirror(endpoints([subset(['10.0.0.1'], 1)]), written(before))
  expect([other.create.length, other.update.length, other.delete.length]).toEqual([0, 1, 0])
})

it('counts what it cannot mirror', () => {
  const many = Array.from({ length: 1002 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
  expect(planMirror(endpoints([subset(['nonsense', '10.0.0.1'])]), []).invalid).toBe(1)
  const { create, skipped } = planMirror(endpoints([subset(many)]), [])
  expect([create[0]?.endpoints?.length, skipped]).toEqual([1000, 2])
})

it.each([
  [{}, true],
  [{ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }, false],
  [{ annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }, false],
])('mirrors %j: %s', (metadata, expected) => expect(isMirrored(endpoints([], metadata))).toBe(expected))

import { describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../objects.ts'
import { nodeOf, time } from '../common/test-objects.ts'
import { CidrPool } from '../node-ipam/cidr-pool.ts'
import { stayMs } from '../taint-eviction/toleration.ts'
import { nextStep } from '../ttl/ttl-controller.ts'
import { evictionRate, nextHealth, silentAt, unknownConditions, zoneState } from './node-health.ts'
import { withCopiedLabels, withEvictionTaint, withNoScheduleTaints } from './node-taints.ts'

const lease = (renewTime: string, leaseDurationSeconds = 40): Lease =>
  ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {},
    spec: { renewTime, leaseDurationSeconds },
  }) as Lease

describe('the health of a node', () => {
  it('is known by its heartbeats and its Lease', () => {
    const node = nodeOf('n')
    const first = nextHealth(undefined, node, undefined, 1000)
    expect(silentAt(node, first)).toBe(51_000)
    expect(nextHealth(first, node, undefined, 9000).probedAt).toBe(1000)
    const renewed = nextHealth(first, node, lease('2025-01-01T00:00:00.000000Z'), 9000)
    expect(renewed.probedAt).toBe(9000)
    expect(nextHealth(renewed, node, lease('2025-01-01T00:00:00.000000Z'), 20_000).probedAt).toBe(9000)
    const lasting = nextHealth(renewed, node, lease('2025-01-02T00:00:00.000000Z', 3600), 30_000)
    expect(silentAt(node, lasting)).toBe(3_630_000)
  })

  it('that was never heard of has a minute from its beginning', () => {
    const node = { ...nodeOf('n'), status: {} as NonNullable<Node['status']> }
    expect(silentAt(node, nextHealth(undefined, node, undefined, 30_000))).toBe(60_000)
  })

  it('becomes unknown in all that its kubelet says', () => {
    const conditions = unknownConditions(nodeOf('n'), time(60)) ?? []
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'Ready Unknown NodeStatusUnknown',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'DiskPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ])
    const node = nodeOf('n', { more: { conditions } })
    expect(unknownConditions(node, time(90))).toBeUndefined()
  })

  it.each([
    [0, 0, 'Normal', 0.1],
    [1, 1, 'Normal', 0.1],
    [0, 2, 'FullDisruption', 0.1],
    [2, 3, 'PartialDisruption', 0],
    [3, 3, 'Normal', 0.1],
    [20, 40, 'PartialDisruption', 0.01],
  ] as const)('makes the state of a zone: %d ready, %d not', (ready, notReady, state, rate) => {
    expect(zoneState(ready, notReady)).toBe(state)
    expect(evictionRate(zoneState(ready, notReady), ready + notReady)).toBe(rate)
  })
})

describe('the taints of a node', () => {
  const keys = (taints: readonly { key: string; effect: string }[] | undefined) =>
    taints?.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)
  const tainted = (node: Node, taints: object[]): Node => ({ ...node, spec: { ...node.spec, taints } as never })
  it.each([
    ['ready', nodeOf('n'), undefined],
    ['not ready', nodeOf('n', { ready: 'False' }), ['not-ready:NoSchedule']],
    ['unreachable', nodeOf('n', { ready: 'Unknown' }), ['unreachable:NoSchedule']],
    ['cordoned', { ...nodeOf('n'), spec: { unschedulable: true } }, ['unschedulable:NoSchedule']],
    [
      'well again',
      tainted(nodeOf('n'), [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'mine', effect: 'NoSchedule' },
      ]),
      ['mine:NoSchedule'],
    ],
  ])('that is %s', (_, node, expected) => {
    expect(keys(withNoScheduleTaints(node, time(0)))).toEqual(expected)
  })

  it('evict for one reason at a time', () => {
    const node = tainted(nodeOf('n'), [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }])
    expect(keys(withEvictionTaint(node, 'node.kubernetes.io/unreachable', time(0)))).toEqual(['unreachable:NoExecute'])
    expect(withEvictionTaint(node, 'node.kubernetes.io/not-ready', time(0))).toBeUndefined()
    expect(withEvictionTaint(node, undefined, time(0))).toEqual([])
  })

  it('go with labels of old', () => {
    const node = nodeOf('n', { labels: { 'kubernetes.io/os': 'linux' } })
    expect(withCopiedLabels(node)).toEqual({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' })
    expect(withCopiedLabels(nodeOf('n'))).toBeUndefined()
  })
})

it.each([
  [[], 0],
  [[{ operator: 'Exists' }], undefined],
  [[{ key: 'k', value: 'v', effect: 'NoExecute' }], undefined],
  [[{ key: 'k', value: 'v', tolerationSeconds: 60 }], 60_000],
  [[{ key: 'k', operator: 'Exists', tolerationSeconds: -5 }], 0],
  [[{ key: 'k', value: 'other' }], 0],
  [[{ key: 'k', value: 'v', effect: 'NoSchedule' }], 0],
])('tolerations %j let a pod stay for %s ms', (tolerations, expected) => {
  expect(stayMs([{ key: 'k', value: 'v', effect: 'NoExecute' }], tolerations)).toBe(expected)
})

it.each([
  [0, 100, 0],
  [0, 101, 1],
  [1, 95, 1],
  [1, 89, 0],
  [0, 3000, 4],
  [4, 10, 0],
])('from step %i with %i nodes to step %i', (step, count, expected) => expect(nextStep(step, count)).toBe(expected))

it('gives every node a range of its own', () => {
  const pool = new CidrPool('10.0.0.0/22', 24)
  expect(pool.occupy('10.0.1.0/24')).toBe(true)
  expect(pool.occupy('10.9.0.0/24')).toBe(false)
  expect([pool.allocate(), pool.allocate(), pool.allocate(), pool.allocate()]).toEqual([
    '10.0.0.0/24',
    '10.0.2.0/24',
    '10.0.3.0/24',
    undefined,
  ])
  pool.release('10.0.2.0/24')
  expect(pool.allocate()).toBe('10.0.2.0/24')
  expect(() => new CidrPool('10.0.0.0/24', 16)).toThrow('no subnets of /16 in 10.0.0.0/24')
  expect(new CidrPool('fd00::/48', 64).allocate()).toBe('fd00::/64')
})

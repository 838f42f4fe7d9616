import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { action } from '../cluster-events.ts'
import { node, object, type PodOptions, pod, TestCluster } from '../testing/test-cluster.ts'

const zone = 'topology.kubernetes.io/zone'
const zoned = (name: string, value: string, more = {}) => node(name, { labels: { [zone]: value }, ...more })
const constraint = (more: JsonObject = {}): JsonObject => ({
  maxSkew: 1,
  topologyKey: zone,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
})
const spread = (...constraints: JsonObject[]): PodOptions => ({
  labels: { app: 'web', rev: '2' },
  spec: { topologySpreadConstraints: constraints },
})
const soft = (more: JsonObject = {}) => constraint({ whenUnsatisfiable: 'ScheduleAnyway', ...more })

describe('PodTopologySpread', () => {
  const nodes = [
    zoned('a1', 'a'),
    zoned('a2', 'a'),
    zoned('b1', 'b'),
    zoned('c1', 'c', { taints: [{ key: 'k', effect: 'NoSchedule' }] }),
  ]
  const web = (name: string, on: string, more: PodOptions = {}) =>
    pod(name, { node: on, labels: { app: 'web', rev: '1' }, ...more })
  const uneven = [web('1', 'a1'), web('2', 'a2'), web('3', 'b1')]
  const even = [...uneven, web('4', 'c1')]

  test.each<[string, PodOptions, ReturnType<typeof pod>[], readonly string[]]>([
    ['the emptier zone', spread(constraint({ nodeTaintsPolicy: 'Honor' })), uneven, ['b1']],
    ['a zone that nobody may use counts', spread(constraint()), uneven, []],
    ['more skew', spread(constraint({ maxSkew: 2 })), even, ['a1', 'a2', 'b1']],
    [
      'every node alike',
      spread(constraint({ topologyKey: 'kubernetes.io/hostname', maxSkew: 1 })),
      [web('1', 'a1')],
      ['a2', 'b1'],
    ],
    ['too few zones', spread(constraint({ minDomains: 4 })), [web('1', 'b1'), web('2', 'c1')], ['a1', 'a2']],
    [
      'one that is not of the kind',
      { ...spread(constraint({ maxSkew: 1 })), labels: { app: 'db' } },
      even,
      ['a1', 'a2', 'b1'],
    ],
    [
      'pods of another namespace do not count',
      spread(constraint()),
      [web('1', 'a1', { namespace: 'other' })],
      ['a1', 'a2', 'b1'],
    ],
    [
      'pods of another revision do not count',
      spread(constraint({ matchLabelKeys: ['rev'] })),
      uneven,
      ['a1', 'a2', 'b1'],
    ],
    [
      'only nodes that the pod selects count',
      { ...spread(constraint()), spec: { ...spread(constraint()).spec, nodeSelector: { [zone]: 'a' } } },
      uneven,
      ['a1', 'a2'],
    ],
  ])('%s', (_, options, pods, expected) => {
    const cluster = new TestCluster({ nodes, pods })
    expect([...cluster.place(pod('p', options)).feasible].sort()).toEqual([...expected])
  })

  test('tells a skew from a missing label', () => {
    const cluster = new TestCluster({
      nodes: [zoned('a1', 'a'), zoned('b1', 'b'), node('nowhere', { cpu: '1' })],
      pods: [web('1', 'a1')],
    })
    const options = spread(constraint())
    const placed = cluster.place(pod('p', { ...options, spec: { ...options.spec, nodeSelector: {} }, cpu: '1' }))
    expect(placed.feasible).toEqual(['b1'])
    const full = new TestCluster({
      nodes: [zoned('a1', 'a'), zoned('b1', 'b', { pods: '0' }), node('nowhere')],
      pods: [web('1', 'a1')],
    })
    expect(full.place(pod('p', options)).message).toBe(
      "0/3 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread constraints, " +
        "1 node(s) didn't match pod topology spread constraints (missing required label).",
    )
  })

  test('a pod that is being deleted does not count', () => {
    const leaving = web('1', 'a1')
    leaving.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(
      new TestCluster({ nodes: nodes.slice(0, 3), pods: [leaving] }).place(pod('p', spread(constraint()))).feasible,
    ).toHaveLength(3)
  })

  test('counts follow the pods', () => {
    const cluster = new TestCluster({ nodes: nodes.slice(0, 3), pods: [] })
    const asks = pod('p', spread(constraint()))
    expect(cluster.place(asks).feasible).toHaveLength(3)
    cluster.state.setPod(web('1', 'a1'))
    expect(cluster.place(asks).feasible).toEqual(['b1'])
    cluster.state.removePod('uid-default-1')
    expect(cluster.place(asks).feasible).toHaveLength(3)
  })

  test('likes domains with fewer', () => {
    const cluster = new TestCluster({
      nodes: [zoned('a1', 'a'), zoned('b1', 'b')],
      pods: [web('1', 'a1'), web('2', 'a1')],
    })
    expect(cluster.scores('PodTopologySpread', pod('p', spread(soft())))).toEqual({ a1: 0, b1: 100 })
  })

  test('nodes without the label are not liked', () => {
    const cluster = new TestCluster({ nodes: [zoned('a1', 'a'), node('nowhere')], pods: [] })
    expect(cluster.scores('PodTopologySpread', pod('p', spread(soft())))).toEqual({ a1: 100, nowhere: 0 })
  })

  test('pods of a service or workload are spread without asking', () => {
    const selector = { app: 'web' }
    const service = object('Service', 's', { spec: { selector } }, 'default')
    const set = object('ReplicaSet', 'r', { spec: { selector: { matchLabels: selector } } }, 'default')
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' }
    const scores = (objects: ReturnType<typeof object>[], options: PodOptions) =>
      new TestCluster({ nodes: nodes.slice(0, 3), pods: [web('1', 'a1'), web('2', 'a1')], objects }).scores(
        'PodTopologySpread',
        pod('p', options),
      )
    const expected = { a1: 50, a2: 75, b1: 100 }
    expect(scores([service], { labels: { app: 'web' } })).toEqual(expected)
    expect(scores([set], { labels: { app: 'web' }, owner })).toEqual(expected)
    expect(scores([service], { labels: { app: 'db' } })).toBeUndefined()
    expect(scores([], { labels: { app: 'web' }, owner })).toBeUndefined()
  })

  const asks = spread(constraint())
  test.each<[string, Parameters<TestCluster['isWorthTrying']>[2], boolean]>([
    ['a pod of the kind goes', { resource: 'Pod', actions: action.delete, old: web('x', 'a1') }, true],
    ['another pod goes', { resource: 'Pod', actions: action.delete, old: pod('x', { node: 'a1' }) }, false],
    [
      'one of another namespace goes',
      { resource: 'Pod', actions: action.delete, old: web('x', 'a1', { namespace: 'other' }) },
      false,
    ],
    ['a pod of the kind comes', { resource: 'Pod', actions: action.add, object: web('x', 'a1') }, true],
    [
      'a pod becomes one of the kind',
      { resource: 'Pod', actions: action.updatePodLabel, old: pod('x', { node: 'a1' }), object: web('x', 'a1') },
      true,
    ],
    ['a node with the label comes', { resource: 'Node', actions: action.add, object: zoned('n', 'd') }, true],
    ['a node without it comes', { resource: 'Node', actions: action.add, object: node('n') }, false],
    ['a node goes', { resource: 'Node', actions: action.delete, old: zoned('n', 'd') }, true],
    [
      'a node moves',
      { resource: 'Node', actions: action.updateNodeLabel, old: zoned('n', 'a'), object: zoned('n', 'b') },
      true,
    ],
    [
      'a node stays',
      { resource: 'Node', actions: action.updateNodeLabel, old: zoned('n', 'a'), object: zoned('n', 'a') },
      false,
    ],
  ])('is tried again: %s', (_, event, expected) => {
    expect(new TestCluster({ nodes: [] }).isWorthTrying('PodTopologySpread', pod('p', asks), event)).toBe(expected)
  })
})

import { describe, expect, test } from 'vitest'
import { nodeChanges, podChanges } from './cluster-events.ts'
import { Cycle, feasibleNodesToFind } from './cycle.ts'
import { NodeTree } from './node-tree.ts'
import { withSchedulingCondition } from './pod-condition.ts'
import { node, pod, TestCluster } from './testing/test-cluster.ts'

describe('a cycle', () => {
  test.each([
    [3, 3],
    [99, 99],
    [100, 100],
    [500, 230],
    [1000, 420],
    [6000, 300],
  ])('of %i nodes looks for %i', (total, wanted) => {
    expect(feasibleNodesToFind(total)).toBe(wanted)
  })

  test('adds up reasons, sorted', () => {
    const nodes = [
      node('a', { cpu: '1' }),
      node('b', { cpu: '1', memory: '1Mi' }),
      node('c', { unschedulable: true }),
      ...Array.from({ length: 10 }, (_, i) => node(`t${i}`, { taints: [{ key: 'k', effect: 'NoSchedule' }] })),
    ]
    expect(new TestCluster({ nodes }).place(pod('p', { cpu: '2', memory: '1Gi' })).message).toBe(
      '0/13 nodes are available: 1 Insufficient memory, 1 node(s) were unschedulable, ' +
        '10 node(s) had untolerated taint {k: }, 2 Insufficient cpu.',
    )
  })

  test('pods that wait for a node go first there, unless they are less important', () => {
    const cluster = new TestCluster({ nodes: [node('a', { cpu: '2' })] })
    const waiting = (priority: number) => [cluster.info(pod('waiting', { cpu: '2', priority }))]
    const fits = (priority: number) =>
      new Cycle(cluster.info(pod('p', { cpu: '1', priority: 5 })), {
        view: cluster.view,
        plugins: cluster.plugins,
        nominatedTo: () => waiting(priority),
      }).feasibleNodes(0).length
    expect([fits(4), fits(5), fits(6)]).toEqual([1, 0, 0])
  })

  test('begins where the last one ended, and draws lots among the best', () => {
    const cluster = new TestCluster({ nodes: ['a', 'b', 'c'].map((name) => node(name)) })
    const order = (start: number) =>
      cluster
        .cycle(pod('p'))
        .feasibleNodes(start)
        .map(({ name }) => name)
        .join('')
    expect([order(0), order(1), order(2)]).toEqual(['abc', 'bca', 'cab'])
    const drawn = (random: number) => {
      const view = { ...cluster.view, nodes: cluster.view.nodes, clock: { now: () => 0, random: () => random } }
      const cycle = new Cycle(cluster.info(pod('p')), { view, plugins: cluster.plugins, nominatedTo: () => [] })
      return cycle.best(cycle.feasibleNodes(0)).name
    }
    expect([drawn(0), drawn(0.4), drawn(0.99)]).toEqual(['c', 'b', 'a'])
  })
})

describe('the order of nodes', () => {
  test('takes zones in turn', () => {
    const tree = new NodeTree()
    const zoned = (name: string, zone: string) => node(name, { labels: { 'topology.kubernetes.io/zone': zone } })
    for (const [name, zone] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['c1', 'c'],
      ['c2', 'c'],
    ] as const)
      tree.add(zoned(name, zone))
    expect(tree.order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    tree.update(zoned('a3', 'a'), zoned('a3', 'b'))
    tree.remove(zoned('c1', 'c'))
    expect(tree.order).toEqual(['a1', 'b1', 'c2', 'a2', 'a3'])
  })
})

describe('kinds of change', () => {
  const kinds = (events: { actions: number }[]) => events.map(({ actions }) => Math.log2(actions))
  const info = (options: Parameters<typeof pod>[1]) => new TestCluster({ nodes: [] }).info(pod('p', options))
  test('of pods', () => {
    const change = (a: Parameters<typeof pod>[1], b: Parameters<typeof pod>[1]) => kinds(podChanges(info(a), info(b)))
    expect(change({}, { status: { phase: 'Running' } })).toEqual([12])
    expect(change({}, { labels: { a: 'b' } })).toEqual([7])
    expect(change({ cpu: '2' }, { cpu: '1' })).toEqual([8])
    expect(change({ cpu: '1' }, { cpu: '2' })).toEqual([12])
    expect(change({}, { spec: { tolerations: [{ operator: 'Exists' }] } })).toEqual([9])
    expect(change({ spec: { schedulingGates: [{ name: 'g' }] } }, {})).toEqual([10])
    expect(change({}, { status: { resourceClaimStatuses: [{ name: 'x' }] } })).toEqual([11])
  })
  test('of nodes', () => {
    const change = (a: Parameters<typeof node>[1], b: Parameters<typeof node>[1]) =>
      kinds(nodeChanges(node('n', a), node('n', b)))
    expect(change({}, {})).toEqual([])
    expect(change({}, { cpu: '8' })).toEqual([2])
    expect(change({}, { labels: { a: 'b' } })).toEqual([3])
    expect(change({}, { taints: [{ key: 'k', effect: 'NoSchedule' }] })).toEqual([4])
    expect(change({ unschedulable: true }, {})).toEqual([4])
    expect(change({}, { unschedulable: true })).toEqual([])
  })
})

describe('the condition of a pod', () => {
  test('keeps the time of its status, and is not written twice', () => {
    const first = withSchedulingCondition(
      pod('p'),
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'x' },
      'then',
    )
    if (first === undefined) throw new Error('it is new')
    expect(
      withSchedulingCondition(
        first,
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'x' },
        'now',
      ),
    ).toBeUndefined()
    const second = withSchedulingCondition(
      first,
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'y' },
      'now',
    )
    expect(second?.status?.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'y',
        lastProbeTime: null,
        lastTransitionTime: 'then',
      },
    ])
  })
})

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { action } from '../cluster-events.ts'
import { node, object, type PodOptions, pod, TestCluster } from '../testing/test-cluster.ts'

const zoned = (name: string, zone: string) => node(name, { labels: { zone } })
const term = (app: string, topologyKey = 'zone', more: JsonObject = {}): JsonObject => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
  ...more,
})
const required = (kind: 'podAffinity' | 'podAntiAffinity', ...terms: JsonObject[]): PodOptions => ({
  spec: { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
})
const preferred = (
  kind: 'podAffinity' | 'podAntiAffinity',
  weight: number,
  podAffinityTerm: JsonObject,
): PodOptions => ({
  spec: { affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } } },
})
const web = { labels: { app: 'web' } }

describe('InterPodAffinity', () => {
  const nodes = [zoned('a1', 'a'), zoned('a2', 'a'), zoned('b1', 'b'), node('nowhere')]
  const namespaces = [
    object('Namespace', 'default'),
    object('Namespace', 'other', { metadata: { labels: { team: 'x' } } }),
  ]
  const there = [pod('there', { node: 'a1', ...web }), pod('elsewhere', { node: 'b1', namespace: 'other', ...web })]

  test.each<[string, PodOptions, readonly string[]]>([
    ['near a pod', required('podAffinity', term('web')), ['a1', 'a2']],
    ['on the same node', required('podAffinity', term('web', 'kubernetes.io/hostname')), ['a1']],
    ['near a pod that is not there', required('podAffinity', term('none')), []],
    [
      'near itself, the first of a series',
      { ...required('podAffinity', term('self')), labels: { app: 'self' } },
      ['a1', 'a2', 'b1'],
    ],
    [
      'near a pod of other namespaces by name',
      required('podAffinity', term('web', 'zone', { namespaces: ['other'] })),
      ['b1'],
    ],
    [
      'near a pod of other namespaces by label',
      required('podAffinity', term('web', 'zone', { namespaceSelector: { matchLabels: { team: 'x' } } })),
      ['b1'],
    ],
    [
      'near a pod of any namespace',
      required('podAffinity', term('web', 'zone', { namespaceSelector: {} })),
      ['a1', 'a2', 'b1'],
    ],
    ['all terms by one pod', required('podAffinity', term('web'), term('web', 'kubernetes.io/hostname')), ['a1']],
    ['terms that no pod meets together', required('podAffinity', term('web'), term('none')), []],
    ['away from a pod', required('podAntiAffinity', term('web')), ['b1', 'nowhere']],
    ['away from a pod that is not there', required('podAntiAffinity', term('none')), ['a1', 'a2', 'b1', 'nowhere']],
  ])('%s', (_, options, expected) => {
    const cluster = new TestCluster({ nodes, pods: there, objects: namespaces })
    expect([...cluster.place(pod('p', options)).feasible].sort()).toEqual([...expected])
  })

  test('tells which rule keeps it away', () => {
    const message = (options: PodOptions, pods = there) =>
      new TestCluster({ nodes: [zoned('a1', 'a')], pods }).place(pod('p', options)).message
    expect(message(required('podAffinity', term('none')))).toBe(
      "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
    )
    expect(message(required('podAntiAffinity', term('web')))).toBe(
      "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
    )
    const shy = pod('shy', { node: 'a1', ...required('podAntiAffinity', term('web')) })
    expect(message(web, [shy])).toBe(
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    )
  })

  test('a pod that goes takes its anti-affinity with it', () => {
    const shy = pod('shy', { node: 'a1', ...required('podAntiAffinity', term('web')) })
    const cluster = new TestCluster({ nodes, pods: [shy] })
    expect([...cluster.place(pod('p', web)).feasible].sort()).toEqual(['b1', 'nowhere'])
    cluster.state.removePod('uid-default-shy')
    expect(cluster.place(pod('p', web)).feasible).toHaveLength(4)
  })

  test('clones count for themselves', () => {
    const shy = pod('shy', { node: 'a1', ...required('podAntiAffinity', term('web')) })
    const cluster = new TestCluster({ nodes, pods: [shy] })
    const cycle = cluster.cycle(pod('p', web))
    cycle.feasibleNodes(0)
    const run = cycle.runs.find(({ plugin }) => plugin === 'InterPodAffinity')?.run
    const clone = run?.clone?.()
    const [a1] = cluster.view.nodes.filter(({ name }) => name === 'a1')
    if (a1 === undefined || run === undefined || clone === undefined) throw new Error('there is no such run')
    clone.removePod?.(cluster.info(shy), a1)
    expect([clone.filter(a1), run.filter(a1)?.code]).toEqual([undefined, 'Unschedulable'])
  })

  test.each<[string, PodOptions, PodOptions, Record<string, number> | undefined]>([
    ['prefers to be near', preferred('podAffinity', 10, term('web')), web, { a1: 100, a2: 100, b1: 0, nowhere: 0 }],
    ['prefers to be away', preferred('podAntiAffinity', 10, term('web')), web, { a1: 0, a2: 0, b1: 100, nowhere: 100 }],
    [
      'is liked by one that is there',
      { labels: { app: 'new' } },
      preferred('podAffinity', 10, term('new')),
      { a1: 100, a2: 100, b1: 0, nowhere: 0 },
    ],
    [
      'is needed by one that is there',
      { labels: { app: 'new' } },
      required('podAffinity', term('new')),
      { a1: 100, a2: 100, b1: 0, nowhere: 0 },
    ],
    [
      'is disliked by one that is there',
      { labels: { app: 'new' } },
      preferred('podAntiAffinity', 10, term('new')),
      { a1: 0, a2: 0, b1: 100, nowhere: 100 },
    ],
    ['nobody cares', {}, {}, undefined],
  ])('%s', (_, options, existing, expected) => {
    const cluster = new TestCluster({ nodes, pods: [pod('there', { node: 'a1', ...existing })] })
    expect(cluster.scores('InterPodAffinity', pod('p', options))).toEqual(expected)
  })

  const near = required('podAffinity', term('web'))
  const away = required('podAntiAffinity', term('web'))
  const placed = (options: PodOptions) => pod('other', { node: 'a1', ...options })
  test.each<[string, PodOptions, Parameters<TestCluster['isWorthTrying']>[2], boolean]>([
    ['a pod to be near comes', near, { resource: 'Pod', actions: action.add, object: placed(web) }, true],
    ['another pod comes', near, { resource: 'Pod', actions: action.add, object: placed({}) }, false],
    ['it has no node', near, { resource: 'Pod', actions: action.add, object: pod('other', web) }, false],
    ['a pod to be away from goes', away, { resource: 'Pod', actions: action.delete, old: placed(web) }, true],
    ['a pod to be near goes', near, { resource: 'Pod', actions: action.delete, old: placed(web) }, false],
    [
      'a pod becomes one to be near',
      near,
      { resource: 'Pod', actions: action.updatePodLabel, old: placed({}), object: placed(web) },
      true,
    ],
    [
      'a pod is no longer one to be away from',
      away,
      { resource: 'Pod', actions: action.updatePodLabel, old: placed(web), object: placed({}) },
      true,
    ],
    ['a node with the key comes', near, { resource: 'Node', actions: action.add, object: zoned('n', 'c') }, true],
    ['a node without it comes', near, { resource: 'Node', actions: action.add, object: node('n') }, false],
    ['any node comes', away, { resource: 'Node', actions: action.add, object: node('n') }, true],
    [
      'a node moves',
      away,
      { resource: 'Node', actions: action.updateNodeLabel, old: zoned('n', 'a'), object: zoned('n', 'c') },
      true,
    ],
    [
      'a node stays',
      away,
      { resource: 'Node', actions: action.updateNodeLabel, old: zoned('n', 'a'), object: zoned('n', 'a') },
      false,
    ],
  ])('is tried again: %s', (_, options, event, expected) => {
    expect(new TestCluster({ nodes: [] }).isWorthTrying('InterPodAffinity', pod('p', options), event)).toBe(expected)
  })
})

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { action } from '../cluster-events.ts'
import { type NodeOptions, node, type PodOptions, pod, TestCluster } from '../testing/test-cluster.ts'

const rejected = (message: string) => `0/1 nodes are available: ${message}.`

describe('filters of a node on its own', () => {
  const taint = (effect: string, value = 'v') => [{ key: 'k', value, effect }]
  const affinity = (...terms: JsonObject[]): JsonObject => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  })
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
  })
  const field = (operator: string, value: string) => ({
    matchFields: [{ key: 'metadata.name', operator, values: [value] }],
  })
  const tainted = 'node(s) had untolerated taint {k: v}'
  const mismatch = "1 node(s) didn't match Pod's node affinity/selector"
  const tolerates = (toleration: JsonObject): JsonObject => ({ tolerations: [toleration] })

  test.each<[string, NodeOptions, JsonObject, string]>([
    ['cordoned', { unschedulable: true }, {}, '1 node(s) were unschedulable'],
    [
      'cordoned, tolerated',
      { unschedulable: true },
      tolerates({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }),
      '',
    ],
    ['tainted', { taints: taint('NoSchedule') }, {}, `1 ${tainted}`],
    ['tainted to evict', { taints: taint('NoExecute') }, {}, `1 ${tainted}`],
    ['tainted softly', { taints: taint('PreferNoSchedule') }, {}, ''],
    ['tolerated by value', { taints: taint('NoSchedule') }, tolerates({ key: 'k', value: 'v' }), ''],
    ['another value', { taints: taint('NoSchedule') }, tolerates({ key: 'k', value: 'w' }), `1 ${tainted}`],
    [
      'another effect',
      { taints: taint('NoSchedule') },
      tolerates({ key: 'k', operator: 'Exists', effect: 'NoExecute' }),
      `1 ${tainted}`,
    ],
    ['everything is tolerated', { taints: taint('NoSchedule') }, tolerates({ operator: 'Exists' }), ''],
    ['selected', { labels: { disk: 'ssd' } }, { nodeSelector: { disk: 'ssd' } }, ''],
    ['not selected', { labels: { disk: 'hdd' } }, { nodeSelector: { disk: 'ssd' } }, mismatch],
    ['a key that objects inherit', {}, { nodeSelector: { constructor: 'x' } }, mismatch],
    ['In', { labels: { disk: 'ssd' } }, affinity(expression('disk', 'In', 'ssd', 'nvme')), ''],
    ['NotIn without the label', {}, affinity(expression('disk', 'NotIn', 'ssd')), ''],
    ['Exists', {}, affinity(expression('disk', 'Exists')), mismatch],
    ['DoesNotExist', {}, affinity(expression('disk', 'DoesNotExist')), ''],
    ['Gt', { labels: { size: '5' } }, affinity(expression('size', 'Gt', '4')), ''],
    ['Lt', { labels: { size: '5' } }, affinity(expression('size', 'Lt', '5')), mismatch],
    ['Gt of no number', { labels: { size: 'big' } }, affinity(expression('size', 'Gt', '4')), mismatch],
    ['an alternative', {}, affinity(expression('disk', 'Exists'), expression('disk', 'DoesNotExist')), ''],
    ['an empty term', {}, affinity({}), mismatch],
    [
      'both parts of a term',
      { labels: { disk: 'ssd' } },
      affinity({ ...expression('disk', 'In', 'ssd'), ...field('NotIn', 'a') }),
      mismatch,
    ],
    ['the node by name', {}, affinity(field('In', 'a')), ''],
    ['another node by name', {}, affinity(field('In', 'b')), "1 node(s) didn't satisfy plugin(s) [NodeAffinity]"],
    [
      'names that exclude one another',
      {},
      affinity({ matchFields: [...field('In', 'a').matchFields, ...field('In', 'b').matchFields] }),
      'pod affinity terms conflict',
    ],
  ])('%s', (_, options, spec, message) => {
    const cluster = new TestCluster({ nodes: [node('a', options)] })
    expect(cluster.place(pod('p', { spec })).message).toBe(message === '' ? '' : rejected(message))
  })
})

describe('NodePorts', () => {
  const ports = (...list: JsonObject[]): PodOptions => ({ spec: { containers: [{ name: 'c', ports: list }] } })
  const port = (hostPort: number, more: JsonObject = {}) => ({ containerPort: 1, hostPort, ...more })
  test.each<[string, JsonObject, JsonObject, boolean]>([
    ['the same', port(80), port(80), false],
    ['another', port(80), port(81), true],
    ['another protocol', port(80), port(80, { protocol: 'UDP' }), true],
    ['other addresses', port(80, { hostIP: '10.0.0.1' }), port(80, { hostIP: '10.0.0.2' }), true],
    ['one of all addresses', port(80), port(80, { hostIP: '10.0.0.2' }), false],
    ['all addresses', port(80, { hostIP: '10.0.0.1' }), port(80), false],
  ])('%s', (_, there, asked, fits) => {
    const old = pod('there', { node: 'a', ...ports(there) })
    const cluster = new TestCluster({ nodes: [node('a')], pods: [old] })
    const placed = cluster.place(pod('p', ports(asked)))
    expect(placed.message).toBe(fits ? '' : rejected("1 node(s) didn't have free ports for the requested pod ports"))
    const event = { resource: 'Pod', actions: action.delete, old }
    expect(cluster.isWorthTrying('NodePorts', pod('p', ports(asked)), event)).toBe(!fits)
  })

  test('of init containers only side-cars keep theirs', () => {
    const init = (restartPolicy?: string): PodOptions => ({
      spec: {
        containers: [],
        initContainers: [{ name: 'i', ports: [port(80)], ...(restartPolicy ? { restartPolicy } : {}) }],
      },
    })
    const fits = (there: PodOptions) =>
      new TestCluster({ nodes: [node('a')], pods: [pod('there', { node: 'a', ...there })] }).place(
        pod('p', ports(port(80))),
      ).feasible.length
    expect([fits(init()), fits(init('Always'))]).toEqual([1, 0])
  })
})

describe('scores of a node on its own', () => {
  test('TaintToleration counts soft taints that are not tolerated', () => {
    const soft = (key: string) => ({ key, effect: 'PreferNoSchedule' })
    const nodes = [node('none'), node('one', { taints: [soft('a')] }), node('two', { taints: [soft('a'), soft('b')] })]
    const cluster = new TestCluster({ nodes })
    expect(cluster.scores('TaintToleration', pod('p'))).toEqual({ none: 100, one: 50, two: 0 })
    const tolerant = pod('p', { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } })
    expect(cluster.scores('TaintToleration', tolerant)).toEqual({ none: 100, one: 100, two: 0 })
  })

  test('NodeAffinity adds the weights of preferences', () => {
    const nodes = [node('a', { labels: { x: '1' } }), node('b', { labels: { x: '1', y: '1' } }), node('c')]
    const preference = (key: string, weight: number) => ({
      weight,
      preference: { matchExpressions: [{ key, operator: 'Exists' }] },
    })
    const preferred = [preference('x', 30), preference('y', 70)]
    const asks = pod('p', {
      spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
    })
    const cluster = new TestCluster({ nodes })
    expect(cluster.scores('NodeAffinity', asks)).toEqual({ a: 30, b: 100, c: 0 })
    expect(cluster.scores('NodeAffinity', pod('p'))).toBeUndefined()
  })
})

describe('events that are worth another try', () => {
  const cordoned = node('n', { unschedulable: true })
  const tainted = node('n', { taints: [{ key: 'k', effect: 'NoSchedule' }] })
  const labelled = node('n', { labels: { disk: 'ssd' } })
  const wants = { spec: { nodeSelector: { disk: 'ssd' } } }
  const update = (kind: number, old: ReturnType<typeof node>, object: ReturnType<typeof node>) => ({
    resource: 'Node',
    actions: kind,
    old,
    object,
  })
  test.each<[string, PodOptions, Parameters<TestCluster['isWorthTrying']>[2], boolean]>([
    ['NodeUnschedulable', {}, update(action.updateNodeTaint, cordoned, node('n')), true],
    ['NodeUnschedulable', {}, update(action.updateNodeTaint, node('n'), cordoned), false],
    ['NodeUnschedulable', {}, { resource: 'Node', actions: action.add, object: cordoned }, false],
    ['TaintToleration', {}, update(action.updateNodeTaint, tainted, node('n')), true],
    ['TaintToleration', {}, update(action.updateNodeTaint, node('n'), tainted), false],
    ['TaintToleration', {}, { resource: 'Node', actions: action.add, object: tainted }, false],
    ['NodeAffinity', wants, update(action.updateNodeLabel, node('n'), labelled), true],
    ['NodeAffinity', wants, update(action.updateNodeLabel, labelled, node('n')), false],
    ['NodeAffinity', wants, { resource: 'Node', actions: action.add, object: labelled }, true],
    ['NodeName', {}, { resource: 'Node', actions: action.add, object: node('n') }, true],
    ['SchedulingGates', {}, { resource: 'Pod', actions: action.updatePodGatesEliminated, object: pod('p') }, true],
    ['SchedulingGates', {}, { resource: 'Pod', actions: action.updatePodGatesEliminated, object: pod('q') }, false],
  ])('%s', (plugin, options, event, expected) => {
    expect(new TestCluster({ nodes: [] }).isWorthTrying(plugin, pod('p', options), event)).toBe(expected)
  })
})

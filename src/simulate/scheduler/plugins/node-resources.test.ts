import { describe, expect, test } from 'vitest'
import { action } from '../cluster-events.ts'
import { podRequests } from '../resource-amounts.ts'
import { node, type PodOptions, pod, TestCluster } from '../testing/test-cluster.ts'

const container = (requests: Record<string, string>, more: object = {}) => ({
  name: 'c',
  resources: { requests },
  ...more,
})

describe('what a pod requests', () => {
  test.each<[string, object, { cpu: number; memory: number }, object?]>([
    ['nothing', { containers: [container({})] }, { cpu: 0, memory: 0 }],
    [
      'the sum over containers',
      { containers: [container({ cpu: '1' }), container({ cpu: '500m', memory: '1Ki' })] },
      { cpu: 1500, memory: 1024 },
    ],
    [
      'fractions, rounded up once',
      { containers: [container({ cpu: '0.5m' }), container({ cpu: '0.5m' })] },
      { cpu: 1, memory: 0 },
    ],
    [
      'the highest of init containers',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '2' }), container({ cpu: '3' })] },
      { cpu: 3000, memory: 0 },
    ],
    [
      'side-cars beside containers',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '2' }, { restartPolicy: 'Always' })] },
      { cpu: 3000, memory: 0 },
    ],
    [
      'side-cars beside later init containers',
      {
        containers: [container({ cpu: '1' })],
        initContainers: [container({ cpu: '2' }, { restartPolicy: 'Always' }), container({ cpu: '5' })],
      },
      { cpu: 7000, memory: 0 },
    ],
    [
      'overhead on top',
      { containers: [container({ cpu: '1' })], overhead: { cpu: '250m', memory: '1Ki' } },
      { cpu: 1250, memory: 1024 },
    ],
    [
      'pod-level requests instead',
      { containers: [container({ cpu: '1', memory: '1Ki' })], resources: { requests: { cpu: '4' } } },
      { cpu: 4000, memory: 1024 },
      { podLevel: true },
    ],
    [
      'pod-level requests, off',
      { containers: [container({ cpu: '1' })], resources: { requests: { cpu: '4' } } },
      { cpu: 1000, memory: 0 },
    ],
  ])('%s', (_, spec, expected, options = {}) => {
    const { milliCpu, memory } = podRequests(pod('p', { spec: spec as PodOptions['spec'] & object }), {
      podLevel: false,
      ...options,
    })
    expect({ cpu: milliCpu, memory }).toEqual(expected)
  })

  test('what a container was given counts while it is more, unless it cannot get what it asks for', () => {
    const status = (reason: string) => ({
      conditions: [{ type: 'PodResizePending', status: 'True', reason }],
      containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '1' } }],
    })
    const resized = (asked: string, reason: string) =>
      podRequests(pod('p', { spec: { containers: [container({ cpu: asked })] }, status: status(reason) }), {
        podLevel: false,
        useStatus: true,
      }).milliCpu
    expect([resized('1', 'Deferred'), resized('3', 'Deferred'), resized('3', 'Infeasible')]).toEqual([2000, 3000, 2000])
  })
})

describe('NodeResourcesFit', () => {
  const gpu = { more: { 'example.com/gpu': '1' } }
  const asks = (more: Record<string, string>) => ({ spec: { containers: [container(more)] } })
  test.each<[string, Parameters<typeof node>[1], PodOptions, string]>([
    ['fits', {}, { cpu: '4', memory: '8Gi' }, ''],
    ['too much computing', {}, { cpu: '4001m' }, '1 Insufficient cpu'],
    ['too much of both', {}, { cpu: '5', memory: '9Gi' }, '1 Insufficient cpu, 1 Insufficient memory'],
    ['no room for a pod', { pods: '1' }, {}, '1 Too many pods'],
    ['both', { pods: '1' }, { cpu: '5' }, '1 Insufficient cpu, 1 Too many pods'],
    [
      'storage',
      { more: { 'ephemeral-storage': '1Gi' } },
      asks({ 'ephemeral-storage': '2Gi' }),
      '1 Insufficient ephemeral-storage',
    ],
    ['an extended resource that fits', gpu, asks({ 'example.com/gpu': '1' }), ''],
    ['too much of one', gpu, asks({ 'example.com/gpu': '2' }), '1 Insufficient example.com/gpu'],
    ['one that there is none of', {}, asks({ 'hugepages-2Mi': '2Mi' }), '1 Insufficient hugepages-2Mi'],
    ['none of one that there is none of', {}, asks({ 'example.com/gpu': '0' }), ''],
  ])('%s', (_, options, asked, message) => {
    const pods = options?.pods === '1' ? [pod('there', { node: 'a' })] : []
    const placed = new TestCluster({ nodes: [node('a', options)], pods }).place(pod('p', asked))
    expect(placed.message).toBe(message === '' ? '' : `0/1 nodes are available: ${message}.`)
  })

  test('counts pods of nodes by delta', () => {
    const cluster = new TestCluster({ nodes: [node('a')], pods: [pod('one', { node: 'a', cpu: '3' })] })
    expect(cluster.place(pod('p', { cpu: '2' })).feasible).toEqual([])
    cluster.state.removePod('uid-default-one')
    expect(cluster.place(pod('p', { cpu: '2' })).feasible).toEqual(['a'])
    cluster.state.assume(cluster.info(pod('two', { cpu: '3' })), 'a')
    expect(cluster.place(pod('p', { cpu: '2' })).feasible).toEqual([])
    cluster.state.forget('uid-default-two')
    expect(cluster.state.node('a')?.requested).toMatchObject({ milliCpu: 0, memory: 0 })
  })

  test('likes nodes with more left', () => {
    const nodes = [node('small', { cpu: '4', memory: '10000' }), node('large', { cpu: '6', memory: '10000' })]
    const cluster = new TestCluster({ nodes })
    expect(cluster.scores('NodeResourcesFit', pod('p', { cpu: '3', memory: '5000' }))).toEqual({ small: 37, large: 50 })
  })

  const other = (options: PodOptions) => pod('other', options)
  test.each<[string, PodOptions, Parameters<TestCluster['isWorthTrying']>[2], boolean]>([
    ['a pod on a node goes', {}, { resource: 'Pod', actions: action.delete, old: other({ node: 'a' }) }, true],
    ['a pod without a node goes', {}, { resource: 'Pod', actions: action.delete, old: other({}) }, false],
    [
      'one with a claim to a node goes',
      {},
      { resource: 'Pod', actions: action.delete, old: other({ status: { nominatedNodeName: 'a' } }) },
      true,
    ],
    ['a node comes that fits', { cpu: '2' }, { resource: 'Node', actions: action.add, object: node('n') }, true],
    ['a node comes that does not', { cpu: '8' }, { resource: 'Node', actions: action.add, object: node('n') }, false],
    [
      'a node grows',
      { cpu: '6' },
      { resource: 'Node', actions: action.updateNodeAllocatable, old: node('n'), object: node('n', { cpu: '8' }) },
      true,
    ],
    [
      'a node grows in what is not asked for',
      { cpu: '2' },
      { resource: 'Node', actions: action.updateNodeAllocatable, old: node('n'), object: node('n', { memory: '9Gi' }) },
      false,
    ],
    [
      'a pod asks for less',
      { cpu: '2' },
      {
        resource: 'Pod',
        actions: action.updatePodScaleDown,
        old: other({ node: 'a', cpu: '2' }),
        object: other({ node: 'a', cpu: '1' }),
      },
      true,
    ],
    [
      'a pod asks for less of something else',
      { cpu: '2' },
      {
        resource: 'Pod',
        actions: action.updatePodScaleDown,
        old: other({ node: 'a', memory: '2Gi' }),
        object: other({ node: 'a', memory: '1Gi' }),
      },
      false,
    ],
  ])('is tried again: %s', (_, options, event, expected) => {
    expect(new TestCluster({ nodes: [] }).isWorthTrying('NodeResourcesFit', pod('p', options), event)).toBe(expected)
  })
})

describe('NodeResourcesBalancedAllocation', () => {
  test('likes nodes used to the same share', () => {
    const nodes = [node('a', { cpu: '4', memory: '10000' }), node('b', { cpu: '6', memory: '10000' })]
    const scores = new TestCluster({ nodes }).scores(
      'NodeResourcesBalancedAllocation',
      pod('p', { cpu: '3', memory: '5000' }),
    )
    expect(scores).toEqual({ a: 87, b: 100 })
  })

  test('has nothing to say of a pod that asks for nothing', () => {
    expect(new TestCluster({ nodes: [node('a')] }).scores('NodeResourcesBalancedAllocation', pod('p'))).toBeUndefined()
  })
})

describe('ImageLocality', () => {
  const mebibyte = 1024 * 1024
  const nodes = [node('has', { images: [{ names: ['web:latest'], sizeBytes: 800 * mebibyte }] }), node('has-not')]
  test.each([
    ['web', { has: 38, 'has-not': 0 }],
    ['web:latest', { has: 38, 'has-not': 0 }],
    ['web:v2', { has: 0, 'has-not': 0 }],
  ])('%s', (image, expected) => {
    const asks = pod('p', { spec: { containers: [{ name: 'c', image }] } })
    expect(new TestCluster({ nodes }).scores('ImageLocality', asks)).toEqual(expected)
  })
})

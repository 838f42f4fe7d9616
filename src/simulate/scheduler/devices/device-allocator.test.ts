import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../objects.ts'
import { node, object, pod, TestCluster } from '../testing/test-cluster.ts'
import { DeviceAllocator } from './device-allocator.ts'
import { DeviceSelectors } from './device-selectors.ts'

const driver = 'gpu.example.com'
const device = (name: string, attributes: JsonObject = {}, memory = '16Gi'): JsonObject => ({
  name,
  basic: { attributes, capacity: { memory: { value: memory } } },
})
const slice = (name: string, on: JsonObject, devices: JsonObject[] | null, pool: JsonObject = {}) =>
  object('ResourceSlice', name, {
    spec: { driver, pool: { name, generation: 1, resourceSliceCount: 1, ...pool }, ...on, devices },
  })
const deviceClass = (name: string, expression?: string, config?: JsonObject[]) =>
  object('DeviceClass', name, {
    spec: {
      ...(expression === undefined ? {} : { selectors: [{ cel: { expression } }] }),
      ...(config === undefined ? {} : { config }),
    },
  })
const request = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  deviceClassName: 'gpu',
  allocationMode: 'ExactCount',
  count: 1,
  ...more,
})
const claim = (requests: JsonObject[], more: JsonObject = {}, rest: JsonObject = {}) =>
  object('ResourceClaim', 'c', { spec: { devices: { requests, ...more } }, ...rest }, 'default')
const cel = (expression: string): JsonObject => ({ selectors: [{ cel: { expression } }] })

const gpu = deviceClass('gpu', `device.driver == "${driver}"`)
const slices = [
  slice('a', { nodeName: 'a' }, [
    device('small', { model: { string: 't4' }, numa: { int: 0 }, version: { version: '1.2.3' } }),
    device('large', { model: { string: 'a100' }, numa: { int: 1 }, version: { version: '2.0.0' } }, '80Gi'),
    device('large-too', { model: { string: 'a100' }, numa: { int: 1 }, version: { version: '2.0.1' } }, '80Gi'),
  ]),
  slice('b', { nodeName: 'b' }, [device('small', { model: { string: 't4' } })]),
]

function allocate(
  of: ReturnType<typeof object>,
  options: {
    on?: string
    gates?: string[]
    taken?: string[]
    slices?: ReturnType<typeof object>[]
    classes?: ReturnType<typeof object>[]
  } = {},
) {
  const { on = 'a', gates = [], taken = [], classes = [gpu] } = options
  const cluster = new TestCluster({ nodes: [node('a', { labels: { rack: 'one' } }), node('b')], objects: classes })
  const allocator = new DeviceAllocator({
    claims: [of as ResourceClaim],
    classes: {
      get: (_, name) => classes.find(({ metadata }) => metadata.name === name) as DeviceClass | undefined,
      list: () => [],
    },
    slices: (options.slices ?? slices) as ResourceSlice[],
    selectors: new DeviceSelectors(),
    gate: (name) => gates.includes(name),
    isAllocated: (id) => taken.includes(id),
  })
  const place = cluster.view.node(on)
  if (place === undefined) throw new Error('there is no such node')
  return allocator.allocate(place)?.[0]
}

const devicesOf = (...given: Parameters<typeof allocate>) =>
  allocate(...given)?.devices?.results?.map(({ request: name, device: found }) => `${name}=${found}`)

describe('allocation of devices', () => {
  test.each<[string, Parameters<typeof allocate>, readonly string[] | undefined]>([
    ['any', [claim([request('r')])], ['r=small']],
    ['two', [claim([request('r', { count: 2 })])], ['r=small', 'r=large']],
    ['too many', [claim([request('r', { count: 4 })])], undefined],
    ['of another node', [claim([request('r')]), { on: 'b' }], ['r=small']],
    ['by an attribute', [claim([request('r', cel(`device.attributes["${driver}"].model == "a100"`))])], ['r=large']],
    [
      'by capacity',
      [claim([request('r', cel(`device.capacity["${driver}"].memory.isGreaterThan(quantity("20Gi"))`))])],
      ['r=large'],
    ],
    [
      'by version',
      [claim([request('r', cel(`device.attributes["${driver}"].version.isGreaterThan(semver("2.0.0"))`))])],
      ['r=large-too'],
    ],
    [
      'of a domain that nothing is known of',
      [claim([request('r', cel('!has(device.attributes["other"].x)'))])],
      ['r=small'],
    ],
    ['that are not taken', [claim([request('r')]), { taken: [`${driver}/a/small`] }], ['r=large']],
    [
      'all',
      [claim([request('r', { allocationMode: 'All', ...cel(`device.attributes["${driver}"].model == "a100"`) })])],
      ['r=large', 'r=large-too'],
    ],
    [
      'all, of which one is taken',
      [claim([request('r', { allocationMode: 'All' })]), { taken: [`${driver}/a/large`] }],
      undefined,
    ],
    [
      'with the same attribute',
      [claim([request('r', { count: 2 })], { constraints: [{ matchAttribute: `${driver}/numa` }] })],
      ['r=large', 'r=large-too'],
    ],
    [
      'that have the attribute at all',
      [claim([request('r')], { constraints: [{ matchAttribute: `${driver}/numa` }] }), { on: 'b' }],
      undefined,
    ],
    [
      'for two requests',
      [claim([request('x', cel(`device.attributes["${driver}"].model == "a100"`)), request('y')])],
      ['x=large', 'y=small'],
    ],
    [
      'the first alternative',
      [
        claim([{ name: 'r', firstAvailable: [request('many', { count: 3 }), request('one')] }]),
        { gates: ['DRAPrioritizedList'] },
      ],
      ['r/many=small', 'r/many=large', 'r/many=large-too'],
    ],
    [
      'the second alternative',
      [
        claim([{ name: 'r', firstAvailable: [request('many', { count: 9 }), request('one')] }]),
        { gates: ['DRAPrioritizedList'] },
      ],
      ['r/one=small'],
    ],
    [
      'that an administrator may see',
      [claim([request('r', { adminAccess: true })]), { gates: ['DRAAdminAccess'], taken: [`${driver}/a/small`] }],
      ['r=small'],
    ],
    [
      'of nodes by label',
      [
        claim([request('r')]),
        {
          slices: [
            slice(
              'rack',
              {
                nodeSelector: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['one'] }] }],
                },
              },
              [device('net')],
            ),
          ],
        },
      ],
      ['r=net'],
    ],
    [
      'of every node',
      [claim([request('r')]), { on: 'b', slices: [slice('all', { allNodes: true }, [device('net')])] }],
      ['r=net'],
    ],
    [
      'of the newest generation',
      [
        claim([request('r')]),
        {
          slices: [
            slice('old', { allNodes: true }, [device('old')], { name: 'p' }),
            slice('new', { allNodes: true }, [device('new')], { name: 'p', generation: 2 }),
          ],
        },
      ],
      ['r=new'],
    ],
  ])('%s', (_, given, expected) => {
    expect(devicesOf(...given)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof allocate>, string]>([
    [
      'a class that is gone',
      [claim([request('r', { deviceClassName: 'none' })])],
      'claim default/c, request r: could not retrieve device class none',
    ],
    [
      'admin access, off',
      [claim([request('r', { adminAccess: true })])],
      'claim default/c, request r: admin access is requested, but the feature is disabled',
    ],
    [
      'more than a claim holds',
      [claim([request('r', { count: 33 })])],
      'claim default/c: number of requested devices 33 exceeds the claim limit of 32',
    ],
    [
      'an expression that fails',
      [claim([request('r', cel('device.attributes["x"].y'))])],
      'claim default/c: selector #0: CEL runtime error: no such key: y',
    ],
    [
      'two devices of one name',
      [claim([request('r')]), { slices: [slice('x', { allNodes: true }, [device('d'), device('d')])] }],
      'pool x is invalid: duplicate device name d',
    ],
    [
      'all of a pool that is not complete',
      [
        claim([request('r', { allocationMode: 'All' })]),
        { slices: [slice('x', { allNodes: true }, [device('d')], { resourceSliceCount: 2 })] },
      ],
      `claim default/c, request r: asks for all devices, but resource pool ${driver}/x is currently being updated`,
    ],
  ])('refuses %s', (_, given, message) => {
    expect(() => allocate(...given)).toThrow(message)
  })

  test('is bounded, however many ways there are', () => {
    const many = slice(
      'x',
      { allNodes: true },
      Array.from({ length: 24 }, (_, i) => device(`d${i}`, { n: { int: i } })),
    )
    const asks = claim([request('r', { count: 12 }), request('last', cel('false'))])
    expect(() => allocate(asks, { slices: [many] })).toThrow('no allocation was found among 100000 possibilities')
  })

  test('a slice without devices, which the API writes as null, offers none', () => {
    expect(allocate(claim([request('x')]), { slices: [slice('a', { allNodes: true }, null)] })).toBeUndefined()
  })

  test('tells nodes and configurations', () => {
    const opaque = { driver, parameters: {} }
    const classes = [deviceClass('gpu', undefined, [{ opaque }])]
    const asks = claim([request('x'), request('y')], { config: [{ requests: ['y'], opaque }, { opaque }] })
    expect(allocate(asks, { classes })).toEqual({
      devices: {
        results: [
          { request: 'x', driver, pool: 'a', device: 'small', adminAccess: null },
          { request: 'y', driver, pool: 'a', device: 'large', adminAccess: null },
        ],
        config: [
          { source: 'FromClass', requests: ['x', 'y'], opaque },
          { source: 'FromClaim', requests: ['y'], opaque },
          { source: 'FromClaim', opaque },
        ],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }] },
    })
  })

  test('devices that share counters are bounded by them', () => {
    const counters = (value: string) => ({ memory: { value } })
    const part = (name: string, value: string): JsonObject => ({
      name,
      basic: { consumesCounters: [{ counterSet: 'card', counters: counters(value) }] },
    })
    const card = slice('x', { allNodes: true, sharedCounters: [{ name: 'card', counters: counters('10Gi') }] }, [
      part('whole', '10Gi'),
      part('half', '5Gi'),
      part('half-too', '5Gi'),
    ])
    const options = { slices: [card], gates: ['DRAPartitionableDevices'] }
    expect(devicesOf(claim([request('r')]), options)).toEqual(['r=whole'])
    expect(devicesOf(claim([request('r', { count: 2 })]), options)).toEqual(['r=half', 'r=half-too'])
    expect(devicesOf(claim([request('r')]), { ...options, taken: [`${driver}/x/half`] })).toEqual(['r=half-too'])
    expect(devicesOf(claim([request('r')]), { slices: [card] })).toBeUndefined()
  })
})

describe('DynamicResources', () => {
  const gates = ['DynamicResourceAllocation']
  const asks = pod('p', { spec: { resourceClaims: [{ name: 'x', resourceClaimName: 'c' }] } })
  const cluster = (...objects: ReturnType<typeof object>[]) =>
    new TestCluster({ nodes: [node('a'), node('b')], objects: [gpu, ...slices, ...objects], gates })
  const waits = (of: ReturnType<typeof pod>, ...objects: ReturnType<typeof object>[]) =>
    cluster(...objects)
      .plugins.find(({ name }) => name === 'DynamicResources')
      ?.preEnqueue?.(of)?.reasons[0]

  test('finds nodes with devices', () => {
    expect(cluster(claim([request('r', { count: 2 })])).place(asks).feasible).toEqual(['a'])
    const none = cluster(claim([request('r', { count: 9 })])).place(asks).message
    expect(none).toBe('0/2 nodes are available: 2 cannot allocate all claims.')
  })

  test('goes where the claim is allocated', () => {
    const nodeSelector = {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
    }
    const allocated = claim([request('r')], {}, { status: { allocation: { nodeSelector } } })
    expect(cluster(allocated).place(asks).feasible).toEqual(['b'])
  })

  test('waits for claims', () => {
    expect(waits(asks)).toBe('resourceclaim.resource.k8s.io "c" not found')
    expect(waits(asks, claim([request('r')]))).toBeUndefined()
    const templated = pod('p', { spec: { resourceClaims: [{ name: 'x', resourceClaimTemplateName: 't' }] } })
    expect(waits(templated)).toBe('pod "default/p": ResourceClaim not created yet')
    const made = { ...templated, status: { resourceClaimStatuses: [{ name: 'x', resourceClaimName: 'c' }] } }
    expect(waits(made, claim([request('r')]))).toBe(
      'ResourceClaim default/c was not created for pod default/p (pod is not owner)',
    )
  })

  test('a class that does not exist', () => {
    const message = cluster(claim([request('r', { deviceClassName: 'none' })])).place(asks).message
    expect(message).toBe('0/2 nodes are available: request r: device class none does not exist.')
  })
})

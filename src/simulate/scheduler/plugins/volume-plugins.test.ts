import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { node, object, type PodOptions, pod, TestCluster } from '../testing/test-cluster.ts'

const zone = 'topology.kubernetes.io/zone'
const claims = (...names: string[]): PodOptions => ({
  spec: { volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
})
const claim = (name: string, spec: JsonObject, rest: JsonObject = {}) =>
  object(
    'PersistentVolumeClaim',
    name,
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec }, ...rest },
    'default',
  )
const boundClaim = (name: string, volumeName: string, spec: JsonObject = {}) =>
  claim(
    name,
    { volumeName, storageClassName: 'fast', ...spec },
    { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } },
  )
const volume = (name: string, spec: JsonObject = {}, rest: JsonObject = {}) =>
  object('PersistentVolume', name, {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
    ...rest,
  })
const storageClass = (name: string, volumeBindingMode: string, rest: JsonObject = {}) =>
  object('StorageClass', name, { provisioner: 'csi.example.com', volumeBindingMode, ...rest })
const onNode = (name: string): JsonObject => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  },
})
const nodes = [node('a', { labels: { [zone]: 'za' } }), node('b', { labels: { [zone]: 'zb' } })]
const wait = storageClass('wait', 'WaitForFirstConsumer')
const now = storageClass('now', 'Immediate')

describe('claims of a pod', () => {
  test.each<[string, readonly ReturnType<typeof object>[], PodOptions, readonly string[] | string]>([
    ['is not there', [], claims('c'), 'persistentvolumeclaim "c" not found'],
    ['is bound to a volume of one node', [boundClaim('c', 'v'), volume('v', onNode('b'))], claims('c'), ['b']],
    [
      'is bound to a volume of one zone',
      [boundClaim('c', 'v'), volume('v', {}, { metadata: { labels: { [zone]: 'zb' } } })],
      claims('c'),
      ['b'],
    ],
    [
      'is bound to a volume of two zones',
      [boundClaim('c', 'v'), volume('v', {}, { metadata: { labels: { [zone]: 'zb__za' } } })],
      claims('c'),
      ['a', 'b'],
    ],
    ['is bound to a volume that is gone', [boundClaim('c', 'v')], claims('c'), 'persistentvolume "v" not found'],
    [
      'waits to be bound',
      [claim('c', { storageClassName: 'now' }), now],
      claims('c'),
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    ['has no class', [claim('c', {})], claims('c'), 'pod has unbound immediate PersistentVolumeClaims'],
    [
      'has lost its volume',
      [claim('c', { volumeName: 'v' }, { status: { phase: 'Lost' } })],
      claims('c'),
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    ],
    ['gets a volume that is made', [claim('c', { storageClassName: 'wait' }), wait], claims('c'), ['a', 'b']],
    [
      'gets the volume that is there',
      [
        claim('c', { storageClassName: 'local' }),
        storageClass('local', 'WaitForFirstConsumer', { provisioner: 'kubernetes.io/no-provisioner' }),
        volume('v', { storageClassName: 'local', ...onNode('a') }),
      ],
      claims('c'),
      ['a'],
    ],
    [
      'is too large for it',
      [
        claim('c', { storageClassName: 'local', resources: { requests: { storage: '2Gi' } } }),
        storageClass('local', 'WaitForFirstConsumer', { provisioner: 'kubernetes.io/no-provisioner' }),
        volume('v', { storageClassName: 'local' }),
      ],
      claims('c'),
      "2 node(s) didn't find available persistent volumes to bind",
    ],
    [
      'is made in some zones',
      [
        claim('c', { storageClassName: 'wait' }),
        storageClass('wait', 'WaitForFirstConsumer', {
          allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['za'] }] }],
        }),
      ],
      claims('c'),
      ['a'],
    ],
    [
      'is made for one node already',
      [
        claim(
          'c',
          { storageClassName: 'wait' },
          { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'b' } } },
        ),
        wait,
      ],
      claims('c'),
      ['b'],
    ],
    [
      'is made where there is room',
      [
        claim('c', { storageClassName: 'wait' }),
        wait,
        object('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } }),
        object(
          'CSIStorageCapacity',
          'in-a',
          { storageClassName: 'wait', capacity: '2Gi', nodeTopology: { matchLabels: { [zone]: 'za' } } },
          'default',
        ),
        object(
          'CSIStorageCapacity',
          'in-b',
          { storageClassName: 'wait', capacity: '1Mi', nodeTopology: { matchLabels: { [zone]: 'zb' } } },
          'default',
        ),
      ],
      claims('c'),
      ['a'],
    ],
    [
      'is that of an ephemeral volume, to be made',
      [],
      { spec: { volumes: [{ name: 'x', ephemeral: {} }] } },
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-x"',
    ],
    [
      'is that of an ephemeral volume of another pod',
      [claim('p-x', { storageClassName: 'wait' }), wait],
      { spec: { volumes: [{ name: 'x', ephemeral: {} }] } },
      'PVC default/p-x was not created for pod default/p (pod is not owner)',
    ],
  ])('%s', (_, objects, options, expected) => {
    const placed = new TestCluster({ nodes, objects }).place(pod('p', options))
    if (typeof expected === 'string') expect(placed.message).toBe(`0/2 nodes are available: ${expected}.`)
    else expect(placed.feasible).toEqual(expected)
  })
})

describe('two claims of a pod', () => {
  test('get different volumes, the smaller one the smaller', () => {
    const local = storageClass('local', 'WaitForFirstConsumer', { provisioner: 'kubernetes.io/no-provisioner' })
    const asks = (name: string, storage: string) =>
      claim(name, { storageClassName: 'local', resources: { requests: { storage } } })
    const has = (name: string, storage: string) => volume(name, { storageClassName: 'local', capacity: { storage } })
    const fits = (...volumes: ReturnType<typeof object>[]) =>
      new TestCluster({ nodes, objects: [local, asks('large', '5Gi'), asks('small', '1Gi'), ...volumes] }).place(
        pod('p', claims('large', 'small')),
      ).feasible.length
    expect(fits(has('v1', '5Gi'))).toBe(0)
    expect(fits(has('v1', '5Gi'), has('v2', '1Gi'))).toBe(2)
    expect(fits(has('v1', '2Gi'), has('v2', '1Gi'))).toBe(0)
  })
})

describe('VolumeRestrictions', () => {
  const exclusive = boundClaim('c', 'v', { accessModes: ['ReadWriteOncePod'] })
  test('a claim for one pod is not shared', () => {
    const cluster = new TestCluster({
      nodes,
      pods: [pod('there', { node: 'a', ...claims('c') })],
      objects: [exclusive, volume('v')],
    })
    const shared = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'
    expect(cluster.place(pod('p', claims('c'))).message).toBe(`0/2 nodes are available: 2 ${shared}.`)
    cluster.state.removePod('uid-default-there')
    expect(cluster.place(pod('p', claims('c'))).feasible).toEqual(['a', 'b'])
  })

  const disk = (source: JsonObject): PodOptions => ({ spec: { volumes: [{ name: 'd', ...source }] } })
  test.each<[string, JsonObject, JsonObject, boolean]>([
    ['the same GCE disk', { gcePersistentDisk: { pdName: 'x' } }, { gcePersistentDisk: { pdName: 'x' } }, false],
    [
      'read by both',
      { gcePersistentDisk: { pdName: 'x', readOnly: true } },
      { gcePersistentDisk: { pdName: 'x', readOnly: true } },
      true,
    ],
    [
      'the same EBS volume',
      { awsElasticBlockStore: { volumeID: 'x' } },
      { awsElasticBlockStore: { volumeID: 'x' } },
      false,
    ],
    [
      'another EBS volume',
      { awsElasticBlockStore: { volumeID: 'x' } },
      { awsElasticBlockStore: { volumeID: 'y' } },
      true,
    ],
    ['the same iSCSI target', { iscsi: { iqn: 'x' } }, { iscsi: { iqn: 'x', readOnly: true } }, false],
    [
      'the same RBD image',
      { rbd: { monitors: ['m', 'n'], pool: 'p', image: 'i' } },
      { rbd: { monitors: ['n'], pool: 'p', image: 'i' } },
      false,
    ],
    [
      'that of other monitors',
      { rbd: { monitors: ['m'], pool: 'p', image: 'i' } },
      { rbd: { monitors: ['n'], pool: 'p', image: 'i' } },
      true,
    ],
  ])('%s', (_, there, asked, fits) => {
    const cluster = new TestCluster({ nodes: nodes.slice(0, 1), pods: [pod('there', { node: 'a', ...disk(there) })] })
    expect(cluster.place(pod('p', disk(asked))).message).toBe(
      fits ? '' : '0/1 nodes are available: 1 node(s) had no available disk.',
    )
  })
})

describe('NodeVolumeLimits', () => {
  const limit = (count: number) =>
    object('CSINode', 'a', { spec: { drivers: [{ name: 'csi.example.com', allocatable: { count } }] } })
  const csi = (volumeHandle: string) => ({ csi: { driver: 'csi.example.com', volumeHandle } })
  const objects = [
    boundClaim('one', 'v1'),
    boundClaim('two', 'v2'),
    volume('v1', csi('h1')),
    volume('v2', csi('h2')),
    claim('later', { storageClassName: 'wait' }),
    wait,
  ]
  const there = pod('there', { node: 'a', ...claims('one') })
  test.each<[string, number, PodOptions, boolean]>([
    ['room for one more', 2, claims('two'), true],
    ['no room', 1, claims('two'), false],
    ['the same volume again', 1, claims('one'), true],
    ['a volume that is yet to be made counts', 1, claims('later'), false],
    ['two at once', 2, claims('two', 'later'), false],
  ])('%s', (_, count, options, fits) => {
    const cluster = new TestCluster({ nodes: nodes.slice(0, 1), pods: [there], objects: [...objects, limit(count)] })
    expect(cluster.place(pod('p', options)).message).toBe(
      fits ? '' : '0/1 nodes are available: 1 node(s) exceed max volume count.',
    )
  })

  test('an attachment that no pod uses any more counts', () => {
    const attachment = object('VolumeAttachment', 'x', {
      spec: { attacher: 'csi.example.com', nodeName: 'a', source: { persistentVolumeName: 'v1' } },
    })
    const cluster = (more: ReturnType<typeof object>[]) =>
      new TestCluster({ nodes: nodes.slice(0, 1), objects: [...objects, limit(1), ...more] })
    expect(cluster([]).place(pod('p', claims('two'))).feasible).toEqual(['a'])
    expect(cluster([attachment]).place(pod('p', claims('two'))).feasible).toEqual([])
  })
})

import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { writerOf } from '../pods/test-writer.ts'
import { persistentVolumeClaimRules } from './persistent-volume-claim/persistent-volume-claim.ts'

const off: ReadonlySet<string> = new Set([
  'VolumeAttributesClass',
  'MutableCSINodeAllocatableCount',
  'MutablePVNodeAffinity',
])
const gate = (name: string): boolean => !off.has(name)

const writers = {
  PersistentVolume: writerOf('v1', 'persistentvolumes', gate),
  PersistentVolumeClaim: writerOf('v1', 'persistentvolumeclaims', gate),
  StorageClass: writerOf('storage.k8s.io/v1', 'storageclasses', gate),
  VolumeAttachment: writerOf('storage.k8s.io/v1', 'volumeattachments', gate),
  CSIDriver: writerOf('storage.k8s.io/v1', 'csidrivers', gate),
  CSINode: writerOf('storage.k8s.io/v1', 'csinodes', gate),
  CSIStorageCapacity: writerOf('storage.k8s.io/v1', 'csistoragecapacities', gate),
  VolumeAttributesClass: writerOf('storage.k8s.io/v1beta1', 'volumeattributesclasses', gate),
}
type Kind = keyof typeof writers

const named = (body: JsonObject): JsonObject => ({ metadata: { name: 'x' }, ...body })
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const csi = { driver: 'a.io', volumeHandle: 'h' }

const terms = [{ matchLabelExpressions: [{ key: 'a', values: ['b', 'c'] }] }, {}]
const repeated = (index: number, times: number): string[] =>
  Array<string>(times).fill(`allowedTopologies[${index}].matchLabelExpressions: Duplicate value: ""`)

const refused: [Kind, JsonObject, string[]][] = [
  ['StorageClass', { provisioner: 'p', allowedTopologies: terms }, repeated(1, 2)],
  [
    'StorageClass',
    {
      provisioner: 'p',
      allowedTopologies: [...terms, { matchLabelExpressions: [{ key: 'a', values: ['c', 'b'] }] }],
    },
    [...repeated(1, 3), ...repeated(2, 1)],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/./' } } },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/a/..' } } },
    [
      'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, csi: { ...csi, nodePublishSecretRef: { name: 'A' } } } },
    [
      expect.stringContaining('spec.csi.nodePublishSecretRef.name: Invalid value: "A"'),
      'spec.csi.nodePublishSecretRef.namespace: Required value',
    ],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, iscsi: { targetPortal: 'p', iqn: 'x', lun: 256, chapAuthSession: true } } },
    [
      'spec.iscsi.iqn: Invalid value: "x": must be valid format',
      'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.iscsi.secretRef: Required value',
    ],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, cephfs: { monitors: [] }, rbd: { monitors: ['m'], image: '' } } },
    ['spec.rbd.image: Required value', 'spec.cephFS: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'PersistentVolumeClaim',
    { spec: { ...claim, dataSourceRef: { kind: 'K', name: '' } } },
    [
      'spec.dataSource.name: Required value',
      'spec.dataSource: Invalid value: "K": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      'spec.dataSourceRef.name: Required value',
      'spec.dataSourceRef: Invalid value: "K": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  ],
  [
    'VolumeAttachment',
    {
      spec: {
        attacher: 'a.io',
        nodeName: 'n',
        source: { inlineVolumeSpec: { ...volume, nfs: { server: 's', path: '/' } } },
      },
    },
    [
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
    ],
  ],
  [
    'CSIDriver',
    { spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 599 }] } },
    ['spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'],
  ],
  [
    'CSINode',
    { spec: { drivers: [{ name: 'd', nodeID: 'x'.repeat(257) }] } },
    [expect.stringContaining(': must be 256 characters or less')],
  ],
  [
    'VolumeAttributesClass',
    { driverName: '' },
    ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  ],
]

describe('creates are refused', () => {
  test.each(refused)('%s %j', (kind, body, expected) => {
    expect(texts(writers[kind].create(named(body)).errors)).toEqual(expected)
  })
})

const zone = (key: string): JsonObject => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['z'] }] }] },
})

const changes: [Kind, JsonObject, JsonObject, string[]][] = [
  [
    'PersistentVolume',
    { spec: { ...volume, csi } },
    { spec: { ...volume, csi: { ...csi, fsType: 'ext4' } } },
    [
      expect.stringMatching(
        /^spec\.persistentvolumesource: Forbidden: .* is immutable after creation\n {2}core.PersistentVolumeSource\{\n[\s\S]*\n- \t\tFSType: +"",\n\+ \t\tFSType: +"ext4",\n/,
      ),
    ],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, csi } },
    { spec: { ...volume, csi: { ...csi, controllerExpandSecretRef: { name: 'a', namespace: 'b' } } } },
    [],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, csi, nodeAffinity: zone('failure-domain.beta.kubernetes.io/zone') } },
    { spec: { ...volume, csi, nodeAffinity: zone('topology.kubernetes.io/zone') } },
    [],
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, csi, nodeAffinity: zone('a') } },
    { spec: { ...volume, csi } },
    ['nodeAffinity: Invalid value: "null": field is immutable, except for updating from beta label to GA'],
  ],
  ['PersistentVolumeClaim', { spec: claim }, { spec: { ...claim, storageClassName: 'late' } }, []],
  ['PersistentVolumeClaim', { spec: claim }, { spec: { ...claim, volumeName: 'v' } }, []],
  [
    'PersistentVolumeClaim',
    { spec: { ...claim, volumeName: 'v' } },
    { spec: { ...claim, volumeName: 'w' } },
    [
      expect.stringMatching(
        /^spec: Forbidden: spec is immutable after creation except .*\n[\s\S]*- \tVolumeName: +"v",\n\+ \tVolumeName: +"w",\n/,
      ),
    ],
  ],
  [
    'VolumeAttributesClass',
    { driverName: 'a.io', parameters: { a: 'b' } },
    { driverName: 'b.io', parameters: { a: 'c' } },
    [
      'driverName: Forbidden: updates to driverName are forbidden.',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ],
  ],
  [
    'CSIStorageCapacity',
    { storageClassName: 'a', nodeTopology: { matchLabels: { a: 'b' } } },
    { storageClassName: 'a', nodeTopology: { matchLabels: { a: 'c' } } },
    [
      'nodeTopology: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"c"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ],
  ],
]

describe('updates', () => {
  test.each(changes)('%s %j to %j', (kind, before, after, expected) => {
    const writer = writers[kind]
    const { object } = writer.create(named(before))
    expect(texts(writer.update(named(after), object).errors)).toEqual(expected)
  })

  it('let a bound claim grow, and shrink again to more than it has', () => {
    const writer = writers.PersistentVolumeClaim
    const { object } = writer.create(named({ spec: claim }))
    object['status'] = { phase: 'Bound', capacity: { storage: '1Gi' } }
    const sized = (storage: string): JsonObject => named({ spec: { ...claim, resources: { requests: { storage } } } })
    const grown = writer.update(sized('3Gi'), object)
    expect(grown.errors).toEqual([])
    expect(writer.update(sized('2Gi'), grown.object).errors).toEqual([])
    expect(texts(writer.update(sized('1Gi'), grown.object).errors)).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ])
  })

  it('show admission a claim without a phase, which it has once it is stored', () => {
    const { object } = writers.PersistentVolumeClaim.create(named({ spec: claim }))
    expect(object['status']).toEqual({})
    const { strategy } = persistentVolumeClaimRules()
    strategy.beforeStore?.(object as Parameters<NonNullable<typeof strategy.beforeStore>>[0], undefined)
    expect(object['status']).toEqual({ phase: 'Pending' })
  })

  it('note when the phase of a volume changes, unless the writer says when', () => {
    const writer = writers.PersistentVolume
    const { object } = writer.create(named({ spec: { ...volume, csi } }))
    const time = '2024-05-06T07:08:09Z'
    expect(object['status']).toEqual({ phase: 'Pending', lastPhaseTransitionTime: time })
    const old = { ...object, status: { phase: 'Pending', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' } }
    const write = (status: JsonObject) => writer.update({ ...named({ spec: volume }), status }, old, 'status').object
    expect(write({ phase: 'Bound' })['status']).toEqual({ phase: 'Bound', lastPhaseTransitionTime: time })
    expect(write({ phase: 'Pending' })['status']).toEqual(old.status)
    const told = { phase: 'Bound', lastPhaseTransitionTime: '2023-01-01T00:00:00Z' }
    expect(write(told)['status']).toEqual(told)
  })

  it('begin the generation of a driver with its first change', () => {
    const writer = writers.CSIDriver
    const { object } = writer.create(named({ spec: {} }))
    expect(object.metadata.generation).toBeUndefined()
    expect(writer.update(named({ spec: { podInfoOnMount: true } }), object).object.metadata.generation).toBe(1)
  })
})

it('fills in the older and the newer source of a claim from one another', () => {
  const source = { kind: 'PersistentVolumeClaim', name: 'a' }
  const writer = writers.PersistentVolumeClaim
  for (const given of [{ dataSource: source }, { dataSourceRef: source }]) {
    const { object } = writer.create(named({ spec: { ...claim, ...given } }))
    expect(object['spec']).toMatchObject({ dataSource: source, dataSourceRef: source })
    const again = { dataSourceRef: source }
    expect(writer.update(named({ spec: { ...claim, ...again } }), object).errors).toEqual([])
  }
  const other = writer.create(named({ spec: { ...claim, dataSource: { apiGroup: 'a.io', kind: 'K', name: 'a' } } }))
  expect(other.object['spec']).not.toHaveProperty('dataSource')
})

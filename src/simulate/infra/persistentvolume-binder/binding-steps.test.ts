import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects.ts'
import { boundTo, claimedBy, claimStatus, unbound } from './binder-controller.ts'
import { claimStep, volumeStep } from './binding-steps.ts'
import { deleterOf, provisionerName } from './plugins.ts'

const claim = (spec: object = {}, metadata: object = {}): PersistentVolumeClaim =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'ns', uid: 'c-uid', ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'x',
      resources: { requests: { storage: '5Gi' } },
      ...spec,
    },
  }) as unknown as PersistentVolumeClaim

const volume = (name: string, spec: object = {}, more: object = {}): PersistentVolume =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'x', capacity: { storage: '5Gi' }, ...spec },
    status: { phase: 'Available' },
    ...more,
  }) as unknown as PersistentVolume

const storageClass = (name: string, more: object = {}): StorageClass =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'p',
    ...more,
  }) as StorageClass

const ref = (uid?: string, name = 'c') => ({ namespace: 'ns', name, ...(uid === undefined ? {} : { uid }) })

function step(
  of: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[] = [],
  more: { classes?: StorageClass[]; waitingPods?: string[] } = {},
) {
  const made = claimStep({
    claim: of,
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    candidates: () => volumes,
    classes: more.classes ?? [storageClass('x')],
    waitingPods: more.waitingPods ?? [],
  })
  const what = made.type === 'bind' ? made.volume.metadata.name : 'event' in made ? made.event?.reason : undefined
  return what === undefined ? made.type : `${made.type} ${what}`
}

describe('an unbound claim', () => {
  it.each([
    [
      'takes the smallest that fits',
      {},
      [volume('big', { capacity: { storage: '9Gi' } }), volume('fits')],
      'bind fits',
    ],
    [
      'takes fewer modes before less size',
      {},
      [
        volume('many', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
        volume('one', { capacity: { storage: '9Gi' } }),
      ],
      'bind one',
    ],
    ['passes over what is too small', {}, [volume('small', { capacity: { storage: '1Gi' } })], 'provision'],
    ['passes over another class', {}, [volume('v', { storageClassName: 'y' })], 'provision'],
    ['passes over another mode', { volumeMode: 'Block' }, [volume('v')], 'provision'],
    ['passes over other access', { accessModes: ['ReadWriteMany'] }, [volume('v')], 'provision'],
    ['passes over what is not available', {}, [volume('v', {}, { status: { phase: 'Released' } })], 'provision'],
    ['passes over what others have', {}, [volume('v', { claimRef: ref('other', 'other') })], 'provision'],
    [
      'passes over what is going',
      {},
      [volume('v', {}, { metadata: { name: 'v', deletionTimestamp: 't' } })],
      'provision',
    ],
    [
      'takes what is its own, however large',
      {},
      [volume('fits'), volume('own', { claimRef: ref(), capacity: { storage: '99Gi' } })],
      'bind own',
    ],
    ['asks for labels', { selector: { matchLabels: { a: 'b' } } }, [volume('v')], 'provision'],
    ['without a class and a default one', { storageClassName: undefined }, [], 'pending FailedBinding'],
    ['that wants none of a provisioner', { storageClassName: '' }, [], 'pending FailedBinding'],
    ['by name', { volumeName: 'v' }, [volume('v')], 'bind v'],
    [
      'by a name that does not fit',
      { volumeName: 'v' },
      [volume('v', { capacity: { storage: '1Gi' } })],
      'pending VolumeMismatch',
    ],
    [
      'by a name that another has',
      { volumeName: 'v' },
      [volume('v', { claimRef: ref('other', 'other') })],
      'pending FailedBinding',
    ],
    ['by a name that is not there', { volumeName: 'v' }, [], 'pending'],
  ])('%s', (_, spec, volumes, expected) => expect(step(claim(spec), volumes)).toBe(expected))

  it('gets the newest default class', () => {
    const isDefault = (name: string, creationTimestamp: string) =>
      storageClass(name, {
        metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      })
    const classes = [isDefault('old', '2024-01-01T00:00:00Z'), isDefault('new', '2025-01-01T00:00:00Z')]
    const state = {
      claim: claim({ storageClassName: undefined }),
      volume: () => undefined,
      candidates: () => [],
      classes,
      waitingPods: [],
    }
    expect(claimStep(state)).toEqual({ type: 'assign-class', name: 'new' })
  })

  it('waits for its pod where its class says so', () => {
    const classes = [storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer' })]
    expect(step(claim(), [volume('fits')], { classes })).toBe('pending WaitForFirstConsumer')
    expect(step(claim(), [], { classes, waitingPods: ['p'] })).toBe('pending WaitForPodScheduled')
    const chosen = claim({}, { annotations: { 'volume.kubernetes.io/selected-node': 'n' } })
    expect(step(chosen, [], { classes })).toBe('provision')
  })
})

describe('a bound claim', () => {
  const bound = (spec: object) => claim(spec, { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } })
  it.each([
    ['its volume', { volumeName: 'v' }, [volume('v', { claimRef: ref('c-uid') })], 'bind v'],
    ['its volume, which lost its claim', { volumeName: 'v' }, [volume('v')], 'bind v'],
    ['no name', {}, [], 'lost ClaimLost'],
    ['no volume', { volumeName: 'v' }, [], 'lost ClaimLost'],
    ["another's volume", { volumeName: 'v' }, [volume('v', { claimRef: ref('other') })], 'lost ClaimMisbound'],
  ])('with %s', (_, spec, volumes, expected) => expect(step(bound(spec), volumes)).toBe(expected))
})

describe('a volume', () => {
  const own = claim({ volumeName: 'v' })
  it.each([
    ['of nobody', {}, undefined, 'phase Available'],
    ['that waits for a claim', { claimRef: ref() }, undefined, 'phase Available'],
    ['whose claim is gone', { claimRef: ref('c-uid') }, undefined, 'reclaim'],
    ['whose claim is another of the name', { claimRef: ref('old') }, own, 'reclaim'],
    ['of its claim', { claimRef: ref('c-uid') }, own, 'phase Bound'],
    ['that its claim does not know yet', { claimRef: ref('c-uid') }, claim(), 'sync-claim'],
    ['of the wrong mode', { claimRef: ref('c-uid'), volumeMode: 'Block' }, claim(), 'mismatch'],
    ['whose claim has another', { claimRef: ref('c-uid') }, claim({ volumeName: 'w' }), 'unbind'],
  ])('%s', (_, spec, of, expected) => {
    const made = volumeStep(volume('v', spec), of)
    expect('phase' in made ? `${made.type} ${made.phase}` : made.type).toBe(expected)
  })

  it('is bound from both sides, and freed', () => {
    const taken = claimedBy(volume('v'), claim()) as PersistentVolume
    expect(taken).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', name: 'c', uid: 'c-uid' } },
    })
    expect(claimedBy(taken, claim())).toBeUndefined()
    expect(claimedBy(volume('v', { claimRef: ref() }), claim())?.metadata.annotations).toBeUndefined()
    const holder = boundTo(claim(), taken) as PersistentVolumeClaim
    expect(holder).toMatchObject({ spec: { volumeName: 'v' } })
    expect(boundTo(holder, taken)).toBeUndefined()
    const status = claimStatus(holder, 'Bound', taken)
    expect(status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } })
    expect(claimStatus({ ...holder, status: status as never }, 'Bound', taken)).toBeUndefined()
    expect(claimStatus({ ...holder, status: status as never }, 'Lost', undefined)).toEqual({ phase: 'Lost' })
    expect(unbound(taken).spec?.claimRef).toBeUndefined()
    expect(unbound(volume('v', { claimRef: ref('c-uid') })).spec?.claimRef).toEqual(ref())
  })
})

it('knows who provisions and who deletes', () => {
  expect(provisionerName('kubernetes.io/aws-ebs')).toBe('ebs.csi.aws.com')
  expect(provisionerName('example.com/x')).toBe('example.com/x')
  expect(() => provisionerName('kubernetes.io/no-provisioner')).toThrow(
    'no volume plugin matched name: kubernetes.io/no-provisioner',
  )
  expect(deleterOf(volume('v', { csi: { driver: 'd' } }))).toBe('external')
  expect(deleterOf(volume('v', { hostPath: { path: '/tmp/a' } }))).toBe('here')
  expect(() => deleterOf(volume('v', { hostPath: { path: '/mnt' } }))).toThrow(
    'host_path deleter only supports /tmp/.+',
  )
  expect(() => deleterOf(volume('v', { nfs: {} }))).toThrow('no deletable volume plugin matched')
})

import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import { container, hasStatus, object, pod, told } from './building.ts'

const volume = (name: string, spec: JsonMap = {}): JsonMap =>
  object('v1', 'PersistentVolume', `<ns>-${name}`, {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: '<ns>-manual',
      hostPath: { path: '/data' },
      ...spec,
    },
  })
const claim = (name: string, spec: JsonMap = {}): JsonMap =>
  object('v1', 'PersistentVolumeClaim', name, {
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '<ns>-manual',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  })
const storageClass = (name: string, more: JsonMap): JsonMap =>
  object('storage.k8s.io/v1', 'StorageClass', `<ns>-${name}`, { provisioner: 'kubernetes.io/no-provisioner', ...more })
const using = (name: string): JsonMap => ({
  containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
})
/** The binder has seen a volume before it looks for one. */
const available = (name: string): ReturnType<typeof hasStatus> =>
  phase(`v1/persistentvolumes/<ns>-${name}`, 'Available')
const phase = (target: string, is: string): ReturnType<typeof hasStatus> => hasStatus(target, { phase: is })

export const storageScenarios: readonly Scenario[] = [
  {
    name: 'volume-static',
    steps: [
      { apply: [volume('small'), volume('large', { capacity: { storage: '5Gi' } })] },
      available('small'),
      available('large'),
      { apply: [claim('a')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
      { apply: [claim('b', { resources: { requests: { storage: '10Gi' } } })] },
      told('ProvisioningFailed'),
      { apply: [claim('c', { volumeName: '<ns>-large' })] },
      phase('v1/persistentvolumeclaims/c', 'Bound'),
    ],
  },
  {
    name: 'volume-retain',
    steps: [
      { apply: [volume('kept')] },
      available('kept'),
      { apply: [claim('a')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
      { remove: 'v1/persistentvolumeclaims/a' },
      phase('v1/persistentvolumes/<ns>-kept', 'Released'),
      { patch: 'v1/persistentvolumes/<ns>-kept', with: { spec: { claimRef: null } } },
      phase('v1/persistentvolumes/<ns>-kept', 'Available'),
    ],
  },
  {
    name: 'volume-delete',
    steps: [
      {
        apply: [volume('gone', { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/elsewhere' } })],
      },
      available('gone'),
      { apply: [claim('a')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
      { remove: 'v1/persistentvolumeclaims/a' },
      phase('v1/persistentvolumes/<ns>-gone', 'Failed'),
    ],
  },
  {
    name: 'volume-lost',
    steps: [
      { apply: [volume('lost')] },
      available('lost'),
      { apply: [claim('a')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
      { remove: 'v1/persistentvolumes/<ns>-lost' },
      { patch: 'v1/persistentvolumes/<ns>-lost', with: { metadata: { finalizers: null } } },
      phase('v1/persistentvolumeclaims/a', 'Lost'),
    ],
  },
  {
    name: 'volume-wait-for-consumer',
    steps: [
      { apply: [storageClass('manual', { volumeBindingMode: 'WaitForFirstConsumer' }), volume('local'), claim('a')] },
      told('WaitForFirstConsumer'),
      { apply: [pod('user', using('a'))] },
      phase('v1/pods/user', 'Running'),
      phase('v1/persistentvolumeclaims/a', 'Bound'),
    ],
  },
  {
    name: 'volume-no-consumer-volume',
    steps: [
      {
        apply: [
          storageClass('manual', { volumeBindingMode: 'WaitForFirstConsumer' }),
          claim('a'),
          pod('user', using('a')),
        ],
      },
      told('FailedScheduling'),
      // Said when the binder looks again.
      told('WaitForPodScheduled'),
    ],
  },
  {
    name: 'volume-protection',
    steps: [
      { apply: [volume('held')] },
      available('held'),
      { apply: [claim('a')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
      { apply: [pod('user', using('a'))] },
      phase('v1/pods/user', 'Running'),
      { remove: 'v1/persistentvolumeclaims/a' },
      { remove: 'v1/persistentvolumes/<ns>-held' },
      { until: 'v1/persistentvolumeclaims/a', has: { status: { phase: 'Bound' } } },
      { remove: 'v1/pods/user' },
      { until: 'v1/persistentvolumeclaims/a', gone: true },
      { until: 'v1/persistentvolumes/<ns>-held', gone: true },
    ],
  },
  {
    name: 'volume-selected',
    steps: [
      {
        apply: [volume('blue', {}), volume('green', { volumeMode: 'Block' })],
      },
      available('blue'),
      available('green'),
      {
        apply: [
          claim('block', { volumeMode: 'Block' }),
          claim('many', { accessModes: ['ReadWriteMany'] }),
          claim('labelled', { selector: { matchLabels: { colour: 'blue' } } }),
        ],
      },
      phase('v1/persistentvolumeclaims/block', 'Bound'),
      { patch: 'v1/persistentvolumes/<ns>-blue', with: { metadata: { labels: { colour: 'blue' } } } },
      phase('v1/persistentvolumeclaims/labelled', 'Bound'),
    ],
  },
  {
    name: 'volume-prebound',
    steps: [
      { apply: [volume('reserved', { claimRef: { namespace: '<ns>', name: 'a' } })] },
      available('reserved'),
      { apply: [claim('a'), claim('b')] },
      phase('v1/persistentvolumeclaims/a', 'Bound'),
    ],
  },
  {
    name: 'volume-ephemeral',
    steps: [
      { apply: [volume('scratch')] },
      available('scratch'),
      {
        apply: [
          pod('user', {
            containers: [container()],
            volumes: [
              {
                name: 'scratch',
                ephemeral: {
                  volumeClaimTemplate: {
                    spec: {
                      accessModes: ['ReadWriteOnce'],
                      storageClassName: '<ns>-manual',
                      resources: { requests: { storage: '1Gi' } },
                    },
                  },
                },
              },
            ],
          }),
        ],
      },
      phase('v1/pods/user', 'Running'),
      { remove: 'v1/pods/user' },
      { until: 'v1/persistentvolumeclaims', count: 0 },
      phase('v1/persistentvolumes/<ns>-scratch', 'Released'),
    ],
  },
  {
    name: 'volume-dynamic',
    steps: [
      { apply: [claim('a', { storageClassName: 'standard' })] },
      told('WaitForFirstConsumer'),
      { apply: [pod('user', using('a'))] },
      phase('v1/pods/user', 'Running'),
      { patch: 'v1/persistentvolumeclaims/a', with: { spec: { resources: { requests: { storage: '2Gi' } } } } },
      told('ExternalExpanding'),
    ],
  },
]

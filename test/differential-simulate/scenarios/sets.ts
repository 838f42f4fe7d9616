import type { JsonMap } from '../../differential/json.ts'
import type { Scenario, Wait } from '../scenario.ts'
import { container, daemonSet, hasStatus, object, scripted, statefulSet, template } from './building.ts'

const set = 'apps/v1/statefulsets/web'
const daemons = 'apps/v1/daemonsets/web'
const image = (name: string): JsonMap => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
})
const claimTemplate = (name: string): JsonMap => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})

const ready = (replicas: number, generation: number): Wait =>
  hasStatus(set, { observedGeneration: generation, replicas, availableReplicas: replicas })
const daemonsReady = (count: number, generation: number): Wait =>
  hasStatus(daemons, {
    observedGeneration: generation,
    desiredNumberScheduled: count,
    updatedNumberScheduled: count,
    numberAvailable: count,
  })

export const setScenarios: readonly Scenario[] = [
  {
    name: 'statefulset-ordered',
    steps: [
      { apply: [statefulSet('web', { replicas: 3, template: template({}, scripted({ ready: { after: 500 } })) })] },
      ready(3, 1),
      { scale: set, to: 1 },
      ready(1, 2),
      { until: 'v1/pods', count: 1 },
      { patch: set, as: 'strategic', with: image('nginx:2') },
      hasStatus(set, { observedGeneration: 3, updatedReplicas: 1, availableReplicas: 1 }),
    ],
  },
  {
    name: 'statefulset-parallel',
    steps: [
      { apply: [statefulSet('web', { replicas: 3, podManagementPolicy: 'Parallel' })] },
      ready(3, 1),
      { scale: set, to: 5 },
      ready(5, 2),
      { scale: set, to: 0 },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'statefulset-partition',
    steps: [
      {
        apply: [
          statefulSet('web', {
            replicas: 3,
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
          }),
        ],
      },
      ready(3, 1),
      { patch: set, as: 'strategic', with: image('nginx:2') },
      hasStatus(set, { observedGeneration: 2, updatedReplicas: 1, availableReplicas: 3 }),
      { patch: set, with: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } },
      hasStatus(set, { observedGeneration: 3, updatedReplicas: 3, availableReplicas: 3 }),
    ],
  },
  {
    name: 'statefulset-on-delete',
    steps: [
      { apply: [statefulSet('web', { replicas: 2, updateStrategy: { type: 'OnDelete' } })] },
      ready(2, 1),
      { patch: set, as: 'strategic', with: image('nginx:2') },
      hasStatus(set, { observedGeneration: 2 }),
      { remove: 'v1/pods/web-1' },
      hasStatus(set, { updatedReplicas: 1, availableReplicas: 2 }),
    ],
  },
  {
    name: 'statefulset-claims-deleted',
    steps: [
      {
        apply: [
          statefulSet('web', {
            replicas: 2,
            volumeClaimTemplates: [claimTemplate('data')],
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
          }),
        ],
      },
      ready(2, 1),
      { scale: set, to: 1 },
      { until: 'v1/persistentvolumeclaims', count: 1 },
      ready(1, 2),
      { remove: set },
      { until: 'v1/persistentvolumeclaims', count: 0 },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'statefulset-claims-retained',
    steps: [
      { apply: [statefulSet('web', { replicas: 2, volumeClaimTemplates: [claimTemplate('data')] })] },
      ready(2, 1),
      { scale: set, to: 1 },
      ready(1, 2),
      { until: 'v1/pods', count: 1 },
    ],
  },
  {
    name: 'statefulset-min-ready',
    steps: [{ apply: [statefulSet('web', { replicas: 2, minReadySeconds: 2, ordinals: { start: 3 } })] }, ready(2, 1)],
  },
  {
    name: 'statefulset-history',
    steps: [
      { apply: [statefulSet('web', { replicas: 1, revisionHistoryLimit: 1 })] },
      ready(1, 1),
      ...['nginx:2', 'nginx:3', 'nginx:4'].flatMap((name, i) => [
        { patch: set, as: 'strategic' as const, with: image(name) },
        hasStatus(set, { observedGeneration: i + 2, updatedReplicas: 1, availableReplicas: 1 }),
      ]),
      { patch: set, as: 'strategic', with: image('nginx:3') },
      hasStatus(set, { observedGeneration: 5, updatedReplicas: 1, availableReplicas: 1 }),
    ],
  },
  {
    name: 'statefulset-failing',
    steps: [
      {
        apply: [
          statefulSet('web', { replicas: 2, template: template({ containers: [container({ image: 'a:missing' })] }) }),
        ],
      },
      hasStatus(set, { observedGeneration: 1, replicas: 1 }),
      { patch: set, as: 'strategic', with: image('nginx:2') },
      hasStatus(set, { observedGeneration: 2 }),
      { remove: 'v1/pods/web-0' },
      hasStatus(set, { availableReplicas: 2 }),
    ],
  },
  {
    name: 'daemonset-rolling',
    steps: [
      { apply: [daemonSet('web', {})] },
      daemonsReady(3, 1),
      { patch: daemons, as: 'strategic', with: image('nginx:2') },
      daemonsReady(3, 2),
      { patch: daemons, as: 'strategic', with: image('nginx:1') },
      daemonsReady(3, 3),
    ],
  },
  {
    name: 'daemonset-surge',
    steps: [
      {
        apply: [
          daemonSet('web', {
            template: template({}, scripted({ ready: { after: 500 } })),
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          }),
        ],
      },
      daemonsReady(3, 1),
      { patch: daemons, as: 'strategic', with: image('nginx:2') },
      daemonsReady(3, 2),
    ],
  },
  {
    name: 'daemonset-on-delete',
    steps: [
      { apply: [daemonSet('web', { updateStrategy: { type: 'OnDelete' } })] },
      daemonsReady(3, 1),
      { patch: daemons, as: 'strategic', with: image('nginx:2') },
      hasStatus(daemons, { observedGeneration: 2 }),
      { remove: 'v1/pods?labelSelector=app%3Dweb' },
      hasStatus(daemons, { updatedNumberScheduled: 1, numberAvailable: 3 }),
    ],
  },
  {
    name: 'daemonset-selector',
    steps: [
      { apply: [daemonSet('web', { template: template({ nodeSelector: { 'kubernetes.io/hostname': 'node-2' } }) })] },
      daemonsReady(1, 1),
      {
        patch: daemons,
        with: { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-3' } } } } },
      },
      daemonsReady(1, 2),
    ],
  },
  {
    name: 'daemonset-tolerations',
    isAlone: true,
    steps: [
      { patch: 'v1/nodes/node-1', with: { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } } },
      {
        apply: [
          daemonSet('web', {}),
          object('apps/v1', 'DaemonSet', 'all', {
            spec: {
              selector: { matchLabels: { app: 'all' } },
              template: {
                ...template({ tolerations: [{ operator: 'Exists' }] }),
                metadata: { labels: { app: 'all' } },
              },
            },
          }),
        ],
      },
      daemonsReady(2, 1),
      hasStatus('apps/v1/daemonsets/all', { desiredNumberScheduled: 3, numberAvailable: 3 }),
      { patch: 'v1/nodes/node-1', with: { spec: { taints: null } } },
      daemonsReady(3, 1),
      { patch: 'v1/nodes/node-1', with: { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] } } },
      daemonsReady(2, 1),
      { patch: 'v1/nodes/node-1', with: { spec: { taints: null } } },
      daemonsReady(3, 1),
    ],
  },
]

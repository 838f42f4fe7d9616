import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import {
  container,
  daemonSet,
  deployment,
  hasCondition,
  hasStatus,
  labels,
  object,
  pod,
  replicaSet,
  replicationController,
  rolledOut,
  scripted,
  statefulSet,
  template,
} from './building.ts'

const image = (name: string): { spec: { template: { spec: { containers: [{ name: string; image: string }] } } } } => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
})
const at = 'apps/v1/deployments/web'
const slow = template({}, scripted({ ready: { after: 1000 } }))

/** Something of everything that a template can say, for the hash of all of it. */
const rich = template(
  {
    containers: [
      container({
        command: ['a', ''],
        args: ['<b>&'],
        workingDir: '/tmp',
        ports: [{ name: 'web', containerPort: 80, protocol: 'TCP' }],
        env: [
          { name: 'A', value: 'é\n' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'D', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } },
        ],
        envFrom: [{ prefix: 'X_', secretRef: { name: 's', optional: true } }],
        resources: {
          requests: { cpu: '100m', memory: '1.5Gi', 'ephemeral-storage': '8Gi' },
          limits: { cpu: '2', memory: '3000M', 'ephemeral-storage': '1e10' },
        },
        readinessProbe: { httpGet: { path: '/', port: 'web', httpHeaders: [{ name: 'h', value: 'v' }] } },
        livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 30 },
        startupProbe: { grpc: { port: 90 }, failureThreshold: 5 },
        lifecycle: { preStop: { sleep: { seconds: 0 } }, postStart: { exec: { command: ['true'] } } },
        securityContext: { capabilities: { drop: ['ALL'] }, runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
        volumeMounts: [{ name: 'scratch', mountPath: '/s', subPath: 'a' }],
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      }),
    ],
    initContainers: [container({ name: 'side', restartPolicy: 'Always' })],
    volumes: [
      { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '10Mi' } },
      { name: 'empty', emptyDir: {} },
      { name: 'config', configMap: { name: 'c', optional: true, items: [{ key: 'k', path: 'p', mode: 256 }] } },
      {
        name: 'projected',
        projected: {
          sources: [{ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
        },
      },
    ],
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
          },
        ],
      },
    },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    topologySpreadConstraints: [
      { maxSkew: 5, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: labels } },
    ],
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }],
    dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    securityContext: { fsGroup: 1, supplementalGroups: [2, 3], sysctls: [{ name: 'a', value: 'b' }] },
    imagePullSecrets: [{ name: 'pull' }],
    shareProcessNamespace: true,
    enableServiceLinks: false,
  },
  { annotations: { z: 'last', a: 'first' }, finalizers: ['example.com/none'] },
)

export const deploymentScenarios: readonly Scenario[] = [
  {
    name: 'template-hashes',
    steps: [
      {
        apply: [
          deployment('web', { replicas: 0, template: rich }),
          statefulSet('set', { replicas: 0, template: rich }),
          daemonSet('daemons', {
            template: { ...rich, spec: { ...(rich['spec'] as JsonMap), nodeSelector: { no: 'node' } } },
          }),
        ],
      },
      { until: 'apps/v1/replicasets', count: 1 },
      { until: 'apps/v1/controllerrevisions', count: 2 },
    ],
  },
  {
    name: 'deployment',
    steps: [{ apply: [deployment('web', { replicas: 3 })] }, rolledOut('web', 3, 1)],
  },
  {
    name: 'deployment-rolling',
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 4,
            template: slow,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          }),
        ],
      },
      rolledOut('web', 4, 1),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      rolledOut('web', 4, 2),
    ],
  },
  {
    name: 'deployment-rolling-percent',
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 5,
            template: slow,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '30%', maxUnavailable: '40%' } },
          }),
        ],
      },
      rolledOut('web', 5, 1),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      rolledOut('web', 5, 2),
    ],
  },
  {
    name: 'deployment-recreate',
    steps: [
      { apply: [deployment('web', { replicas: 2, strategy: { type: 'Recreate' } })] },
      rolledOut('web', 2, 1),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      rolledOut('web', 2, 2),
    ],
  },
  {
    name: 'deployment-paused',
    steps: [
      { apply: [deployment('web', { replicas: 2 })] },
      rolledOut('web', 2, 1),
      { patch: at, with: { spec: { paused: true } } },
      hasStatus(at, { observedGeneration: 2 }),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      hasStatus(at, { observedGeneration: 3 }),
      { scale: at, to: 3 },
      hasStatus(at, { observedGeneration: 4, availableReplicas: 3 }),
      { patch: at, with: { spec: { paused: false } } },
      rolledOut('web', 3, 5),
    ],
  },
  {
    name: 'deployment-paused-at-first',
    steps: [
      { apply: [deployment('web', { replicas: 2, paused: true })] },
      hasStatus(at, { observedGeneration: 1 }),
      { patch: at, with: { spec: { paused: null } } },
      rolledOut('web', 2, 2),
    ],
  },
  {
    name: 'deployment-proportional',
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 6,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } },
          }),
        ],
      },
      rolledOut('web', 6, 1),
      { patch: at, as: 'strategic', with: image('nginx:missing') },
      hasStatus(at, { observedGeneration: 2, updatedReplicas: 3, unavailableReplicas: 3 }),
      { scale: at, to: 14 },
      hasStatus(at, { observedGeneration: 3, replicas: 16 }),
      { scale: at, to: 5 },
      hasStatus(at, { observedGeneration: 4, replicas: 7 }),
    ],
  },
  {
    name: 'deployment-rollback',
    steps: [
      { apply: [deployment('web', { replicas: 2 })] },
      rolledOut('web', 2, 1),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      rolledOut('web', 2, 2),
      { patch: at, as: 'strategic', with: image('nginx:1') },
      rolledOut('web', 2, 3),
    ],
  },
  {
    name: 'deployment-rollover',
    steps: [
      { apply: [deployment('web', { replicas: 3 })] },
      rolledOut('web', 3, 1),
      { patch: at, as: 'strategic', with: image('nginx:missing') },
      hasStatus(at, { observedGeneration: 2, updatedReplicas: 1 }),
      { patch: at, as: 'strategic', with: image('nginx:3') },
      rolledOut('web', 3, 3),
    ],
  },
  {
    name: 'deployment-progress-deadline',
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 2,
            progressDeadlineSeconds: 4,
            template: template({ containers: [container({ image: 'nginx:missing' })] }),
          }),
        ],
      },
      {
        until: at,
        has: { status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] } },
      },
    ],
  },
  {
    name: 'deployment-history-limit',
    steps: [
      { apply: [deployment('web', { replicas: 1, revisionHistoryLimit: 1 })] },
      rolledOut('web', 1, 1),
      { patch: at, as: 'strategic', with: image('nginx:2') },
      rolledOut('web', 1, 2),
      { patch: at, as: 'strategic', with: image('nginx:3') },
      rolledOut('web', 1, 3),
      { patch: at, as: 'strategic', with: image('nginx:4') },
      rolledOut('web', 1, 4),
      { until: 'apps/v1/replicasets', count: 2 },
    ],
  },
  {
    name: 'deployment-annotated',
    steps: [
      {
        apply: [
          {
            ...deployment('web', { replicas: 1, minReadySeconds: 2 }),
            metadata: { name: 'web', annotations: { 'kubernetes.io/change-cause': 'first', other: 'a' }, labels },
          },
        ],
      },
      rolledOut('web', 1, 1),
      { patch: at, with: { metadata: { annotations: { other: 'b' } } } },
      { until: 'apps/v1/replicasets', count: 1, has: { metadata: { annotations: { other: 'b' } } } },
    ],
  },
  {
    name: 'deployment-zero',
    steps: [
      { apply: [deployment('web', { replicas: 0 })] },
      hasCondition(at, 'Available'),
      { scale: at, to: 1 },
      rolledOut('web', 1, 2),
      { scale: at, to: 0 },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'deployment-adopts',
    steps: [
      { apply: [replicaSet('old', { replicas: 2 })] },
      hasStatus('apps/v1/replicasets/old', { availableReplicas: 2 }),
      { apply: [deployment('web', { replicas: 2 })] },
      rolledOut('web', 2, 1),
      { remove: at, options: { propagationPolicy: 'Orphan' } },
      { until: at, gone: true },
    ],
  },
  {
    name: 'deployment-bad-selector',
    steps: [
      {
        apply: [
          {
            ...deployment('web', {}),
            spec: { replicas: 1, selector: {}, template: template() },
          },
        ],
      },
    ],
  },
  {
    name: 'replicaset-adoption',
    steps: [
      { apply: [pod('stray'), pod('other', {}, { labels: { app: 'other' } }), replicaSet('web', { replicas: 2 })] },
      hasStatus('apps/v1/replicasets/web', { availableReplicas: 2 }),
      { patch: 'v1/pods/stray', with: { metadata: { labels: { app: 'released' } } } },
      { until: 'v1/pods/stray', has: { metadata: { ownerReferences: null } } },
      hasStatus('apps/v1/replicasets/web', { availableReplicas: 2 }),
      { scale: 'apps/v1/replicasets/web', to: 1 },
      hasStatus('apps/v1/replicasets/web', { replicas: 1, availableReplicas: 1 }),
      { until: 'v1/pods?labelSelector=app%3Dweb', count: 1 },
    ],
  },
  {
    name: 'replicaset-refused',
    steps: [
      { apply: [object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '1' } } })] },
      hasStatus('v1/resourcequotas/few', { hard: { pods: '1' }, used: { pods: '0' } }),
      { apply: [replicaSet('web', { replicas: 2 })] },
      hasCondition('apps/v1/replicasets/web', 'ReplicaFailure'),
      hasStatus('apps/v1/replicasets/web', { availableReplicas: 1 }),
    ],
  },
  {
    name: 'replicationcontroller-adoption',
    steps: [
      { apply: [pod('stray'), replicationController('web', { replicas: 3 })] },
      hasStatus('v1/replicationcontrollers/web', { availableReplicas: 3 }),
      { patch: 'v1/pods/stray', with: { metadata: { labels: { app: null } } } },
      { until: 'v1/pods/stray', has: { metadata: { ownerReferences: null } } },
      hasStatus('v1/replicationcontrollers/web', { availableReplicas: 3 }),
      { scale: 'v1/replicationcontrollers/web', to: 1 },
      hasStatus('v1/replicationcontrollers/web', { replicas: 1, availableReplicas: 1 }),
      { until: 'v1/pods?labelSelector=app%3Dweb', count: 1 },
    ],
  },
]

import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import { container, deployment, hasCondition, hasStatus, labels, object, pod, rolledOut, told } from './building.ts'

const hostname = 'kubernetes.io/hostname'
const asking = (requests: JsonMap, more: JsonMap = {}): JsonMap => ({
  containers: [container({ resources: { requests, ...more } })],
})
const needs = (key: string, values: readonly string[]): JsonMap => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }],
      },
    },
  },
})
const near = (kind: 'podAffinity' | 'podAntiAffinity', app: string): JsonMap => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app } }, topologyKey: hostname },
      ],
    },
  },
})
const waits = (name: string): ReturnType<typeof hasCondition> =>
  hasCondition(`v1/pods/${name}`, 'PodScheduled', 'False')
const runs = (name: string): ReturnType<typeof hasStatus> => hasStatus(`v1/pods/${name}`, { phase: 'Running' })
const priority = (name: string, value: number): JsonMap =>
  object('scheduling.k8s.io/v1', 'PriorityClass', `<ns>-${name}`, { value })
const taint = (effect: string): JsonMap => ({ spec: { taints: [{ key: 'a', value: 'b', effect }] } })
const untaint = { spec: { taints: null } }

export const schedulingScenarios: readonly Scenario[] = [
  {
    name: 'pods-that-wait',
    isAlone: true,
    steps: [
      {
        apply: [
          pod('cpu', asking({ cpu: '100' })),
          pod('memory-and-cpu', asking({ cpu: '100', memory: '1Ti' })),
          pod('extended', asking({}, { limits: { 'example.com/gpu': '1' } })),
          pod('selector', { nodeSelector: { none: 'such' } }),
          pod('affinity', needs(hostname, ['nowhere'])),
          pod('scheduler', { schedulerName: 'another' }),
          pod('claim', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'none' } }] }),
          pod('affinity-to-pods', near('podAffinity', 'nobody'), { labels: { app: 'lonely' } }),
          pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }),
        ],
      },
      ...['cpu', 'memory-and-cpu', 'extended', 'selector', 'affinity', 'claim', 'affinity-to-pods', 'gated'].map(waits),
      { patch: 'v1/pods/gated', as: 'json', with: [{ op: 'remove', path: '/spec/schedulingGates' }] },
      runs('gated'),
    ],
  },
  {
    name: 'host-ports',
    isAlone: true,
    hasSpread: true,
    steps: [
      {
        apply: ['a', 'b', 'c'].map((name) =>
          pod(name, { containers: [container({ ports: [{ containerPort: 80, hostPort: 8080 }] })] }),
        ),
      },
      runs('a'),
      runs('b'),
      runs('c'),
      { apply: [pod('d', { containers: [container({ ports: [{ containerPort: 80, hostPort: 8080 }] })] })] },
      waits('d'),
    ],
  },
  {
    name: 'anti-affinity',
    isAlone: true,
    hasSpread: true,
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 4,
            template: { metadata: { labels }, spec: { containers: [container()], ...near('podAntiAffinity', 'web') } },
          }),
        ],
      },
      hasStatus('apps/v1/deployments/web', { availableReplicas: 3 }),
      told('FailedScheduling'),
      { apply: [pod('friend', near('podAffinity', 'web'), { labels: { app: 'friend' } })] },
      runs('friend'),
    ],
  },
  {
    name: 'topology-spread',
    isAlone: true,
    hasSpread: true,
    steps: [
      {
        apply: [
          deployment('web', {
            replicas: 6,
            template: {
              metadata: { labels },
              spec: {
                containers: [container()],
                topologySpreadConstraints: [
                  {
                    maxSkew: 1,
                    topologyKey: hostname,
                    whenUnsatisfiable: 'DoNotSchedule',
                    labelSelector: { matchLabels: labels },
                  },
                ],
              },
            },
          }),
        ],
      },
      rolledOut('web', 6, 1),
      { patch: 'v1/nodes/node-3', with: taint('NoSchedule') },
      { scale: 'apps/v1/deployments/web', to: 9 },
      hasStatus('apps/v1/deployments/web', { replicas: 9 }),
      told('FailedScheduling'),
      { patch: 'v1/nodes/node-3', with: untaint },
      rolledOut('web', 9, 2),
    ],
  },
  {
    name: 'preemption',
    isAlone: true,
    steps: [
      // One victim is the least important: among equals it would be one by chance.
      { apply: [priority('high', 1000), ...['a', 'b', 'c'].map((name, i) => priority(name, i))] },
      {
        apply: ['a', 'b', 'c'].map((name) =>
          pod(name, { priorityClassName: `<ns>-${name}`, ...asking({ cpu: '12' }) }, { labels: { app: 'low' } }),
        ),
      },
      runs('a'),
      runs('b'),
      runs('c'),
      { apply: [pod('urgent', { priorityClassName: '<ns>-high', ...asking({ cpu: '10' }) })] },
      runs('urgent'),
      { until: 'v1/pods?labelSelector=app%3Dlow', count: 2 },
      {
        apply: [pod('never', { priorityClassName: '<ns>-high', preemptionPolicy: 'Never', ...asking({ cpu: '10' }) })],
      },
      { apply: [pod('huge', { priorityClassName: '<ns>-high', ...asking({ cpu: '20' }) })] },
      waits('huge'),
    ],
  },
  {
    name: 'taints',
    isAlone: true,
    steps: [
      { patch: 'v1/nodes/node-1', with: taint('NoSchedule') },
      { patch: 'v1/nodes/node-2', with: taint('NoSchedule') },
      {
        apply: [
          pod('plain'),
          pod('pinned', { nodeSelector: { [hostname]: 'node-1' } }),
          pod('tolerant', {
            nodeSelector: { [hostname]: 'node-1' },
            tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
          }),
        ],
      },
      runs('plain'),
      runs('tolerant'),
      waits('pinned'),
      { patch: 'v1/nodes/node-1', with: untaint },
      { patch: 'v1/nodes/node-2', with: untaint },
      runs('pinned'),
    ],
  },
  {
    name: 'cordon',
    isAlone: true,
    steps: [
      { patch: 'v1/nodes/node-1', with: { spec: { unschedulable: true } } },
      {
        until: 'v1/nodes/node-1',
        has: { spec: { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } },
      },
      { apply: [pod('pinned', { nodeSelector: { [hostname]: 'node-1' } }), pod('plain')] },
      runs('plain'),
      waits('pinned'),
      { remove: 'v1/pods/pinned' },
      { until: 'v1/pods/pinned', gone: true },
      { patch: 'v1/nodes/node-1', with: { spec: { unschedulable: null } } },
      { until: 'v1/nodes/node-1', has: { spec: { taints: null } } },
    ],
  },
  {
    name: 'taint-eviction',
    isAlone: true,
    steps: [
      {
        apply: [
          pod('plain', { nodeSelector: { [hostname]: 'node-1' } }),
          pod('patient', {
            nodeSelector: { [hostname]: 'node-1' },
            tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 }],
          }),
          pod('tolerant', { nodeSelector: { [hostname]: 'node-1' }, tolerations: [{ operator: 'Exists' }] }),
        ],
      },
      runs('plain'),
      runs('patient'),
      runs('tolerant'),
      { patch: 'v1/nodes/node-1', with: taint('NoExecute') },
      { until: 'v1/pods/plain', gone: true },
      { until: 'v1/pods/patient', gone: true },
      { patch: 'v1/nodes/node-1', with: untaint },
    ],
  },
  {
    name: 'node-failure',
    isAlone: true,
    steps: [
      {
        apply: [
          pod('pinned', {
            nodeSelector: { [hostname]: 'node-1' },
            tolerations: ['not-ready', 'unreachable'].map((name) => ({
              key: `node.kubernetes.io/${name}`,
              operator: 'Exists',
              effect: 'NoExecute',
              tolerationSeconds: 5,
            })),
          }),
          pod('stays', { nodeSelector: { [hostname]: 'node-1' }, tolerations: [{ operator: 'Exists' }] }),
        ],
      },
      runs('pinned'),
      runs('stays'),
      { patch: 'v1/nodes/node-1', with: { metadata: { annotations: { 'simulate.pilothouse.dev/failed': 'true' } } } },
      hasCondition('v1/pods/stays', 'Ready', 'False'),
      { until: 'v1/pods/pinned', has: { status: { conditions: [{ type: 'DisruptionTarget', status: 'True' }] } } },
      { patch: 'v1/nodes/node-1', with: { metadata: { annotations: { 'simulate.pilothouse.dev/failed': null } } } },
      hasCondition('v1/pods/stays', 'Ready', 'True'),
      hasCondition('v1/nodes/node-1', 'Ready', 'True'),
      { until: 'v1/pods/pinned', gone: true },
    ],
  },
  {
    name: 'node-gone',
    isAlone: true,
    steps: [
      {
        apply: [object('v1', 'Node', 'node-<ns>', { metadata: { annotations: { 'kwok.x-k8s.io/node': 'fake' } } })],
      },
      hasCondition('v1/nodes/node-<ns>', 'Ready'),
      { apply: [pod('there', { nodeName: 'node-<ns>' }), pod('here')] },
      runs('there'),
      runs('here'),
      { remove: 'v1/nodes/node-<ns>' },
      { until: 'v1/pods/there', gone: true },
    ],
  },
  {
    name: 'pod-lives',
    steps: [
      {
        apply: [
          pod('init', {
            initContainers: [
              container({ name: 'first', image: 'busybox', command: ['true'] }),
              container({ name: 'side', restartPolicy: 'Always' }),
            ],
          }),
          pod('done', { restartPolicy: 'Never', containers: [container({ image: 'busybox', command: ['true'] })] }),
          pod('failed', { restartPolicy: 'Never', containers: [container({ image: 'busybox', command: ['false'] })] }),
          pod('missing', { containers: [container({ image: 'busybox:missing' })] }),
          pod('gate', { readinessGates: [{ conditionType: 'example.com/ready' }] }),
          pod('short', { activeDeadlineSeconds: 2 }),
        ],
      },
      runs('init'),
      hasStatus('v1/pods/done', { phase: 'Succeeded' }),
      hasStatus('v1/pods/failed', { phase: 'Failed' }),
      hasStatus('v1/pods/short', { phase: 'Failed' }),
      runs('gate'),
    ],
  },
]

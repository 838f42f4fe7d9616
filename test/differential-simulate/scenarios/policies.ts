import type { JsonMap } from '../../differential/json.ts'
import type { Scenario, Step, Wait } from '../scenario.ts'
import {
  container,
  deployment,
  hasCondition,
  hasStatus,
  job,
  object,
  pod,
  rolledOut,
  scripted,
  template,
  told,
} from './building.ts'

const autoscaler = (spec: JsonMap): JsonMap =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 4, ...spec },
  })
const budget = (name: string, spec: JsonMap): JsonMap =>
  object('policy/v1', 'PodDisruptionBudget', name, { spec: { selector: { matchLabels: { app: 'web' } }, ...spec } })

const scaled = 'autoscaling/v2/horizontalpodautoscalers/web'
const using = (cpu: string, requests: JsonMap): JsonMap =>
  template({ containers: [container({ resources: { requests } })] }, scripted({ usage: { cpu, memory: '64Mi' } }))
const cpu = (averageUtilization: number): JsonMap => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const evict: Step = {
  post: 'v1/pods?labelSelector=app%3Dweb',
  sub: 'eviction',
  body: { apiVersion: 'policy/v1', kind: 'Eviction' },
}
const budgeted = (name: string, status: JsonMap): Wait => hasStatus(`policy/v1/poddisruptionbudgets/${name}`, status)

export const policyScenarios: readonly Scenario[] = [
  {
    name: 'autoscaler-up',
    steps: [
      { apply: [deployment('web', { replicas: 1, template: using('100m', { cpu: '100m' }) })] },
      rolledOut('web', 1, 1),
      { apply: [autoscaler({ metrics: [cpu(50)] })] },
      hasStatus(scaled, { currentReplicas: 4, desiredReplicas: 4, observedGeneration: null }),
    ],
  },
  {
    name: 'autoscaler-limited',
    steps: [
      { apply: [deployment('web', { replicas: 1, template: using('100m', { cpu: '100m' }) })] },
      rolledOut('web', 1, 1),
      {
        apply: [
          autoscaler({
            minReplicas: 2,
            maxReplicas: 3,
            metrics: [
              cpu(100),
              {
                type: 'Resource',
                resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '128Mi' } },
              },
            ],
            behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
          }),
        ],
      },
      hasStatus(scaled, { currentReplicas: 2, desiredReplicas: 2 }),
      { until: scaled, has: { status: { currentMetrics: [{ type: 'Resource' }] } } },
    ],
  },
  {
    name: 'autoscaler-without-requests',
    steps: [
      { apply: [deployment('web', { replicas: 1 }), autoscaler({ metrics: [cpu(50)] })] },
      { until: scaled, has: { status: { conditions: [{ type: 'ScalingActive', status: 'False' }] } } },
      told('FailedComputeMetricsReplicas'),
    ],
  },
  {
    name: 'autoscaler-without-target',
    steps: [{ apply: [autoscaler({ metrics: [cpu(50)] })] }, hasCondition(scaled, 'AbleToScale', 'False')],
  },
  {
    name: 'autoscaler-disabled',
    steps: [
      { apply: [deployment('web', { replicas: 0 }), autoscaler({ metrics: [cpu(50)] })] },
      hasCondition(scaled, 'ScalingActive', 'False'),
    ],
  },
  {
    name: 'budget',
    steps: [
      { apply: [deployment('web', { replicas: 3 }), budget('most', { maxUnavailable: '34%' })] },
      rolledOut('web', 3, 1),
      budgeted('most', { currentHealthy: 3, disruptionsAllowed: 2 }),
      evict,
      { until: 'v1/pods', count: 3, has: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } },
      budgeted('most', { currentHealthy: 3, disruptionsAllowed: 2 }),
    ],
  },
  {
    name: 'budget-refuses',
    steps: [
      {
        apply: [
          deployment('web', { replicas: 2 }),
          budget('all', { minAvailable: '100%' }),
          budget('none', { minAvailable: 1, selector: { matchLabels: { app: 'none' } } }),
        ],
      },
      rolledOut('web', 2, 1),
      budgeted('all', { currentHealthy: 2, disruptionsAllowed: 0 }),
      evict,
    ],
  },
  {
    // A pod of several budgets is counted for one that is chosen by chance.
    name: 'budget-of-bare-pods',
    steps: [
      {
        apply: Object.entries({
          number: { minAvailable: 1 },
          share: { minAvailable: '50%' },
          most: { maxUnavailable: 1 },
        }).map(([app, spec]) => budget(app, { ...spec, selector: { matchLabels: { app } } })),
      },
      hasCondition('policy/v1/poddisruptionbudgets/most', 'DisruptionAllowed', 'False'),
      { apply: ['number', 'share', 'most'].map((app) => pod(app, {}, { labels: { app } })) },
      budgeted('number', { currentHealthy: 1, disruptionsAllowed: 0 }),
      budgeted('share', { currentHealthy: 1 }),
      budgeted('most', { currentHealthy: 1 }),
    ],
  },
  {
    name: 'budget-unhealthy-pods',
    steps: [
      {
        apply: [
          deployment('web', { replicas: 2, template: template({}, scripted({ ready: { after: 1_000_000 } })) }),
          budget('eager', { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
        ],
      },
      { until: 'v1/pods', count: 2, has: { status: { phase: 'Running' } } },
      budgeted('eager', { currentHealthy: 0, expectedPods: 2, disruptionsAllowed: 0 }),
      evict,
      { until: 'v1/events', atLeast: 3, has: { reason: 'SuccessfulCreate' } },
    ],
  },
  {
    name: 'quota',
    steps: [
      {
        apply: [
          object('v1', 'ResourceQuota', 'all', {
            spec: {
              hard: {
                pods: '3',
                'requests.cpu': '1',
                'limits.memory': '1Gi',
                services: '2',
                'count/deployments.apps': '1',
                configmaps: '5',
                secrets: '2',
                persistentvolumeclaims: '1',
              },
            },
          }),
          object('v1', 'ResourceQuota', 'scoped', { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } }),
          object('v1', 'LimitRange', 'defaults', {
            spec: {
              limits: [
                {
                  type: 'Container',
                  default: { cpu: '200m', memory: '64Mi' },
                  defaultRequest: { cpu: '100m' },
                  max: { cpu: '500m' },
                },
                { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
              ],
            },
          }),
        ],
      },
      hasStatus('v1/resourcequotas/all', { used: { pods: '0', configmaps: '1' } }),
      { apply: [deployment('web', { replicas: 4 }), deployment('second', {})] },
      hasStatus('v1/resourcequotas/all', { used: { pods: '3' } }),
      hasCondition('apps/v1/deployments/web', 'ReplicaFailure'),
      { apply: [pod('huge', { containers: [container({ resources: { limits: { cpu: '2' } } })] })] },
      { scale: 'apps/v1/deployments/web', to: 1 },
      hasStatus('v1/resourcequotas/all', { used: { pods: '1' } }),
    ],
  },
  {
    name: 'accounts',
    steps: [
      { apply: [object('v1', 'ServiceAccount', 'robot')] },
      {
        apply: [
          object('v1', 'Secret', 'robot', {
            type: 'kubernetes.io/service-account-token',
            metadata: { annotations: { 'kubernetes.io/service-account.name': 'robot' } },
          }),
        ],
      },
      { until: 'v1/secrets/robot', hasSome: ['data', 'token'] },
      { remove: 'v1/serviceaccounts/default' },
      { remove: 'v1/configmaps/kube-root-ca.crt' },
      { until: 'v1/serviceaccounts/default', has: {} },
      { until: 'v1/configmaps/kube-root-ca.crt', has: {} },
      { patch: 'v1/configmaps/kube-root-ca.crt', with: { data: { 'ca.crt': 'changed' } } },
      { until: 'v1/configmaps/kube-root-ca.crt', has: {} },
      { remove: 'v1/serviceaccounts/robot' },
      { until: 'v1/secrets/robot', gone: true },
    ],
  },
  {
    name: 'namespace-held',
    steps: [
      {
        apply: [
          object('v1', 'ConfigMap', 'held', { metadata: { finalizers: ['example.com/hold'] } }),
          object('v1', 'ConfigMap', 'free'),
          deployment('web', { replicas: 1 }),
        ],
      },
      rolledOut('web', 1, 1),
      { remove: 'v1/namespaces/<ns>' },
      hasCondition('v1/namespaces/<ns>', 'NamespaceFinalizersRemaining'),
      { until: 'v1/configmaps/free', gone: true },
      { apply: [object('v1', 'ConfigMap', 'late')] },
    ],
  },
  {
    name: 'garbage-background',
    steps: [
      { apply: [deployment('web', { replicas: 2 })] },
      rolledOut('web', 2, 1),
      { remove: 'apps/v1/deployments/web' },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'garbage-foreground',
    steps: [
      { apply: [deployment('web', { replicas: 2 })] },
      rolledOut('web', 2, 1),
      { remove: 'apps/v1/deployments/web', options: { propagationPolicy: 'Foreground' } },
      { until: 'apps/v1/deployments/web', gone: true },
      { until: 'v1/pods', count: 0 },
    ],
  },
  {
    name: 'garbage-orphan',
    steps: [
      { apply: [deployment('web', { replicas: 2 }), job('work', {})] },
      rolledOut('web', 2, 1),
      hasCondition('batch/v1/jobs/work', 'Complete'),
      { remove: 'apps/v1/deployments/web', options: { propagationPolicy: 'Orphan' } },
      { remove: 'batch/v1/jobs/work', options: { propagationPolicy: 'Orphan' } },
      { until: 'apps/v1/deployments/web', gone: true },
      { until: 'batch/v1/jobs/work', gone: true },
    ],
  },
  {
    name: 'garbage-blocked',
    steps: [
      { apply: [deployment('web', { replicas: 1, template: template({}, { finalizers: ['example.com/hold'] }) })] },
      rolledOut('web', 1, 1),
      { remove: 'apps/v1/deployments/web', options: { propagationPolicy: 'Foreground' } },
      { until: 'apps/v1/deployments/web', has: { metadata: { finalizers: ['foregroundDeletion'] } } },
      { until: 'v1/pods', count: 1 },
      { patch: 'v1/pods?labelSelector=app%3Dweb', with: { metadata: { finalizers: null } } },
      { until: 'apps/v1/deployments/web', gone: true },
    ],
  },
]

import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import {
  container,
  deployment,
  hasCondition,
  hasStatus,
  labels,
  object,
  pod,
  rolledOut,
  scripted,
  service,
  statefulSet,
} from './building.ts'

const ports = [{ name: 'http', port: 80, targetPort: 'web' }]
const named = { containers: [container({ ports: [{ name: 'web', containerPort: 8080 }] })] }
const selector = labels
const slices = 'discovery.k8s.io/v1/endpointslices'
const ready = (name: string): { until: string; has: JsonMap } => ({
  until: `v1/pods/${name}`,
  has: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
})

export const serviceScenarios: readonly Scenario[] = [
  {
    name: 'service-addresses',
    steps: [
      { apply: [object('networking.k8s.io/v1', 'ServiceCIDR', '<ns>-more', { spec: { cidrs: ['10.7.0.0/24'] } })] },
      hasCondition('networking.k8s.io/v1/servicecidrs/<ns>-more', 'Ready'),
      { until: 'networking.k8s.io/v1/servicecidrs/<ns>-more', hasSome: ['metadata', 'finalizers'] },
    ],
  },
  {
    name: 'service-named-ports',
    steps: [
      {
        apply: [
          pod('a', named),
          pod('b', { containers: [container({ ports: [{ name: 'web', containerPort: 9090 }] })] }),
          pod('c'),
          service('web', { selector, ports: [...ports, { name: 'plain', port: 81 }] }),
        ],
      },
      ready('a'),
      ready('b'),
      ready('c'),
      { until: slices, atLeast: 1, has: { endpoints: [{ conditions: { ready: true } }] } },
      { remove: 'v1/pods/b' },
      { until: 'v1/pods/b', gone: true },
      { patch: 'v1/pods/a', with: { metadata: { labels: { app: 'other' } } } },
      { until: 'v1/pods/a', has: { metadata: { labels: { app: 'other' } } } },
    ],
  },
  {
    name: 'service-headless',
    steps: [
      { apply: [service('web', { clusterIP: 'None', selector, ports }), statefulSet('web', { replicas: 2 })] },
      hasStatus('apps/v1/statefulsets/web', { availableReplicas: 2 }),
      { apply: [service('bare', { clusterIP: 'None', selector })] },
      { until: 'v1/endpoints/bare', has: {} },
    ],
  },
  {
    name: 'service-not-ready',
    steps: [
      {
        apply: [
          pod('a', {}, { labels, ...scripted({ ready: { after: 1_000_000 } }) }),
          service('ready', { selector, ports: [{ port: 80 }] }),
          service('all', { selector, ports: [{ port: 80 }], publishNotReadyAddresses: true }),
        ],
      },
      { until: 'v1/pods/a', has: { status: { phase: 'Running' } } },
    ],
  },
  {
    name: 'service-without-selector',
    steps: [
      { apply: [service('web', { ports: [{ port: 80 }] })] },
      {
        apply: [
          object('v1', 'Endpoints', 'web', {
            subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: [{ port: 80 }] }],
          }),
        ],
      },
      { until: slices, count: 1 },
      {
        patch: 'v1/endpoints/web',
        with: { subsets: [{ addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'a', port: 8 }] }] },
      },
      { until: slices, count: 1, has: { endpoints: [{ addresses: ['192.0.2.3'] }] } },
      {
        patch: 'v1/endpoints/web',
        with: { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
      },
      { until: slices, count: 0 },
    ],
  },
  {
    name: 'service-distribution',
    steps: [
      {
        apply: [
          service('web', { selector, ports: [{ port: 80 }], trafficDistribution: 'PreferClose' }),
          service('external', { type: 'ExternalName', externalName: 'example.com' }),
          service('local', { selector, ports: [{ port: 80 }], type: 'NodePort', externalTrafficPolicy: 'Local' }),
          deployment('web', { replicas: 3 }),
        ],
      },
      rolledOut('web', 3, 1),
    ],
  },
  {
    name: 'service-load-balancer',
    steps: [
      { apply: [service('web', { selector, type: 'LoadBalancer', ports: [{ port: 80 }] })] },
      { until: 'v1/endpoints/web', has: {} },
    ],
  },
  {
    name: 'service-selector-changes',
    steps: [
      {
        apply: [pod('a'), pod('b', {}, { labels: { app: 'b' } }), service('web', { selector, ports: [{ port: 80 }] })],
      },
      ready('a'),
      ready('b'),
      { patch: 'v1/services/web', with: { spec: { selector: { app: 'b' } }, metadata: { labels: { tier: 'front' } } } },
      { until: 'v1/endpoints/web', has: { metadata: { labels: { tier: 'front' } } } },
      { patch: 'v1/services/web', with: { spec: { selector: null } } },
      { until: 'v1/services/web', has: { spec: { selector: null } } },
    ],
  },
]

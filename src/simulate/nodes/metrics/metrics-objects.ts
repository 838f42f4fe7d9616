/** The objects by which the server finds the metrics of a simulated cluster, as those of metrics-server. */
import type { KubeObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status-error.ts'
import type { Writer } from '../../framework/writer.ts'
import { usageDefinitions } from './usage-definitions.ts'

/** Reserved to the simulation: no packet is ever sent there. */
export const metricsAddress = '172.31.255.254'
export const metricsPort = 4443
const place = { name: 'metrics-server', namespace: 'kube-system' } as const

const objects: readonly (readonly [group: string, resource: string, object: KubeObject])[] = [
  [
    '',
    'services',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...place },
      spec: { ports: [{ name: 'https', port: 443, targetPort: metricsPort, protocol: 'TCP' }] },
    },
  ],
  [
    '',
    'endpoints',
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...place },
      subsets: [
        { addresses: [{ ip: metricsAddress }], ports: [{ name: 'https', port: metricsPort, protocol: 'TCP' }] },
      ],
    },
  ],
  [
    'apiregistration.k8s.io',
    'apiservices',
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { ...place, port: 443 },
      },
    },
  ],
]

const definitions = usageDefinitions.map(
  (object) => ['apiextensions.k8s.io', 'customresourcedefinitions', object] as const,
)

/** What is there already stays: a metrics-server of the user's own, say, or KWOK's definitions. */
export async function installMetrics(writer: Writer): Promise<void> {
  for (const [group, resource, object] of [...objects, ...definitions]) {
    try {
      await writer.create(group, resource, object)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 409) throw error
    }
  }
}

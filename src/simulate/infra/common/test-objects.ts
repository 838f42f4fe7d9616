/** Small objects for the tests of this folder. */
import type { Node, Pod, Service } from '../../objects.ts'

export interface PodFacts {
  readonly ip?: string
  readonly ready?: boolean
  readonly node?: string
  readonly phase?: string
  readonly labels?: Record<string, string>
  readonly isDeleting?: boolean
  readonly more?: Partial<Pod>
}

export function podOf(name: string, facts: PodFacts = {}): Pod {
  const { ip = '10.0.0.1', ready = true, node = 'n1', phase = 'Running', labels = { app: 'web' }, isDeleting } = facts
  const conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: time(0) },
  ]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      labels,
      ...(isDeleting === true ? { deletionTimestamp: time(0) } : {}),
    },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'x', resources: {} }] } as unknown as NonNullable<
      Pod['spec']
    >,
    status: { phase, podIP: ip, podIPs: ip === '' ? [] : [{ ip }], conditions, startTime: time(0) },
    ...facts.more,
  }
}

/** So many seconds after the beginning. */
export const time = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '')

export function serviceOf(spec: object = {}, labels: Record<string, string> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'ns', uid: 'service', labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      ipFamilies: ['IPv4'],
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
      ...spec,
    } as NonNullable<Service['spec']>,
  }
}

export function nodeOf(
  name: string,
  facts: { ready?: string; labels?: Record<string, string>; more?: object } = {},
): Node {
  const { ready = 'True', labels = {}, more = {} } = facts
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, creationTimestamp: time(0) },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: ready,
          lastHeartbeatTime: time(0),
          lastTransitionTime: time(0),
          reason: '',
          message: '',
        },
      ],
      ...more,
    } as unknown as NonNullable<Node['status']>,
  }
}

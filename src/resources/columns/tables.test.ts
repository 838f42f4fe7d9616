import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { releaseChanges } from '../../api/release-changes.ts'
import { kindsWithLaterTables } from './later-tables.ts'
import { kindsWithTables, tableOfKind } from './tables.ts'

const now = Date.parse('2024-01-01T00:01:00Z')
const created = '2024-01-01T00:00:00Z'
const meta = (more: JsonObject = {}): JsonObject => ({ name: 'x', creationTimestamp: created, ...more })

/** The cells of an object by column name; a cell without a column is under its position. */
function cells(kind: string, object: JsonObject): Record<string, JsonValue> {
  const [group = '', name = ''] = kind.split('/')
  const table = tableOfKind(group, name)
  if (table === undefined) throw new Error(`no table of ${kind}`)
  const row = table.cells({ metadata: meta(), ...object }, now)
  return Object.fromEntries(row.map((cell, i) => [table.columns[i]?.name ?? String(i), cell]))
}

describe('every table', () => {
  test.each(kindsWithTables)('%s fills each column of an empty object, and describes it', (kind) => {
    const [group = '', name = ''] = kind.split('/')
    const table = tableOfKind(group, name)
    const row = table?.cells({}, now) ?? []
    expect(row.length).toBe((table?.columns.length ?? 0) + (name === 'IPAddress' ? 1 : 0))
    for (const cell of row) expect(['string', 'number', 'boolean']).toContain(typeof cell)
    const silent = table?.columns.filter(({ description }) => description === '').map((column) => column.name)
    expect(silent).toEqual(name === 'RuntimeClass' ? ['Handler'] : [])
  })
})

describe('tables of later releases', () => {
  test.each(kindsWithLaterTables)(
    '%s since %s fills each column of an empty object, and describes it',
    (kind, since) => {
      const [group = '', name = ''] = kind.split('/')
      const release = releaseChanges[since]
      const table = tableOfKind(group, name, release)
      expect(table).not.toBe(tableOfKind(group, name, release - 1))
      expect(table?.cells({}, now)).toHaveLength(table?.columns.length ?? 0)
      expect(table?.columns.filter(({ description }) => description === '')).toEqual([])
    },
  )

  const cellAt = (release: number, kind: string, column: string, object: JsonObject): JsonValue | undefined => {
    const [group = '', name = ''] = kind.split('/')
    const table = tableOfKind(group, name, release)
    const index = table?.columns.findIndex((each) => each.name === column) ?? -1
    return table?.cells({ metadata: meta(), ...object }, now)[index]
  }
  const ended = (name: string, exitCode: number, reason: string): JsonObject => ({
    name,
    state: { terminated: { exitCode, reason } },
  })

  test.each<[string, string, JsonObject, number, JsonValue, JsonValue | undefined]>([
    [
      '/Pod',
      'Status',
      { status: { containerStatuses: [ended('a', 0, 'Completed'), ended('b', 1, 'Error')] } },
      35,
      'Error',
      'Completed',
    ],
    [
      '/Node',
      'Kernel-Version',
      { status: { nodeInfo: { kernelVersion: '6.1', architecture: 'arm64' } } },
      36,
      '6.1 (arm64)',
      '6.1',
    ],
    [
      'batch/Job',
      'Status',
      { status: { conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] } },
      34,
      'SuccessCriteriaMet',
      'Running',
    ],
    [
      'certificates.k8s.io/PodCertificateRequest',
      'State',
      { status: { conditions: [{ type: 'Issued', status: 'True' }] } },
      34,
      'Issued',
      undefined,
    ],
    [
      'storagemigration.k8s.io/StorageVersionMigration',
      'Resource',
      { spec: { resource: { group: 'apps', resource: 'deployments' } } },
      35,
      'deployments.apps',
      'deployments..apps',
    ],
    [
      'storagemigration.k8s.io/StorageVersionMigration',
      'Status',
      { status: { conditions: [{ type: 'Succeeded', status: 'True' }] } },
      35,
      'Succeeded',
      undefined,
    ],
    [
      'networking.k8s.io/IngressClass',
      'Name',
      { metadata: meta({ annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } }) },
      36,
      'x (default)',
      'x',
    ],
    [
      'scheduling.k8s.io/PodGroup',
      'Status',
      { status: { conditions: [{ type: 'PodGroupScheduled', status: 'False' }] } },
      36,
      'Unschedulable',
      undefined,
    ],
    [
      'resource.k8s.io/ResourcePoolStatusRequest',
      'Total',
      { status: { pools: [{ totalDevices: 2 }, { totalDevices: 3 }] } },
      36,
      '5',
      undefined,
    ],
  ])('%s: %s of %j is new in 1.%i', (kind, column, object, release, later, before) => {
    expect([cellAt(release, kind, column, object), cellAt(release - 1, kind, column, object)]).toEqual([later, before])
  })
})

const container = (name: string): JsonObject => ({ name, image: `${name}:1` })
const sidecar = { ...container('s'), restartPolicy: 'Always' }
const running = { running: { startedAt: created } }
const ended = (more: JsonObject): JsonObject => ({ terminated: { exitCode: 1, ...more } })
const status = (name: string, state: JsonObject, more: JsonObject = {}): JsonObject => ({ name, state, ...more })

describe('pods', () => {
  const pod = (podStatus: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
    metadata: meta(metadata),
    spec: { containers: [container('c')], ...spec },
    status: podStatus,
  })
  const withInit = { initContainers: [container('i'), container('j')] }

  test.each<[string, JsonObject, string, string]>([
    ['phase', pod({ phase: 'Pending' }), '0/1', 'Pending'],
    ['reason', pod({ phase: 'Failed', reason: 'Evicted' }), '0/1', 'Evicted'],
    [
      'gated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }),
      '0/1',
      'SchedulingGated',
    ],
    [
      'running',
      pod({ phase: 'Running', containerStatuses: [status('c', running, { ready: true })] }),
      '1/1',
      'Running',
    ],
    [
      'waiting',
      pod({ phase: 'Pending', containerStatuses: [status('c', { waiting: { reason: 'ErrImagePull' } })] }),
      '0/1',
      'ErrImagePull',
    ],
    ['ended', pod({ phase: 'Failed', containerStatuses: [status('c', ended({ reason: 'Error' }))] }), '0/1', 'Error'],
    ['signal', pod({ phase: 'Failed', containerStatuses: [status('c', ended({ signal: 9 }))] }), '0/1', 'Signal:9'],
    ['exit code', pod({ phase: 'Failed', containerStatuses: [status('c', ended({}))] }), '0/1', 'ExitCode:1'],
    [
      'the first container counts',
      pod({ containerStatuses: [status('a', ended({ reason: 'A' })), status('b', ended({ reason: 'B' }))] }),
      '0/1',
      'A',
    ],
    [
      'one completed, one running and ready',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [status('a', ended({ reason: 'Completed' })), status('b', running, { ready: true })],
      }),
      '1/1',
      'Running',
    ],
    [
      'one completed, one running, the pod not ready',
      pod({ containerStatuses: [status('a', ended({ reason: 'Completed' })), status('b', running, { ready: true })] }),
      '1/1',
      'NotReady',
    ],
    ['initializing', pod({ initContainerStatuses: [status('i', running)] }, withInit), '0/1', 'Init:0/2'],
    [
      'second init container',
      pod({ initContainerStatuses: [status('i', ended({ exitCode: 0 })), status('j', {})] }, withInit),
      '0/1',
      'Init:1/2',
    ],
    [
      'init waiting',
      pod({ initContainerStatuses: [status('i', { waiting: { reason: 'CrashLoopBackOff' } })] }, withInit),
      '0/1',
      'Init:CrashLoopBackOff',
    ],
    ['init failed', pod({ initContainerStatuses: [status('i', ended({}))] }, withInit), '0/1', 'Init:ExitCode:1'],
    [
      'init killed',
      pod({ initContainerStatuses: [status('i', ended({ signal: 9 }))] }, withInit),
      '0/1',
      'Init:Signal:9',
    ],
    [
      'sidecar',
      pod(
        {
          phase: 'Running',
          initContainerStatuses: [status('s', running, { started: true, ready: true })],
          containerStatuses: [status('c', running, { ready: true })],
        },
        { initContainers: [sidecar] },
      ),
      '2/2',
      'Running',
    ],
    ['deleted', pod({ phase: 'Running' }, {}, { deletionTimestamp: created }), '0/1', 'Terminating'],
    ['deleted at its end', pod({ phase: 'Succeeded' }, {}, { deletionTimestamp: created }), '0/1', 'Succeeded'],
    ['node lost', pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: created }), '0/1', 'Unknown'],
  ])('%s', (_, object, ready, shown) => {
    expect(cells('/Pod', object)).toMatchObject({ Ready: ready, Status: shown })
  })

  test('restarts, with the last one when it is known', () => {
    const lastState = { terminated: { finishedAt: '2024-01-01T00:00:30Z' } }
    const restarted = [status('c', running, { restartCount: 3, lastState }), status('d', running, { restartCount: 1 })]
    expect(cells('/Pod', pod({ containerStatuses: restarted }))['Restarts']).toBe('4 (30s ago)')
    expect(cells('/Pod', pod({ containerStatuses: [status('c', running, { restartCount: 2 })] }))['Restarts']).toBe('2')
    expect(cells('/Pod', pod({}))['Restarts']).toBe('0')
  })

  test('wide columns', () => {
    const spec = { nodeName: 'n', readinessGates: [{ conditionType: 'A' }, { conditionType: 'B' }] }
    const shown = cells(
      '/Pod',
      pod({ podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'A', status: 'True' }] }, spec),
    )
    expect(shown).toMatchObject({ IP: '10.0.0.1', Node: 'n', 'Nominated Node': '<none>', 'Readiness Gates': '1/2' })
    expect(cells('/Pod', pod({}))).toMatchObject({ IP: '<none>', Node: '<none>', 'Readiness Gates': '<none>' })
  })

  test('a row says when the pod is through', () => {
    const conditions = (phase: string) => tableOfKind('', 'Pod')?.conditions?.({ status: { phase } })
    expect(conditions('Succeeded')).toEqual([
      { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
    ])
    expect(conditions('Failed')?.[0]?.message).toBe('The pod failed.')
    expect(conditions('Running')).toBeUndefined()
  })
})

const template = { spec: { containers: [container('a'), container('b')], nodeSelector: { z: '1', a: '2' } } }
const cpu = (target: JsonObject): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', target } })

test.each<[string, JsonObject, Record<string, JsonValue>]>([
  ['/Namespace', { status: { phase: 'Active' } }, { Name: 'x', Status: 'Active', Age: '60s' }],
  ['/Secret', { type: 'Opaque', data: { a: '', b: '' } }, { Type: 'Opaque', Data: 2 }],
  ['/ConfigMap', { data: { a: '1' }, binaryData: { b: '' } }, { Data: 2 }],
  ['/ServiceAccount', { secrets: [{ name: 's' }] }, { Secrets: 1 }],
  [
    '/PodTemplate',
    { template: { ...template, metadata: { labels: { b: '1', a: '2' } } } },
    { Containers: 'a,b', Images: 'a:1,b:1', 'Pod Labels': 'a=2,b=1' },
  ],
  [
    '/ReplicationController',
    { spec: { replicas: 3, selector: { a: '1' }, template }, status: { replicas: 2, readyReplicas: 1 } },
    { Desired: 3, Current: 2, Ready: 1, Selector: 'a=1' },
  ],
  [
    'apps/ReplicaSet',
    { spec: { replicas: 3, selector: { matchExpressions: [{ key: 'k', operator: 'In', values: ['b', 'a'] }] } } },
    { Desired: 3, Selector: 'k in (a,b)' },
  ],
  [
    'apps/ReplicaSet',
    { spec: { selector: { matchExpressions: [{ key: 'k', operator: 'Bad' }] } } },
    { Selector: '<error>' },
  ],
  [
    'apps/DaemonSet',
    { spec: { template, selector: { matchLabels: { a: '1' } } }, status: { desiredNumberScheduled: 2 } },
    { Desired: 2, Ready: 0, 'Node Selector': 'a=2,z=1', Selector: 'a=1' },
  ],
  [
    'apps/Deployment',
    { spec: { replicas: 2, selector: { matchLabels: { b: '2', a: '1' } } }, status: { readyReplicas: 1 } },
    { Ready: '1/2', 'Up-to-date': 0, Selector: 'a=1,b=2' },
  ],
  ['apps/StatefulSet', { spec: { replicas: 2, template } }, { Ready: '0/2', Containers: 'a,b' }],
  [
    'apps/ControllerRevision',
    {
      revision: 4,
      metadata: meta({ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', controller: true }] }),
    },
    { Controller: 'daemonset.apps/d', Revision: 4 },
  ],
  [
    'apps/ControllerRevision',
    { metadata: meta({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'd', controller: true }] }) },
    { Controller: 'pod/d' },
  ],
  ['apps/ControllerRevision', {}, { Controller: '<none>' }],
  [
    'batch/Job',
    { spec: { completions: 3 }, status: { succeeded: 1, startTime: created } },
    { Status: 'Running', Completions: '1/3', Duration: '60s' },
  ],
  [
    'batch/Job',
    {
      spec: { parallelism: 2 },
      status: {
        startTime: created,
        completionTime: '2024-01-01T00:00:10Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    { Status: 'Complete', Completions: '0/1 of 2', Duration: '10s' },
  ],
  [
    'batch/Job',
    { status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
    { Status: 'Suspended', Completions: '0/1', Duration: '' },
  ],
  ['batch/Job', { metadata: meta({ deletionTimestamp: created }) }, { Status: 'Terminating' }],
  [
    'batch/CronJob',
    {
      spec: { schedule: '* * * * *', suspend: false, timeZone: 'Etc/UTC' },
      status: { active: [{}], lastScheduleTime: created },
    },
    {
      Schedule: '* * * * *',
      Timezone: 'Etc/UTC',
      Suspend: 'False',
      Active: 1,
      'Last Schedule': '60s',
      Selector: '<none>',
    },
  ],
  ['batch/CronJob', {}, { Timezone: '<none>', Suspend: '<unset>', 'Last Schedule': '<none>' }],
  [
    'policy/PodDisruptionBudget',
    { spec: { minAvailable: '50%' } },
    { 'Min Available': '50%', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 0 },
  ],
  ['policy/PodDisruptionBudget', { spec: { maxUnavailable: 0 } }, { 'Min Available': 'N/A', 'Max Unavailable': '0' }],
  [
    'autoscaling/HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        minReplicas: 2,
        maxReplicas: 5,
        metrics: [cpu({ averageUtilization: 80 })],
      },
    },
    { Reference: 'Deployment/d', Targets: 'cpu: <unknown>/80%', MinPods: '2', MaxPods: 5, Replicas: 0 },
  ],
  [
    'autoscaling/HorizontalPodAutoscaler',
    {
      spec: { metrics: [cpu({ averageValue: '1' }), cpu({}), cpu({})] },
      status: {
        currentMetrics: [
          { resource: { current: { averageValue: '500m' } } },
          { resource: { current: { averageUtilization: 7 } } },
        ],
      },
    },
    { Targets: 'cpu: 500m/1, cpu: 7%/<auto> + 1 more...', MinPods: '<unset>' },
  ],
  [
    'autoscaling/HorizontalPodAutoscaler',
    {
      spec: {
        metrics: [
          { type: 'External', external: { target: { averageValue: '3' } } },
          { type: 'Object', object: { target: { value: '4' } } },
        ],
      },
    },
    { Targets: '<unknown>/3 (avg), <unknown>/4' },
  ],
  [
    'autoscaling/HorizontalPodAutoscaler',
    {
      spec: { metrics: [{ type: 'Pods', pods: { target: { averageValue: '3' } } }] },
      status: { currentMetrics: [{ pods: { current: { averageValue: '2' } } }] },
    },
    { Targets: '2/3' },
  ],
  ['autoscaling/HorizontalPodAutoscaler', {}, { Targets: '<none>' }],
  ['autoscaling/Scale', { spec: { replicas: 2 }, status: { replicas: 1 } }, { Desired: 2, Available: 1 }],
  [
    '/Service',
    { spec: { type: 'ClusterIP', clusterIPs: ['10.0.0.1', '::1'], ports: [{ port: 80, protocol: 'TCP' }] } },
    { 'Cluster-IP': '10.0.0.1', 'External-IP': '<none>', 'Port(s)': '80/TCP', Selector: '<none>' },
  ],
  [
    '/Service',
    {
      spec: {
        type: 'NodePort',
        externalIPs: ['1.1.1.1', '2.2.2.2'],
        ports: [{ port: 80, nodePort: 30000, protocol: 'UDP' }],
      },
    },
    { 'External-IP': '1.1.1.1,2.2.2.2', 'Port(s)': '80:30000/UDP' },
  ],
  [
    '/Service',
    {
      spec: { type: 'LoadBalancer', externalIPs: ['3.3.3.3'] },
      status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a.b' }, { ip: '2.2.2.2' }] } },
    },
    { 'External-IP': '2.2.2.2,a.b,3.3.3.3', 'Port(s)': '<none>' },
  ],
  ['/Service', { spec: { type: 'LoadBalancer' } }, { 'External-IP': '<pending>' }],
  [
    '/Service',
    { spec: { type: 'ExternalName', externalName: 'a.b' } },
    { 'Cluster-IP': '<none>', 'External-IP': 'a.b' },
  ],
  [
    'networking.k8s.io/Ingress',
    { spec: { rules: ['a', 'b', '', 'c', ''].map((host) => ({ host })), tls: [{}] } },
    { Class: '<none>', Hosts: 'a,b,c + 2 more...', Address: '', Ports: '80, 443' },
  ],
  [
    'networking.k8s.io/Ingress',
    {
      spec: { ingressClassName: 'n', rules: [{ host: 'a' }] },
      status: { loadBalancer: { ingress: [{ hostname: 'h' }] } },
    },
    { Class: 'n', Hosts: 'a', Address: 'h', Ports: '80' },
  ],
  ['networking.k8s.io/Ingress', {}, { Hosts: '*' }],
  [
    'networking.k8s.io/IngressClass',
    { spec: { controller: 'c', parameters: { apiGroup: 'g', kind: 'K', name: 'n' } } },
    { Parameters: 'K.g/n' },
  ],
  ['networking.k8s.io/NetworkPolicy', { spec: { podSelector: {} } }, { 'Pod-Selector': '<none>' }],
  [
    '/Endpoints',
    { subsets: [{ addresses: [{ ip: '1.1.1.1' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 81 }] }] },
    { Endpoints: '1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...' },
  ],
  ['/Endpoints', { subsets: [{ addresses: [{ ip: '1.1.1.1' }] }] }, { Endpoints: '1.1.1.1' }],
  ['/Endpoints', {}, { Endpoints: '<none>' }],
  [
    'discovery.k8s.io/EndpointSlice',
    { addressType: 'IPv4', ports: [{ port: 80 }, { name: 'n' }, {}, {}], endpoints: [{ addresses: ['1', '2'] }] },
    { AddressType: 'IPv4', Ports: '80,n,* + 1 more...', Endpoints: '1,2' },
  ],
  ['discovery.k8s.io/EndpointSlice', {}, { Ports: '<unset>', Endpoints: '<unset>' }],
  ['networking.k8s.io/ServiceCIDR', { spec: { cidrs: ['a', 'b'] } }, { CIDRs: 'a,b' }],
  [
    'networking.k8s.io/IPAddress',
    { spec: { parentRef: { resource: 'services', namespace: 'd', name: 's' } } },
    { ParentRef: 'services/d/s', 2: '60s' },
  ],
  [
    '/Node',
    {
      metadata: meta({ labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'admin' } }),
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '1.1.1.1' }],
        nodeInfo: { kubeletVersion: 'v1' },
      },
    },
    {
      Status: 'Ready,SchedulingDisabled',
      Roles: 'admin,worker',
      Version: 'v1',
      'Internal-IP': '1.1.1.1',
      'External-IP': '<none>',
      'OS-Image': '<unknown>',
    },
  ],
  [
    '/Node',
    { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
    { Status: 'NotReady', Roles: '<none>' },
  ],
  ['/Node', {}, { Status: 'Unknown' }],
  [
    '/Event',
    {
      type: 'Normal',
      reason: 'R',
      message: ' m \n',
      involvedObject: { kind: 'Pod', name: 'p' },
      source: { component: 'c', host: 'h' },
      firstTimestamp: created,
      lastTimestamp: '2024-01-01T00:00:50Z',
      count: 3,
    },
    { 'Last Seen': '10s', 'First Seen': '60s', Object: 'pod/p', Source: 'c, h', Message: 'm', Count: 3 },
  ],
  [
    '/Event',
    {
      involvedObject: { kind: 'Pod' },
      reportingComponent: 'r',
      eventTime: '2024-01-01T00:00:00.000000Z',
      firstTimestamp: null,
      lastTimestamp: null,
    },
    { 'Last Seen': '60s', 'First Seen': '60s', Object: 'pod', Source: 'r', Count: 1 },
  ],
  [
    '/Event',
    { series: { count: 9, lastObservedTime: '2024-01-01T00:00:55.000000Z' } },
    { 'Last Seen': '5s', Count: 9 },
  ],
  [
    '/ResourceQuota',
    { status: { hard: { pods: '3', 'limits.cpu': '2', 'count/x': '1' }, used: { pods: '1' } } },
    { Request: 'count/x: 0/1, pods: 1/3', Limit: 'limits.cpu: 0/2' },
  ],
  [
    '/ComponentStatus',
    { conditions: [{ type: 'Healthy', status: 'False', message: 'm', error: 'e' }] },
    { Status: 'Unhealthy', Message: 'm', Error: 'e' },
  ],
  [
    '/PersistentVolume',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
      },
      status: { phase: 'Bound' },
    },
    {
      Capacity: '1Gi',
      'Access Modes': 'RWO,RWX',
      Claim: 'n/c',
      StorageClass: 's',
      Status: 'Bound',
      VolumeAttributesClass: '<unset>',
      VolumeMode: '<unset>',
    },
  ],
  [
    '/PersistentVolumeClaim',
    {
      spec: { volumeName: 'v', volumeAttributesClassName: '' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOncePod'] },
    },
    { Volume: 'v', Capacity: '1Gi', 'Access Modes': 'RWOP', VolumeAttributesClass: '', VolumeMode: '<unset>' },
  ],
  [
    '/PersistentVolumeClaim',
    { metadata: meta({ deletionTimestamp: created }), status: { capacity: { storage: '1Gi' } } },
    { Status: 'Terminating', Capacity: '', 'Access Modes': '' },
  ],
  [
    'storage.k8s.io/StorageClass',
    { metadata: meta({ annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }), provisioner: 'p' },
    { Name: 'x (default)', ReclaimPolicy: 'Delete', VolumeBindingMode: 'Immediate', AllowVolumeExpansion: false },
  ],
  [
    'storage.k8s.io/CSIDriver',
    { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }], volumeLifecycleModes: ['Persistent'] } },
    { AttachRequired: true, PodInfoOnMount: false, TokenRequests: 'a,b', Modes: 'Persistent' },
  ],
  [
    'storage.k8s.io/CSIDriver',
    { spec: { attachRequired: false } },
    { AttachRequired: false, TokenRequests: '<unset>', Modes: '<none>' },
  ],
  [
    'storage.k8s.io/VolumeAttachment',
    { spec: { attacher: 'a', source: { persistentVolumeName: 'p' }, nodeName: 'n' }, status: { attached: true } },
    { Attacher: 'a', PV: 'p', Node: 'n', Attached: true },
  ],
  [
    'rbac.authorization.k8s.io/RoleBinding',
    {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'User', name: 'v' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    { Role: 'Role/r', Users: 'u, v', Groups: '', ServiceAccounts: 'n/s' },
  ],
  [
    'certificates.k8s.io/CertificateSigningRequest',
    {
      spec: { username: 'u', expirationSeconds: 3600 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'x' },
    },
    { SignerName: '<none>', Requestor: 'u', RequestedDuration: '60m', Condition: 'Approved,Issued' },
  ],
  ['certificates.k8s.io/CertificateSigningRequest', {}, { RequestedDuration: '<none>', Condition: 'Pending' }],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    { spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
    { Validations: 1, ParamKind: 'v1/ConfigMap' },
  ],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    { spec: { paramRef: { name: 'p' } } },
    { ParamRef: '*/p' },
  ],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    { spec: { paramRef: { selector: { matchLabels: { a: 'b' } } } } },
    { ParamRef: '&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}' },
  ],
  [
    'flowcontrol.apiserver.k8s.io/FlowSchema',
    { spec: { matchingPrecedence: 5 }, status: { conditions: [{ type: 'Dangling', status: 'True' }] } },
    { MatchingPrecedence: 5, DistinguisherMethod: '<none>', MissingPL: 'True' },
  ],
  [
    'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
    { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0 } } },
    { NominalConcurrencyShares: 0, Queues: '<none>' },
  ],
  [
    'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
    { spec: { type: 'Exempt' } },
    { NominalConcurrencyShares: '<none>' },
  ],
  [
    'internal.apiserver.k8s.io/StorageVersion',
    { status: { storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1' }] } },
    { CommonEncodingVersion: '<unset>', StorageVersions: 'a=v1' },
  ],
  [
    'storagemigration.k8s.io/StorageVersionMigration',
    { spec: { resource: { group: 'g', version: 'v1', resource: 'r' } } },
    { Resource: 'r.v1.g' },
  ],
  [
    'apiregistration.k8s.io/APIService',
    { status: { conditions: [{ type: 'Available', status: 'False', reason: 'Gone' }] } },
    { Service: 'Local', Available: 'False (Gone)' },
  ],
  ['resource.k8s.io/ResourceClaim', { status: { allocation: {}, reservedFor: [{}] } }, { State: 'allocated,reserved' }],
  ['resource.k8s.io/ResourceClaim', {}, { State: 'pending' }],
])('%s', (kind, object, expected) => {
  expect(cells(kind, object)).toMatchObject(expected)
})

test('flow schemas are listed by precedence, then by name', () => {
  const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } })
  const items = [schema('c', 2), schema('b', 1), schema('a', 2)]
  const { compare } = tableOfKind('flowcontrol.apiserver.k8s.io', 'FlowSchema') ?? {}
  expect(items.toSorted(compare).map(({ metadata }) => metadata.name)).toEqual(['b', 'a', 'c'])
})

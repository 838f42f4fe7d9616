import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../src/testing/api/objects.ts'
import { startServer, type TestServer } from '../../src/testing/testing.ts'

// Pods and nodes are made by hand here: what is under test is what the controllers make of them.
const others = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'pod-garbage-collector-controller',
]
const second = 1000

let server: TestServer

beforeAll(async () => {
  const controllers = [
    '*',
    'bootstrap-signer-controller',
    'token-cleaner-controller',
    ...others.map((name) => `-${name}`),
  ].join(',')
  server = await startServer({
    simulate: { nodes: 0, seed: 7, scheduler: false },
    flags: [`--controllers=${controllers}`],
  })
})

afterAll(() => server.close())

interface PodOptions {
  readonly labels?: Record<string, string>
  readonly node?: string
  readonly ip?: string
  readonly ready?: boolean
  readonly spec?: object
  readonly owner?: object
}

async function makePod(namespace: string, name: string, options: PodOptions = {}): Promise<ApiObject> {
  const { labels = { app: 'web' }, node = '', ip, ready, spec = {}, owner } = options
  const pod = await server.call('POST', `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
    spec: {
      containers: [{ name: 'c', image: 'x', ports: [{ name: 'http', containerPort: 8080 }] }],
      ...(node === '' ? {} : { nodeName: node }),
      ...spec,
    },
  })
  if (ip !== undefined) await setPodStatus(namespace, name, ip, ready ?? true)
  return pod
}

function setPodStatus(namespace: string, name: string, ip: string, ready: boolean): Promise<ApiObject> {
  const time = new Date(server.clock.now()).toISOString().replace(/\.\d+/, '')
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: time }]
  const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions, startTime: time }
  return merge(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { status })
}

const merge = (path: string, body: object): Promise<ApiObject> =>
  server.call('PATCH', path, body, { headers: { 'content-type': 'application/merge-patch+json' } })

const makeNode = (name: string, labels: Record<string, string> = {}): Promise<ApiObject> =>
  server.call('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    // None of the simulation's own: its kubelet is this test.
    metadata: { name, labels, annotations: { 'kwok.x-k8s.io/node': 'by-hand' } },
  })

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of an object
type Loose = Record<string, any>

describe('endpoints', () => {
  const service = (name: string, spec: object): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', labels: { tier: 'front' } },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
  })
  const slicesOf = async (name: string): Promise<Loose[]> =>
    (await server.list('endpointslices', 'default')).filter(
      ({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === name,
    )

  it('follow the pods that a service selects', async () => {
    await makeNode('node-a', { 'topology.kubernetes.io/zone': 'z1' })
    await server.apply(service('web', {}) as ApiObject)
    await server.settled()
    const [empty] = await slicesOf('web')
    expect(empty).toMatchObject({ addressType: 'IPv4', endpoints: null, ports: null })
    await makePod('default', 'web-1', { node: 'node-a', ip: '10.0.0.1' })
    await makePod('default', 'web-2', { node: 'node-a', ip: '10.0.0.2', ready: false })
    await server.settled()
    const slices = await slicesOf('web')
    expect(slices).toHaveLength(1)
    expect(slices[0]).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^web-/),
        labels: {
          tier: 'front',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 'web', controller: true, blockOwnerDeletion: true }],
      },
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [
        { addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false }, zone: 'z1' },
        { addresses: ['10.0.0.2'], conditions: { ready: false, serving: false, terminating: false } },
      ],
    })
    const endpoints = (await server.get('endpoints', 'web', 'default')) as Loose
    expect(endpoints).toMatchObject({
      metadata: { labels: { tier: 'front', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1', nodeName: 'node-a', targetRef: { kind: 'Pod', name: 'web-1' } }],
          notReadyAddresses: [{ ip: '10.0.0.2' }],
          ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
        },
      ],
    })
  })

  it('go with the service, and change with pods and labels', async () => {
    await setPodStatus('default', 'web-2', '10.0.0.2', true)
    await merge('/api/v1/namespaces/default/services/web', { metadata: { labels: { tier: 'back' } } })
    await server.call('DELETE', '/api/v1/namespaces/default/pods/web-1', { gracePeriodSeconds: 0 })
    await server.settled()
    const [slice] = await slicesOf('web')
    expect(slice).toMatchObject({ metadata: { labels: { tier: 'back' } }, endpoints: [{ addresses: ['10.0.0.2'] }] })
    expect((await server.get('endpoints', 'web', 'default')) as Loose).toMatchObject({
      metadata: { labels: { tier: 'back' } },
      subsets: [{ addresses: [{ ip: '10.0.0.2' }] }],
    })
    await server.call('DELETE', '/api/v1/namespaces/default/services/web')
    await server.settled()
    expect(await server.get('endpoints', 'web', 'default')).toBeUndefined()
    expect(await slicesOf('web')).toEqual([])
  })
})

describe('a disruption budget', () => {
  it('counts its pods, and evictions obey it', async () => {
    const namespace = await server.namespace()
    const set = await server.call('POST', `/apis/apps/v1/namespaces/${namespace}/replicasets`, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    })
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: set.metadata?.uid, controller: true }
    for (const i of [1, 2, 3]) await makePod(namespace, `web-${i}`, { node: 'node-a', ip: `10.0.1.${i}`, owner })
    await server.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    } as ApiObject)
    await server.settled()
    const budget = async () => (await server.get('poddisruptionbudgets', 'web', namespace)) as Loose
    expect((await budget())['status']).toMatchObject({
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
      conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
    })
    const evict = (name: string) =>
      server.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name },
        deleteOptions: { gracePeriodSeconds: 0 },
      })
    await evict('web-1')
    await server.settled()
    expect((await budget())['status']).toMatchObject({
      currentHealthy: 2,
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'InsufficientPods' }],
    })
    await expect(evict('web-2')).rejects.toThrow("Cannot evict pod as it would violate the pod's disruption budget.")
  })
})

describe('volumes', () => {
  const claim = (name: string, namespace: string, spec: object = {}): ApiObject =>
    ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    }) as ApiObject
  const phase = async (name: string, namespace: string) =>
    ((await server.get('persistentvolumeclaims', name, namespace)) as Loose)['status']?.['phase']

  it('of the default class wait for the node of their pod', async () => {
    const namespace = await server.namespace()
    await server.apply(claim('data', namespace))
    await server.settled()
    expect(await phase('data', namespace)).toBe('Pending')
    expect(((await server.get('persistentvolumeclaims', 'data', namespace)) as Loose)['spec']).toMatchObject({
      storageClassName: 'standard',
    })
    expect(await server.events({ namespace, reason: 'WaitForFirstConsumer' })).toHaveLength(1)
    await merge(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`, {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-a' } },
    })
    await server.settled()
    const bound = (await server.get('persistentvolumeclaims', 'data', namespace)) as Loose
    expect(bound).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
        finalizers: ['kubernetes.io/pvc-protection'],
      },
      spec: { volumeName: `pvc-${bound['metadata'].uid}` },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    })
    const name = bound['spec'].volumeName as string
    expect((await server.get('persistentvolumes', name)) as Loose).toMatchObject({
      spec: { claimRef: { name: 'data', namespace, uid: bound['metadata'].uid }, storageClassName: 'standard' },
      status: { phase: 'Bound' },
    })
    await merge(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`, {
      spec: { resources: { requests: { storage: '2Gi' } } },
    })
    await server.settled()
    expect(((await server.get('persistentvolumeclaims', 'data', namespace)) as Loose)['status'].capacity).toEqual({
      storage: '2Gi',
    })
    expect(((await server.get('persistentvolumes', name)) as Loose)['spec'].capacity).toEqual({ storage: '2Gi' })
    await server.call('DELETE', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`)
    await server.settled()
    expect(await server.get('persistentvolumes', name)).toBeUndefined()
  })

  it('made by hand bind at once, and are kept when their policy says so', async () => {
    const namespace = await server.namespace()
    await server.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'by-hand' },
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'manual',
        hostPath: { path: '/mnt/data' },
      },
    } as ApiObject)
    await server.settled()
    const volume = async () => (await server.get('persistentvolumes', 'by-hand')) as Loose
    expect((await volume())['status'].phase).toBe('Available')
    await server.apply(claim('data', namespace, { storageClassName: 'manual' }))
    await server.settled()
    expect(await phase('data', namespace)).toBe('Bound')
    expect((await volume())['status'].phase).toBe('Bound')
    await server.call('DELETE', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`)
    await server.settled()
    expect((await volume())['status'].phase).toBe('Released')
  })
})

describe('a node', () => {
  it('that is not heard of is tainted, and its pods go', async () => {
    const namespace = await server.namespace()
    const heard = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } }
    for (const name of ['silent', 'other']) {
      await makeNode(name)
      await merge(`/api/v1/nodes/${name}/status`, heard)
    }
    await makePod(namespace, 'lost', { node: 'silent', ip: '10.0.3.1' })
    await server.settled()
    const node = async () => (await server.get('nodes', 'silent')) as Loose
    expect((await node())['spec']).toMatchObject({ podCIDR: expect.stringMatching(/^10\.244\.\d+\.0\/24$/) })
    expect((await node())['metadata'].annotations).toMatchObject({ 'node.alpha.kubernetes.io/ttl': '0' })
    /** Time passes, and the other node is heard of: were none, the controller would not trust itself. */
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 30) {
        await server.clock.advance(30 * second)
        const time = new Date(server.clock.now()).toISOString().replace(/\.\d+/, '')
        const conditions = heard.status.conditions.map((each) => ({ ...each, lastHeartbeatTime: time }))
        await merge('/api/v1/nodes/other/status', { status: { conditions } })
      }
    }
    await pass(90)
    await server.settled()
    expect((await node())['status'].conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }),
    )
    const taints = (await node())['spec'].taints as Loose[]
    expect(taints.map(({ key, effect }) => `${key}:${effect}`).sort()).toEqual([
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/unreachable:NoSchedule',
    ])
    const pod = (await server.get('pods', 'lost', namespace)) as Loose
    expect(pod['status'].conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }))
    await pass(300)
    await server.settled()
    const deleted = (await server.get('pods', 'lost', namespace)) as Loose | undefined
    expect(deleted?.['metadata'].deletionTimestamp).toBeDefined()
    expect(deleted?.['status'].conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }),
    )
  })
})

describe('an autoscaler', () => {
  it('scales to what its metrics ask for, within its limits', async () => {
    const namespace = await server.namespace()
    await server.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    } as ApiObject)
    await merge(`/apis/apps/v1/namespaces/${namespace}/deployments/web/status`, { status: { replicas: 2 } })
    for (const i of [1, 2]) await makePod(namespace, `web-${i}`, { node: 'node-a', ip: `10.0.4.${i}` })
    await server.apply({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        name: 'web',
        namespace,
        annotations: { 'metrics.simulate.pilothouse.dev/requests': '30' },
      },
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        metrics: [
          {
            type: 'Pods',
            pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } },
          },
        ],
      },
    } as ApiObject)
    await server.clock.advance(16 * second)
    await server.settled()
    const hpa = (await server.get('horizontalpodautoscalers', 'web', namespace)) as Loose
    expect(hpa['status']).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      currentMetrics: [{ type: 'Pods', pods: { metric: { name: 'requests' }, current: { averageValue: '30' } } }],
    })
    const conditions = (hpa['status'].conditions as Loose[]).map(
      ({ type, status, reason }) => `${type} ${status} ${reason}`,
    )
    expect(conditions).toEqual([
      'AbleToScale True SucceededRescale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited True ScaleUpLimit',
    ])
    expect(((await server.get('deployments', 'web', namespace)) as Loose)['spec'].replicas).toBe(4)
    const [event] = await server.events({ namespace, reason: 'SuccessfulRescale' })
    expect(event?.message).toBe('New size: 4; reason: pods metric requests above target')
  })

  it('scales custom kinds by their own scale, which budgets count by, too', async () => {
    const namespace = await server.namespace()
    await server.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'racks.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'racks', singular: 'rack', kind: 'Rack', listKind: 'RackList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.size',
                statusReplicasPath: '.status.size',
                labelSelectorPath: '.status.selector',
              },
            },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    } as ApiObject)
    const path = `/apis/example.com/v1/namespaces/${namespace}/racks`
    const rack = { apiVersion: 'example.com/v1', kind: 'Rack' }
    const { metadata } = await server.call('POST', path, { ...rack, metadata: { name: 'r' }, spec: { size: 1 } })
    await merge(`${path}/r/status`, { status: { size: 1, selector: 'app=rack' } })
    const owner = { ...rack, name: 'r', uid: metadata?.uid, controller: true }
    // Not on a node that earlier tests left without a heartbeat: its pods would not be ready.
    await makeNode('node-rack')
    await makePod(namespace, 'r-1', { node: 'node-rack', ip: '10.0.5.1', labels: { app: 'rack' }, owner })
    await server.apply([
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'r', namespace, annotations: { 'metrics.simulate.pilothouse.dev/load': '3' } },
        spec: {
          maxReplicas: 5,
          scaleTargetRef: { ...rack, name: 'r' },
          metrics: [
            {
              type: 'External',
              external: { metric: { name: 'load' }, target: { type: 'AverageValue', averageValue: '1' } },
            },
          ],
        },
      },
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'r', namespace },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'rack' } } },
      },
    ] as ApiObject[])
    await server.settled()
    const budget = (await server.get('poddisruptionbudgets', 'r', namespace)) as Loose
    expect(budget['status']).toMatchObject({ expectedPods: 1, currentHealthy: 1, desiredHealthy: 0 })
    await server.clock.advance(16 * second)
    await server.settled()
    expect(((await server.call('GET', `${path}/r`)) as Loose)['spec'].size).toBe(3)
  })

  it('says why it cannot', async () => {
    const namespace = await server.namespace()
    await server.apply({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'lost', namespace },
      spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' } },
    } as ApiObject)
    await server.clock.advance(16 * second)
    await server.settled()
    const hpa = (await server.get('horizontalpodautoscalers', 'lost', namespace)) as Loose
    expect(hpa['status'].conditions).toMatchObject([
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: `the HPA controller was unable to get the target's current scale: deployments.apps "none" not found`,
      },
    ])
  })
})

describe('access', () => {
  it('to the server comes with certificates that were asked for', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-csr-'))
    const [key, request] = [path.join(folder, 'key.pem'), path.join(folder, 'csr.pem')]
    const subject = ['-subj', '/O=painters/CN=vincent', '-keyout', key, '-out', request]
    execFileSync(
      process.env['OPENSSL_BIN'] ?? 'openssl',
      ['req', '-new', '-newkey', 'rsa:2048', '-nodes', ...subject],
      {
        stdio: 'ignore',
      },
    )
    await server.call('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'vincent' },
      spec: {
        request: readFileSync(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
        expirationSeconds: 3600,
      },
    })
    rmSync(folder, { recursive: true })
    await server.settled()
    const read = async () => (await server.get('certificatesigningrequests', 'vincent')) as Loose
    expect((await read())['status']).toEqual({})
    await merge('/apis/certificates.k8s.io/v1/certificatesigningrequests/vincent/approval', {
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }] },
    })
    await server.settled()
    const pem = Buffer.from((await read())['status'].certificate as string, 'base64').toString()
    const certificate = new X509Certificate(pem)
    expect(certificate.subject).toBe('O=painters\nCN=vincent')
    expect(certificate.verify(new X509Certificate(server.ca ?? '').publicKey)).toBe(true)
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    const lifetime = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)
    expect(lifetime).toBe(3_600_000 + 300_000)
    await server.clock.advance(3700 * second)
    await server.settled()
    expect(await server.get('certificatesigningrequests', 'vincent')).toBeUndefined()
  })

  it('of a service account comes in a Secret that asks for it', async () => {
    const namespace = await server.namespace()
    await server.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'robot', namespace, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
        type: 'kubernetes.io/service-account-token',
      },
    ] as ApiObject[])
    await server.settled()
    const secret = (await server.get('secrets', 'robot', namespace)) as Loose
    expect(Object.keys(secret['data']).sort()).toEqual(['ca.crt', 'namespace', 'token'])
    const token = Buffer.from(secret['data'].token as string, 'base64').toString()
    const review = (await server.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    })) as Loose
    expect(review['status']).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:robot` },
    })
    await server.call('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/robot`)
    await server.settled()
    expect(await server.get('secrets', 'robot', namespace)).toBeUndefined()
  })

  it('by bootstrap tokens ends with them, and cluster-info is signed by each', async () => {
    const data = (text: string) => Buffer.from(text).toString('base64')
    await server.apply([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cluster-info', namespace: 'kube-public' },
        data: { kubeconfig: 'here' },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
        type: 'bootstrap.kubernetes.io/token',
        data: {
          'token-id': data('abcdef'),
          'token-secret': data('0123456789abcdef'),
          'usage-bootstrap-signing': data('true'),
          expiration: data(new Date(server.clock.now() + 60 * second).toISOString()),
        },
      },
    ] as ApiObject[])
    await server.settled()
    const info = async () => (await server.get('configmaps', 'cluster-info', 'kube-public')) as Loose
    expect((await info())['data']['jws-kubeconfig-abcdef']).toMatch(/^[\w-]+\.\.[\w-]+$/)
    await server.clock.advance(61 * second)
    await server.settled()
    expect(await server.get('secrets', 'bootstrap-token-abcdef', 'kube-system')).toBeUndefined()
    expect((await info())['data']).toEqual({ kubeconfig: 'here' })
  })
})

describe('services', () => {
  it('of type LoadBalancer get an address, and give it back', async () => {
    const namespace = await server.namespace()
    const path = `/api/v1/namespaces/${namespace}/services/web`
    await server.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    } as ApiObject)
    await server.settled()
    const read = async () => (await server.get('services', 'web', namespace)) as Loose
    expect((await read())['status'].loadBalancer).toEqual({ ingress: [{ ip: '198.18.0.1', ipMode: 'VIP' }] })
    await merge(path, { spec: { type: 'ClusterIP' } })
    await server.settled()
    expect((await read())['status'].loadBalancer).toEqual({})
    expect((await read())['metadata'].finalizers).toBeUndefined()
  })

  it('without a selector have their Endpoints mirrored', async () => {
    const namespace = await server.namespace()
    await server.apply([
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'db', namespace }, spec: { ports: [{ port: 5432 }] } },
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'db', namespace },
        subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 5432 }] }],
      },
    ] as ApiObject[])
    await server.settled()
    const slices = async () => (await server.list('endpointslices', namespace)) as Loose[]
    expect(await slices()).toMatchObject([
      {
        metadata: { labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' } },
        endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
      },
    ])
    await server.call('DELETE', `/api/v1/namespaces/${namespace}/endpoints/db`)
    await server.settled()
    expect(await slices()).toEqual([])
  })
})

it('attachments that others make are left alone', async () => {
  await server.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'by-hand' },
    spec: { attacher: 'example.com', nodeName: 'node-a', source: { persistentVolumeName: 'nowhere' } },
  } as ApiObject)
  await server.settled()
  expect(await server.get('volumeattachments', 'by-hand')).toBeDefined()
})

it('volumes are attached to the nodes of their pods', async () => {
  const namespace = await server.namespace()
  const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }]
  await server.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace, annotations: { 'volume.kubernetes.io/selected-node': 'node-a' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  } as ApiObject)
  await makePod(namespace, 'first', { node: 'node-a', spec: { volumes } })
  await server.settled()
  const claim = (await server.get('persistentvolumeclaims', 'data', namespace)) as Loose
  const attachments = async () =>
    ((await server.list('volumeattachments')) as Loose[]).filter(
      ({ spec }) => spec.source.persistentVolumeName === claim['spec'].volumeName,
    )
  expect(await attachments()).toMatchObject([
    { spec: { nodeName: 'node-a', attacher: 'simulate.pilothouse.dev' }, status: { attached: true } },
  ])
  // A claim in use stays until its pod is gone.
  await server.call('DELETE', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`)
  await server.settled()
  expect(await server.get('persistentvolumeclaims', 'data', namespace)).toBeDefined()
  await server.call('DELETE', `/api/v1/namespaces/${namespace}/pods/first`, { gracePeriodSeconds: 0 })
  await server.settled()
  expect(await attachments()).toEqual([])
  expect(await server.get('persistentvolumeclaims', 'data', namespace)).toBeUndefined()
})

/** Simulated nodes and the life of pods on them, over HTTP. */
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiObject, startServer, type TestServer } from '../../src/testing/testing.ts'

const pod = (name: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'nginx' }], ...spec },
})
const named =
  (name: string, holds: (object: ApiObject) => boolean = () => true) =>
  (object: ApiObject): boolean =>
    object.metadata?.name === name && holds(object)
const isReady = ({ status }: ApiObject): boolean =>
  (status?.conditions ?? []).some((each: ApiObject) => each['type'] === 'Ready' && each['status'] === 'True')

describe('simulated nodes', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer({ simulate: { nodes: 3, seed: 1 } })
    await server.waitFor('nodes', named('node-3', isReady))
  })
  afterAll(() => server.close())

  it('are registered, ready, spread over zones, and have leases', async () => {
    const nodes = await server.list('nodes')
    expect(nodes.map(({ metadata }) => metadata?.name)).toEqual(['node-1', 'node-2', 'node-3'])
    expect(nodes.every(isReady)).toBe(true)
    expect(nodes.map(({ spec }) => spec?.taints)).toEqual([undefined, undefined, undefined])
    expect(new Set(nodes.map(({ metadata }) => metadata?.labels?.['topology.kubernetes.io/zone'])).size).toBe(3)
    expect(nodes[0]?.['status'].allocatable).toMatchObject({ cpu: '16', memory: '64Gi', pods: '110' })
    await server.settled()
    expect(await server.list('leases.coordination.k8s.io', 'kube-node-lease')).toHaveLength(3)
  })

  it('bring a pod that is bound to life, and let it go', async () => {
    await server.apply(pod('plain'))
    const running = await server.waitFor('pods', named('plain', isReady))
    expect(running['status']).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' })
    expect(running['status'].podIP).toMatch(/^10\./)
    await server.settled()
    const events = (await server.list('events', 'default')).filter((each) => each['involvedObject'].name === 'plain')
    expect(events.map(({ reason }) => reason)).toEqual(['Pulling', 'Pulled', 'Created', 'Started'])
    await server.call('DELETE', '/api/v1/namespaces/default/pods/plain')
    await server.waitForNone('pods', named('plain'))
  })

  it('end a pod that is done, and restart one that crashes', async () => {
    await server.apply([
      pod('job', { restartPolicy: 'Never' }),
      pod('broken', {}, { annotations: { 'simulate.pilothouse.dev/script': '{"exit":{"exitCode":3}}' } }),
    ])
    const done = await server.waitFor(
      'pods',
      named('job', ({ status }) => status.phase === 'Succeeded'),
    )
    expect(done['status'].containerStatuses[0].state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' })
    const waits = (each: ApiObject) =>
      each['status'].containerStatuses?.[0].state.waiting?.reason === 'CrashLoopBackOff'
    const crashed = await server.waitFor('pods', named('broken', waits))
    expect(crashed['status'].containerStatuses[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 3 } },
    })
    await server.clock.advance(60_000)
    const later = await server.get('pods', 'broken', 'default')
    expect(later?.['status'].containerStatuses[0].restartCount).toBe(3)
  })

  it('refuse pods that do not fit, whoever bound them', async () => {
    const resources = { requests: { cpu: '1000' } }
    await server.apply(pod('huge', { nodeName: 'node-1', containers: [{ name: 'app', image: 'i', resources }] }))
    await server.settled()
    expect((await server.get('pods', 'huge', 'default'))?.['status']).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: expect.stringMatching(
        /^Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: \d+, capacity: \d+$/,
      ),
    })
    const [told] = await server.events({ kind: 'Pod', name: 'huge', reason: 'OutOfcpu' })
    expect(told).toMatchObject({ type: 'Warning' })
  })

  it('take over nodes that others make, and leave those of real kubelets', async () => {
    await server.apply([
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'theirs', annotations: { 'kwok.x-k8s.io/node': 'real' } } },
    ])
    const mine = await server.waitFor('nodes', named('mine', isReady))
    expect(mine.metadata?.annotations).toMatchObject({ 'kwok.x-k8s.io/node': 'fake' })
    await server.settled()
    expect((await server.get('nodes', 'theirs'))?.['status']?.conditions).toBeUndefined()
    await server.apply([pod('on-mine', { nodeName: 'mine' }), pod('on-theirs', { nodeName: 'theirs' })])
    await server.waitFor('pods', named('on-mine', isReady))
    await server.settled()
    expect((await server.get('pods', 'on-theirs', 'default'))?.['status'].phase).toBe('Pending')
  })

  it('are silent while they fail, and go on when they return', async () => {
    await server.nodes.fail('node-2')
    await server.settled()
    const lease = await server.get('leases.coordination.k8s.io', 'node-2', 'kube-node-lease')
    expect(lease?.['spec'].leaseDurationSeconds).toBe(40)
    await server.apply(pod('stuck', { nodeName: 'node-2' }))
    await server.settled()
    expect((await server.get('pods', 'stuck', 'default'))?.['status'].phase).toBe('Pending')
    await server.nodes.return('node-2')
    await server.waitFor('pods', named('stuck', isReady))
  })

  it('go on in a fork, and after a restore', async () => {
    const before = server.snapshot()
    await server.apply(pod('later'))
    await server.waitFor('pods', named('later', isReady))
    await using other = await server.fork()
    await other.apply(pod('there'))
    await other.waitFor('pods', named('there', isReady))
    await server.restore(before)
    await server.apply(pod('later'))
    await server.waitFor('pods', named('later', isReady))
  })

  it('do what scripts say', async () => {
    await server.apply(['a', 'b', 'c', 'd', 'e'].map((name) => pod(`script-${name}`)))
    const containers = async (name: string) =>
      (await server.get('pods', `script-${name}`, 'default'))?.['status'].containerStatuses[0]
    await server.settled()
    server.pods.oomKill('script-a', { after: 1000, times: 1 })
    server.pods.unready('default/script-b', { for: 5000 })
    server.pods.failLiveness({ name: 'script-c' }, { times: 1, output: 'HTTP probe failed with statuscode: 500' })
    server.pods.evict('script-d')
    await server.settled()
    expect(await containers('b')).toMatchObject({ ready: false, state: { running: {} } })
    expect(await containers('c')).toMatchObject({
      ready: true,
      restartCount: 1,
      lastState: { terminated: { exitCode: 137 } },
    })
    expect((await server.get('pods', 'script-d', 'default'))?.['status']).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
    })
    await server.clock.advance(6000)
    expect(await containers('a')).toMatchObject({ restartCount: 1, lastState: { terminated: { reason: 'OOMKilled' } } })
    expect(await containers('b')).toMatchObject({ ready: true })
    const unhealthy = (await server.list('events', 'default')).find(({ reason }) => reason === 'Unhealthy')
    expect(unhealthy?.['message']).toBe('Liveness probe failed: HTTP probe failed with statuscode: 500')
    await server.nodes.pressure('node-1', 'memory', { evict: 'script-e' })
    await server.settled()
    const node = await server.get('nodes', 'node-1')
    expect(node?.['status'].conditions.find(({ type }: ApiObject) => type === 'MemoryPressure')).toMatchObject({
      status: 'True',
    })
    expect((await server.get('pods', 'script-e', 'default'))?.['status'].reason).toBe('Evicted')
    await server.nodes.relieve('node-1')
    expect(() => server.pods.crash('x', { exitcode: 1 } as never)).toThrow('unknown name "exitcode"')
    await expect(server.nodes.fail('nope')).rejects.toThrow('not found')
    server.pods.clear()
  })

  it('answer for logs and ports as kubelets do', async () => {
    await server.apply(pod('talker', { containers: [{ name: 'app', image: 'nginx', ports: [{ containerPort: 80 }] }] }))
    await server.waitFor('pods', named('talker', isReady))
    server.pods.logs('talker', ['first', 'second'])
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${server.token}` }
      const response = await fetchWithCa(server, `/api/v1/namespaces/default/pods/${path}`, headers)
      return [response.status, response.text]
    }
    expect(await get('talker/log?tailLines=1')).toEqual([200, 'second\n'])
    expect(await get('talker/log?previous=true')).toEqual([
      400,
      expect.stringContaining('previous terminated container'),
    ])
    expect(await get('talker/proxy/')).toEqual([200, expect.stringContaining('is simulated')])
    expect((await get('talker:81/proxy/'))[0]).toBe(503)
  })

  it('serve their metrics', async () => {
    const isAvailable = ({ status }: ApiObject): boolean =>
      (status?.conditions ?? []).some((each: ApiObject) => each['type'] === 'Available' && each['status'] === 'True')
    await server.waitFor('apiservices', named('v1beta1.metrics.k8s.io', isAvailable))
    await server.apply(pod('busy', { nodeName: 'node-3' }))
    await server.waitFor('pods', named('busy', isReady))
    server.pods.usage('busy', { cpu: '250m', memory: '64Mi' })
    const base = '/apis/metrics.k8s.io/v1beta1'
    const metrics = await server.call('GET', `${base}/namespaces/default/pods/busy`)
    expect(metrics['containers']).toEqual([{ name: 'app', usage: { cpu: '250m', memory: '64Mi' } }])
    expect((await server.call('GET', `${base}/nodes/node-3`))['usage']).toMatchObject({ cpu: '250m' })
    await expect(server.call('GET', `${base}/nodes/nope`)).rejects.toMatchObject({ status: 404 })
  })

  it('say why a resize cannot be done, and do it when there is room', async () => {
    const cpu = (requests: string) => ({ resources: { requests: { cpu: requests } } })
    const sized = (name: string, requests: string) =>
      pod(name, { nodeName: 'node-2', containers: [{ name: 'app', image: 'nginx', ...cpu(requests) }] })
    await server.apply([sized('grows', '1'), sized('stays', '14')])
    for (const name of ['grows', 'stays']) await server.waitFor('pods', named(name, isReady))
    const resize = (requests: string) => {
      const body = { spec: { containers: [{ name: 'app', ...cpu(requests) }] } }
      const headers = { 'content-type': 'application/strategic-merge-patch+json' }
      return server.call('PATCH', '/api/v1/namespaces/default/pods/grows/resize', body, { headers })
    }
    const has = (reason: string | undefined, requests: string) =>
      server.waitFor('pods', ({ metadata, status }) => {
        const pending = status.conditions?.find(({ type }: ApiObject) => type === 'PodResizePending')
        const { allocatedResources } = status.containerStatuses?.[0] ?? {}
        return metadata?.name === 'grows' && pending?.reason === reason && allocatedResources?.cpu === requests
      })
    await resize('20')
    await has('Infeasible', '1')
    await resize('3')
    await has('Deferred', '1')
    await server.call('DELETE', '/api/v1/namespaces/default/pods/stays?gracePeriodSeconds=0')
    await has(undefined, '3')
  })

  it('use what usages of KWOK say: that of the pod, then those for many, then its annotations', async () => {
    const definition = 'clusterresourceusages.kwok.x-k8s.io'
    await server.waitFor('customresourcedefinitions', ({ metadata, status }) => {
      const conditions: ApiObject[] = status?.conditions ?? []
      return metadata?.name === definition && conditions.some(({ type }) => type === 'Established')
    })
    const usages = (cpu: object, memory: object) => [{ usage: { cpu, memory } }]
    const expression = 'pod.metadata.name == "own" ? Quantity("1") : Quantity(pod.metadata.annotations["cores"])'
    const kwok = { apiVersion: 'kwok.x-k8s.io/v1alpha1' }
    await server.apply([
      {
        ...kwok,
        kind: 'ClusterResourceUsage',
        metadata: { name: 'all' },
        spec: { selector: { matchNames: ['own', 'many'] }, usages: usages({ expression }, { value: '3Mi' }) },
      },
      { ...kwok, kind: 'ResourceUsage', metadata: { name: 'own' }, spec: { usages: usages({ value: '70m' }, {}) } },
      ...['own', 'many', 'none'].map((name) => {
        const made = pod(name, { nodeName: 'node-3' })
        return { ...made, metadata: { ...made.metadata, annotations: { cores: '1500m' } } }
      }),
    ])
    for (const name of ['own', 'many', 'none']) await server.waitFor('pods', named(name, isReady))
    const usageOf = async (name: string) => {
      const metrics = await server.call('GET', `/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/${name}`)
      return metrics['containers'][0].usage
    }
    expect(await usageOf('own')).toEqual({ cpu: '70m', memory: '3Mi' })
    expect(await usageOf('many')).toEqual({ cpu: '1500m', memory: '3Mi' })
    expect(await usageOf('none')).toEqual({ cpu: '1m', memory: '1Mi' })
  })
})

describe('stages', () => {
  let server: TestServer
  const stage = (name: string, spec: Record<string, unknown>): ApiObject => ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec,
  })
  const phaseStage = (name: string, from: string, to: string, more: Record<string, unknown> = {}) =>
    stage(name, {
      resourceRef: { apiGroup: 'v1', kind: 'Pod' },
      selector: { matchExpressions: [{ key: '.status.phase', operator: 'In', values: [from] }] },
      next: { statusTemplate: `phase: ${to}\nmessage: {{ .metadata.name | Quote }}` },
      ...more,
    })

  beforeAll(async () => {
    server = await startServer({ simulate: { nodes: 1, seed: 1 } })
    await server.settled()
    await server.waitFor(
      'customresourcedefinitions',
      named('stages.kwok.x-k8s.io', ({ status }) =>
        (status?.conditions ?? []).some(({ type, status: is }: ApiObject) => type === 'Established' && is === 'True'),
      ),
    )
  })
  afterAll(() => server.close())

  it('take a kind over, with delays by the clock, and give it back', async () => {
    await server.apply(phaseStage('begin', 'Pending', 'Running', { delay: { durationMilliseconds: 60_000 } }))
    await server.settled()
    await server.apply(pod('staged'))
    await server.settled()
    expect((await server.get('pods', 'staged', 'default'))?.['status'].phase).toBe('Pending')
    await server.clock.advance(61_000)
    expect((await server.get('pods', 'staged', 'default'))?.['status']).toMatchObject({
      phase: 'Running',
      message: 'staged',
    })
    await server.call('DELETE', '/apis/kwok.x-k8s.io/v1alpha1/stages/begin')
    await server.waitFor('pods', named('staged', isReady))
  })

  it('that loop are stopped, and told of; those that cannot be read, too', async () => {
    await server.apply([
      phaseStage('ping', 'Pending', 'Running'),
      phaseStage('pong', 'Running', 'Pending'),
      phaseStage('broken', 'Odd', 'Even', {
        selector: { matchExpressions: [{ key: '.a |', operator: 'Exists' }] },
      }),
    ])
    await server.apply(pod('looping'))
    await server.waitFor('events', ({ reason }) => reason === 'StageLoop')
    await server.waitFor('events', ({ reason }) => reason === 'InvalidStage')
    await server.call('DELETE', '/apis/kwok.x-k8s.io/v1alpha1/stages')
    await server.settled()
  })

  it('are for any kind', async () => {
    await server.apply([
      stage('boat', {
        resourceRef: { apiGroup: 'v1', kind: 'ConfigMap' },
        selector: {
          matchLabels: { staged: 'yes' },
          matchExpressions: [{ cel: { expression: '!has(self.data) || !has(self.data.done)' } }],
        },
        steps: [
          { event: { type: 'Normal', reason: 'Sailing', message: 'off' } },
          { patch: { root: 'data', template: 'done: {{ .metadata.name | upper | Quote }}' } },
          {
            apply: {
              template: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: made }\ndata: { by: {{ .metadata.name }} }',
            },
          },
        ],
      }),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'sloop', namespace: 'default', labels: { staged: 'yes' } },
      },
    ])
    await server.waitFor(
      'configmaps',
      named('made', ({ data }) => data.by === 'sloop'),
    )
    expect((await server.get('configmaps', 'sloop', 'default'))?.['data']).toEqual({ done: 'SLOOP' })
    await server.waitFor('events', ({ reason }) => reason === 'Sailing')
  })
})

function fetchWithCa(server: TestServer, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const options = { ca: server.ca, headers }
    request(`${server.url}${path}`, options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
      .on('error', reject)
      .end()
  })
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { PersistentVolumeClaim, Pod, ResourceClaim } from '../../src/simulate/objects.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'

type Labels = Record<string, string>

interface NodeOptions {
  readonly labels?: Labels
  readonly cpu?: string
  readonly taints?: JsonObject[]
}

/** With a kubelet of its own, so that pods on it are left alone. */
function node(name: string, { labels, cpu = '4', taints = [] }: NodeOptions = {}): KubeObject {
  const allocatable = { cpu, memory: '8Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints },
    status: { allocatable, capacity: allocatable, nodeInfo: { kubeletVersion: 'v1.33.0' } },
  }
}

function pod(name: string, spec: JsonObject = {}, labels: Labels = {}): KubeObject {
  const resources = { requests: { cpu: '1', memory: '1Gi' } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'nginx', resources }], ...spec },
  }
}

const asking = (cpu: string): JsonObject => ({
  containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu } } }],
})

const paths: Readonly<Record<string, string>> = {
  Node: '/api/v1/nodes',
  Pod: '/api/v1/namespaces/default/pods',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: '/api/v1/namespaces/default/persistentvolumeclaims',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  DeviceClass: '/apis/resource.k8s.io/v1beta1/deviceclasses',
  ResourceSlice: '/apis/resource.k8s.io/v1beta1/resourceslices',
  ResourceClaim: '/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims',
}

describe('the scheduler', () => {
  let server: RunningTestServer

  const create = (object: KubeObject) => server.call('POST', paths[object.kind] ?? '', object)
  const read = async (name: string) => (await server.get('pods', name, 'default')) as unknown as Pod
  const scheduled = async (name: string) => {
    const { spec, status } = await read(name)
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
    return { node: spec.nodeName ?? '', reason: condition?.reason ?? '', message: condition?.message ?? '' }
  }
  const eventsOf = async (name: string) =>
    (await server.list('events', 'default'))
      .filter((event) => (event['involvedObject'] as JsonObject)['name'] === name)
      .map(({ reason, message }) => [reason, message])
  const patch = (path: string, body: JsonObject) =>
    server.call('PATCH', path, body, { headers: { 'content-type': 'application/merge-patch+json' } })
  const end = (name: string) => server.call('DELETE', `${paths['Pod']}/${name}?gracePeriodSeconds=0`)

  beforeAll(async () => {
    server = await startTestServer({
      simulate: { nodes: 0, seed: 7, schedulers: 'default-scheduler+batch' },
      flags: [
        // Nobody is there to take the taint of new nodes away.
        '--disable-admission-plugins=TaintNodesByCondition',
        '--controllers=garbage-collector-controller',
        '--feature-gates=DynamicResourceAllocation=true',
        '--runtime-config=resource.k8s.io/v1beta1=true',
      ],
    })
  })

  afterAll(() => server.close())

  it('binds pods, and tells why it does not', async () => {
    await create(node('one'))
    await create(node('two', { labels: { disk: 'fast' } }))
    await create(node('three', { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] }))
    await create(pod('web'))
    await create(pod('fast', { nodeSelector: { disk: 'fast' } }))
    await create(pod('large', asking('64')))
    await create(pod('batch', { schedulerName: 'batch' }))
    await create(pod('other', { schedulerName: 'another' }))
    await server.settled()
    expect(['one', 'two']).toContain((await scheduled('web')).node)
    expect((await scheduled('fast')).node).toBe('two')
    expect(await scheduled('other')).toEqual({ node: '', reason: '', message: '' })
    const message =
      '0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: x}, 2 Insufficient cpu. ' +
      'preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, ' +
      '2 No preemption victims found for incoming pod.'
    expect(await scheduled('large')).toEqual({ node: '', reason: 'Unschedulable', message })
    expect(await eventsOf('large')).toEqual([['FailedScheduling', message]])
    const { node: place } = await scheduled('batch')
    expect(await eventsOf('batch')).toEqual([['Scheduled', `Successfully assigned default/batch to ${place}`]])
    await Promise.all(['web', 'fast', 'large', 'batch', 'other'].map(end))
  })

  it('tries again when something changes that a pod waits for', async () => {
    await create(pod('label', { nodeSelector: { gpu: 'yes' } }))
    await create(pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }))
    await create(pod('large', asking('6')))
    await server.settled()
    expect((await scheduled('gated')).reason).toBe('SchedulingGated')
    await create(node('four', { cpu: '8' }))
    await server.settled()
    expect(await scheduled('label')).toMatchObject({ node: '', reason: 'Unschedulable' })
    expect((await scheduled('large')).node).toBe('four')
    await patch('/api/v1/nodes/four', { metadata: { labels: { gpu: 'yes' } } })
    await patch(`${paths['Pod']}/gated`, { spec: { schedulingGates: [] } })
    await server.settled()
    expect((await scheduled('label')).node).toBe('four')
    expect((await scheduled('gated')).node).not.toBe('')
    await Promise.all(['label', 'gated', 'large'].map(end))
    await server.call('DELETE', '/api/v1/nodes/four')
  })

  it('an unschedulable pod is tried again after five minutes', async () => {
    await create(pod('waits', { nodeSelector: { never: 'there' } }))
    await server.settled()
    await server.clock.advance(331_000)
    await server.settled()
    const event = (await server.list('events', 'default')).find(
      (each) => (each['involvedObject'] as JsonObject)['name'] === 'waits',
    )
    expect(event?.['series']).toMatchObject({ count: 2 })
    await end('waits')
  })

  it('makes room for pods of higher priority', async () => {
    const only = { nodeSelector: { 'kubernetes.io/hostname': 'one' } }
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 }
    await create(high)
    await create(pod('small', { ...only, ...asking('1') }))
    await create(pod('victim', { ...only, ...asking('3') }))
    await server.settled()
    await create(pod('important', { ...only, ...asking('3'), priorityClassName: 'high' }))
    await server.settled()
    const victim = await read('victim')
    expect(victim.metadata.deletionTimestamp).toBeDefined()
    expect(victim.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      }),
    )
    const important = await read('important')
    expect([important.spec.nodeName, important.status?.nominatedNodeName]).toEqual([undefined, 'one'])
    expect(await eventsOf('victim')).toContainEqual([
      'Preempted',
      `Preempted by pod ${important.metadata.uid} on node one`,
    ])
    // Others of lower priority do not take the room that it waits for.
    await create(pod('late', { ...only, ...asking('3') }))
    await end('victim')
    await server.settled()
    expect((await scheduled('important')).node).toBe('one')
    expect((await scheduled('small')).node).toBe('one')
    expect((await scheduled('late')).node).toBe('')
    await Promise.all(['small', 'important', 'late'].map(end))
  })

  it('binds a claim together with its first pod, and waits for the volume', async () => {
    const volumeBindingMode = 'WaitForFirstConsumer'
    const provisioner = 'csi.example.com'
    await create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'late' },
      provisioner,
      volumeBindingMode,
    })
    const claimed = { accessModes: ['ReadWriteOnce'], storageClassName: 'late' }
    await create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: { ...claimed, resources: { requests: { storage: '1Gi' } } },
    })
    await create(pod('stores', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }))
    // Waiting for a volume that another part has to make is no work of the scheduler's.
    await server.settled()
    const claim = (await server.get('persistentvolumeclaims', 'data', 'default')) as unknown as PersistentVolumeClaim
    const selected = claim.metadata.annotations?.['volume.kubernetes.io/selected-node']
    expect(['one', 'two']).toContain(selected)
    expect((await scheduled('stores')).node).toBe('')
    const claimRef = { namespace: 'default', name: 'data', uid: claim.metadata.uid }
    const spec = { ...claimed, capacity: { storage: '1Gi' }, csi: { driver: provisioner, volumeHandle: 'x' }, claimRef }
    await create({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'made' }, spec })
    await server.call('PUT', `${paths['PersistentVolumeClaim']}/data`, {
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
      },
      spec: { ...claim.spec, volumeName: 'made' },
    })
    await server.waitFor(
      'pods',
      (each) => each.metadata.name === 'stores' && each['spec'] !== undefined && hasNode(each),
    )
    expect((await scheduled('stores')).node).toBe(selected)
    await end('stores')
  })

  it('allocates devices', async () => {
    const driver = 'gpu.example.com'
    const group = 'resource.k8s.io/v1beta1'
    await create({ apiVersion: group, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} })
    const devices = [
      { name: 'small', basic: { attributes: { model: { string: 't4' } } } },
      { name: 'large', basic: { attributes: { model: { string: 'a100' } } } },
    ]
    const pool = { name: 'two', generation: 1, resourceSliceCount: 1 }
    await create({
      apiVersion: group,
      kind: 'ResourceSlice',
      metadata: { name: 'two' },
      spec: { driver, nodeName: 'two', pool, devices },
    })
    const expression = `device.attributes["${driver}"].model == "a100"`
    const requests = [{ name: 'gpu', deviceClassName: 'gpu', selectors: [{ cel: { expression } }] }]
    for (const name of ['first', 'second']) {
      await create({
        apiVersion: group,
        kind: 'ResourceClaim',
        metadata: { name, namespace: 'default' },
        spec: { devices: { requests } },
      })
      await create(pod(`uses-${name}`, { resourceClaims: [{ name: 'gpu', resourceClaimName: name }] }))
      await server.settled()
    }
    expect((await scheduled('uses-first')).node).toBe('two')
    expect((await scheduled('uses-second')).message).toContain('2 cannot allocate all claims')
    const claim = (await server.get('resourceclaims', 'first', 'default')) as unknown as ResourceClaim
    expect(claim.status?.allocation?.devices?.results).toEqual([
      expect.objectContaining({ request: 'gpu', driver, pool: 'two', device: 'large' }),
    ])
    expect(claim.status?.reservedFor).toEqual([expect.objectContaining({ resource: 'pods', name: 'uses-first' })])
    expect(claim.metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection'])
  })
})

const hasNode = (object: JsonObject): boolean => (object['spec'] as JsonObject)['nodeName'] !== undefined

describe('a seeded run', () => {
  it('puts every pod on the same node again', async () => {
    const run = async () => {
      await using server = await startTestServer({
        simulate: { nodes: 5, seed: 11 },
        flags: ['--disable-admission-plugins=TaintNodesByCondition'],
      })
      await server.settled()
      const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
      for (const name of names) await server.call('POST', paths['Pod'] ?? '', pod(name))
      await server.settled()
      const pods = (await server.list('pods', 'default')) as unknown as Pod[]
      return pods.map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName}`).sort()
    }
    const first = await run()
    expect(first).toHaveLength(20)
    expect(await run()).toEqual(first)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { Pod } from '../../src/simulate/scheduler/objects.ts'
import { type RunningTestServer, startTestServer } from '../../src/testing/running-test-server.ts'

function node(
  name: string,
  more: { labels?: Record<string, string>; cpu?: string; taints?: JsonObject[] } = {},
): KubeObject {
  const allocatable = { cpu: more.cpu ?? '4', memory: '8Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...more.labels } },
    spec: { taints: more.taints ?? [] },
    status: { allocatable, capacity: allocatable },
  }
}

function pod(name: string, spec: JsonObject = {}, labels: Record<string, string> = {}): KubeObject {
  const resources = { requests: { cpu: '1', memory: '1Gi' } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'nginx', resources }], ...spec },
  }
}

describe('the scheduler', () => {
  let server: RunningTestServer

  const create = (object: KubeObject) =>
    server.call('POST', object.kind === 'Node' ? '/api/v1/nodes' : '/api/v1/namespaces/default/pods', object)
  const read = async (name: string) => (await server.get('pods', name, 'default')) as unknown as Pod
  const scheduled = async (name: string) => {
    const { spec, status } = await read(name)
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
    return { node: spec.nodeName ?? '', reason: condition?.reason ?? '', message: condition?.message ?? '' }
  }

  beforeAll(async () => {
    server = await startTestServer({
      simulate: { nodes: 0, seed: 7 },
      // Nobody is there to take the taint of new nodes away.
      flags: ['--disable-admission-plugins=TaintNodesByCondition'],
    })
    await create(node('one'))
    await create(node('two', { labels: { disk: 'fast' } }))
    await create(node('three', { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] }))
    await server.settled()
  })

  afterAll(() => server.close())

  it('binds pods, and tells why it does not', async () => {
    await create(pod('web'))
    await create(pod('fast', { nodeSelector: { disk: 'fast' } }))
    await create(pod('large', { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '64' } } }] }))
    await create(pod('other', { schedulerName: 'another' }))
    await server.settled()
    expect(['one', 'two']).toContain((await scheduled('web')).node)
    expect((await scheduled('fast')).node).toBe('two')
    expect((await scheduled('other')).node).toBe('')
    expect(await scheduled('large')).toEqual({
      node: '',
      reason: 'Unschedulable',
      message:
        '0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: x}, 2 Insufficient cpu. ' +
        'preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, ' +
        '2 No preemption victims found for incoming pod.',
    })
    const events = (await server.list('events', 'default')).filter(
      (event) => (event['involvedObject'] as { name: string }).name === 'web',
    )
    expect(events.map(({ reason, message }) => [reason, message])).toEqual([
      ['Scheduled', `Successfully assigned default/web to ${(await scheduled('web')).node}`],
    ])
  })

  it('tries again when a node that fits comes', async () => {
    await create(pod('gpu', { nodeSelector: { gpu: 'yes' } }))
    await server.settled()
    expect((await scheduled('gpu')).reason).toBe('Unschedulable')
    await create(node('four', { labels: { gpu: 'yes' } }))
    await server.settled()
    expect((await scheduled('gpu')).node).toBe('four')
  })
})

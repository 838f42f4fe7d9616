import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/object.ts'
import type { SimulationContext } from '../../src/simulate/framework/context.ts'
import type { Index, InformerChange } from '../../src/simulate/framework/informer.ts'
import { reconciler } from '../../src/simulate/framework/reconciler.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'

const second = 1000

function configMap(name: string, data: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data }
}

const byColour: Index<KubeObject> = {
  name: 'colour',
  keys: ({ data }) => [(data as { colour?: string } | undefined)?.colour],
}

describe('the framework of the simulation', () => {
  let server: RunningTestServer
  let context: SimulationContext

  beforeAll(async () => {
    server = await startTestServer({ simulate: { nodes: 0, seed: 7 } })
    context = server.simulation?.context as SimulationContext
  })

  afterAll(() => server.close())

  it('reads what was written before, by name, namespace and index', async () => {
    const writer = context.writer('test-controller')
    const informer = context.informer<KubeObject>('', 'configmaps')
    await informer.synced
    expect(informer.byIndex(byColour, 'blue')).toEqual([])
    await writer.create('', 'configmaps', configMap('one', { colour: 'blue' }))
    await writer.create('', 'configmaps', configMap('two', { colour: 'blue' }))
    const names = (colour: string) => informer.byIndex(byColour, colour).map(({ metadata }) => metadata.name)
    expect(names('blue')).toEqual(['one', 'two'])
    expect(informer.get('default', 'one')?.['data']).toEqual({ colour: 'blue' })
    const target = { namespace: 'default', name: 'one' }
    await writer.update<KubeObject>('', 'configmaps', target, (current) => ({ ...current, data: { colour: 'red' } }))
    expect([names('blue'), names('red')]).toEqual([['two'], ['one']])
    await writer.delete('', 'configmaps', target)
    await writer.delete('', 'configmaps', target)
    expect(informer.get('default', 'one')).toBeUndefined()
    expect(names('red')).toEqual([])
    expect(informer.list('default').map(({ metadata }) => metadata.name)).toContain('two')
    expect(informer.list('kube-public')).toEqual(
      informer.list().filter(({ metadata }) => metadata.namespace === 'kube-public'),
    )
  })

  it('does not write what changes nothing', async () => {
    const writer = context.writer('test-controller')
    const before = await writer.create('', 'configmaps', configMap('same', { a: '1' }))
    const target = { namespace: 'default', name: 'same' }
    for (const change of [(current: KubeObject) => ({ ...current }), () => undefined]) {
      const after = await writer.update<KubeObject>('', 'configmaps', target, change)
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    }
    await expect(
      writer.update<KubeObject>('', 'configmaps', { ...target, name: 'none' }, (current) => current),
    ).rejects.toThrow('configmaps "none" not found')
  })

  it('tells subscribers of what is there, then of every change in order', async () => {
    const writer = context.writer('test-controller')
    const informer = context.informer<KubeObject>('', 'secrets')
    await informer.synced
    const seen: string[] = []
    const secret = (name: string, data = {}): KubeObject => ({ ...configMap(name, data), kind: 'Secret' })
    await writer.create('', 'secrets', secret('first'))
    const end = informer.subscribe((change: InformerChange<KubeObject>) => {
      // A handler may read.
      informer.byIndex(byColour, 'any')
      seen.push(`${change.type} ${change.name} ${change.old === undefined ? '' : 'had a state before'}`.trim())
    })
    await writer.create('', 'secrets', secret('second'))
    await writer.update<KubeObject>('', 'secrets', { namespace: 'default', name: 'second' }, (current) => ({
      ...current,
      stringData: { a: 'b' },
    }))
    await writer.delete('', 'secrets', { namespace: 'default', name: 'second' })
    await server.settled()
    expect(seen).toEqual(['ADDED first', 'ADDED second', 'MODIFIED second had a state before', 'DELETED second'])
    end()
  })

  it('sees the objects of a resource that is defined later, and their end', async () => {
    const boats = context.informer<KubeObject>('example.com', 'boats')
    const seen: string[] = []
    boats.subscribe(({ type, name }) => void seen.push(`${type} ${name}`))
    expect(boats.list()).toEqual([])
    await server.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Boat', plural: 'boats' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    await server.apply({ apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'dinghy' } })
    await server.settled()
    expect(boats.get('default', 'dinghy')?.metadata.name).toBe('dinghy')
    await server.call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.example.com')
    await server.waitForNone('customresourcedefinitions', ({ metadata }) => metadata.name === 'boats.example.com')
    await server.settled()
    expect(seen).toEqual(['ADDED dinghy', 'DELETED dinghy'])
  })

  it('reconciles again after errors and when asked to, in virtual time', async () => {
    const times: number[] = []
    const start = server.clock.now()
    const queue = reconciler(context, {
      name: 'test',
      async reconcile() {
        times.push(Math.round((server.clock.now() - start) / second))
        if (times.length === 1) throw new Error('for the first time')
        return times.length < 5 ? { requeueAfter: 3600 * second } : undefined
      },
    })
    queue.add('key')
    await server.clock.advance(24 * 3600 * second)
    expect(times).toEqual([0, 0, 3600, 7200, 10800])
    await queue.stop()
  })

  it('counts events that repeat, and combines those that are similar', async () => {
    const recorder = context.recorder('test-component')
    const about = await context.writer('test').create('', 'configmaps', configMap('troubled'))
    for (let i = 0; i < 3; i++) {
      recorder.event(about, { type: 'Warning', reason: 'Failed', message: 'it failed' })
      await server.settled()
    }
    const events = () => server.events({ kind: 'ConfigMap', name: 'troubled' })
    expect(await events()).toMatchObject([
      { type: 'Warning', reason: 'Failed', message: 'it failed', count: 3, about: 'ConfigMap default/troubled' },
    ])
    for (let i = 0; i < 30; i++) recorder.event(about, { type: 'Normal', reason: 'Step', message: `step ${i}` })
    await server.settled()
    const steps = (await events()).filter(({ reason }) => reason === 'Step')
    expect(steps.length).toBe(10)
    expect(steps.filter(({ message }) => message.startsWith('(combined from similar events): step'))).toHaveLength(1)
  })

  it('does not starve events, however long controllers write', async () => {
    const recorder = context.recorder('busy-component')
    const writer = context.writer('test')
    const events = context.informer<KubeObject>('', 'events')
    await events.synced
    const recorded = () => events.list('default').filter(({ reason }) => reason === 'Busy').length
    for (let i = 0; i < 40; i++) {
      const about = configMap(`busy-${i}`)
      recorder.event(about, { type: 'Normal', reason: 'Busy', message: 'it is busy' })
    }
    await writer.create('', 'configmaps', configMap('busy'))
    const target = { namespace: 'default', name: 'busy' }
    for (let i = 0; recorded() < 40; i++) {
      await writer.update<KubeObject>('', 'configmaps', target, (current) => ({ ...current, data: { i: String(i) } }))
    }
  })

  it('posts to subresources that act, with admission', async () => {
    const writer = context.writer('test')
    await server.apply([
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'there' } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { schedulerName: 'none', containers: [{ name: 'web', image: 'nginx' }] },
      },
    ])
    const target = { namespace: 'default', name: 'web', subresource: 'binding' }
    await writer.post('', 'pods', target, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'web', namespace: 'default' },
      target: { kind: 'Node', name: 'there' },
    })
    expect(context.informer<{ spec: { nodeName?: string } }>('', 'pods')).toBeDefined()
    expect((await server.get('pods', 'web'))?.['spec'].nodeName).toBe('there')
    await writer.delete('', 'pods', { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 })
  })
})

describe('a server that simulates nothing', () => {
  it('says once that nothing runs its workloads', async () => {
    const lines: string[] = []
    await using server = await startTestServer({ log: { write: (line) => void lines.push(line) } })
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const deployment = (name: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    })
    await server.apply([
      deployment('one'),
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: template.spec },
    ])
    const hints = () => lines.filter((line) => line.includes('--simulate'))
    expect(hints()).toEqual([])
    await server.clock.advance(30 * second)
    await server.apply(deployment('two'))
    await server.clock.advance(30 * second)
    await server.settled()
    expect(hints()).toHaveLength(1)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../api/object.ts'
import { Reflector } from '../../../../cache/reflector.ts'
import { systemClock } from '../../../../lib/clock.ts'
import type { Actor } from '../../../../registry/own-writes.ts'
import { createAs, deleteAs, updateAs } from '../../../../registry/own-writes.ts'
import { Registries } from '../../../../registry/registries.ts'
import { openMemoryStore } from '../../../../store/memory.ts'
import { type Store, StoreError } from '../../../../store/store.ts'
import { builtInDefinitions } from '../../../definitions.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { rangeDefinition } from './range-record.ts'
import type { ServiceObject } from './service-object.ts'

const needed = new Set(['services', 'endpoints', 'ipaddresses', 'servicecidrs'])
const somebody: Actor = { user: { name: 'u', groups: [], extra: new Map() }, fieldManager: 'test' }
const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Server {
  readonly registries: Registries
  /** The services that validating admission was shown. */
  readonly admitted: ServiceObject[]
  make(name: string, spec: object): Promise<ServiceObject>
  change(name: string, spec: object): Promise<ServiceObject>
  remove(name: string): Promise<unknown>
  addresses(): Promise<string[]>
}

/** A server over the store given, with so much of the API as services need. */
async function startServer(store: Store, options: Partial<KindServices> = {}): Promise<Server> {
  const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
  closing.push(() => reflector.close())
  const gate = (name: string): boolean => name === 'LoadBalancerIPMode'
  const admitted: ServiceObject[] = []
  const registries = new Registries({
    backend: () => ({ store, reflector }),
    clock: systemClock,
    prefix: '/registry',
    codec: () => ({ layout: 'reference' }),
    admission: {
      mutate: () => undefined,
      validate: ({ object }: { object: object }) => void admitted.push(structuredClone(object) as ServiceObject),
    },
    gate,
  } as ConstructorParameters<typeof Registries>[0])
  const services = {
    clock: systemClock,
    gate,
    registry: (group: string, resource: string) => registries.need(group, resource),
    objects: (group: string, resource: string) => registries.source(group, resource),
    storage: (definition: ReturnType<typeof rangeDefinition>) => registries.storage(definition),
    serviceRanges: ['10.0.0.0/24'],
    nodePortRange: { first: 30_000, last: 30_063 },
    ...options,
  } as KindServices
  const definitions = builtInDefinitions({
    services,
    isServed: ({ resource, version }) => needed.has(resource) && version === 'v1',
    defaulting: { enabled: gate, now: () => '2024-01-01T00:00:00Z' },
    eventTtlSeconds: 3600,
  } as Parameters<typeof builtInDefinitions>[0])
  for (const definition of definitions) registries.add(definition)
  const at = (name: string) => ({ namespace: 'n', name })
  const registry = registries.need('', 'services')
  return {
    registries,
    admitted,
    make: async (name, spec) => {
      const object = { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'n' }, spec } as KubeObject
      return (await createAs(somebody, registry, object)).object() as ServiceObject
    },
    change: async (name, spec) =>
      (await updateAs(somebody, registry, at(name), (current) => {
        return { ...current, spec: { ...(current as ServiceObject).spec, ...spec } } as KubeObject
      })) as ServiceObject,
    remove: (name) => deleteAs(somebody, registry, at(name), {}),
    addresses: async () => {
      const source = await registries.source('networking.k8s.io', 'ipaddresses')
      return [...source.list()].map(({ metadata }) => metadata.name ?? '')
    },
  }
}

/** The store loses its answer to the next write of a service of that type once it is armed. */
function losingAnswers(store: Store, type: string, isStored: boolean): { store: Store; arm(): void } {
  let armed = false
  const write: Store['write'] = async (operation) => {
    if (!armed || operation.type !== type || !operation.key.startsWith('/registry/services/specs/'))
      return store.write(operation)
    armed = false
    if (isStored) await store.write(operation)
    throw new StoreError('unavailable', 'the answer is lost', { maybeApplied: true })
  }
  const lossy = new Proxy(store, {
    get(target, name) {
      if (name === 'write') return write
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { store: lossy, arm: () => (armed = true) }
}

const openStore = (): Store => openMemoryStore({ clock: systemClock })
const ports = [{ port: 80 }]
const nodePorts = ({ spec }: ServiceObject): number[] => (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort)

describe('services on one store', () => {
  it('never share an address or a port, even when two servers give them out at once', async () => {
    const store = openStore()
    const servers = [await startServer(store), await startServer(store)]
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (servers[i % 2] as Server).make(`s${i}`, { type: 'NodePort', ports: [{ port: 80 }] }),
      ),
    )
    expect(new Set(made.map(({ spec }) => spec.clusterIP)).size).toBe(40)
    expect(new Set(made.flatMap(nodePorts)).size).toBe(40)
  })

  it('use every port of the range, and say when it is full', async () => {
    const server = await startServer(openStore(), { nodePortRange: { first: 30_000, last: 30_019 } })
    for (let i = 0; i < 20; i++) await server.make(`s${i}`, { type: 'NodePort', ports })
    await expect(server.make('more', { type: 'NodePort', ports })).rejects.toThrow(
      'Internal error occurred: failed to allocate a nodePort: range is full',
    )
    expect(await server.addresses()).toHaveLength(20)
  })

  it('use every address of a range but its first and last', async () => {
    const server = await startServer(openStore(), { serviceRanges: ['10.0.0.0/29'] })
    for (let i = 0; i < 6; i++) await server.make(`s${i}`, { ports })
    await expect(server.make('more', { ports })).rejects.toThrow('failed to allocate a serviceIP: range is full')
    await server.remove('s3')
    await server.make('more', { ports })
  })

  it('without a name have no record of their addresses', async () => {
    const server = await startServer(openStore())
    await expect(server.make('', { ports })).rejects.toThrow(
      /^Internal error occurred: failed to allocate a serviceIP: IPAddress.networking.k8s.io "10\.\S+" is invalid: spec.parentRef.name: Required value$/,
    )
  })

  it('go on where the last server ended', async () => {
    const store = openStore()
    const first = await (await startServer(store)).make('a', { type: 'NodePort', ports })
    const next = await startServer(store)
    const again = { type: 'NodePort', ports: [{ port: 80, nodePort: nodePorts(first)[0] }] }
    await expect(next.make('b', again)).rejects.toThrow('provided port is already allocated')
    await expect(next.make('b', { clusterIP: first.spec.clusterIP, ports })).rejects.toThrow(
      'provided IP is already allocated',
    )
  })

  it('are found again when their addresses and ports were not recorded', async () => {
    const store = openStore()
    const server = await startServer(store)
    const made = await server.make('a', { type: 'NodePort', ports })
    const target = { namespace: '', name: made.spec.clusterIP ?? '' }
    await deleteAs(somebody, server.registries.need('networking.k8s.io', 'ipaddresses'), target, {})
    const key = `${server.registries.storage(rangeDefinition()).keyPrefix}servicenodeports`
    const record = await store.get(key)
    const expectedRevision = record.status === 'ok' ? (record.entry?.revision ?? 0) : 0
    await store.write({ type: 'delete', key, expectedRevision })

    const next = await startServer(store)
    const taken = { type: 'NodePort', ports: [{ port: 80, nodePort: nodePorts(made)[0] }] }
    await expect(next.make('b', taken)).rejects.toThrow('provided port is already allocated')
    expect(await next.addresses()).toEqual([made.spec.clusterIP])
  })
})

describe('a service', () => {
  it('gives back what it took when it is refused', async () => {
    const server = await startServer(openStore())
    await expect(server.make('a', { type: 'NodePort', ports: [{ port: 0 }] })).rejects.toThrow('is invalid')
    expect(await server.addresses()).toEqual([])
    await server.make('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] })
    await expect(server.make('b', { type: 'NodePort', ports })).rejects.toThrow('already exists')
    expect(await server.addresses()).toHaveLength(1)
  })

  describe('whose write ends in an unknown outcome', () => {
    const outcomes = ['create', 'update', 'delete'].flatMap((verb) => [
      { verb, isStored: true },
      { verb, isStored: false },
    ])

    it.each(outcomes)('$verb (stored: $isStored): shares nothing, and leaks nothing for long', async (outcome) => {
      const { verb, isStored } = outcome
      let now = Date.now()
      const clock = { ...systemClock, now: () => now }
      const range = { serviceRanges: ['10.0.0.0/29'], nodePortRange: { first: 30_000, last: 30_003 }, clock }
      const store = openStore()
      const broken = losingAnswers(store, verb === 'update' ? 'replace' : verb, isStored)
      const server = await startServer(broken.store, range)
      const spec = { type: 'NodePort', ports }
      if (verb !== 'create') await server.make('a', verb === 'update' ? { ports } : spec)
      broken.arm()
      const write = { create: () => server.make('a', spec), update: () => server.change('a', spec) }
      const failing = verb === 'delete' ? server.remove('a') : write[verb as 'create' | 'update']()
      await expect(failing).rejects.toThrow('lost')
      const there = async (): Promise<ServiceObject[]> =>
        [...(await server.registries.source('', 'services')).list()] as ServiceObject[]
      // Whatever is made meanwhile, no two services have the same address or port.
      const made: string[] = []
      for (let i = 0; i < 6; i++)
        await server.make(`b${i}`, spec).then(
          () => made.push(`b${i}`),
          () => undefined,
        )
      const services = await there()
      const addresses = services.map(({ spec: { clusterIP } }) => clusterIP)
      const taken = services.flatMap(nodePorts).filter((port) => port > 0)
      expect([new Set(addresses).size, new Set(taken).size]).toEqual([addresses.length, taken.length])
      for (const name of made) await server.remove(name)
      // The second pass drops ports that have belonged to nobody all the while.
      for (let pass = 0; pass < 2; pass++) {
        now += 61_000
        await server.make('c', spec)
        await server.remove('c')
      }
      for (const { metadata } of await there()) await server.remove(metadata.name ?? '')
      for (let i = 0; i < 4; i++) await server.make(`d${i}`, spec)
      expect((await server.addresses()).length).toBe(4)
    })
  })

  it('gives back what it owned when it is deleted, changes its type, or changes its ports', async () => {
    const server = await startServer(openStore())
    const asked = { type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_001 }] }
    await server.make('a', asked)
    await server.remove('a')
    await server.make('b', asked)
    await server.change('b', { ports: [{ port: 80, nodePort: 30_002 }] })
    await server.make('c', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] })
    await server.change('b', { type: 'ExternalName', externalName: 'example.com' })
    await server.make('d', { type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_002 }] })
  })

  it('shows the traffic policy of an external name to admission alone', async () => {
    const server = await startServer(openStore())
    const spec = { type: 'ExternalName', externalName: 'example.com', internalTrafficPolicy: 'Local' }
    expect((await server.make('a', spec)).spec.internalTrafficPolicy).toBeUndefined()
    expect((await server.change('a', { ...spec, externalName: 'b.com' })).spec.internalTrafficPolicy).toBeUndefined()
    expect(server.admitted.map((service) => service.spec.internalTrafficPolicy)).toEqual(['Local', 'Local'])
  })

  it('keeps its address and ports when an update leaves them out', async () => {
    const server = await startServer(openStore())
    const made = await server.make('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports })
    const changed = await server.change('a', {
      clusterIP: '',
      clusterIPs: undefined,
      healthCheckNodePort: 0,
      ports: [{ port: 81 }],
    })
    expect(changed.spec.clusterIP).toBe(made.spec.clusterIP)
    expect(changed.spec.healthCheckNodePort).toBe(made.spec.healthCheckNodePort)
    expect(nodePorts(changed)).toEqual(nodePorts(made))
  })

  it('gets and loses a second address with its policy', async () => {
    const server = await startServer(openStore(), { serviceRanges: ['10.0.0.0/24', 'fd00::/112'] })
    await server.make('a', { ports })
    const both = await server.change('a', { ipFamilyPolicy: 'RequireDualStack' })
    expect(both.spec.ipFamilies).toEqual(['IPv4', 'IPv6'])
    expect(await server.addresses()).toHaveLength(2)
    const one = await server.change('a', { ipFamilyPolicy: 'SingleStack' })
    expect(one.spec.clusterIPs).toHaveLength(1)
    expect(await server.addresses()).toHaveLength(1)
  })

  it('may take addresses of ready service ranges', async () => {
    const server = await startServer(openStore())
    await expect(server.make('a', { clusterIP: '10.9.0.7', ports })).rejects.toThrow('does not match the current range')
    const range = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'more' } }
    const ranges = server.registries.need('networking.k8s.io', 'servicecidrs')
    await createAs(somebody, ranges, { ...range, spec: { cidrs: ['10.9.0.0/24'] } } as KubeObject)
    const made = await server.make('a', { clusterIP: '10.9.0.7', ports })
    expect(made.spec.clusterIPs).toEqual(['10.9.0.7'])
  })
})

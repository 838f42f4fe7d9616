import { expect, it } from 'vitest'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { Registries } from './registries.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { openTestRegistry } from './testing/test-registry.ts'

it('serves what was added until it is removed, and says so to its listeners', async () => {
  const store = openMemoryStore()
  const { registry, reflector } = await openTestRegistry({ store, builtInDefinitions })
  const definition: ResourceDefinition = registry.definition
  const registries = new Registries({
    backend: () => ({ store, reflector }),
    prefix: '/registry',
    codec: () => ({ layout: 'json' }),
    gate: () => false,
  } as unknown as ConstructorParameters<typeof Registries>[0])
  const events: string[] = []
  const stop = registries.onChange(({ definition: { resource } }, what) => events.push(`${resource} ${what}`))
  const state = () => ({
    isFound: registries.find('', 'v1', 'configmaps') !== undefined,
    isKnown: registries.get('', 'configmaps') !== undefined,
    hasGroup: registries.hasGroup(''),
    count: [...registries.all()].length,
  })
  const none = { isFound: false, isKnown: false, hasGroup: false, count: 0 }
  const one = { isFound: true, isKnown: true, hasGroup: true, count: 1 }
  expect(state()).toEqual(none)
  registries.add(definition)
  expect(state()).toEqual(one)
  expect([registries.find('', 'v2', 'configmaps'), registries.find('apps', 'v1', 'configmaps')]).toEqual([
    undefined,
    undefined,
  ])
  expect(registries.hasGroup('apps')).toBe(false)
  const before = registries.revision
  registries.remove(definition)
  expect(state()).toEqual(none)
  expect(registries.revision).toBeGreaterThan(before)
  registries.remove(definition)
  expect(state()).toEqual(none)
  stop()
  registries.add(definition)
  expect(state()).toEqual(one)
  expect(events).toEqual(['configmaps added', 'configmaps removed'])
  reflector.close()
  await store.close()
})

it('finds actions by their group, version and name, with the plugins of all', async () => {
  const store = openMemoryStore()
  const { registries, reflector } = await openTestRegistry({ store, builtInDefinitions })
  const definition = { group: 'authorization.k8s.io', resource: 'reviews' }
  const before = registries.revision
  registries.addAction({ definition } as unknown as Parameters<Registries['addAction']>[0], 'authorization.k8s.io/v1')
  const found = registries.findAction('authorization.k8s.io', 'v1', 'reviews')
  expect(found).toMatchObject({ definition, admission: registries.need('', 'configmaps').admission })
  expect([...registries.actions()]).toEqual([found])
  expect(registries.hasGroup('authorization.k8s.io')).toBe(true)
  expect(registries.revision).toBeGreaterThan(before)
  for (const [group, version, resource] of [
    ['', 'v1', 'reviews'],
    ['authorization.k8s.io', 'v2', 'reviews'],
    ['authorization.k8s.io', 'v1', 'others'],
  ] as const)
    expect(registries.findAction(group, version, resource)).toBeUndefined()
  reflector.close()
  await store.close()
})

it('keeps the objects of each resource in its backend, and reads what is served alone', async () => {
  const store = openMemoryStore()
  const { registry, registries, reflector } = await openTestRegistry({ store, builtInDefinitions })
  expect(registries.need('', 'configmaps')).toBe(registry)
  expect(() => registries.need('apps', 'configmaps')).toThrow('configmaps.apps is not served')
  expect(() => registries.need('', 'pods')).toThrow('pods is not served')
  await store.write({
    type: 'create',
    key: '/registry/configmaps/ns/a',
    value: Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"}}'),
  })
  await registry.storage.fresh(1000)
  const source = await registries.source('', 'configmaps')
  expect([...source.list()].map(({ metadata }) => metadata.name)).toEqual(['a'])
  reflector.close()
  await store.close()
})

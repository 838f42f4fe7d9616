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
  stop()
  registries.add(definition)
  expect(state()).toEqual(one)
  expect(events).toEqual(['configmaps added', 'configmaps removed'])
  reflector.close()
  await store.close()
})

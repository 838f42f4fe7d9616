/** Large writes let the event loop go round between their stages, small ones never do; what is written is the same. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { create } from './create.ts'
import type { Registry } from './registry.ts'
import { openTestRegistry, testRequest } from './testing/test-registry.ts'
import { update } from './update.ts'
import { isLarge, type WriteRequest } from './write-request.ts'

async function withRegistry<T>(use: (registry: Registry) => Promise<T>): Promise<T> {
  const store = openMemoryStore()
  const { registry, reflector } = await openTestRegistry({ store, builtInDefinitions })
  try {
    await registry.storage.cache()
    return await use(registry)
  } finally {
    reflector.close()
    await store.close()
  }
}

/** How often the event loop goes round until it is done. */
async function rounds(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  let isDone = false
  const round = (): void => {
    if (isDone) return
    count++
    setImmediate(round)
  }
  setImmediate(round)
  try {
    await work()
  } finally {
    isDone = true
  }
  return count
}

const body = (data: JsonObject = { a: 'b' }, metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, data }) as KubeObject

const make = (registry: Registry, given: Partial<WriteRequest>) =>
  create(registry, body(), testRequest(registry, given))

const change = (registry: Registry, given: Partial<WriteRequest>, data: JsonObject = { c: 'd' }) => {
  const apply = (current: KubeObject): KubeObject => ({ ...current, data })
  return update(registry, { strategy: registry.definition.strategy, apply }, testRequest(registry, given))
}

describe('a write', () => {
  it.each<[string, Partial<WriteRequest>]>([
    ['a small create', {}],
    ['a small dry run', { dryRun: true }],
  ])('%s goes through at once', async (_, given) => {
    expect(await withRegistry((registry) => rounds(() => make(registry, given)))).toBe(0)
  })

  it.each<[string, Partial<WriteRequest>, number]>([
    ['create', { isLarge: true }, 5],
    ['create that only tries', { isLarge: true, dryRun: true }, 5],
  ])('a large %s gives way between its stages', async (_, given, least) => {
    const taken = await withRegistry((registry) => rounds(() => make(registry, given)))
    expect(taken).toBeGreaterThanOrEqual(least)
  })

  it.each<[string, Partial<WriteRequest>]>([
    ['a small update', {}],
    ['a small update that only tries', { dryRun: true }],
  ])('%s goes through at once', async (_, given) => {
    const taken = await withRegistry(async (registry) => {
      await make(registry, {})
      return rounds(() => change(registry, given))
    })
    expect(taken).toBe(0)
  })

  it.each<[string, Partial<WriteRequest>, number]>([
    ['update', { isLarge: true }, 5],
    ['update that only tries', { isLarge: true, dryRun: true }, 5],
  ])('a large %s gives way between its stages', async (_, given, least) => {
    const taken = await withRegistry(async (registry) => {
      await make(registry, {})
      return rounds(() => change(registry, given))
    })
    expect(taken).toBeGreaterThanOrEqual(least)
  })

  it('of a large object is large, however small the change', async () => {
    const taken = await withRegistry(async (registry) => {
      await create(registry, body({ a: 'x'.repeat(70_000) }), testRequest(registry))
      return rounds(() => change(registry, {}))
    })
    expect(taken).toBeGreaterThanOrEqual(4)
  })

  it.each([{}, { isLarge: true }])('stores the same %j', async (given) => {
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/x'] }
    const stored = await withRegistry(async (registry) => {
      await create(registry, body({ a: 'b' }, metadata), testRequest(registry, given))
      const { written } = await change(registry, given, { e: 'f' })
      return written.object()
    })
    expect(stored).toMatchObject({ metadata, data: { e: 'f' } })
    expect(stored.metadata.managedFields).toHaveLength(1)
  })

  it.each<[string, JsonObject, string]>([
    [
      'labels',
      { labels: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`a ${i}`, 'b'])) },
      'metadata.labels: Invalid value: "a 0"',
    ],
    ['annotations', { annotations: { 'a b': 'x'.repeat(300_000) } }, 'metadata.annotations: Too long'],
    [
      'finalizers',
      { finalizers: Array.from({ length: 9000 }, (_, i) => `x${i}`) },
      'metadata.finalizers[0]: Invalid value: "x0"',
    ],
  ])('with large %s is refused for them', async (_, metadata, message) => {
    const failure = withRegistry((registry) =>
      create(registry, body({}, metadata), testRequest(registry, { isLarge: true })),
    )
    await expect(failure).rejects.toThrow(message)
  })
})

it.each([
  [64 * 1024, false],
  [64 * 1024 + 1, true],
])('%i bytes are large: %s', (bytes, expected) => {
  expect(isLarge(bytes)).toBe(expected)
})

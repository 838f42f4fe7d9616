/** What storage keeps of objects beside the store: parsed forms, history, indexed fields; and what it does not read again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { Reflector } from '../cache/reflector.ts'
import { systemClock } from '../lib/clock.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { type Store, StoreError } from '../store/store.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { hintOf } from './entry-hint.ts'
import { objectCodec, type ValueTransformer } from './object-codec.ts'
import { ObjectStorage } from './object-storage.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { StorageDependencies } from './storage-contract.ts'
import { isTooLarge, maxObjectBytes } from './store-failure.ts'
import { settledOutcomeOf, testDefinition } from './testing/test-registry.ts'

const definition = testDefinition(builtInDefinitions)
const keyPrefix = '/registry/configmaps/'

const configMap = (name = 'a', data: JsonObject = {}): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'ns', creationTimestamp: '2024-01-01T00:00:00Z' },
  data,
})

let store: Store
let reflector: Reflector

beforeEach(async () => {
  store = openMemoryStore()
  reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
})

afterEach(async () => {
  reflector.close()
  await store.close()
})

function storageOf(more: Partial<StorageDependencies> = {}, changed: Partial<ResourceDefinition> = {}): ObjectStorage {
  const whole = { ...definition, ...changed }
  return new ObjectStorage(whole, {
    store,
    reflector,
    clock: systemClock,
    prefix: '/registry',
    codec: objectCodec(whole, { layout: 'json' }),
    ...more,
  })
}

async function created(storage: ObjectStorage, object: KubeObject) {
  const entry = await storage.create(object)
  if (entry === undefined) throw new Error('it was not created')
  return entry
}

describe('the parsed form', () => {
  it.each<[string, (storage: ObjectStorage) => void, boolean]>([
    ['is not kept', () => {}, false],
    ['is kept where a part of the server looks at every new object', (storage) => storage.keepCreated(), true],
    ['is kept where a part of the server follows all changes', (storage) => storage.keepFollowed(), true],
  ])('of a new object %s', async (_, arrange, isKept) => {
    const storage = storageOf()
    arrange(storage)
    expect((await created(storage, configMap())).parsed !== undefined).toBe(isKept)
  })

  it('of an object that is replaced is kept, and shares what it left alone', async () => {
    const storage = storageOf()
    const entry = await created(storage, configMap('a', { a: '1' }))
    const replaced = await storage.replace(entry, { ...entry.object(), data: { a: '2' } })
    if (!('written' in replaced)) throw new Error('it was lost')
    expect(replaced.written.parsed?.['data']).toEqual({ a: '2' })
    const current = replaced.written.object()
    const again = await storage.replace(replaced.written, { ...current, immutable: true })
    expect('written' in again && again.written.parsed?.['data']).toBe(current['data'])
  })

  it.each<[string, (storage: ObjectStorage) => void, number]>([
    ['of some', (storage) => storage.keepCreated(), 3],
    ['of very many, where all changes are followed', (storage) => storage.keepFollowed(), 6],
  ])('is kept of objects up to a bound: %s', async (_, arrange, kept) => {
    const storage = storageOf()
    arrange(storage)
    const entries = []
    for (let i = 0; i < 6; i++) entries.push(await created(storage, configMap(`a${i}`, { a: 'x'.repeat(1_300_000) })))
    expect(entries.filter(({ parsed }) => parsed !== undefined)).toHaveLength(kept)
    expect(entries.at(-1)?.parsed).toBeDefined()
  })
})

describe('the fields of an entry', () => {
  const fields = new Map([['data.a', ({ data }: KubeObject) => String((data as JsonObject)['a'])]])
  it.each<[string, ResourceDefinition['storage']['fields'], readonly string[] | undefined]>([
    ['are those that its kind is selected by', fields, ['1']],
    ['are none where it has none', new Map(), undefined],
  ])('%s', async (_, each, expected) => {
    const storage = storageOf({}, { storage: { ...definition.storage, fields: each } })
    const entry = await created(storage, configMap('a', { a: '1' }))
    expect(entry.fields).toEqual(expected)
    const found = await storage.read(`${keyPrefix}ns/a`, Buffer.from(entry.bytes), 7)
    expect(found.fields).toEqual(expected)
  })
})

describe('the history', () => {
  const revisionsOf = async (storage: ObjectStorage): Promise<number[]> => {
    await storage.cache()
    const revisions: number[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) revisions.push((await created(storage, configMap(name))).revision)
    await storage.fresh(1000)
    return revisions
  }

  it.each([
    ['as many events as are asked for', 2, true],
    ['as many as of any other resource', undefined, false],
  ])('has %s', async (_, maxEvents, isCut) => {
    const storage = storageOf({ maxEvents })
    const [first = 0] = await revisionsOf(storage)
    expect((storage.loaded?.historyStart ?? 0) > first).toBe(isCut)
  })

  it('of a cache that begins late goes back as far as the store', async () => {
    const [first = 0] = await revisionsOf(storageOf())
    const later = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
    await later.start()
    const storage = storageOf({ reflector: later })
    expect((await storage.cache()).historyStart).toBeGreaterThan(first)
    expect((await storage.cacheSince(first)).historyStart).toBeLessThanOrEqual(first)
    later.close()
  })
})

it('a resource that is no longer served is not loaded', async () => {
  const storage = storageOf()
  await storage.cache()
  expect(storage.loaded).toBeDefined()
  storage.unload()
  expect(storage.loaded).toBeUndefined()
})

describe('whether the cache is fresh', () => {
  it.each<[string, true | Promise<boolean>, unknown]>([
    ['is known at once', true, true],
    ['is found', Promise.resolve(true), true],
    ['is not found in time', Promise.resolve(false), false],
  ])('%s', async (_, answer, expected) => {
    const fake = { revision: 0, fresh: () => answer } as unknown as Reflector
    const fresh = storageOf({ reflector: fake }).fresh(1000)
    expect(fresh instanceof Promise).toBe(answer !== true)
    expect(await fresh).toBe(expected)
  })

  it('fails with the store', async () => {
    const failing = { revision: 0, fresh: () => Promise.reject(new StoreError('unavailable', 'gone')) }
    const storage = storageOf({ reflector: failing as unknown as Reflector })
    expect(await settledOutcomeOf(() => storage.fresh(1000))).toMatch(/^503 .*gone/)
  })
})

describe('a value', () => {
  it('that comes with a hint is not decoded', async () => {
    const codec = objectCodec(definition, { layout: 'json' })
    const undecodable = { ...codec, fromStored: () => Promise.reject(new Error('it is decoded')) }
    const entry = await created(storageOf(), configMap('a', { a: '1' }))
    const value = Buffer.from(entry.bytes)
    const hint = hintOf({ ...entry, splice: entry.splice, bytes: value } as never)
    const read = await storageOf({ codec: undecodable }).read(`${keyPrefix}ns/a`, value, 7, hint)
    expect([read.unreadable, read.key, read.revision, read.object()['data']]).toEqual([
      undefined,
      'ns/a',
      7,
      { a: '1' },
    ])
    const unhinted = await storageOf({ codec: undecodable }).read(`${keyPrefix}ns/a`, value, 7)
    expect(unhinted.unreadable?.why).toBe('it is decoded')
  })

  it('that is too large for any store is written to none', async () => {
    let writes = 0
    const boundless = new Proxy(store, {
      get: (target, property) =>
        property === 'write'
          ? async () => ({ ok: true, revision: ++writes })
          : (Reflect.get(target, property) as unknown),
    })
    const large = configMap('a', { a: 'x'.repeat(maxObjectBytes) })
    const failure = await storageOf({ store: boundless })
      .create(large)
      .catch((error: unknown) => error)
    expect(isTooLarge(failure)).toBe(true)
    expect(writes).toBe(0)
  })

  it.each([
    ['is not written again', false, 1],
    ['is written again where its key is old', true, 2],
  ])('that is replaced by the same, sealed, %s', async (_, stale, writes) => {
    const transformer: ValueTransformer = {
      seal: (value) => Buffer.concat([Buffer.from('sealed:'), value]),
      open: (value) => ({ value: Buffer.from(value).subarray('sealed:'.length), stale }),
    }
    const storage = storageOf({ codec: objectCodec(definition, { layout: 'json', transformer }) })
    const began = await store.currentRevision()
    const entry = await created(storage, configMap('a', { a: '1' }))
    expect(await storage.isStale(entry, entry.object())).toBe(stale)
    await storage.replace(entry, entry.object())
    expect((await store.currentRevision()) - began).toBe(writes)
  })
})

describe('an object that could not be read', () => {
  const opening = (state: { hasKey: boolean }): ValueTransformer => ({
    seal: (value) => value as Uint8Array,
    open: (value) => {
      if (!state.hasKey) throw new Error('no key')
      return { value, stale: false }
    },
  })
  const lockedStorage = async () => {
    const state = { hasKey: false }
    const value = Buffer.from(JSON.stringify(configMap('a', { a: '1' })))
    await store.write({ type: 'create', key: `${keyPrefix}ns/a`, value })
    const codec = objectCodec(definition, { layout: 'json', transformer: opening(state) })
    return { state, codec }
  }

  it.each([
    ['with the cache', true],
    ['without one', false],
  ])('is read again once its key is back, %s', async (_, isLoaded) => {
    const { state, codec } = await lockedStorage()
    const storage = storageOf({ codec })
    if (isLoaded) await storage.cache()
    const entry = await storage.newest('ns/a')
    if (entry === undefined) throw new Error('there is none')
    expect((await storage.redecoded(entry))?.unreadable?.why).toBe('no key')
    state.hasKey = true
    const again = await storage.redecoded(entry)
    expect(again?.object()['data']).toEqual({ a: '1' })
    if (isLoaded) expect(again).toBe(storage.loaded?.get('ns/a'))
  })

  it.each<[string, boolean, number, unknown]>([
    ['was there before this server', false, 0, expect.stringMatching(/^429 /)],
    ['was written just now', true, 2999, undefined],
    ['was written some time ago', true, 3000, expect.stringMatching(/^429 /)],
  ])('and may be deleted holds up lists where it %s', async (_, isNew, passed, expected) => {
    const clock = new ManualClock()
    const before = await lockedStorage()
    if (!isNew) await reflector.fresh(1000)
    // What began before the write takes it for a new one.
    const since = isNew ? ({ revision: 1 } as const) : { revision: reflector.revision }
    const seen = new Proxy(reflector, {
      get(target, property) {
        if (property === 'revision') return since.revision
        const member: unknown = Reflect.get(target, property)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const storage = storageOf({ codec: before.codec, clock, unsafeDeletion: true, reflector: seen })
    await storage.cache()
    await clock.advance(passed)
    expect(await settledOutcomeOf(() => storage.requireReadable())).toEqual(expected)
  })
})

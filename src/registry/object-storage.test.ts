/** What stands between the cache and the store: keys, entries, previews, failures, and what cannot be read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { ApiError } from '../api/status-error.ts'
import { Reflector } from '../cache/reflector.ts'
import { systemClock } from '../lib/clock.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import { type Store, StoreError, type WriteOperation } from '../store/store.ts'
import { keyPartsOf, linksOf, withNamesOfKey } from './entry-facts.ts'
import { objectCodec, type ValueTransformer } from './object-codec.ts'
import { ObjectStorage } from './object-storage.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { StorageDependencies } from './storage-contract.ts'
import { isTooLarge, maxObjectBytes, mayBeApplied, translatingStoreErrors } from './store-failure.ts'
import { testDefinition } from './testing/test-registry.ts'
import { firstUnreadable, type UnreadableValue } from './unreadable.ts'

const definition = testDefinition(builtInDefinitions)
const keyPrefix = '/registry/configmaps/'

const configMap = (metadata: JsonObject = {}, data: JsonObject = {}): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name: 'a',
    namespace: 'ns',
    creationTimestamp: '2024-01-01T00:00:00Z',
    ...metadata,
  } as KubeObject['metadata'],
  data,
})

let store: Store
let written: WriteOperation[]
let reflector: Reflector
let unreadable: UnreadableValue[]

beforeEach(async () => {
  written = []
  unreadable = []
  const memory = openMemoryStore()
  store = new Proxy(memory, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property)
      if (property !== 'write') return typeof member === 'function' ? member.bind(target) : member
      return (operation: WriteOperation) => {
        written.push(operation)
        return target.write(operation)
      }
    },
  })
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
    onUnreadable: (value) => void unreadable.push(value),
    ...more,
  })
}

async function failureOf(run: () => unknown): Promise<ApiError> {
  try {
    await run()
  } catch (error) {
    return error as ApiError
  }
  throw new Error('nothing failed')
}

const put = (key: string, text: string) =>
  store.write({ type: 'create', key: keyPrefix + key, value: Buffer.from(text) })

describe('the key of an object', () => {
  it.each([
    ['ns/a', { key: 'ns/a', namespace: 'ns', name: 'a' }],
    ['a', { key: 'a', namespace: '', name: 'a' }],
    ['b/ns/a', { key: 'b/ns/a', namespace: 'b/ns', name: 'a' }],
  ])('%s', (key, parts) => {
    expect(keyPartsOf(key)).toEqual(parts)
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['both', { name: 'x', namespace: 'y' }, { name: 'x', namespace: 'y' }],
    ['no name', { namespace: 'y' }, { name: 'a', namespace: 'y' }],
    ['no namespace', { name: 'x' }, { name: 'x', namespace: 'ns' }],
    ['neither', {}, { name: 'a', namespace: 'ns' }],
    ['empty ones', { name: '', namespace: '' }, { name: 'a', namespace: 'ns' }],
  ])('gives what is missing to an object with %s', (_, metadata, expected) => {
    const object = { kind: 'X', apiVersion: 'v1', metadata } as KubeObject
    const result = withNamesOfKey(object, keyPartsOf('ns/a'))
    expect(result.metadata).toEqual(expected)
    expect(result === object).toBe(Object.keys(metadata).length === 2 && metadata['name'] !== '')
  })

  it('gives no namespace where there is none', () => {
    const object = { kind: 'X', apiVersion: 'v1', metadata: { name: 'x' } } as KubeObject
    expect(withNamesOfKey(object, keyPartsOf('a'))).toBe(object)
  })

  it.each([[{ name: 3 }], [{ namespace: {} }]])('cannot be held against %j', (metadata) => {
    const object = { kind: 'X', apiVersion: 'v1', metadata } as unknown as KubeObject
    expect(() => withNamesOfKey(object, keyPartsOf('ns/a'))).toThrow('the name of the stored object is not text')
  })
})

describe('the links of an object', () => {
  const owner = { apiVersion: 'v1', kind: 'X', name: 'o', uid: 'w' }
  it('are none without owners and deletion', () => {
    expect(linksOf({ uid: 'u', finalizers: ['x'] }, undefined)).toBeUndefined()
    expect(linksOf({ uid: 'u', ownerReferences: [] }, undefined)).toBeUndefined()
  })

  it('are shared by states that have the same', () => {
    const links = linksOf({ uid: 'u', ownerReferences: [owner] }, undefined)
    expect(links).toEqual({ uid: 'u', owners: [owner], isDeleted: false, finalizers: [] })
    expect(linksOf({ uid: 'u', ownerReferences: [{ ...owner }] }, links)).toBe(links)
    const deleted = linksOf({ uid: 'u', deletionTimestamp: 'x', finalizers: ['f'] }, links)
    expect(deleted).toEqual({ uid: 'u', owners: [], isDeleted: true, finalizers: ['f'] })
  })
})

describe('an object that is written', () => {
  it('is the same entry in the cache, and is not decoded again', async () => {
    const storage = storageOf()
    const cache = await storage.cache()
    const entry = await storage.create(configMap({}, { a: 'b' }))
    await storage.fresh(1000)
    expect(cache.get('ns/a')).toBe(entry)
    expect(entry?.object().metadata.resourceVersion).toBe(String(entry?.revision))
    expect(await storage.newest('ns/a')).toBe(entry)
  })

  it.each([
    ['that was encoded ahead is held in parsed form', true],
    ['otherwise is not', false],
  ])('%s', async (_, isAhead) => {
    const storage = storageOf()
    await storage.cache()
    const object = configMap({}, { a: 'b' })
    if (isAhead) await storage.encodeAhead(object)
    const entry = await storage.create(object)
    expect(entry?.parsed !== undefined).toBe(isAhead)
    if (entry?.parsed !== undefined) expect(entry.parsed).toEqual(entry.draft())
  })

  it('is under its name, or under the key that it is given', async () => {
    const storage = storageOf()
    await storage.create(configMap())
    await storage.create(configMap(), 'ns/other')
    expect(written.map(({ key }) => key)).toEqual([`${keyPrefix}ns/a`, `${keyPrefix}ns/other`])
    expect(await storage.create(configMap())).toBeUndefined()
  })

  it('lives as long as those of its kind do, from each write on', async () => {
    const writes = async (kind: Partial<ResourceDefinition>): Promise<unknown[]> => {
      written.length = 0
      const storage = storageOf({}, kind)
      const entry = await storage.create(configMap())
      if (entry === undefined) throw new Error('it was not created')
      const replaced = await storage.replace(entry, configMap({}, { a: 'b' }))
      if ('written' in replaced) await storage.remove(replaced.written)
      return written.map((operation) => [operation.type, (operation as { ttlSeconds?: number }).ttlSeconds])
    }
    const lasting = { storage: { ...definition.storage, ttlSeconds: 60 } }
    expect(await writes(lasting)).toEqual([
      ['create', 60],
      ['replace', 60],
      ['delete', undefined],
    ])
    expect((await writes({})).slice(0, 2)).toEqual([
      ['create', undefined],
      ['replace', undefined],
    ])
  })

  it('goes with a hint to a store that takes them, where its value is the text', async () => {
    const taking = new Proxy(store, {
      get: (target, property) => (property === 'takesHints' ? true : (Reflect.get(target, property) as unknown)),
    })
    const sealed: ValueTransformer = { seal: (value) => Buffer.from(value), open: (value) => ({ value, stale: false }) }
    await storageOf().create(configMap())
    await storageOf({ store: taking }).create(configMap({ name: 'b' }))
    const codec = objectCodec(definition, { layout: 'json', transformer: sealed })
    await storageOf({ store: taking, codec }).create(configMap({ name: 'c' }))
    const hints = written.map((operation) => typeof (operation as { hint?: string }).hint)
    expect(hints).toEqual(['undefined', 'string', 'undefined'])
  })

  it.each([
    ['as large as a store takes', 0, undefined],
    ['larger', 1, 'etcdserver: request is too large'],
  ])('may be %s', async (_, more, message) => {
    const bare = storageOf().preview(configMap({}, { a: '' })).size
    const object = configMap({}, { a: 'x'.repeat(maxObjectBytes - bare + more) })
    const result = await storageOf()
      .create(object)
      .catch((error: unknown) => error)
    expect(isTooLarge(result)).toBe(message !== undefined)
  })

  it.each(['now', 'later'] as const)('is an internal error where it cannot be sealed, as is found %s', async (when) => {
    const fail = (): never => {
      throw new Error('no key')
    }
    const seal = when === 'now' ? fail : () => Promise.reject(new Error('no key'))
    const codec = objectCodec(definition, { layout: 'json', transformer: { seal, open: fail } })
    const failure = await failureOf(() => storageOf({ codec }).create(configMap()))
    expect([failure.code, failure.message]).toEqual([500, 'Internal error occurred: no key'])
  })
})

describe('an object that is replaced', () => {
  it('is written if its text changes, and if it is stored in another form', async () => {
    const storage = storageOf()
    const entry = await storage.create(configMap({}, { a: 'b' }))
    if (entry === undefined) throw new Error('it was not created')
    expect(await storage.replace(entry, entry.object())).toEqual({ written: entry })
    expect(written).toHaveLength(1)
    const replaced = await storage.replace(entry, configMap({}, { a: 'c' }))
    expect(written).toHaveLength(2)
    expect('written' in replaced && replaced.written.object()['data']).toEqual({ a: 'c' })
    const lost = await storage.replace(entry, configMap({}, { a: 'd' }))
    expect('lostTo' in lost && lost.lostTo?.object()['data']).toEqual({ a: 'c' })
  })

  it('in another form is stale', async () => {
    const text = JSON.stringify(configMap({}, { a: 'b' }))
    await put('ns/a', text.replace('"kind"', ' "kind"'))
    const storage = storageOf()
    const entry = await storage.newest('ns/a')
    if (entry === undefined) throw new Error('there is none')
    expect(entry.isCurrent).toBe(false)
    expect(await storage.isStale(entry, entry.object())).toBe(true)
    const replaced = await storage.replace(entry, entry.object())
    expect(written).toHaveLength(2)
    if (!('written' in replaced)) throw new Error('it was lost')
    expect(await storage.isStale(replaced.written, replaced.written.object())).toBe(false)
    expect(await storage.isStale(entry, entry.object())).toBe(true)
  })

  it('is removed once', async () => {
    const storage = storageOf()
    const entry = await storage.create(configMap())
    if (entry === undefined) throw new Error('it was not created')
    expect(await storage.remove(entry)).toMatchObject({ revision: expect.any(Number) })
    expect(await storage.remove(entry)).toEqual({ lostTo: undefined })
  })
})

describe('a preview', () => {
  const line = (resourceVersion: string | undefined) => {
    const given = configMap(resourceVersion === undefined ? {} : { resourceVersion }, { a: 'b' })
    const preview = storageOf().preview(given)
    const { metadata, data } = preview.object()
    return { size: preview.size, text: preview.jsonLine().toString(), version: metadata.resourceVersion, data }
  }

  it.each<[string, string | undefined, string | undefined]>([
    ['none', undefined, undefined],
    ['that of the object', '7', '7'],
    ['what the client gave', 'x', 'x'],
    ['what looks like none', '07', '07'],
  ])('has %s for a version', (_, given, expected) => {
    const { text, version, data, size } = line(given)
    expect(version).toBe(expected)
    expect(data).toEqual({ a: 'b' })
    expect(text.endsWith('}\n')).toBe(true)
    expect((JSON.parse(text) as KubeObject).metadata.resourceVersion).toBe(expected)
    expect(size).toBe(line(undefined).text.length - 1)
  })

  it('takes what was encoded ahead', async () => {
    const storage = storageOf()
    const object = configMap({}, { a: 'b' })
    await storage.encodeAhead(object)
    expect(storage.preview(object).jsonLine().toString()).toBe(storageOf().preview(object).jsonLine().toString())
  })
})

describe('a store that fails', () => {
  it.each<[StoreError['code'], number, string]>([
    ['too-large', 500, 'etcdserver: request is too large'],
    ['timeout', 504, 'late'],
    ['unavailable', 503, 'late'],
    ['closed', 503, 'late'],
    ['corrupt' as StoreError['code'], 500, 'late'],
  ])('%s is a %i', async (code, status, message) => {
    const cause = new StoreError(code, 'late', { maybeApplied: code === 'timeout' })
    const failure = await failureOf(() => translatingStoreErrors(() => Promise.reject(cause)))
    expect(failure.code).toBe(status)
    expect(failure.message).toContain(message)
    expect(mayBeApplied(failure)).toBe(code === 'timeout')
    expect(isTooLarge(failure)).toBe(code === 'too-large')
  })

  it('in another way fails so', async () => {
    const fault = new TypeError('x')
    expect(await failureOf(() => translatingStoreErrors(() => Promise.reject(fault)))).toBe(fault)
    expect(mayBeApplied(fault)).toBe(false)
    expect(await translatingStoreErrors(() => Promise.resolve(1))).toBe(1)
  })

  it('has a place in its words, but for dry runs', () => {
    const storage = storageOf({ prefix: '/other' })
    const words = (prefix: string) =>
      `StorageError: invalid object, Code: 4, Key: ${prefix}/ns/a, ResourceVersion: 0, AdditionalErrorMsg: why`
    expect(storage.invalidObjectMessage('ns/a', 'why')).toBe(words('/other/configmaps'))
    expect(storage.invalidObjectMessage('ns/a', 'why', true)).toBe(words('/configmaps'))
  })
})

describe('a value that cannot be read', () => {
  const bad = '{"kind":"Secret","apiVersion":"v1"}'
  const why = 'no kind "Secret" is registered for version "v1" in scheme'

  it('has an entry, and is reported', async () => {
    await put('ns/a', bad)
    const storage = storageOf()
    const cache = await storage.cache()
    const entry = cache.get('ns/a')
    expect(entry).toMatchObject({ key: 'ns/a', namespace: 'ns', name: 'a' })
    expect(entry?.unreadable).toMatchObject({ reason: 'decode' })
    expect(entry?.unreadable?.error().message).toContain(why)
    expect(unreadable[0]).toMatchObject({ key: `${keyPrefix}ns/a`, reason: 'decode' })
  })

  it.each<[boolean, string, string]>([
    [false, why, why],
    [
      true,
      'StorageError: corrupt object, Code: 7, Key: /configmaps/ns/a, ResourceVersion: 0',
      `object not decodable revision=2: ${why}`,
    ],
  ])('is refused to gets and updates; deletable: %s', async (unsafeDeletion, onGet, onUpdate) => {
    await put('ns/a', bad)
    const storage = storageOf({ unsafeDeletion })
    const entry = (await storage.cache()).get('ns/a')
    if (entry === undefined) throw new Error('there is none')
    expect(entry.unreadable?.error().message).toContain(onGet)
    expect(storage.refusedUpdate(entry).message).toContain(onUpdate)
    expect(await storage.redecoded(entry)).toMatchObject({ unreadable: { reason: 'decode' } })
  })

  it('is refused to lists, as the first or as one of many causes', async () => {
    for (let i = 0; i < 102; i++) await put(`ns/${String(i).padStart(3, '0')}`, bad)
    const cache = await storageOf().cache()
    const entries = [...cache.unreadable.values()]
    expect(firstUnreadable(cache)?.name).toBe('000')
    expect(storageOf().refusedList(entries).message).toContain(why)
    const { message, status } = storageOf({ unsafeDeletion: true }).refusedList(entries)
    expect(message).toBe('failed to read one or more configmaps from the storage')
    const { causes = [], ...details } = status.details ?? {}
    expect(details).toEqual({ name: 'list', kind: 'configmaps' })
    expect(causes).toHaveLength(101)
    expect(causes[0]).toMatchObject({
      reason: 'UnexpectedServerResponse',
      field: `${keyPrefix}000`.replace('000', 'ns/000'),
    })
    expect(causes[100]?.message).toBe('too many errors, the list is truncated')
    expect(storageOf({ unsafeDeletion: true }).refusedList(entries.slice(0, 100)).status.details?.causes).toHaveLength(
      100,
    )
    expect(() => storageOf().refusedList([])).toThrow('there is nothing that cannot be read')
  })

  it('is refused to what the watch cache answers, until it can be read again', async () => {
    const transformer: ValueTransformer = {
      seal: (value) => value as Uint8Array,
      open: (value) => {
        if (!hasKey) throw new Error('no key')
        return { value, stale: false }
      },
    }
    let hasKey = false
    await put('ns/a', JSON.stringify(configMap()))
    const storage = storageOf({ codec: objectCodec(definition, { layout: 'json', transformer }) })
    await storage.requireReadable()
    await storage.cache()
    const failure = await failureOf(() => storage.requireReadable())
    expect(failure.code).toBe(429)
    expect(failure.message).toContain(
      `failed to list *core.ConfigMap: unable to transform key "${keyPrefix}ns/a": no key`,
    )
    expect(failure.status.details?.retryAfterSeconds).toBe(1)
    hasKey = true
    await storage.requireReadable()
    const entry = storage.loaded?.get('ns/a')
    expect(entry?.unreadable).toBeUndefined()
    if (entry !== undefined) expect(await storage.redecoded(entry)).toBe(entry)
  })

  it('and was written just now is let pass where it may be deleted', async () => {
    const lenient = storageOf({ unsafeDeletion: true })
    await put('ns/a', bad)
    await lenient.cache()
    await lenient.requireReadable()
    const strict = storageOf()
    const failure = await failureOf(() => strict.requireReadable())
    expect(failure.code).toBe(429)
  })
})

describe('a large value that others stored', () => {
  const data = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'x'.repeat(20)]))
  const object = configMap({ labels: { a: 'b' } }, data)

  it.each(['json', 'reference'] as const)('is read as it would be written: %s', async (layout) => {
    const codec = objectCodec(definition, { layout })
    const text = codec.encode(object)
    const storage = storageOf({ codec })
    const entry = await storage.read(`${keyPrefix}ns/a`, codec.toStored(object, text, ''), 7)
    expect(entry.bytes.equals(text.bytes)).toBe(true)
    expect([entry.name, entry.namespace, entry.labels, entry.unreadable]).toEqual(['a', 'ns', { a: 'b' }, undefined])
    expect(entry.object()).toEqual({ ...object, metadata: { ...object.metadata, resourceVersion: '7' } })
  })

  it('makes an entry that says so when it cannot be read', async () => {
    const value = Buffer.from(JSON.stringify(object)).subarray(0, -1)
    const entry = await storageOf().read(`${keyPrefix}ns/a`, value, 7)
    expect(entry.unreadable).toMatchObject({ reason: 'decode', value })
    expect(unreadable).toMatchObject([{ key: `${keyPrefix}ns/a`, revision: 7 }])
  })
})

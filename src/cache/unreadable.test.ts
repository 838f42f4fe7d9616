// Values that take time to read, and values that cannot be read at all.

import { expect, test } from 'vitest'
import type { Awaitable } from '../lib/awaitable.ts'
import { systemClock } from '../lib/clock.ts'
import { openMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { CacheEntry, type EntryShape } from './cache-entry.ts'
import { cacheSource } from './cache-source.ts'
import { RecentObjects } from './recent-objects.ts'
import { Reflector } from './reflector.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { ResourceReader } from './resource-reader.ts'
import { selectEverything } from './selection.ts'
import type { WatchSink } from './watcher.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}
const prefix = '/registry/things/'
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Values: `slow…` are read when the test says so, `bad…` cannot be read while the key is away. */
class TestReader implements ResourceReader {
  readonly prefix = prefix
  readonly options = {
    clock: systemClock,
    bounds: { maxEvents: 100, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
    snapshotMs: 1000,
    indexes: new Map(),
  }
  readonly waiting: (() => void)[] = []
  keyIsAway = true

  read(key: string, value: Uint8Array, revision: number): Awaitable<CacheEntry> {
    const text = Buffer.from(value).toString()
    const entry = this.#entry(key.slice(prefix.length), value, revision)
    if (!text.startsWith('slow')) return entry
    return new Promise((resolve) => this.waiting.push(() => resolve(entry)))
  }

  adopt(known: CacheEntry, revision: number): CacheEntry {
    return known.at(revision)
  }

  #entry(name: string, value: Uint8Array, revision: number): CacheEntry {
    const why = 'the key is away'
    const isBad = Buffer.from(value).toString().startsWith('bad') && this.keyIsAway
    const facts = { key: name, namespace: '', name, labels: undefined, fields: undefined }
    if (!isBad) {
      const head = `{"metadata":{"name":"${name}",`
      const bytes = Buffer.from(`${head}"creationTimestamp":null}}`)
      return new CacheEntry({ ...facts, bytes, splice: head.length }, revision, shape)
    }
    const unreadable = { value, reason: 'transform', why, error: () => new Error(why) } as const
    return new CacheEntry({ ...facts, bytes: Buffer.alloc(0), splice: 0, unreadable }, revision, shape)
  }
}

async function start(): Promise<{ store: Store; reflector: Reflector; reader: TestReader; cache: ResourceCache }> {
  const store = openMemoryStore({ clock: systemClock, historyMs: 60_000 })
  const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
  const reader = new TestReader()
  return { store, reflector, reader, cache: await reflector.load(reader) }
}

const create = (store: Store, name: string, text: string) =>
  store.write({ type: 'create', key: prefix + name, value: Buffer.from(text) })

function recorder(more: Partial<WatchSink> = {}): WatchSink & { readonly seen: string[] } {
  const seen: string[] = []
  return {
    seen,
    event(type, { key }) {
      seen.push(`${type} ${key}`)
      return true
    },
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
    ...more,
  }
}

test('what comes after a value that takes time waits behind it, and so does the revision', async () => {
  const { store, reflector, reader, cache } = await start()
  const sink = recorder()
  cache.watch({ type: 'state' }, selectEverything, sink)
  const before = reflector.revision
  await create(store, 'a', 'slow')
  await create(store, 'b', 'quick')
  await create(store, 'c', 'slow')
  await turn()
  expect([reflector.revision, cache.size]).toEqual([before, 0])
  expect(await reflector.waitFor(before + 2, 5)).toBe(false)
  reader.waiting.shift()?.()
  await turn()
  expect([reflector.revision, cache.size]).toEqual([before + 2, 2])
  reader.waiting.shift()?.()
  await turn()
  await turn()
  expect(reflector.revision).toBe(before + 3)
  expect(sink.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
  await create(store, 'd', 'quick')
  expect(cache.get('d')).toBeDefined()
  reflector.close()
})

test('a value that cannot be read stops nobody', async () => {
  const { store, reflector, cache } = await start()
  const ours = recorder()
  const reported: string[] = []
  const client = recorder({ unreadable: ({ key }) => reported.push(key) })
  const other = recorder({ unreadable: ({ key }) => reported.push(`other ${key}`) })
  cache.watch({ type: 'state' }, selectEverything, ours)
  cache.watch({ type: 'state' }, selectEverything, client)
  cache.watch({ type: 'state' }, { ...selectEverything, name: 'b' }, other)
  await create(store, 'a', 'bad')
  await create(store, 'b', 'good')
  await turn()
  expect(ours.seen).toEqual(['ADDED b'])
  expect(reported).toEqual(['a'])
  expect(() => cache.get('a')?.object()).toThrow('the key is away')
  const source = cacheSource(cache)
  expect([...source.list()].map(({ metadata }) => metadata.name)).toEqual(['b'])
  expect(source.get('', 'a')).toBeUndefined()
  reflector.close()
})

test('who was passed over hears of the end of an object as it was last read', async () => {
  const { store, reflector, cache } = await start()
  const sink = recorder()
  cache.watch({ type: 'state' }, selectEverything, sink)
  const made = await create(store, 'a', 'good')
  const key = `${prefix}a`
  const revision = made.ok ? made.revision : 0
  const spoilt = await store.write({ type: 'replace', key, value: Buffer.from('bad'), expectedRevision: revision })
  await store.write({ type: 'delete', key, expectedRevision: spoilt.ok ? spoilt.revision : 0 })
  await create(store, 'never', 'bad')
  await turn()
  expect(sink.seen).toEqual(['ADDED a', 'DELETED a'])
  expect([...cache.unreadable.keys()]).toEqual(['never'])
  reflector.close()
})

test('what can be read again comes back, and clients begin anew', async () => {
  const { store, reflector, reader, cache } = await start()
  await create(store, 'a', 'bad')
  await create(store, 'b', 'good')
  const ended: string[] = []
  const ours = recorder()
  cache.watch({ type: 'state' }, selectEverything, ours)
  const opened = cache.watch({ type: 'state' }, selectEverything, recorder({ lost: () => ended.push('client') }))
  if (opened.ok) opened.watcher.pump()
  expect(await reflector.redecode()).toBe(false)
  expect(ended).toEqual([])
  reader.keyIsAway = false
  expect(await reflector.redecode(prefix)).toBe(true)
  await turn()
  expect(ended).toEqual(['client'])
  expect(ours.seen).toEqual(['ADDED b', 'ADDED a'])
  expect(cache.get('a')?.object().metadata.name).toBe('a')
  expect(cache.unreadable.size).toBe(0)
  reflector.close()
})

test('loading reads what takes time, and what changes meanwhile is not missed', async () => {
  const store = openMemoryStore({ clock: systemClock, historyMs: 60_000 })
  await create(store, 'a', 'slow')
  const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
  const reader = new TestReader()
  const loading = reflector.load(reader)
  await turn()
  await create(store, 'b', 'quick')
  await create(store, 'c', 'slow')
  reader.waiting.shift()?.()
  await turn()
  reader.waiting.shift()?.()
  const cache = await loading
  expect([...cache.snapshot().entries(selectEverything)].map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  reflector.close()
})

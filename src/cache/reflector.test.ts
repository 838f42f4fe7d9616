import { describe, expect, test } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { RestorableStore } from '../store/restorable-store.ts'
import type { EventBatch, RangeResult, Store, StoreEvent, WatchOptions } from '../store/store.ts'
import { CacheEntry, type EntryShape } from './cache-entry.ts'
import { RecentObjects } from './recent-objects.ts'
import { Reflector } from './reflector.ts'
import type { ResourceCache } from './resource-cache.ts'
import { type RecallValue, type ResourceReader, recallFrom } from './resource-reader.ts'
import { selectEverything } from './selection.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}
const prefix = '/registry/things/'

const reader: ResourceReader = {
  prefix,
  options: {
    clock: systemClock,
    bounds: { maxEvents: 100, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
    snapshotMs: 1000,
    indexes: new Map(),
  },
  read(key, value, revision) {
    const name = key.slice(prefix.length)
    const facts = { key: name, namespace: '', name, labels: undefined, fields: undefined, splice: 1 }
    return new CacheEntry({ ...facts, bytes: Buffer.from(value) }, revision, shape)
  },
  adopt: (known, revision) => new CacheEntry(known, revision, shape),
}

const value = Buffer.from('{"a":1}')
const put = (name: string, revision: number): StoreEvent => {
  const key = prefix + name
  return { type: 'put', key, revision, previous: undefined, entry: { key, value, revision, createRevision: revision } }
}
const gone = (name: string, revision: number): StoreEvent => ({
  type: 'delete',
  key: prefix + name,
  revision,
  entry: undefined,
  previous: undefined,
})

/** A store of another machine whose stream is played by the test. */
class DistantStore {
  revision = 5
  items: { name: string; revision: number }[] = []
  readonly watches: WatchOptions[] = []
  questions = 0

  get store(): Store {
    const part: Partial<Store> = {
      name: 'etcd',
      readsOwnWrites: false,
      shared: true,
      currentRevision: async () => this.revision,
      range: async (): Promise<RangeResult> => ({
        status: 'ok',
        revision: this.revision,
        more: false,
        items: this.items.map(({ name, revision }) => ({
          key: prefix + name,
          value,
          revision,
          createRevision: revision,
        })),
      }),
      watch: (_, options) => {
        this.watches.push(options)
        return { requestProgress: () => this.questions++, close: () => {} }
      },
    }
    return part as Store
  }

  send(events: StoreEvent[]): void {
    const batch: EventBatch = { events, revision: events.at(-1)?.revision ?? 0 }
    this.watches.at(-1)?.onEvents(batch)
  }
}

async function start(distant: DistantStore, recall?: RecallValue) {
  const seen: string[] = []
  const reflector = new Reflector({
    store: distant.store,
    clock: systemClock,
    prefix: '/registry/',
    onLost: (why) => seen.push(why),
    onRecovered: () => seen.push('recovered'),
    recall,
  })
  await reflector.start()
  return { reflector, seen }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('recalling', () => {
  test('a value that was known is not read again, another one is', async () => {
    const distant = new DistantStore()
    let recall: RecallValue | undefined
    const { reflector } = await start(distant, (...given) => recall?.(...given))
    const read: number[] = []
    const cache = await reflector.load({
      ...reader,
      read(key, bytes, revision) {
        read.push(revision)
        const name = key.slice(prefix.length)
        const facts = { key: name, namespace: '', name, labels: undefined, fields: undefined, splice: 1 }
        return new CacheEntry({ ...facts, bytes: bytes as Buffer }, revision, shape)
      },
    })
    distant.send([put('a', 6), put('b', 7)])
    const known = reflector.snapshot()
    distant.send([gone('a', 8), gone('b', 9)])
    const other = put('b', 11)
    const changed = { ...other.entry, value: Buffer.from('{"b":2}') } as NonNullable<StoreEvent['entry']>
    recall = recallFrom(known, undefined)
    distant.send([put('a', 10), { ...other, entry: changed } as StoreEvent])
    recall = undefined
    expect(read).toEqual([6, 7, 11])
    expect(cache.get('a')).toMatchObject({ revision: 10, bytes: value })
    distant.send([put('c', 12)])
    expect(read).toEqual([6, 7, 11, 12])
    reflector.close()
  })
})

describe('a store that is put back as a whole', () => {
  test('takes its caches with it: from what was known, and from the store where nothing was', async () => {
    const store = new RestorableStore()
    const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
    await reflector.start()
    const read: string[] = []
    const readerOf = (resource: string): ResourceReader => ({
      ...reader,
      prefix: `/registry/${resource}/`,
      read(key, bytes, revision) {
        read.push(key)
        const name = key.slice(`/registry/${resource}/`.length)
        const facts = { key: name, namespace: '', name, labels: undefined, fields: undefined, splice: 1 }
        return new CacheEntry({ ...facts, bytes: Buffer.from(bytes) }, revision, shape)
      },
    })
    const write = (name: string): Promise<unknown> =>
      store.write({ type: 'create', key: `/registry/${name}`, value: Buffer.from('{}') })
    for (const name of ['known/a', 'late/a', 'late/d', 'gone/a']) await write(name)
    const retired = readerOf('gone')
    const caches = { known: await reflector.load(readerOf('known')), gone: await reflector.load(retired) }
    const then = { state: store.snapshot(), known: reflector.snapshot() }
    const late = await reflector.load(readerOf('late'))
    for (const name of ['known/b', 'late/b', 'gone/b']) await write(name)
    await store.write({ type: 'delete', key: '/registry/late/d', expectedRevision: 4 })
    reflector.unload(retired)
    read.length = 0
    const begun = reflector.load(readerOf('begun'))
    await reflector.restore(then.known, () => store.restore(then.state))
    expect((await begun).size).toBe(0)
    expect(read).toEqual(['/registry/late/d'])
    for (const [cache, size] of [
      [caches.known, 1],
      [late, 2],
    ] as const) {
      expect(cache.size).toBe(size)
      expect(cache.get('a')?.revision).toBeLessThan(6)
      expect(cache.revision).toBe(reflector.revision)
    }
    const again = await reflector.load(readerOf('gone'))
    expect([again.size, read.length]).toEqual([1, 1])
    await write('known/c')
    await write('gone/c')
    expect([caches.known.size, again.size, late.size]).toEqual([2, 2, 2])
    expect(reflector.revision).toBe(await store.currentRevision())
    reflector.close()
    await store.close()
  })
})

describe('loading', () => {
  test('what is known of a state is taken as it is, unless it was written to before', async () => {
    const first = new RestorableStore()
    for (const name of ['oneses/a', 'twoses/a']) {
      await first.write({ type: 'create', key: `/registry/${name}`, value: Buffer.from('{}') })
    }
    const origin = new Reflector({ store: first, clock: systemClock, prefix: '/registry/', onLost: () => {} })
    await origin.start()
    const readers = ['oneses', 'twoses'].map((resource) => ({ ...reader, prefix: `/registry/${resource}/` }))
    for (const each of readers) await origin.load(each)
    const store = new RestorableStore({}, first.snapshot())
    const known = origin.snapshot()
    const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {}, known })
    await reflector.start()
    await store.write({ type: 'create', key: '/registry/twoses/b', value: Buffer.from('{}') })
    const caches: ResourceCache[] = []
    for (const each of readers) caches.push(await reflector.load(each))
    const [one, two] = caches
    expect(one?.get('a')).toBe(known.get('/registry/oneses/')?.get('a'))
    expect([one?.size, two?.size]).toEqual([1, 2])
    await store.write({ type: 'create', key: '/registry/oneses/b', value: Buffer.from('{}') })
    expect([one?.size, origin.loaded({ ...reader, prefix: '/registry/oneses/' })?.size]).toEqual([2, 1])
    for (const each of [origin, reflector]) each.close()
    for (const each of [first, store]) await each.close()
  })

  test('what is read in another way is not got from a load of before, whenever that was begun', async () => {
    const store = new RestorableStore()
    await store.write({ type: 'create', key: `${prefix}a`, value })
    const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
    await reflector.start()
    const readers: ResourceReader[] = [{ ...reader }, { ...reader }, { ...reader }]
    const [first, second, third] = readers as [ResourceReader, ResourceReader, ResourceReader]
    const underway = reflector.load(first)
    reflector.unload(first)
    const present = await reflector.load(second)
    expect(await underway).not.toBe(present)
    expect([(await underway).size, present.size]).toEqual([1, 1])
    reflector.unload(second)
    const late = await reflector.load(second)
    const newest = await reflector.load(third)
    expect([late, reflector.loaded(second), reflector.loaded(third)]).toEqual([expect.anything(), undefined, newest])
    expect(newest).not.toBe(late)
    await store.write({ type: 'create', key: `${prefix}b`, value })
    await turn()
    expect([late.size, newest.size, reflector.load(third) === newest]).toEqual([1, 2, true])
    reflector.close()
    await store.close()
  })

  test('a large resource is listed in pages at one revision, and nothing written meanwhile is missed', async () => {
    const store = new RestorableStore()
    const name = (i: number): string => String(i).padStart(5, '0')
    await store.fill(Array.from({ length: 2_400 }, (_, i) => ({ key: prefix + name(i), value })))
    const pages: (number | undefined)[] = []
    const range: Store['range'] = async (...given) => {
      pages.push(given[1]?.revision)
      const found = await store.range(...given)
      await store.write({ type: 'create', key: `${prefix}0000${pages.length}-late`, value })
      return found
    }
    const paging = new Proxy(store, {
      get: (target, key) =>
        key === 'range' ? range : (Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)),
    })
    const reflector = new Reflector({ store: paging, clock: systemClock, prefix: '/registry/', onLost: () => {} })
    await reflector.start()
    const { revision } = reflector
    const cache = await reflector.load(reader)
    expect(pages).toEqual([undefined, revision, revision])
    expect(cache.size).toBe(2_403)
    expect(cache.get('00003-late')).toBeDefined()
    reflector.close()
    await store.close()
  })

  test('what the read has seen already does not come again, however late the stream is', async () => {
    const distant = new DistantStore()
    const { reflector } = await start(distant)
    distant.revision = 8
    distant.items = [{ name: 'a', revision: 8 }]
    const loading = reflector.load(reader)
    await turn()
    distant.send([put('a', 6), put('a', 7)])
    distant.send([put('a', 8)])
    const cache = await loading
    expect(cache.get('a')?.revision).toBe(8)
    expect(cache.historyStart).toBe(8)
    distant.send([put('a', 9)])
    expect(cache.get('a')?.revision).toBe(9)
    reflector.close()
  })

  test('a resource without changes since the start can be watched from there', async () => {
    const distant = new DistantStore()
    distant.items = [{ name: 'a', revision: 3 }]
    const { reflector } = await start(distant)
    const cache = await reflector.load(reader)
    expect(cache.historyStart).toBe(5)
    reflector.close()
  })
})

test('readers wait for what the store has, and ask', async () => {
  const distant = new DistantStore()
  const { reflector } = await start(distant)
  distant.revision = 6
  const fresh = reflector.fresh(60_000)
  await turn()
  expect(distant.questions).toBeGreaterThan(0)
  distant.watches[0]?.onProgress?.(6)
  expect(await fresh).toBe(true)
  expect(await reflector.waitFor(100, 1)).toBe(false)
  reflector.close()
})

test('when the stream is lost everything is read anew, and what follows is not missed', async () => {
  const distant = new DistantStore()
  distant.items = [
    { name: 'a', revision: 3 },
    { name: 'b', revision: 4 },
  ]
  const { reflector, seen: states } = await start(distant)
  const cache = await reflector.load(reader)
  const seen: string[] = []
  const ended: string[] = []
  const sink = (lost: (() => void) | undefined) => ({
    event: (type: string, entry: CacheEntry) => {
      seen.push(`${type} ${entry.key}@${entry.revision}`)
      return true
    },
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
    ...(lost === undefined ? {} : { lost }),
  })
  const start5 = { type: 'after', revision: 5 } as const
  cache.watch(start5, selectEverything, sink(undefined))
  cache.watch(
    start5,
    selectEverything,
    sink(() => ended.push('client')),
  )
  distant.revision = 9
  distant.items = [
    { name: 'b', revision: 7 },
    { name: 'c', revision: 9 },
  ]
  distant.watches[0]?.onEnd({ reason: 'compacted' })
  await turn()
  await turn()
  await turn()
  distant.send([put('c', 9), gone('b', 10)])
  await turn()
  expect(states).toEqual(['compacted', 'recovered'])
  expect(ended).toEqual(['client'])
  expect([...cache.snapshot().entries(selectEverything)].map((entry) => `${entry.key}@${entry.revision}`)).toEqual([
    'c@9',
  ])
  expect(new Set(seen)).toEqual(new Set(['MODIFIED b@7', 'ADDED c@9', 'DELETED a@9', 'DELETED b@10']))
  expect(cache.watch({ type: 'after', revision: 6 }, selectEverything, sink(undefined))).toEqual({
    ok: false,
    oldest: 9,
  })
  expect(reflector.revision).toBe(10)
  reflector.close()
})

test('changes that share a revision all reach a watcher', async () => {
  const distant = new DistantStore()
  const { reflector } = await start(distant)
  const cache = await reflector.load(reader)
  const seen: string[] = []
  cache.watch({ type: 'after', revision: 5 }, selectEverything, {
    event: (type, entry) => {
      seen.push(`${type} ${entry.key}`)
      return true
    },
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
  })
  distant.send([put('a', 6), put('b', 6)])
  distant.send([gone('a', 7), gone('b', 7)])
  await turn()
  expect(seen).toEqual(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b'])
  reflector.close()
})

// What reaches which cache, and what happens around it: resources that come to life, losses, history from before a cache was loaded.
import { describe, expect, test } from 'vitest'
import type { Awaitable } from '../lib/awaitable.ts'
import { openMemoryStore } from '../store/memory.ts'
import { type EventBatch, type Store, StoreError, type StoreEvent, type WatchOptions } from '../store/store.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import type { CacheEntry } from './cache-entry.ts'
import { Reflector } from './reflector.ts'
import type { ReflectorOptions } from './reflector-options.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { ResourceReader } from './resource-reader.ts'
import { selectEverything } from './selection.ts'
import { testEntry, unreadableEntry } from './testing/test-entry.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const value = Buffer.from('{}')

/** Reads values at once, unless they are held back. */
class Reader implements ResourceReader {
  readonly prefix: string
  readonly options
  held: (() => void)[] | undefined
  constructor(resource: string, clock: ManualClock) {
    this.prefix = `/registry/${resource}/`
    this.options = {
      clock,
      bounds: { maxEvents: 100, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
      snapshotMs: 1000,
      indexes: new Map(),
    }
  }
  read(key: string, _: Uint8Array, revision: number): Awaitable<CacheEntry> {
    const entry = testEntry(key.slice(this.prefix.length), revision)
    if (this.held === undefined) return entry
    return new Promise((resolve) => this.held?.push(() => resolve(entry)))
  }
  adopt(): CacheEntry {
    throw new Error('nothing is known')
  }
}

/** A store of another machine: its stream is the test's, its state is that of the store in memory behind it. */
class DistantStore {
  readonly state = openMemoryStore()
  questions = 0
  readonly watches: (WatchOptions & { closed?: boolean })[] = []
  failures = 0

  get store(): Store {
    const { state } = this
    const part: Partial<Store> = {
      name: 'etcd',
      readsOwnWrites: false,
      shared: true,
      currentRevision: async () => {
        if (this.failures-- > 0) throw new StoreError('unavailable', 'no leader')
        return state.currentRevision()
      },
      range: (...given) => state.range(...given),
      watch: (_, options) => {
        const watch: WatchOptions & { closed?: boolean } = { ...options }
        this.watches.push(watch)
        const close = (): void => {
          watch.closed = true
        }
        return { requestProgress: () => this.questions++, close }
      },
    }
    return part as Store
  }
  async create(...names: string[]): Promise<void> {
    for (const name of names) await this.state.write({ type: 'create', key: `/registry/${name}`, value })
  }
  send(events: StoreEvent[], revision = events.at(-1)?.revision ?? 0): void {
    const batch: EventBatch = { events, revision }
    this.watches.at(-1)?.onEvents(batch)
  }
}

const put = (name: string, revision: number): StoreEvent => {
  const key = `/registry/${name}`
  return { type: 'put', key, revision, previous: undefined, entry: { key, value, revision, createRevision: revision } }
}

async function start(changed: Partial<ReflectorOptions> = {}, prepare?: (distant: DistantStore) => Promise<void>) {
  const clock = new ManualClock()
  const distant = new DistantStore()
  await prepare?.(distant)
  const said: string[] = []
  const reflector = new Reflector({
    store: distant.store,
    clock,
    prefix: '/registry/',
    onLost: (why) => said.push(why),
    onRecovered: () => said.push('recovered'),
    ...changed,
  })
  await reflector.start()
  return { clock, distant, reflector, said, reader: (resource: string) => new Reader(resource, clock) }
}

/** A watch of all that follows, and what it sees. */
function follow(cache: ResourceCache): string[] {
  const seen: string[] = []
  const opening = cache.watch({ type: 'after', revision: cache.revision }, selectEverything, {
    event: (type, { key, revision }) => seen.push(`${type} ${key}@${revision}`) > 0,
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => void seen.push('expired'),
  })
  if (opening.ok) opening.watcher.pump()
  return seen
}

const states = (cache: ResourceCache | undefined): string[] =>
  Array.from(cache?.snapshot().entries(selectEverything) ?? [], ({ key, revision }) => `${key}@${revision}`)

describe('an event', () => {
  test('reaches the cache of its resource, whose name is one segment or two', async () => {
    const { distant, reflector, reader } = await start()
    const pods = await reflector.load(reader('pods'))
    const things = await reflector.load(reader('example.com/things'))
    distant.send([
      put('pods/a/x', 2),
      put('example.com/things/a/y', 3),
      put('example.com/others/a/y', 4),
      put('pods/a/z', 5),
      put('pods/a/x', 6),
    ])
    expect([states(pods), states(things)]).toEqual([['a/x@6', 'a/z@5'], ['a/y@3']])
    expect(reflector.revision).toBe(6)
    reflector.close()
  })

  test('of before a cache was listed is not taken again', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x', 'pods/y'))
    const pods = await reflector.load(reader('pods'))
    const generation = pods.generation
    distant.send([put('pods/x', 2), put('pods/y', 3)])
    expect(pods.generation).toBe(generation)
    distant.send([put('pods/x', 3), put('pods/x', 4)])
    expect([states(pods), pods.generation]).toEqual([['x@4', 'y@3'], generation + 1])
    reflector.close()
  })

  test('of a resource that is not loaded tells who listens that it comes to life', async () => {
    const { distant, reflector, reader } = await start()
    const heard: string[] = []
    const end = reflector.onActivity((key) => heard.push(key))
    distant.send([put('pods/a/x', 2), put('pods/a/y', 3), put('nodes/n', 4)])
    expect(heard).toEqual(['/registry/pods/a/y', '/registry/nodes/n'])
    await distant.create('a', 'b', 'c')
    await reflector.load(reader('pods'))
    expect(heard.at(-1)).toBe('/registry/pods/')
    distant.send([put('pods/a/z', 5)])
    expect(heard).toHaveLength(3)
    end()
    distant.send([put('nodes/m', 6)])
    expect(heard).toHaveLength(3)
    reflector.close()
  })

  test('that takes time to decode holds back what follows it in its batch', async () => {
    const { distant, reflector, reader } = await start()
    const slow = reader('slow')
    const quick = reader('quick')
    const caches = [await reflector.load(slow), await reflector.load(quick)]
    slow.held = []
    distant.send([put('quick/a', 2), put('slow/a', 3), put('quick/b', 4)])
    distant.watches[0]?.onProgress?.(5)
    expect([caches.map(states), reflector.revision, reflector.isQuiet]).toEqual([[[], ['a@2']], 1, false])
    expect(reflector.mayLag).toBe(true)
    for (const end of slow.held) end()
    await turn()
    expect([caches.map(states), reflector.revision]).toEqual([[['a@3'], ['a@2', 'b@4']], 5])
    await turn()
    expect(reflector.isQuiet).toBe(true)
    reflector.close()
  })
})

describe('what a reflector tells of itself', () => {
  test('it dispatches at the end of the turn, and is quiet after that', async () => {
    const { distant, reflector, reader } = await start()
    const loading = reflector.load(reader('pods'))
    expect(reflector.isQuiet).toBe(false)
    await loading
    expect([reflector.isQuiet, reflector.isDispatching]).toEqual([true, false])
    distant.send([put('pods/x', 2)])
    expect([reflector.isQuiet, reflector.isDispatching]).toEqual([false, true])
    await turn()
    expect([reflector.isQuiet, reflector.isDispatching]).toEqual([true, false])
    reflector.close()
  })

  test.each<[string, Partial<Store>, boolean]>([
    ['the embedded store of one process', { shared: false, readsOwnWrites: true }, false],
    ['a store that others write to', { shared: true, readsOwnWrites: true }, true],
    ['a store whose writes come back later', { shared: false, readsOwnWrites: false }, true],
  ])('whether it may lag behind %s', async (_, changed, mayLag) => {
    const store = { ...new DistantStore().store, ...changed } as Store
    const { reflector } = await start({ store })
    expect([reflector.mayLag, reflector.alwaysNewest]).toEqual([mayLag, false])
    expect((await start({ alwaysNewest: true })).reflector.alwaysNewest).toBe(true)
    reflector.close()
  })

  test('which caches are loaded', async () => {
    const { reflector, reader } = await start()
    const pods = reader('pods')
    expect(reflector.loaded(pods)).toBeUndefined()
    const loading = reflector.load(pods)
    expect(reflector.load(pods)).toBe(loading)
    const cache = await loading
    expect([reflector.loaded(pods), reflector.load(pods)]).toEqual([cache, cache])
    expect([...reflector.snapshot().keys()]).toEqual(['/registry/pods/'])
    reflector.unload(pods)
    expect([reflector.loaded(pods), reflector.snapshot().size]).toEqual([undefined, 0])
    reflector.close()
  })
})

describe('a load', () => {
  test('that fails can be tried again', async () => {
    const { reflector, reader, distant } = await start({}, (made) => made.create('pods/x'))
    const pods = reader('pods')
    const { read } = pods
    pods.read = () => {
      throw new Error('broken')
    }
    await expect(reflector.load(pods)).rejects.toThrow('broken')
    expect([reflector.isQuiet, reflector.loaded(pods)]).toEqual([true, undefined])
    pods.read = read
    expect(states(await reflector.load(pods))).toEqual(['x@2'])
    distant.send([put('pods/x', 3)])
    expect(states(reflector.loaded(pods))).toEqual(['x@3'])
    reflector.close()
  })

  test('waits for the stream only for so long', async () => {
    const { clock, reflector, reader, distant } = await start()
    await distant.create('pods/x')
    const loading = Promise.resolve(reflector.load(reader('pods')))
    await turn()
    await clock.advance(4999)
    expect(reflector.isQuiet).toBe(false)
    await clock.advance(1)
    const cache = await loading
    expect([states(cache), cache.historyStart]).toEqual([['x@2'], 2])
    reflector.close()
  })

  test('of a resource that has changed since the start begins its history with what was read', async () => {
    const { reflector, reader, distant } = await start({}, (made) => made.create('pods/x', 'nodes/n'))
    await distant.create('pods/y', 'nodes/m')
    distant.send([put('pods/y', 4), put('nodes/m', 5)])
    const [pods, others] = [await reflector.load(reader('pods')), await reflector.load(reader('others'))]
    expect([pods.historyStart, others.historyStart]).toEqual([5, 3])
    reflector.close()
  })
})

describe('a stream that is lost', () => {
  test.each<[string, Parameters<WatchOptions['onEnd']>[0], string[]]>([
    ['by compaction', { reason: 'compacted' }, ['compacted', 'recovered']],
    ['by an error', { reason: 'error', error: new StoreError('unavailable', 'gone away') }, ['gone away', 'recovered']],
    ['because it was closed', { reason: 'closed' }, []],
  ])('%s', async (_, end, expected) => {
    const { distant, reflector, said, reader } = await start()
    const pods = await reflector.load(reader('pods'))
    await distant.create('pods/x')
    distant.watches[0]?.onEnd(end)
    for (let i = 0; i < 5; i++) await turn()
    const isRead = expected.length > 0
    expect([said, states(pods), reflector.revision]).toEqual([expected, isRead ? ['x@2'] : [], isRead ? 2 : 1])
    expect(distant.watches).toHaveLength(isRead ? 2 : 1)
    reflector.close()
  })

  test('is opened again after a while when that fails', async () => {
    const { clock, distant, reflector, said } = await start()
    distant.failures = 2
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    await turn()
    expect([said, distant.watches[0]?.closed]).toEqual([['compacted'], true])
    await clock.advance(499)
    expect(distant.failures).toBe(1)
    await clock.advance(1)
    expect(distant.failures).toBe(0)
    await clock.advance(500)
    await turn()
    expect([said, distant.watches.length]).toEqual([['compacted', 'recovered'], 2])
    reflector.close()
  })

  test('is not opened again after the end', async () => {
    const { clock, distant, reflector, said } = await start()
    distant.failures = 1
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    await turn()
    reflector.close()
    await clock.advance(1000)
    await turn()
    expect([said, distant.watches.length, distant.failures]).toEqual([['compacted'], 1, 0])
  })

  test('gives its events to a cache once that is read anew, and the revision waits', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x'))
    const pods = reader('pods')
    const cache = await reflector.load(pods)
    pods.held = []
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    await turn()
    distant.send([put('pods/y', 3)])
    expect([reflector.mayLag, reflector.isQuiet, reflector.revision, states(cache)]).toEqual([true, false, 2, ['x@2']])
    const { held } = pods
    pods.held = undefined
    for (const end of held) end()
    await turn()
    expect([states(cache), reflector.revision]).toEqual([['x@2', 'y@3'], 3])
    await turn()
    expect(reflector.isQuiet).toBe(true)
    reflector.close()
  })

  test('is given up when values of it take too long to read', async () => {
    const { distant, reflector, reader, said } = await start()
    const slow = reader('slow')
    await reflector.load(slow)
    slow.held = []
    for (let i = 0; i <= 10_001; i++) distant.send([put('slow/x', i + 2)])
    expect([said, distant.watches[0]?.closed]).toEqual([['values of the store take too long to read'], true])
    await turn()
    expect(distant.watches).toHaveLength(2)
    reflector.close()
  })
})

describe('history from before a cache was loaded', () => {
  const filled = async () => {
    const clock = new ManualClock()
    const store = openMemoryStore()
    const write = async (name: string): Promise<void> =>
      void (await store.write({ type: 'create', key: `/registry/${name}`, value }))
    for (const name of ['pods/a', 'nodes/n', 'pods/b', 'pods/c']) await write(name)
    const reflector = new Reflector({ store, clock, prefix: '/registry/', onLost: () => {} })
    await reflector.start()
    const cache = await reflector.load(new Reader('pods', clock))
    return { clock, store, write, reflector, cache }
  }
  const watched = (cache: ResourceCache, revision: number): string[] | undefined => {
    const seen: string[] = []
    const opening = cache.watch({ type: 'after', revision }, selectEverything, {
      event: (type, { key }) => seen.push(`${type} ${key}`) > 0,
      initialEventsEnd: () => true,
      flush: () => true,
      expired: () => {},
    })
    if (!opening.ok) return undefined
    opening.watcher.pump()
    return seen
  }

  test('is read from the store, so that a watch may begin there', async () => {
    const { store, reflector, cache } = await filled()
    expect([cache.historyStart, watched(cache, 2)]).toEqual([5, undefined])
    await reflector.backfill('/registry/pods/', 2)
    expect([cache.historyStart, watched(cache, 2), watched(cache, 4)]).toEqual([2, ['ADDED b', 'ADDED c'], ['ADDED c']])
    reflector.close()
    await store.close()
  })

  test('is read once for all who ask meanwhile', async () => {
    const { store, reflector, cache } = await filled()
    await Promise.all([3, 2, 4].map((revision) => reflector.backfill('/registry/pods/', revision)))
    expect([cache.historyStart, watched(cache, 2)]).toEqual([2, ['ADDED b', 'ADDED c']])
    reflector.close()
    await store.close()
  })

  test.each<[string, string, number]>([
    ['of a resource that is not loaded', '/registry/nodes/', 2],
    ['that the cache has', '/registry/pods/', 5],
  ])('%s is not read', async (_, prefix, revision) => {
    const { store, reflector, cache } = await filled()
    const { watch } = store
    let watches = 0
    store.watch = (...given) => {
      watches++
      return watch.apply(store, given)
    }
    await reflector.backfill(prefix, revision)
    expect([cache.historyStart, watches]).toEqual([5, 0])
    reflector.close()
    await store.close()
  })

  test('is not had from before a loss', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/a', 'pods/b'))
    const cache = await reflector.load(reader('pods'))
    await distant.create('pods/c')
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    for (let i = 0; i < 5; i++) await turn()
    await reflector.backfill('/registry/pods/', 2)
    expect([cache.historyStart, distant.watches.length]).toEqual([4, 2])
    reflector.close()
  })
})

describe('after a loss', () => {
  test('watchers hear of the difference, and of values that took time to read', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x'))
    const pods = reader('pods')
    const seen = follow(await reflector.load(pods))
    await distant.create('pods/y')
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    for (let i = 0; i < 6; i++) await turn()
    expect(seen).toEqual(['ADDED y@3'])
    pods.held = []
    distant.send([put('pods/z', 4)])
    await turn()
    expect(seen).toHaveLength(1)
    for (const end of pods.held.splice(0)) end()
    await turn()
    await turn()
    expect(seen).toEqual(['ADDED y@3', 'ADDED z@4'])
    reflector.close()
  })

  test('values that were being read before are stale', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x'))
    const pods = reader('pods')
    const cache = await reflector.load(pods)
    pods.held = []
    const { held } = pods
    distant.send([put('pods/x', 3)])
    await distant.create('a', 'pods/w')
    pods.held = undefined
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    for (let i = 0; i < 6; i++) await turn()
    const { generation } = cache
    for (const end of held) end()
    for (let i = 0; i < 3; i++) await turn()
    expect([states(cache), cache.generation]).toEqual([['w@4', 'x@2'], generation])
    expect([reflector.revision, reflector.isQuiet]).toEqual([4, true])
    reflector.close()
  })

  test('what was not loaded counts as changed up to then, and not after it', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x'))
    distant.send([put('pods/x', 3)])
    await distant.create('a', 'b')
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    for (let i = 0; i < 6; i++) await turn()
    await distant.create('c')
    distant.send([put('c', 5)])
    const cache = await reflector.load(reader('pods'))
    expect([cache.historyStart, cache.revision]).toEqual([4, 5])
    reflector.close()
  })

  test('nothing is opened when the end comes meanwhile', async () => {
    const { distant, reflector, said } = await start()
    distant.watches[0]?.onEnd({ reason: 'compacted' })
    reflector.close()
    for (let i = 0; i < 5; i++) await turn()
    expect([distant.watches.length, distant.watches[0]?.closed, said]).toEqual([1, true, ['compacted']])
  })
})

test('nothing is asked after the end, and the watch is closed', async () => {
  const { clock, distant, reflector } = await start()
  void reflector.waitFor(9, 60_000)
  expect(distant.questions).toBe(1)
  reflector.close()
  await clock.advance(10_000)
  expect([distant.questions, distant.watches[0]?.closed]).toEqual([1, true])
})

test('the cache of a resource is as new as the stream, though nothing of it has changed', async () => {
  const { distant, reflector, reader } = await start()
  const cache = await reflector.load(reader('pods'))
  distant.watches[0]?.onProgress?.(7)
  expect(cache.revision).toBe(7)
  reflector.close()
})

test('a reflector is not quiet while many watchers are served', async () => {
  const { distant, reflector, reader } = await start()
  const cache = await reflector.load(reader('pods'))
  const seen = Array.from({ length: 120 }, () => follow(cache))
  distant.send([put('pods/x', 2)])
  await turn()
  expect([reflector.isDispatching, cache.isDispatching, reflector.isQuiet]).toEqual([false, true, false])
  while (cache.isDispatching) await turn()
  expect([reflector.isQuiet, seen.every((own) => own.length === 1)]).toEqual([true, true])
  reflector.close()
})

describe('a resource that is read in another way', () => {
  test('is not got from a load of the old way that is under way, nor the other way round', async () => {
    const { reflector, reader } = await start({}, (made) => made.create('pods/x'))
    const [old, next] = [reader('pods'), reader('pods')]
    await reflector.load(old)
    reflector.unload(old)
    const late = reflector.load(old)
    const present = reflector.load(next)
    expect(reflector.load(next)).toBe(present)
    expect(await late).not.toBe(await present)
    expect([reflector.loaded(old), reflector.loaded(next)]).toEqual([undefined, await present])
    reflector.unload(old)
    expect(reflector.loaded(next)).toBe(await present)
    reflector.close()
  })

  test('has a history that begins anew', async () => {
    const { distant, reflector, reader } = await start({}, (made) => made.create('pods/x', 'a', 'b'))
    const [old, next] = [reader('pods'), reader('pods')]
    expect((await reflector.load(old)).historyStart).toBe(4)
    await distant.create('c')
    distant.send([put('c', 5)])
    reflector.unload(old)
    expect((await reflector.load(next)).historyStart).toBe(5)
    reflector.close()
  })
})

test('what could not be decoded is tried again of one resource, or of all', async () => {
  const { reflector, reader, distant } = await start({}, (made) => made.create('ones/x', 'twos/x'))
  const readers = ['ones', 'twos'].map((resource) => {
    const made = reader(resource)
    const { read } = made
    const bad = { is: true }
    made.read = (key, value, revision) =>
      bad.is ? unreadableEntry(key.slice(made.prefix.length), revision, value) : read.call(made, key, value, revision)
    return { made, bad }
  })
  const caches: ResourceCache[] = []
  for (const { made } of readers) caches.push(await reflector.load(made))
  const seen = caches.map(follow)
  const unreadable = (): number[] => caches.map((cache) => cache.unreadable.size)
  expect([await reflector.redecode(), unreadable()]).toEqual([false, [1, 1]])
  for (const { bad } of readers) bad.is = false
  expect([await reflector.redecode('/registry/none/'), unreadable()]).toEqual([false, [1, 1]])
  expect([await reflector.redecode('/registry/twos/'), unreadable()]).toEqual([true, [1, 0]])
  await turn()
  expect(seen).toEqual([[], ['ADDED x@3']])
  expect([await reflector.redecode(), unreadable()]).toEqual([true, [0, 0]])
  await turn()
  expect([seen[0], distant.watches.length]).toEqual([['ADDED x@2'], 1])
  reflector.close()
})

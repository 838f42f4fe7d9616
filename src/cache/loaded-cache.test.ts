import { describe, expect, test } from 'vitest'
import type { Awaitable } from '../lib/awaitable.ts'
import { openMemoryStore } from '../store/memory.ts'
import type { Store, StoreEvent } from '../store/store.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import type { CacheEntry } from './cache-entry.ts'
import { type LoadedCache, readChanges, readEarlierEvents, readState, redecodeEntries, relist } from './loaded-cache.ts'
import type { ResourceReader } from './resource-reader.ts'
import { selectEverything } from './selection.ts'
import { testCache, testEntry, unreadableEntry } from './testing/test-entry.ts'

const prefix = '/registry/things/'
const value = (text: string): Buffer => Buffer.from(text)
const put = (name: string, revision: number, text: string): StoreEvent => {
  const key = prefix + name
  const entry = { key, value: value(text), revision, createRevision: revision, hint: `hint of ${name}` }
  return { type: 'put', key, revision, previous: undefined, entry }
}
const gone = (name: string, revision: number): StoreEvent => ({
  type: 'delete',
  key: prefix + name,
  revision,
  entry: undefined,
  previous: undefined,
})

/** Values: `slow` takes time, `bad` cannot be read while the key is away. */
class Reader implements ResourceReader {
  readonly prefix = prefix
  readonly options
  readonly reads: string[] = []
  keyIsAway = true
  constructor(clock: ManualClock) {
    this.options = {
      clock,
      bounds: { maxEvents: 10, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
      snapshotMs: 1000,
      indexes: new Map(),
    }
  }
  read(key: string, bytes: Uint8Array, revision: number, hint?: string): Awaitable<CacheEntry> {
    const name = key.slice(prefix.length)
    this.reads.push(`${name}@${revision}${hint === undefined ? '' : ` ${hint}`}`)
    const text = Buffer.from(bytes).toString()
    const entry = text === 'bad' && this.keyIsAway ? unreadableEntry(name, revision, bytes) : testEntry(name, revision)
    return text === 'slow' ? Promise.resolve(entry) : entry
  }
  adopt(): CacheEntry {
    throw new Error('nothing is known')
  }
}

function setUp(entries: readonly CacheEntry[] = [], revision = 1) {
  const clock = new ManualClock()
  const reader = new Reader(clock)
  const cache = testCache({ clock, entries, revision, maxEvents: 10 })
  const loaded: LoadedCache = { reader, cache, floor: revision }
  return { clock, reader, cache, loaded }
}

const states = (entries: Iterable<CacheEntry>): string[] =>
  Array.from(entries, ({ key, revision }) => `${key}@${revision}`)

async function written(...steps: [name: string, text: string | undefined][]): Promise<Store> {
  const store = openMemoryStore()
  for (const [name, text] of steps) {
    const key = prefix + name
    const found = await store.get(key)
    const expectedRevision = found.status === 'ok' ? (found.entry?.revision ?? 0) : 0
    if (text === undefined) await store.write({ type: 'delete', key, expectedRevision })
    else if (expectedRevision > 0) await store.write({ type: 'replace', key, value: value(text), expectedRevision })
    else await store.write({ type: 'create', key, value: value(text) })
  }
  return store
}

describe('events as changes', () => {
  test('are made at once where no value takes time', () => {
    const { reader } = setUp()
    const changes = readChanges(reader, [put('a', 2, ''), gone('b', 3)], prefix.length)
    expect(changes).toMatchObject([
      { key: 'a', revision: 2, entry: { key: 'a', revision: 2 } },
      { key: 'b', revision: 3, entry: undefined },
    ])
    expect(reader.reads).toEqual(['a@2 hint of a'])
  })

  test('wait for a value that takes time, and stay in order', async () => {
    const { reader } = setUp()
    const changes = readChanges(reader, [put('a', 2, 'slow'), put('b', 3, ''), gone('c', 4)], prefix.length)
    expect(changes).toBeInstanceOf(Promise)
    expect((await changes).map(({ key, entry }) => [key, entry?.revision])).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', undefined],
    ])
  })
})

test('a state is read from the store, of which only what the cache does not hold is decoded', async () => {
  const store = await written(['a', ''], ['b', ''], ['c', ''], ['b', ''])
  const held = testEntry('a', 2)
  const { reader, loaded } = setUp([held, testEntry('b', 3)], 4)
  const snapshot = await readState(store, loaded)
  expect([states(snapshot.entries(selectEverything)), snapshot.revision]).toEqual([['a@2', 'b@5', 'c@4'], 5])
  expect(snapshot.get('a')).toBe(held)
  expect(reader.reads).toEqual(['b@5', 'c@4'])
  await store.close()
})

test('a relist takes the state of the store and tells watchers that changes were lost', async () => {
  const store = await written(['a', ''], ['b', ''])
  const { cache, loaded } = setUp([testEntry('x', 1)])
  const seen: string[] = []
  cache.watch({ type: 'after', revision: 1 }, selectEverything, {
    event: (type, { key }) => seen.push(`${type} ${key}`) > 0,
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
    lost: () => void seen.push('lost'),
  })
  await relist(store, loaded)
  cache.notify()
  expect(seen).toEqual(['lost', 'ADDED a', 'ADDED b', 'DELETED x'])
  expect([loaded.floor, cache.revision, cache.historyStart, cache.initializations]).toEqual([3, 3, 3, 2])
  await store.close()
})

describe('what could not be decoded', () => {
  test('is decoded again, and shown when that succeeds', async () => {
    const { reader, cache, loaded } = setUp([unreadableEntry('a', 2, value('bad')), testEntry('b', 3)], 3)
    expect([await redecodeEntries(loaded), reader.reads]).toEqual([false, ['a@2']])
    reader.keyIsAway = false
    expect([await redecodeEntries(loaded), cache.unreadable.size, cache.get('a')?.unreadable]).toEqual([
      true,
      0,
      undefined,
    ])
    expect([await redecodeEntries(loaded), reader.reads]).toEqual([false, ['a@2', 'a@2']])
  })

  test('comes back alone where others stay as they are', async () => {
    const { reader, cache, loaded } = setUp([unreadableEntry('a', 2, value('bad')), unreadableEntry('b', 3)], 3)
    const read = reader.read.bind(reader)
    reader.read = (key, bytes, revision) =>
      key.endsWith('b') ? unreadableEntry('b', revision) : read(key, bytes, revision)
    reader.keyIsAway = false
    expect([await redecodeEntries(loaded), [...cache.unreadable.keys()]]).toEqual([true, ['b']])
  })
})

describe('what happened before a cache was loaded', () => {
  test('is read from the store, sharing the present states', async () => {
    const store = await written(['a', ''], ['b', ''], ['a', ''], ['b', undefined])
    const present = testEntry('a', 4)
    const { clock, reader, loaded } = setUp([present], 5)
    const made = await readEarlierEvents(loaded, 2, { store, clock, timeoutMs: 1000 })
    expect(made?.map(({ revision, entry, previous }) => [revision, entry?.revision, previous?.revision])).toEqual([
      [3, 3, undefined],
      [4, 4, 2],
      [5, undefined, 3],
    ])
    expect(made?.[1]?.entry).toBe(present)
    expect([reader.reads, clock.pending]).toEqual([['b@3', 'a@2'], 0])
    expect(made?.every(({ time }) => time === clock.now())).toBe(true)
    await store.close()
  })

  test('is unknown where a value of it cannot be read', async () => {
    const store = await written(['a', ''], ['b', 'bad'], ['b', ''], ['a', ''])
    const { clock, loaded } = setUp([], 5)
    expect(await readEarlierEvents(loaded, 2, { store, clock, timeoutMs: 1000 })).toBeUndefined()
    await store.close()
  })

  test('is given up when the store takes too long', async () => {
    const { clock, loaded } = setUp([], 5)
    const silent: Partial<Store> = {
      watch: (_, { signal, onEnd }) => {
        signal?.addEventListener('abort', () => onEnd({ reason: 'closed' }))
        return { requestProgress: () => {}, close: () => {} }
      },
    }
    const reading = readEarlierEvents(loaded, 2, { store: silent as Store, clock, timeoutMs: 1000 })
    await clock.advance(999)
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(await reading).toBeUndefined()
  })
})

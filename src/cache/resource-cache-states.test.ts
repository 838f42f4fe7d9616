// What a cache tells of itself, of earlier states, and of states that are taken as a whole.
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../store/testing/manual-clock.ts'
import type { CacheEntry } from './cache-entry.ts'
import type { CacheEvent } from './event-ring.ts'
import type { ResourceCache } from './resource-cache.ts'
import { type Selection, selectEverything } from './selection.ts'
import { testCache, testEntry, unreadableEntry } from './testing/test-entry.ts'
import type { WatchSink } from './watcher.ts'

const nodeOf = ({ fields }: CacheEntry): string => fields?.[0] ?? ''

function setUp(entries: readonly CacheEntry[] = [], { revision = 1, maxEvents = 100 } = {}) {
  const clock = new ManualClock()
  const cache = testCache({ clock, entries, revision, maxEvents, indexes: new Map([['spec.nodeName', nodeOf]]) })
  return { clock, cache }
}

const put = (cache: ResourceCache, entry: CacheEntry): void =>
  cache.apply([{ key: entry.key, revision: entry.revision, entry }], entry.revision)
const remove = (cache: ResourceCache, key: string, revision: number): void =>
  cache.apply([{ key, revision, entry: undefined }], revision)
const states = (entries: Iterable<CacheEntry>): string[] =>
  Array.from(entries, ({ key, revision }) => `${key}@${revision}`)

function recorder(more: Partial<WatchSink> = {}): WatchSink & { readonly seen: string[] } {
  const seen: string[] = []
  return {
    seen,
    event: (type, { key, revision }) => seen.push(`${type} ${key}@${revision}`) > 0,
    initialEventsEnd: (revision) => seen.push(`state of ${revision}`) > 0,
    flush: () => true,
    expired: () => void seen.push('expired'),
    ...more,
  }
}

describe('the figures of a cache', () => {
  test('follow its changes', () => {
    const first = testEntry('a/x', 2, { text: 'long text' })
    const { cache } = setUp([first], { revision: 2 })
    const figures = () => [cache.size, cache.bytes, cache.changes, cache.generation, cache.revision]
    expect(figures()).toEqual([1, first.size, 0, 0, 2])
    const second = testEntry('a/x', 3)
    put(cache, second)
    expect(figures()).toEqual([1, second.size, 1, 1, 3])
    const third = testEntry('a/y', 4)
    put(cache, third)
    expect(figures()).toEqual([2, second.size + third.size, 2, 2, 4])
    remove(cache, 'a/x', 5)
    expect(figures()).toEqual([1, third.size, 3, 3, 5])
    remove(cache, 'a/none', 6)
    expect(figures()).toEqual([1, third.size, 3, 3, 6])
    expect([cache.capacity, cache.bounds.maxEvents, cache.initializations]).toEqual([100, 100, 1])
  })

  test('its revision is that of what was applied, or of the stream that it follows', () => {
    const { cache } = setUp()
    const stream = { revision: 1 }
    cache.follow(stream)
    put(cache, testEntry('a/x', 5))
    expect(cache.revision).toBe(5)
    stream.revision = 9
    expect(cache.revision).toBe(9)
    cache.apply([], 7)
    stream.revision = 2
    expect(cache.revision).toBe(7)
  })

  test('its history begins after what was dropped of it', () => {
    const { cache } = setUp([], { maxEvents: 2 })
    for (const revision of [2, 3]) put(cache, testEntry('a/x', revision))
    expect(cache.historyStart).toBe(1)
    put(cache, testEntry('a/x', 4))
    expect(cache.historyStart).toBe(2)
  })

  test('the changes of one object are told newest first', () => {
    const { cache } = setUp([], { maxEvents: 4 })
    put(cache, testEntry('a/x', 2))
    put(cache, testEntry('a/x', 3))
    put(cache, testEntry('a/y', 4))
    remove(cache, 'a/x', 5)
    put(cache, testEntry('a/x', 6))
    expect(Array.from(cache.changesOf('a/x'), ({ revision }) => revision)).toEqual([6, 5, 3])
    expect([...cache.changesOf('a/none')]).toEqual([])
  })
})

describe('lists', () => {
  const entries = [
    testEntry('a/x', 2, { labels: { app: 'web' }, fields: ['n1'] }),
    testEntry('a/y', 3, { labels: { app: 'db' }, fields: ['n2'] }),
    testEntry('b/x', 4, { labels: { app: 'web' }, fields: ['n1'] }),
    testEntry('b/y', 5, { labels: { app: 'web' }, fields: ['n1'] }),
  ]
  const web: Partial<Selection> = {
    labels: { matches: (labels) => labels?.['app'] === 'web', equalities: [{ key: 'app', value: 'web' }] },
  }
  const any: Partial<Selection> = { labels: { matches: (labels) => labels?.['app'] === 'web', equalities: [] } }
  const onNode: Partial<Selection> = {
    indexed: { index: 'spec.nodeName', value: 'n1' },
    fields: (entry) => nodeOf(entry) === 'n1',
  }
  const none = { lists: 0, fetched: 0, returned: 0 }

  test.each<[string, Partial<Selection>, number, string[], boolean, 'byKey' | 'byIndex', number]>([
    ['of all look at what they return', {}, 0, ['a/x', 'a/y', 'b/x', 'b/y'], false, 'byKey', 4],
    ['of a page look at what they return', {}, 3, ['a/x', 'a/y', 'b/x'], true, 'byKey', 3],
    ['by what no index has look at all', any, 0, ['a/x', 'b/x', 'b/y'], false, 'byKey', 4],
    ['by a label look at those that have it', web, 0, ['a/x', 'b/x', 'b/y'], false, 'byIndex', 3],
    ['by a label have more where others follow', web, 1, ['a/x'], true, 'byIndex', 3],
    ['by a label have no more behind the last', web, 3, ['a/x', 'b/x', 'b/y'], false, 'byIndex', 3],
    ['by a label have no more in their namespace', { ...web, namespace: 'b' }, 2, ['b/x', 'b/y'], false, 'byIndex', 3],
    ['by a label have more in a namespace', { ...web, namespace: 'a' }, 1, ['a/x'], true, 'byIndex', 3],
    ['by a field have more where one of it follows', onNode, 1, ['a/x'], true, 'byIndex', 3],
    ['by a field have no more behind its last', onNode, 3, ['a/x', 'b/x', 'b/y'], false, 'byIndex', 3],
    ['by a field have no more in a namespace', { ...onNode, namespace: 'a' }, 1, ['a/x'], false, 'byIndex', 3],
    ['by a field have more in a namespace', { ...onNode, namespace: 'b' }, 1, ['b/x'], true, 'byIndex', 3],
  ])('%s', (_, wanted, limit, keys, more, way, fetched) => {
    const { cache } = setUp(entries, { revision: 5 })
    const page = cache.page({ selection: { ...selectEverything, ...wanted }, startKey: undefined, limit })
    expect([page.entries.map(({ key }) => key), page.more]).toEqual([keys, more])
    const other = way === 'byKey' ? 'byIndex' : 'byKey'
    expect(cache.lists).toEqual({ [way]: { lists: 1, fetched, returned: keys.length }, [other]: none })
    cache.page({ selection: { ...selectEverything, ...wanted }, startKey: undefined, limit })
    expect(cache.lists[way]).toEqual({ lists: 2, fetched: 2 * fetched, returned: 2 * keys.length })
  })
})

describe('earlier states', () => {
  const changed = () => {
    const made = setUp([testEntry('a/x', 2)], { revision: 2 })
    const { cache } = made
    put(cache, testEntry('a/x', 3))
    put(cache, testEntry('a/y', 4))
    remove(cache, 'a/x', 5)
    return made
  }

  test.each([
    [2, ['a/x@2']],
    [3, ['a/x@3']],
    [4, ['a/x@3', 'a/y@4']],
    [5, ['a/y@4']],
  ])('that of revision %i', (revision, expected) => {
    const { cache } = changed()
    const snapshot = cache.snapshotAt(revision)
    expect([states(snapshot?.entries(selectEverything) ?? []), snapshot?.revision]).toEqual([expected, revision])
    expect(cache.snapshotAt(revision)).toBe(snapshot)
    const sink = recorder()
    const opening = cache.watch({ type: 'state', at: revision }, selectEverything, sink)
    if (opening.ok) opening.watcher.pump()
    const later = ['MODIFIED a/x@3', 'ADDED a/y@4', 'DELETED a/x@5'].slice(revision - 2)
    expect(sink.seen).toEqual([...expected.map((each) => `ADDED ${each}`), `state of ${revision}`, ...later])
  })

  test('that of before the history is unknown, and a watch of it begins with the present', () => {
    const { cache } = changed()
    expect(cache.snapshotAt(1)).toBeUndefined()
    const sink = recorder()
    const opening = cache.watch({ type: 'state', at: 1 }, selectEverything, sink)
    if (opening.ok) opening.watcher.pump()
    expect(sink.seen).toEqual(['ADDED a/y@4', 'state of 5'])
    expect(cache.watch({ type: 'after', revision: 1 }, selectEverything, sink)).toEqual({ ok: false, oldest: 2 })
    expect(cache.watch({ type: 'after', revision: 2 }, selectEverything, sink).ok).toBe(true)
  })

  test('the present one is kept once for a revision, and again for the next', () => {
    const { cache } = changed()
    const kept = cache.keepSnapshot()
    expect([cache.keepSnapshot() === kept, cache.snapshotAt(5) === kept]).toEqual([true, true])
    put(cache, testEntry('a/z', 6))
    expect([cache.keepSnapshot() === kept, states(kept.entries(selectEverything))]).toEqual([false, ['a/y@4']])
  })

  test('are had from before its history once that is filled', () => {
    const { cache } = changed()
    const [one, two] = [testEntry('a/x', 1), cache.snapshotAt(2)?.get('a/x')]
    const event: CacheEvent = {
      revision: 2,
      entry: two,
      previous: one,
      time: 0,
      isRedecoded: false,
      frames: undefined,
    }
    cache.prepend([event], 1, 3)
    expect([cache.historyStart, cache.snapshotAt(1)]).toEqual([2, undefined])
    cache.prepend([event], 1, 2)
    expect([cache.historyStart, states(cache.snapshotAt(1)?.entries(selectEverything) ?? [])]).toEqual([1, ['a/x@1']])
    const { cache: full } = setUp([], { maxEvents: 1 })
    put(full, testEntry('a/x', 2))
    full.prepend([event], 0, 1)
    expect(full.historyStart).toBe(1)
  })
})

describe('what cannot be read', () => {
  test('is noted with how long there has been such a thing', async () => {
    const { cache, clock } = setUp([unreadableEntry('a/old', 2)], { revision: 2 })
    await clock.advance(100)
    expect([cache.unreadableMs, cache.sawUnreadable, [...cache.unreadable.keys()]]).toEqual([100, true, ['a/old']])
    put(cache, unreadableEntry('a/new', 3))
    await clock.advance(50)
    expect([cache.unreadableMs, cache.unreadable.size]).toEqual([150, 2])
    put(cache, testEntry('a/new', 4))
    remove(cache, 'a/old', 5)
    expect([cache.unreadableMs, cache.unreadable.size, cache.sawUnreadable]).toEqual([0, 0, true])
    put(cache, unreadableEntry('a/new', 6))
    await clock.advance(7)
    expect(cache.unreadableMs).toBe(7)
    expect(setUp([testEntry('a/x', 2)]).cache.sawUnreadable).toBe(false)
  })

  test('has the state in which it was last read, over several that cannot be', () => {
    const { cache } = setUp()
    const good = testEntry('a/x', 2)
    put(cache, good)
    put(cache, unreadableEntry('a/x', 3))
    put(cache, unreadableEntry('a/x', 4))
    expect(cache.get('a/x')?.unreadable?.last).toBe(good)
  })

  test('is replaced when it can be read, unless it has changed meanwhile', () => {
    const { cache } = setUp([unreadableEntry('a/x', 2), unreadableEntry('a/y', 3)], { revision: 4 })
    const seen: string[] = []
    const sink = recorder({ lost: () => void seen.push('lost') })
    cache.watch({ type: 'after', revision: 4 }, selectEverything, sink)
    const kept = cache.keepSnapshot()
    cache.replaceUnreadable([testEntry('a/x', 1), testEntry('a/none', 3)])
    expect([seen, cache.unreadable.size, cache.keepSnapshot() === kept]).toEqual([[], 2, true])
    cache.replaceUnreadable([testEntry('a/x', 2), testEntry('a/y', 1)])
    cache.notify()
    expect([seen, sink.seen, [...cache.unreadable.keys()]]).toEqual([['lost'], ['ADDED a/x@2'], ['a/y']])
    expect([cache.revision, cache.keepSnapshot() === kept]).toEqual([4, false])
  })
})

describe('a state that is taken as a whole', () => {
  test('is told to watchers as the difference, in the order of revisions, last what is gone', () => {
    const { cache } = setUp([testEntry('a/same', 2), testEntry('a/gone', 3), testEntry('a/old', 4)], { revision: 4 })
    const ended: string[] = []
    const sink = recorder({ lost: () => void ended.push('lost') })
    cache.watch({ type: 'after', revision: 4 }, selectEverything, sink)
    cache.keepSnapshot()
    const same = cache.get('a/same')
    cache.resync([testEntry('a/old', 9), testEntry('a/new', 7), testEntry('a/same', 2)], 10)
    cache.notify()
    expect(sink.seen).toEqual(['ADDED a/new@7', 'MODIFIED a/old@9', 'DELETED a/gone@10'])
    expect(states(cache.snapshot().entries(selectEverything))).toEqual(['a/new@7', 'a/old@9', 'a/same@2'])
    expect(cache.get('a/same')).toBe(same)
    expect([ended, cache.revision, cache.historyStart, cache.initializations]).toEqual([['lost'], 10, 10, 2])
    expect([cache.snapshotAt(4), cache.snapshotAt(10)?.revision]).toEqual([undefined, 10])
  })

  test('has what could not be read before and can be now', () => {
    const { cache } = setUp([unreadableEntry('a/x', 2), unreadableEntry('a/y', 3)], { revision: 3 })
    cache.resync([testEntry('a/x', 2), unreadableEntry('a/y', 3)], 4)
    expect([...cache.unreadable.keys()]).toEqual(['a/y'])
    expect(cache.get('a/x')?.unreadable).toBeUndefined()
  })

  test('that is restored dispatches first what was not yet, and none of it twice', () => {
    const { cache } = setUp([testEntry('a/x', 2)], { revision: 2 })
    const start = cache.snapshot()
    const sink = recorder()
    cache.watch({ type: 'after', revision: 2 }, selectEverything, sink)
    put(cache, testEntry('a/y', 3))
    const generation = cache.generation
    cache.restore(start, 4)
    cache.notify()
    expect(sink.seen).toEqual(['ADDED a/y@3', 'DELETED a/y@4'])
    expect([cache.generation > generation, cache.revision, cache.historyStart]).toEqual([true, 4, 4])
    cache.restore(start, 5)
    expect([sink.seen.length, cache.revision]).toEqual([2, 5])
  })
})

test('watchers are counted until they go, and hear nothing then', () => {
  const { cache } = setUp()
  const sink = recorder()
  const opening = cache.watch({ type: 'after', revision: 1 }, selectEverything, sink)
  cache.watch({ type: 'after', revision: 1 }, { ...selectEverything, name: 'x' }, recorder())
  expect(cache.watcherCount).toBe(2)
  if (opening.ok) cache.unwatch(opening.watcher)
  put(cache, testEntry('a/x', 2))
  cache.notify()
  expect([cache.watcherCount, sink.seen, cache.isDispatching]).toEqual([1, [], false])
})

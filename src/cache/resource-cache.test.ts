import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { CacheEntry, type EntryShape } from './cache-entry.ts'
import { cacheSource } from './cache-source.ts'
import { EntryIndex, labelTerms } from './entry-index.ts'
import { EntryTree } from './entry-tree.ts'
import type { CacheEvent } from './event-ring.ts'
import { RecentObjects } from './recent-objects.ts'
import { ResourceCache } from './resource-cache.ts'
import { type Selection, selectEverything } from './selection.ts'
import type { WatchEventType, WatchSink } from './watcher.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}

function entry(key: string, revision: number, labels: Record<string, string> = {}): CacheEntry {
  const [namespace = '', name = ''] = key.split('/')
  const head = `{"metadata":{"name":"${name}","namespace":"${namespace}",`
  const bytes = Buffer.from(`${head}"creationTimestamp":null}}`)
  return new CacheEntry(
    { key, namespace, name, labels, fields: undefined, bytes, splice: head.length },
    revision,
    shape,
  )
}

const bounds = { maxEvents: 1000, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 }
const makeCache = (maxEvents = 1000): ResourceCache =>
  new ResourceCache(EntryTree.of([]), 1, {
    clock: systemClock,
    bounds: { ...bounds, maxEvents },
    snapshotMs: 1000,
    indexes: new Map(),
  })

const put = (cache: ResourceCache, key: string, revision: number, labels?: Record<string, string>): void =>
  cache.apply([{ key, revision, entry: entry(key, revision, labels) }], revision)
const remove = (cache: ResourceCache, key: string, revision: number): void =>
  cache.apply([{ key, revision, entry: undefined }], revision)

const keys = (cache: ResourceCache, selection: Selection = selectEverything): string[] =>
  cache.page({ selection, startKey: undefined, limit: 0 }).entries.map(({ key }) => key)

class Recorder implements WatchSink {
  readonly seen: string[] = []
  room = Number.POSITIVE_INFINITY
  expiredCalls = 0
  event(type: WatchEventType, { key, revision }: CacheEntry, _: CacheEvent | undefined): boolean {
    this.seen.push(`${type} ${key}@${revision}`)
    return --this.room > 0
  }
  initialEventsEnd = (): boolean => true
  flush = (): boolean => true
  expired = (): void => {
    this.expiredCalls++
  }
}

test('the version is spliced into the text at its place', () => {
  expect(entry('a/x', 7).json().toString()).toBe(
    '{"metadata":{"name":"x","namespace":"a","resourceVersion":"7","creationTimestamp":null}}',
  )
  expect(entry('a/x', 7).at(12).object().metadata.resourceVersion).toBe('12')
})

test('a list of few objects is made once for as long as nothing changes, and never shows what was', () => {
  const cache = makeCache()
  const source = cacheSource(cache)
  const listed = (): string[] =>
    Array.from(source.list(), ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
  expect(listed()).toEqual([])
  put(cache, 'a/x', 2)
  const start = cache.snapshot()
  expect(listed()).toEqual(['x@2'])
  expect(source.list()).toBe(source.list())
  put(cache, 'a/x', 3)
  put(cache, 'a/y', 4)
  put(cache, 'b/x', 5)
  expect(listed()).toEqual(['x@3', 'y@4', 'x@5'])
  expect(Array.from(source.list('b'), ({ metadata }) => metadata.namespace)).toEqual(['b'])
  remove(cache, 'a/x', 6)
  expect(listed()).toEqual(['y@4', 'x@5'])
  cache.restore(start, 7)
  expect(listed()).toEqual(['x@2'])
  for (let i = 0; i < 100; i++) put(cache, `${i % 2 ? 'a' : 'b'}/z${i}`, 8 + i)
  expect(listed()).toHaveLength(101)
  expect([...source.list('b')]).toHaveLength(50)
})

test('every state of a large object can be read back, however many came after it', () => {
  const cache = makeCache()
  const head = '{"metadata":{"name":"x",'
  const rows = Array.from({ length: 2000 }, (_, i) => `row ${i}`)
  const text = (revision: number): Buffer =>
    Buffer.from(`${head}"n":${revision}},"rows":${JSON.stringify(rows)},"s":1}`)
  const states = Array.from({ length: 30 }, (_, i) => {
    const facts = { key: 'a/x', namespace: 'a', name: 'x', labels: undefined, fields: undefined, splice: head.length }
    return new CacheEntry({ ...facts, bytes: text(i + 2) }, i + 2, shape)
  })
  for (const state of states) cache.apply([{ key: 'a/x', revision: state.revision, entry: state }], state.revision)
  for (const { revision, bytes, size } of states) {
    expect(bytes.equals(text(revision))).toBe(true)
    expect(size).toBe(bytes.length)
  }
})

describe('pages', () => {
  test('are in key order, cut at the limit, with the count of the rest', () => {
    const cache = makeCache()
    for (const [i, key] of ['ns/b', 'ns-b/a', 'ns/a', 'other/c'].entries()) put(cache, key, i + 2)
    expect(keys(cache)).toEqual(['ns-b/a', 'ns/a', 'ns/b', 'other/c'])
    const page = cache.page({ selection: selectEverything, startKey: undefined, limit: 3 })
    expect(page).toMatchObject({ more: true, remaining: 1 })
    expect(keys(cache, { ...selectEverything, namespace: 'ns' })).toEqual(['ns/a', 'ns/b'])
  })

  test('of a label come from the index and follow its changes', () => {
    const cache = makeCache()
    const web: Selection = {
      ...selectEverything,
      labels: { matches: (labels) => labels?.['app'] === 'web', equalities: [{ key: 'app', value: 'web' }] },
    }
    put(cache, 'a/x', 2, { app: 'web' })
    put(cache, 'a/y', 3, { app: 'db' })
    expect(keys(cache, web)).toEqual(['a/x'])
    put(cache, 'a/y', 4, { app: 'web' })
    put(cache, 'a/x', 5, { app: 'db' })
    remove(cache, 'a/z', 6)
    expect(keys(cache, web)).toEqual(['a/y'])
  })
})

describe('old states', () => {
  test('any kept revision can be read, as a model says', () => {
    const operation = fc.record({ key: fc.constantFrom('a/1', 'a/2', 'b/1', 'c/9'), remove: fc.boolean() })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const cache = makeCache()
        const model = new Map<string, number>()
        const states = new Map<number, string[]>([[1, []]])
        operations.forEach(({ key, remove: gone }, i) => {
          const revision = i + 2
          if (gone) {
            remove(cache, key, revision)
            model.delete(key)
          } else {
            put(cache, key, revision)
            model.set(key, revision)
          }
          states.set(revision, [...model].map(([k, r]) => `${k}@${r}`).sort())
        })
        for (const [revision, expected] of states) {
          const snapshot = cache.snapshotAt(revision)
          expect([...(snapshot?.entries(selectEverything) ?? [])].map((e) => `${e.key}@${e.revision}`)).toEqual(
            expected,
          )
        }
      }),
    )
  })

  test('what fell out of the history is not guessed', () => {
    const cache = makeCache(3)
    for (let revision = 2; revision <= 10; revision++) put(cache, 'a/x', revision)
    expect(cache.snapshotAt(5)).toBeUndefined()
    expect(cache.snapshotAt(9)?.get('a/x')?.revision).toBe(9)
    expect(cache.watch({ type: 'after', revision: 5 }, selectEverything, new Recorder())).toMatchObject({ ok: false })
  })
})

describe('watchers', () => {
  const open = (cache: ResourceCache, sink: Recorder, after?: number) => {
    const start = after === undefined ? ({ type: 'state' } as const) : ({ type: 'after', revision: after } as const)
    const opening = cache.watch(start, selectEverything, sink)
    if (!opening.ok) throw new Error('too old')
    opening.watcher.pump()
    return opening.watcher
  }

  test('see the state and then every change once', () => {
    const cache = makeCache()
    put(cache, 'a/x', 2)
    const sink = new Recorder()
    open(cache, sink)
    put(cache, 'a/y', 3)
    remove(cache, 'a/x', 4)
    cache.notify()
    cache.notify()
    expect(sink.seen).toEqual(['ADDED a/x@2', 'ADDED a/y@3', 'DELETED a/x@4'])
  })

  test('stop when the sink is full and go on where they stopped', () => {
    const cache = makeCache()
    const sink = new Recorder()
    sink.room = 2
    const watcher = open(cache, sink, 1)
    for (let revision = 2; revision <= 5; revision++) put(cache, 'a/x', revision)
    cache.notify()
    expect(sink.seen).toHaveLength(2)
    sink.room = 10
    watcher.resume()
    expect(sink.seen).toEqual(['ADDED a/x@2', 'MODIFIED a/x@3', 'MODIFIED a/x@4', 'MODIFIED a/x@5'])
  })

  test('that do not read are ended when history has moved past them', () => {
    const cache = makeCache(3)
    const sink = new Recorder()
    sink.room = 1
    const watcher = open(cache, sink, 1)
    for (let revision = 2; revision <= 10; revision++) {
      put(cache, 'a/x', revision)
      cache.notify()
    }
    sink.room = 10
    watcher.resume()
    expect(sink.expiredCalls).toBe(1)
  })

  test('are served in turns where they are many, and all see what comes meanwhile', async () => {
    const cache = makeCache()
    const sinks = Array.from({ length: 170 }, () => new Recorder())
    for (const sink of sinks) open(cache, sink, 1)
    put(cache, 'a/x', 2)
    cache.notifyInTurns()
    const served = sinks.filter(({ seen }) => seen.length === 1).length
    expect(served).toBeGreaterThan(0)
    expect(served).toBeLessThan(sinks.length)
    put(cache, 'a/x', 3)
    cache.notifyInTurns()
    const all = sinks.map(() => ['ADDED a/x@2', 'MODIFIED a/x@3'])
    await expect.poll(() => sinks.map(({ seen }) => seen)).toEqual(all)
  })

  test('are all served at once where it must be', () => {
    const cache = makeCache()
    const sinks = Array.from({ length: 170 }, () => new Recorder())
    for (const sink of sinks) open(cache, sink, 1)
    put(cache, 'a/x', 2)
    cache.notifyInTurns()
    cache.notify()
    for (const { seen } of sinks) expect(seen).toEqual(['ADDED a/x@2'])
  })

  test('from a revision that is yet to come skip what is before it', () => {
    const cache = makeCache()
    const sink = new Recorder()
    open(cache, sink, 4)
    for (let revision = 2; revision <= 6; revision++) put(cache, 'a/x', revision)
    cache.notify()
    expect(sink.seen).toEqual(['MODIFIED a/x@5', 'MODIFIED a/x@6'])
  })
})

describe('a state that is taken over again', () => {
  test('is told to watchers as the difference, first what is gone; history begins anew', () => {
    const cache = makeCache()
    const web: Selection = {
      ...selectEverything,
      labels: { matches: (labels) => labels?.['app'] === 'web', equalities: [{ key: 'app', value: 'web' }] },
    }
    for (const [i, name] of ['a/changed', 'a/deleted', 'a/same'].entries()) put(cache, name, i + 2, { app: 'web' })
    const start = cache.snapshot()
    const { bytes } = cache
    expect(keys(cache, web)).toHaveLength(3)
    put(cache, 'a/changed', 5, { app: 'db' })
    remove(cache, 'a/deleted', 6)
    put(cache, 'a/new', 7, { app: 'web' })
    const recorder = new Recorder()
    const full = new Recorder()
    full.room = 1
    for (const sink of [recorder, full]) {
      const opening = cache.watch({ type: 'after', revision: 6 }, selectEverything, sink)
      if (opening.ok) opening.watcher.pump()
    }
    cache.restore(start, 8)
    expect(recorder.seen).toEqual(['ADDED a/new@7', 'DELETED a/new@8', 'MODIFIED a/changed@2', 'ADDED a/deleted@3'])
    expect(recorder.expiredCalls).toBe(0)
    expect(full.seen).toEqual(['ADDED a/new@7'])
    expect(full.expiredCalls).toBe(1)
    expect(keys(cache)).toEqual(['a/changed', 'a/deleted', 'a/same'])
    expect(keys(cache, web)).toEqual(['a/changed', 'a/deleted', 'a/same'])
    expect(cache).toMatchObject({ revision: 8, historyStart: 8, bytes })
    expect(cache.snapshotAt(7)).toBeUndefined()
    put(cache, 'a/same', 9)
    cache.notify()
    expect(recorder.seen.at(-1)).toBe('MODIFIED a/same@9')
    cache.restore(start, 10)
    expect(cache.get('a/same')?.revision).toBe(4)
  })

  test('has its large objects whole, although newer states took their place meanwhile', () => {
    const cache = makeCache()
    const head = '{"metadata":{"name":"x",'
    const rows = JSON.stringify(Array.from({ length: 2000 }, (_, i) => `row ${i}`))
    const text = (revision: number): Buffer => Buffer.from(`${head}"n":${revision}},"rows":${rows}}`)
    const large = (revision: number): CacheEntry => {
      const facts = { key: 'a/x', namespace: 'a', name: 'x', labels: undefined, fields: undefined, splice: head.length }
      return new CacheEntry({ ...facts, bytes: text(revision) }, revision, shape)
    }
    const write = (revision: number): void => cache.apply([{ key: 'a/x', revision, entry: large(revision) }], revision)
    write(2)
    const start = cache.snapshot()
    for (let revision = 3; revision < 40; revision += 3) {
      write(revision)
      write(revision + 1)
      cache.restore(start, revision + 2)
      const found = cache.get('a/x')
      expect(found?.bytes.equals(text(2))).toBe(true)
      expect(found?.bytes).toBe(found?.bytes)
    }
  })
})

describe('a kept snapshot', () => {
  const clocked = () => {
    let now = 0
    const clock = { ...systemClock, now: () => now }
    const cache = new ResourceCache(EntryTree.of([]), 1, {
      clock,
      bounds: { ...bounds, maxEvents: 1 },
      snapshotMs: 1000,
      indexes: new Map(),
    })
    return { cache, pass: (ms: number) => (now += ms) }
  }
  const shown = (cache: ResourceCache, revision: number): string[] | undefined => {
    const snapshot = cache.snapshotAt(revision)
    return snapshot && Array.from(snapshot.entries(selectEverything), ({ key }) => key)
  }

  test('outlives the history for its time, and not longer', () => {
    const { cache, pass } = clocked()
    put(cache, 'a/x', 2)
    expect(cache.keepSnapshot()).toBe(cache.keepSnapshot())
    for (let revision = 3; revision < 9; revision++) put(cache, `a/${revision}`, revision)
    expect([shown(cache, 2), shown(cache, 3)]).toEqual([['a/x'], undefined])
    pass(999)
    expect(shown(cache, 2)).toEqual(['a/x'])
    pass(1)
    expect(shown(cache, 2)).toBeUndefined()
  })

  test('gives way to later ones beyond the bound', () => {
    const { cache } = clocked()
    for (let revision = 2; revision < 70; revision++) {
      put(cache, 'a/x', revision)
      cache.keepSnapshot()
    }
    put(cache, 'a/y', 71)
    put(cache, 'a/y', 72)
    const kept = Array.from({ length: 68 }, (_, i) => i + 2).filter((revision) => shown(cache, revision) !== undefined)
    expect([kept[0], kept.at(-1), kept.length]).toEqual([6, 69, 64])
  })
})

test('an index counts and finds its entries in key order, through every change', () => {
  const index = new EntryIndex(labelTerms, [])
  const [x, y, z] = ['a/y', 'a/x', 'a/z'].map((key) => entry(key, 2, { app: 'web' })) as [
    CacheEntry,
    CacheEntry,
    CacheEntry,
  ]
  const other = entry('a/x', 3, { app: 'db' })
  const steps: [() => void, string[]][] = [
    [() => undefined, []],
    [() => index.add(x), ['a/y']],
    [() => index.add(y), ['a/x', 'a/y']],
    [() => index.add(other), ['a/x', 'a/y']],
    [() => index.add(z), ['a/x', 'a/y', 'a/z']],
    [() => index.remove(y), ['a/y', 'a/z']],
    [() => index.remove(x), ['a/z']],
    [() => index.remove(z), []],
  ]
  for (const [step, keys] of steps) {
    step()
    expect(index.find('app=web').map(({ key }) => key)).toEqual(keys)
    expect(index.count('app=web')).toBe(keys.length)
  }
  expect(index.count('app=db')).toBe(1)
})

test('a chain of deltas ends with a whole text after eight', () => {
  const rows = JSON.stringify(Array.from({ length: 2000 }, (_, i) => `row ${i}`))
  const large = (revision: number): CacheEntry => {
    const bytes = Buffer.from(`{"metadata":{"n":${revision}},"rows":${rows}}`)
    return new CacheEntry(
      { key: 'a/x', namespace: 'a', name: 'x', labels: {}, fields: undefined, bytes, splice: 13 },
      revision,
      shape,
    )
  }
  const all = Array.from({ length: 20 }, (_, i) => large(i + 2))
  const texts = all.map(({ bytes }) => bytes.toString())
  for (const [i, each] of all.entries()) {
    const next = all[i + 1]
    if (next !== undefined) each.retire(next)
  }
  expect(all.map(({ bytes }) => bytes.toString())).toEqual(texts)
  // A whole text is the same buffer at every look.
  const looks = [all, all].map((entries) => entries.map(({ bytes }) => bytes))
  const whole = all.flatMap((_, i) => (looks[0]?.[i] === looks[1]?.[i] ? [i] : []))
  expect(whole).toEqual([8, 17, 19])
})

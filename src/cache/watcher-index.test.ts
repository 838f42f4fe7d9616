import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { CacheEntry, type EntryShape } from './cache-entry.ts'
import { EntryTree } from './entry-tree.ts'
import { type CacheEvent, EventRing } from './event-ring.ts'
import { RecentObjects } from './recent-objects.ts'
import { ResourceCache } from './resource-cache.ts'
import { type Selection, selectEverything, selects } from './selection.ts'
import { unreadableEntry } from './testing/test-entry.ts'
import { type WatchEventType, Watcher, type WatchSink } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}
const nodeOf = ({ fields }: CacheEntry): string => fields?.[0] ?? ''

function entry(key: string, revision: number, node: string): CacheEntry {
  const [namespace = '', name = ''] = key.split('/')
  const facts = { key, namespace, name, labels: undefined, fields: [node], bytes: Buffer.from('{"a":1}'), splice: 1 }
  return new CacheEntry(facts, revision, shape)
}

const makeCache = (): ResourceCache =>
  new ResourceCache(EntryTree.of([]), 1, {
    clock: systemClock,
    bounds: { maxEvents: 1000, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
    snapshotMs: 1000,
    indexes: new Map([['spec.nodeName', nodeOf]]),
  })

const onNode = (node: string): Partial<Selection> => ({
  indexed: { index: 'spec.nodeName', value: node },
  fields: (each) => nodeOf(each) === node,
})

class Recorder implements WatchSink {
  readonly seen: string[] = []
  readonly bookmarks: number[] = []
  flushes = 0
  room = Infinity
  event(type: WatchEventType, { key }: CacheEntry): boolean {
    this.seen.push(`${type} ${key}`)
    return --this.room > 0
  }
  initialEventsEnd = (): boolean => true
  hasRoom = true
  flush = (): boolean => {
    this.flushes++
    return this.hasRoom
  }
  bookmark = (revision: number): void => void this.bookmarks.push(revision)
  expired = (): void => {
    this.seen.push('expired')
  }
}

function watch(cache: ResourceCache, selection: Partial<Selection>): { watcher: Watcher; sink: Recorder } {
  const sink = new Recorder()
  const opening = cache.watch({ type: 'after', revision: cache.revision }, { ...selectEverything, ...selection }, sink)
  if (!opening.ok) throw new Error('too old')
  opening.watcher.pump()
  sink.flushes = 0
  return { watcher: opening.watcher, sink }
}

test('an event reaches only those whom it may concern', () => {
  const cache = makeCache()
  const named = Array.from({ length: 3000 }, (_, i) => watch(cache, { namespace: 'a', name: `x${i}` }))
  const others = [
    watch(cache, {}),
    watch(cache, { namespace: 'a' }),
    watch(cache, { namespace: 'b' }),
    watch(cache, { name: 'x7' }),
    watch(cache, onNode('n1')),
    watch(cache, onNode('n2')),
  ]
  cache.apply([{ key: 'a/x7', revision: 2, entry: entry('a/x7', 2, 'n1') }], 2)
  cache.notify()
  expect(named.filter(({ sink }) => sink.flushes > 0)).toEqual([named[7]])
  expect(others.map(({ sink }) => sink.flushes)).toEqual([1, 1, 0, 1, 1, 0])
  // What leaves a bucket concerns it, too.
  cache.apply([{ key: 'a/x7', revision: 3, entry: entry('a/x7', 3, 'n2') }], 3)
  cache.notify()
  expect(others.slice(4).map(({ sink }) => sink.seen)).toEqual([['ADDED a/x7', 'DELETED a/x7'], ['ADDED a/x7']])
  for (const { watcher } of [...named, ...others]) cache.unwatch(watcher)
  expect(cache.watcherCount).toBe(0)
})

test('one whose sink is full after all that there was waits, and ends when history has moved past it', () => {
  const cache = new ResourceCache(EntryTree.of([]), 1, {
    clock: systemClock,
    bounds: { maxEvents: 4, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
    snapshotMs: 1000,
    indexes: new Map(),
  })
  const { sink } = watch(cache, {})
  sink.hasRoom = false
  for (let revision = 2; revision < 12; revision++) {
    cache.apply([{ key: 'a/y', revision, entry: entry('a/y', revision, '') }], revision)
    cache.notify()
  }
  expect(sink.seen).toEqual(['ADDED a/y', 'expired'])
})

test('one that was left alone while history moved on far is not taken for slow', () => {
  const cache = new ResourceCache(EntryTree.of([]), 1, {
    clock: systemClock,
    bounds: { maxEvents: 4, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 },
    snapshotMs: 1000,
    indexes: new Map(),
  })
  const { watcher, sink } = watch(cache, { namespace: 'a', name: 'x' })
  for (let revision = 2; revision < 50; revision++) {
    cache.apply([{ key: 'a/y', revision, entry: entry('a/y', revision, '') }], revision)
    cache.notify()
  }
  watcher.bookmark(49)
  cache.apply([{ key: 'a/x', revision: 50, entry: entry('a/x', 50, '') }], 50)
  cache.notify()
  expect([sink.seen, sink.bookmarks]).toEqual([['ADDED a/x'], [49]])
})

const namespaces = ['a', 'b']
const names = ['x', 'y', 'z']
const nodes = ['n1', 'n2']
const selection: fc.Arbitrary<Partial<Selection>> = fc.oneof(
  fc.record({
    namespace: fc.constantFrom(undefined, ...namespaces),
    name: fc.constantFrom(undefined, ...names),
  }),
  fc.constantFrom(...nodes).map(onNode),
  fc
    .record({ namespace: fc.constantFrom(...namespaces), node: fc.constantFrom(...nodes) })
    .map(({ namespace, node }) => ({
      namespace,
      ...onNode(node),
    })),
)
const step = fc.oneof(
  fc.record({
    type: fc.constant('put' as const),
    key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map((parts) => parts.join('/')),
    node: fc.constantFrom(...nodes),
  }),
  fc.record({
    type: fc.constant('delete' as const),
    key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map((parts) => parts.join('/')),
  }),
  fc.record({ type: fc.constant('watch' as const), selection, room: fc.constantFrom(1, 2, Infinity) }),
  fc.record({ type: fc.constant('notify' as const), inTurns: fc.boolean() }),
  fc.record({ type: fc.constant('resume' as const), at: fc.nat(5), room: fc.constantFrom(1, 3, Infinity) }),
  fc.record({ type: fc.constant('catch up' as const), at: fc.nat(5) }),
)

/** What a watcher that began at a revision must have seen. */
function expected(history: readonly Change[], since: number, wanted: Selection): string[] {
  return history.flatMap(({ before, after, revision }) => {
    if (revision <= since) return []
    const [was, is] = [before, after].map((each) => each !== undefined && selects(wanted, each))
    if (is) return [`${was ? 'MODIFIED' : 'ADDED'} ${after?.key}`]
    return was ? [`DELETED ${before?.key}`] : []
  })
}

interface Change {
  readonly before: CacheEntry | undefined
  readonly after: CacheEntry | undefined
  readonly revision: number
}

test('every watcher is passed all that it selects, once and in order, as if there were no index', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = makeCache()
      const history: Change[] = []
      const watchers: { watcher: Watcher; sink: Recorder; since: number; wanted: Selection }[] = []
      const change = (key: string, after: CacheEntry | undefined, revision: number): void => {
        const before = cache.get(key)
        if (before === undefined && after === undefined) return
        history.push({ before, after, revision })
        cache.apply([{ key, revision, entry: after }], revision)
      }
      let revision = 1
      for (const each of steps) {
        if (each.type === 'put') change(each.key, entry(each.key, ++revision, each.node), revision)
        else if (each.type === 'delete') change(each.key, undefined, ++revision)
        else if (each.type === 'watch') {
          const since = cache.revision
          const opened = watch(cache, each.selection)
          opened.sink.room = each.room
          watchers.push({ ...opened, since, wanted: { ...selectEverything, ...each.selection } })
        } else if (each.type === 'notify') {
          if (each.inTurns) cache.notifyInTurns()
          else cache.notify()
        } else {
          const chosen = watchers[each.at]
          if (chosen === undefined) continue
          if (each.type === 'catch up') chosen.watcher.bookmark(revision)
          else if (chosen.sink.room <= 0) {
            chosen.sink.room = each.room
            chosen.watcher.resume()
          }
        }
      }
      cache.notify()
      for (const { watcher, sink, since, wanted } of watchers) {
        sink.room = Infinity
        watcher.resume()
        expect(sink.seen).toEqual(expected(history, since, wanted))
        sink.bookmarks.length = 0
        watcher.bookmark(revision)
        expect(sink.bookmarks).toEqual([revision])
      }
    }),
    { numRuns: 500 },
  )
})

describe('the index alone', () => {
  const event = (made: CacheEntry | undefined, changed: Partial<CacheEvent> = {}): CacheEvent => ({
    revision: 2,
    entry: made,
    previous: undefined,
    time: 0,
    isRedecoded: false,
    frames: undefined,
    ...changed,
  })
  const selections: Record<string, Partial<Selection>> = {
    all: {},
    cluster: { namespace: '' },
    inA: { namespace: 'a' },
    inB: { namespace: 'b' },
    named: { namespace: 'a', name: 'x' },
    anywhere: { name: 'x' },
    onN1: onNode('n1'),
    onN1InB: { namespace: 'b', ...onNode('n1') },
    onN2: onNode('n2'),
    unindexed: { indexed: { index: 'status.phase', value: 'Running' } },
    namedOnN2: { namespace: 'a', name: 'x', ...onNode('n2') },
  }

  function setUp(names: readonly string[] = Object.keys(selections)) {
    let asked = 0
    const fieldOf = (made: CacheEntry): string => {
      asked++
      return nodeOf(made)
    }
    const index = new WatcherIndex(new Map([['spec.nodeName', fieldOf]]))
    const ring = new EventRing({ maxEvents: 10, maxAgeMs: 1000, maxRetiredBytes: 1000 })
    const watchers = new Map<string, Watcher>()
    for (const name of names) {
      const wanted = { ...selectEverything, ...selections[name] }
      const watcher = new Watcher(ring, { selection: wanted, sink: new Recorder(), position: 0, revision: 1 })
      index.add(watcher, wanted)
      watchers.set(name, watcher)
    }
    const nameOf = (watcher: Watcher): string => [...watchers].find(([, each]) => each === watcher)?.[0] ?? ''
    const concerned = (...events: CacheEvent[]): string[] => Array.from(index.concerned(events), nameOf).sort()
    const remove = (name: string): void => index.delete(watchers.get(name) as Watcher)
    return { index, concerned, remove, asked: () => asked }
  }

  test.each<[string, CacheEvent[], string[]]>([
    ['nothing', [], ['all', 'cluster', 'unindexed']],
    [
      'one of a namespace',
      [event(entry('a/x', 2, 'n1'))],
      ['all', 'anywhere', 'cluster', 'inA', 'named', 'namedOnN2', 'onN1', 'onN1InB', 'unindexed'],
    ],
    ['another name', [event(entry('b/y', 2, 'n3'))], ['all', 'cluster', 'inB', 'unindexed']],
    [
      'one that moved',
      [event(entry('b/y', 2, 'n2'), { previous: entry('b/y', 1, 'n1') })],
      ['all', 'cluster', 'inB', 'onN1', 'onN1InB', 'onN2', 'unindexed'],
    ],
    [
      'one that is gone',
      [event(undefined, { previous: entry('b/y', 1, 'n2') })],
      ['all', 'cluster', 'inB', 'onN2', 'unindexed'],
    ],
    ['two', [event(entry('a/y', 2, '')), event(entry('b/y', 2, ''))], ['all', 'cluster', 'inA', 'inB', 'unindexed']],
    ['one that can be read again', [event(entry('c/y', 2, ''), { isRedecoded: true })], Object.keys(selections).sort()],
    ['one that cannot be read', [event(unreadableEntry('c/y', 2))], Object.keys(selections).sort()],
    [
      'one that could not be read',
      [event(entry('c/y', 2, ''), { previous: unreadableEntry('c/y', 1) })],
      Object.keys(selections).sort(),
    ],
  ])('%s concerns each once', (_, events, expected) => {
    expect(setUp().concerned(...events)).toEqual(expected)
  })

  test('who is gone is not concerned, and others are as before', () => {
    const { index, concerned, remove } = setUp(['all', 'inA', 'inB', 'named', 'onN1', 'onN1InB'])
    const change = event(entry('a/x', 2, 'n1'))
    expect([index.size, concerned(change)]).toEqual([6, ['all', 'inA', 'named', 'onN1', 'onN1InB']])
    remove('named')
    remove('named')
    remove('onN1')
    expect([index.size, concerned(change)]).toEqual([4, ['all', 'inA', 'onN1InB']])
    remove('all')
    remove('inA')
    expect([index.size, concerned(change), concerned(event(entry('b/x', 2, '')))]).toEqual([2, ['onN1InB'], ['inB']])
    remove('onN1InB')
    remove('inB')
    expect([index.size, concerned(change), [...index.all()]]).toEqual([0, [], []])
  })

  test('fields are looked at only while somebody watches by them', () => {
    const { concerned, remove, asked } = setUp(['inA', 'onN1', 'onN2'])
    const change = event(entry('a/x', 2, 'n1'))
    expect([concerned(change), asked()]).toEqual([['inA', 'onN1'], 1])
    remove('onN1')
    expect([concerned(change), asked()]).toEqual([['inA'], 2])
    remove('onN2')
    expect([concerned(change), asked()]).toEqual([['inA'], 2])
  })

  test('events are not looked at where all watch everything', () => {
    const { index } = setUp(['all', 'cluster'])
    const looked = {
      [Symbol.iterator]: (): Iterator<CacheEvent> => {
        throw new Error('looked at')
      },
    }
    expect([...index.concerned(looked)]).toHaveLength(2)
  })
})

import { describe, expect, test } from 'vitest'
import type { CacheEntry } from './cache-entry.ts'
import { EntryTree } from './entry-tree.ts'
import { type CacheEvent, EventRing } from './event-ring.ts'
import { type Selection, selectEverything } from './selection.ts'
import { Snapshot } from './snapshot.ts'
import { testEntry, unreadableEntry } from './testing/test-entry.ts'
import { Watcher, type WatchSink } from './watcher.ts'

const change = (
  entry: CacheEntry | undefined,
  previous?: CacheEntry,
  changed: Partial<CacheEvent> = {},
): CacheEvent => ({
  revision: entry?.revision ?? 0,
  entry,
  previous,
  time: 0,
  isRedecoded: false,
  frames: undefined,
  ...changed,
})
const put = (key: string, revision: number, previous?: CacheEntry): CacheEvent =>
  change(testEntry(key, revision), previous)

/** A sink that says what it was told, and has room for so many events. */
class Sink implements WatchSink {
  readonly seen: string[] = []
  room = Number.POSITIVE_INFINITY
  hasRoomForEnd = true
  flushTakes = true
  readonly asItWas?: boolean
  onEvent = (): void => {}
  constructor(asItWas = false) {
    if (asItWas) this.asItWas = true
  }
  event(type: string, { key, revision }: CacheEntry, source: CacheEvent | undefined): boolean {
    this.seen.push(`${type} ${key}@${revision}${source === undefined ? ' at first' : ''}`)
    this.onEvent()
    return --this.room > 0
  }
  initialEventsEnd(revision: number): boolean {
    this.seen.push(`state of ${revision}`)
    return this.hasRoomForEnd
  }
  flush(): boolean {
    this.seen.push('flush')
    return this.flushTakes
  }
  bookmark(revision: number): void {
    this.seen.push(`bookmark ${revision}`)
  }
  expired(): void {
    this.seen.push('expired')
  }
  unreadable({ key }: CacheEntry): void {
    this.seen.push(`unreadable ${key}`)
  }
  lost(): void {
    this.seen.push('lost')
  }
  take(): string[] {
    return this.seen.splice(0)
  }
}

interface SetUpOptions {
  readonly sink?: Sink
  readonly selection?: Partial<Selection>
  readonly maxEvents?: number
  readonly after?: number
  readonly state?: readonly CacheEntry[]
}

function setUp({ sink = new Sink(), selection = {}, maxEvents = 100, after = 1, state }: SetUpOptions = {}) {
  const ring = new EventRing({ maxEvents, maxAgeMs: 1000, maxRetiredBytes: 100_000 })
  const options = { selection: { ...selectEverything, ...selection }, sink, position: 0, revision: after }
  const watcher = new Watcher(ring, options)
  if (state !== undefined) watcher.begin(new Snapshot(EntryTree.of(state), after))
  return { ring, sink, watcher }
}

describe('the state at first', () => {
  const state = ['a/x', 'a/y', 'b/x'].map((key, i) => testEntry(key, i + 2))

  test('comes before the changes, and ends with its revision', () => {
    const { ring, sink, watcher } = setUp({ state, after: 4, selection: { namespace: 'a' } })
    ring.push(put('a/z', 5))
    watcher.pump()
    expect(sink.take()).toEqual(['ADDED a/x@2 at first', 'ADDED a/y@3 at first', 'state of 4', 'ADDED a/z@5', 'flush'])
    watcher.pump()
    expect(sink.take()).toEqual(['flush'])
  })

  test('stops where the sink is full, and goes on there', () => {
    const { sink, watcher } = setUp({ state, after: 4 })
    sink.room = 2
    watcher.pump()
    expect(sink.take()).toEqual(['ADDED a/x@2 at first', 'ADDED a/y@3 at first', 'flush'])
    watcher.pump()
    watcher.bookmark(4)
    expect(sink.take()).toEqual([])
    sink.room = 9
    watcher.resume()
    expect(sink.take()).toEqual(['ADDED b/x@4 at first', 'state of 4', 'flush'])
    watcher.resume()
    expect(sink.take()).toEqual([])
  })

  test('has its end told once, even when that filled the sink', () => {
    const { ring, sink, watcher } = setUp({ state: [], after: 4 })
    ring.push(put('a/z', 5))
    sink.hasRoomForEnd = false
    watcher.pump()
    expect(sink.take()).toEqual(['state of 4', 'flush'])
    watcher.resume()
    expect(sink.take()).toEqual(['ADDED a/z@5', 'flush'])
  })

  test('passes over what cannot be read, where it is meant', () => {
    const bad = [unreadableEntry('a/bad', 2), unreadableEntry('b/bad', 3)]
    const { sink, watcher } = setUp({ state: [...bad, testEntry('a/x', 4)], after: 4, selection: { namespace: 'a' } })
    watcher.pump()
    expect(sink.take()).toEqual(['unreadable a/bad', 'ADDED a/x@4 at first', 'state of 4', 'flush'])
  })

  test('ends when the sink ends the watch meanwhile', () => {
    const { sink, watcher } = setUp({ state, after: 4 })
    sink.onEvent = () => watcher.end()
    watcher.pump()
    expect(sink.take()).toEqual(['ADDED a/x@2 at first'])
    watcher.pump()
    watcher.bookmark(9)
    watcher.lost()
    expect(sink.take()).toEqual([])
  })
})

describe('a change', () => {
  const inA = { namespace: 'a' }
  const red = {
    labels: { matches: (labels: unknown) => (labels as { color?: string })?.color === 'red', equalities: [] },
  }
  const colored = (color: string, revision: number): CacheEntry => testEntry('a/x', revision, { labels: { color } })

  test.each<[string, Partial<Selection>, CacheEvent, string[]]>([
    ['of what is not selected', inA, put('b/x', 5), []],
    ['that makes an object', inA, put('a/x', 5), ['ADDED a/x@5']],
    ['of an object', inA, put('a/x', 5, testEntry('a/x', 3)), ['MODIFIED a/x@5']],
    ['into the selection', red, change(colored('red', 5), colored('blue', 3)), ['ADDED a/x@5']],
    ['out of the selection', red, change(colored('blue', 5), colored('red', 3)), ['DELETED a/x@5']],
    ['outside of the selection', red, change(colored('blue', 5), colored('green', 3)), []],
    ['that ends an object', inA, change(undefined, testEntry('a/x', 3), { revision: 5 }), ['DELETED a/x@5']],
    ['that ends another object', inA, change(undefined, testEntry('b/x', 3), { revision: 5 }), []],
    ['that cannot be read', inA, change(unreadableEntry('a/x', 5), testEntry('a/x', 3)), ['unreadable a/x']],
    ['of another namespace that cannot be read', inA, change(unreadableEntry('b/x', 5)), []],
    ['of another name that cannot be read', { name: 'x' }, change(unreadableEntry('a/y', 5)), []],
    ['of that name that cannot be read', { name: 'y' }, change(unreadableEntry('a/y', 5)), ['unreadable a/y']],
    ['of what could never be read', inA, change(testEntry('a/x', 5), unreadableEntry('a/x', 3)), ['ADDED a/x@5']],
  ])('%s', (_, selection, event, expected) => {
    const { ring, sink, watcher } = setUp({ selection })
    ring.push(event)
    watcher.pump()
    expect(sink.take()).toEqual([...expected, 'flush'])
  })

  test('that ends an object may show it as it was', () => {
    const { ring, sink, watcher } = setUp({ sink: new Sink(true) })
    ring.push(change(undefined, testEntry('a/x', 3), { revision: 5 }))
    watcher.pump()
    expect(sink.take()).toEqual(['DELETED a/x@3', 'flush'])
  })

  test('of before the watch is skipped, unless its object can be read only now', () => {
    const { ring, sink, watcher } = setUp({ after: 5 })
    for (const revision of [4, 5]) ring.push(put('a/x', revision))
    ring.push(change(testEntry('a/y', 3), undefined, { isRedecoded: true }))
    ring.push(put('a/z', 6))
    watcher.pump()
    expect(sink.take()).toEqual(['ADDED a/y@3', 'ADDED a/z@6', 'flush'])
  })
})

describe('a watcher that is behind', () => {
  test('goes on where it stopped', () => {
    const { ring, sink, watcher } = setUp()
    for (const revision of [2, 3, 4]) ring.push(put('a/x', revision))
    sink.room = 2
    watcher.pump()
    expect(watcher.progress(4)).toEqual({ revision: 3, behind: 1 })
    expect(sink.take()).toEqual(['ADDED a/x@2', 'ADDED a/x@3', 'flush'])
    sink.room = 9
    watcher.resume()
    expect(sink.take()).toEqual(['ADDED a/x@4', 'flush'])
    expect(watcher.progress(9)).toEqual({ revision: 9, behind: 0 })
  })

  test('of whom the ring has no more is ended, once', () => {
    const { ring, sink, watcher } = setUp({ maxEvents: 2 })
    sink.room = 1
    ring.push(put('a/x', 2))
    watcher.pump()
    for (const revision of [3, 4]) ring.push(put('a/x', revision))
    ring.trim(0)
    watcher.pump()
    expect(sink.take()).toEqual(['ADDED a/x@2', 'flush'])
    ring.push(put('a/x', 5))
    ring.trim(0)
    watcher.pump()
    watcher.pump()
    watcher.resume()
    expect(sink.take()).toEqual(['expired'])
  })

  test('tells when all was passed on: at once, or after its sink has had room', () => {
    const { ring, sink, watcher } = setUp({ state: [testEntry('a/x', 2)], after: 2 })
    sink.room = 1
    watcher.pump()
    ring.push(change(undefined, testEntry('a/x', 2), { revision: 3 }))
    let told = 0
    const tell = (): void => {
      told++
      watcher.end()
    }
    watcher.whenSynced(tell)
    expect([told, sink.take()]).toEqual([0, ['ADDED a/x@2 at first', 'flush']])
    sink.room = 9
    watcher.resume()
    expect([told, sink.take()]).toEqual([1, ['state of 2', 'DELETED a/x@3', 'flush']])
    watcher.pump()
    expect(told).toBe(1)
    const other = setUp()
    other.watcher.whenSynced(tell)
    expect(told).toBe(2)
  })

  test('that waits for nothing but its buffer is not up to date', () => {
    const { ring, sink, watcher } = setUp()
    ring.push(put('a/x', 2))
    sink.flushTakes = false
    watcher.pump()
    watcher.bookmark(2)
    expect(sink.take()).toEqual(['ADDED a/x@2', 'flush'])
    sink.flushTakes = true
    watcher.resume()
    watcher.bookmark(2)
    expect(sink.take()).toEqual(['flush', 'flush', 'bookmark 2'])
  })

  test('has come as far as it began, while its state is sent', () => {
    const { ring, sink, watcher } = setUp({ state: [testEntry('a/x', 2), testEntry('a/y', 3)], after: 3 })
    ring.push(put('a/z', 4))
    sink.room = 1
    watcher.pump()
    expect([watcher.progress(4), watcher.after]).toEqual([{ revision: 3, behind: 1 }, 3])
  })

  test('has come as far as it began, before its first event', () => {
    const { ring, watcher } = setUp({ after: 1 })
    ring.push(put('a/x', 2))
    expect(watcher.progress(2)).toEqual({ revision: 1, behind: 1 })
  })
})

describe('a watcher that is up to date', () => {
  test('skips what was dispatched to others', () => {
    const { ring, sink, watcher } = setUp({ maxEvents: 2 })
    watcher.pump()
    for (const revision of [2, 3, 4, 5]) {
      ring.push(put('b/y', revision))
      ring.trim(0)
      ring.dispatched = ring.end
    }
    expect(watcher.progress(5)).toEqual({ revision: 5, behind: 0 })
    ring.push(put('a/x', 6))
    watcher.pump()
    expect(sink.take()).toEqual(['flush', 'ADDED a/x@6', 'flush'])
  })

  test('has a bookmark after all that there was, and none when the sink ended it', () => {
    const { ring, sink, watcher } = setUp()
    ring.push(put('a/x', 2))
    watcher.bookmark(7)
    expect(sink.take()).toEqual(['ADDED a/x@2', 'flush', 'bookmark 7'])
    ring.push(put('a/x', 8))
    sink.onEvent = () => watcher.end()
    watcher.bookmark(9)
    expect(sink.take()).toEqual(['ADDED a/x@8'])
  })
})

describe('changes that are in no ring', () => {
  const changes = [put('a/x', 9), put('a/y', 9)]

  test('take the place of what is in it', () => {
    const { ring, sink, watcher } = setUp()
    ring.push(put('a/old', 2))
    watcher.take(changes)
    expect(sink.take()).toEqual(['ADDED a/x@9', 'ADDED a/y@9', 'flush'])
    watcher.bookmark(9)
    expect(sink.take()).toEqual(['flush', 'bookmark 9'])
  })

  test.each<[string, number, string[]]>([
    ['a full sink', 1, ['ADDED a/x@9', 'expired']],
    ['one that is full with the last', 2, ['ADDED a/x@9', 'ADDED a/y@9', 'expired']],
  ])('end the watch of %s', (_, room, expected) => {
    const { sink, watcher } = setUp()
    sink.room = room
    watcher.take(changes)
    expect(sink.take()).toEqual(expected)
    watcher.take(changes)
    expect(sink.take()).toEqual([])
  })

  test('end the watch of one that waits, or has not been sent all of its state', () => {
    const waiting = setUp()
    waiting.ring.push(put('a/x', 2))
    waiting.sink.room = 1
    waiting.watcher.pump()
    waiting.sink.take()
    const starting = setUp({ state: [testEntry('a/x', 2)], after: 2 })
    for (const { watcher, sink } of [waiting, starting]) {
      watcher.take(changes)
      expect(sink.take()).toEqual(['expired'])
    }
  })
})

test('who lost changes is told, unless it has ended', () => {
  const { sink, watcher } = setUp()
  watcher.lost()
  watcher.end()
  watcher.lost()
  expect(sink.take()).toEqual(['lost'])
})

test('a sink need not listen for bookmarks, losses and what cannot be read', () => {
  const seen: string[] = []
  const sink: WatchSink = {
    event: (type, { key }) => seen.push(`${type} ${key}`) > 0,
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
  }
  const ring = new EventRing({ maxEvents: 9, maxAgeMs: 1000, maxRetiredBytes: 1000 })
  const watcher = new Watcher(ring, { selection: selectEverything, sink, position: 0, revision: 1 })
  ring.push(change(unreadableEntry('a/bad', 2)))
  ring.push(put('a/x', 3))
  watcher.lost()
  watcher.bookmark(3)
  expect(seen).toEqual(['ADDED a/x'])
})

import { describe, expect, test } from 'vitest'
import { Dispatcher } from './dispatcher.ts'
import { type CacheEvent, EventRing } from './event-ring.ts'
import { selectEverything } from './selection.ts'
import { testEntry } from './testing/test-entry.ts'
import { Watcher, type WatchSink } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const event = (revision: number): CacheEvent => ({
  revision,
  entry: testEntry('a/x', revision),
  previous: undefined,
  time: 0,
  isRedecoded: false,
  frames: undefined,
})

/** Watchers that note what they see, and encode it as the first of a round. */
function setUp(count: number, maxEvents = 100) {
  const ring = new EventRing({ maxEvents, maxAgeMs: 1000, maxRetiredBytes: 1000 })
  const index = new WatcherIndex(new Map())
  const dispatcher = new Dispatcher(ring, index)
  let encoded = 0
  const seen = Array.from({ length: count }, (): number[] => [])
  for (const own of seen) {
    const sink: WatchSink = {
      event(_, { revision }, source) {
        own.push(revision)
        if (source !== undefined && source.frames === undefined) {
          source.frames = new Map()
          encoded++
        }
        return true
      },
      initialEventsEnd: () => true,
      flush: () => true,
      expired: () => own.push(-1),
    }
    index.add(new Watcher(ring, { selection: selectEverything, sink, position: 0, revision: 1 }), selectEverything)
  }
  const push = (revision: number): CacheEvent => {
    const made = event(revision)
    ring.push(made)
    return made
  }
  return { ring, dispatcher, seen, push, encoded: () => encoded }
}

describe('in one go', () => {
  test('every watcher sees every event, once', () => {
    const { dispatcher, seen, push, ring } = setUp(120)
    push(2)
    push(3)
    dispatcher.notify()
    dispatcher.notify()
    expect(seen.every((own) => own.join() === '2,3')).toBe(true)
    expect([ring.dispatched, dispatcher.isDispatching]).toEqual([2, false])
  })

  test('an event is encoded once for all, and its frames are dropped with the next round', () => {
    const { dispatcher, push, encoded } = setUp(3)
    const first = push(2)
    const second = push(3)
    dispatcher.notify()
    expect([encoded(), first.frames, second.frames]).toEqual([2, new Map(), new Map()])
    const third = push(4)
    dispatcher.notify()
    expect([first.frames, second.frames, third.frames]).toEqual([undefined, undefined, new Map()])
    dispatcher.notify()
    expect([third.frames, encoded()]).toEqual([undefined, 3])
  })

  test('a ring that is cleared has dispatched what it had', () => {
    const { dispatcher, seen, push, ring } = setUp(1)
    push(2)
    dispatcher.clear()
    expect([seen, ring.first, ring.end]).toEqual([[[2]], 1, 1])
    push(3)
    dispatcher.notify()
    expect(seen).toEqual([[2, 3]])
  })

  test('whom an event fell out of the ring for before it was dispatched is told', () => {
    const { dispatcher, seen, push, ring } = setUp(2, 1)
    push(2)
    push(3)
    ring.trim(0)
    dispatcher.notify()
    expect(seen).toEqual([[-1], [-1]])
  })
})

describe('in turns', () => {
  const served = (seen: readonly number[][]): number => seen.filter((own) => own.length > 0).length

  test.each([
    ['none', 0, [0], [false]],
    ['one batch less one', 49, [49], [false]],
    ['one batch', 50, [50, 50], [true, false]],
    ['two batches and one', 101, [50, 100, 101], [true, true, false]],
  ])('%s are served fifty at a time', async (_, count, counts, busy) => {
    const { dispatcher, seen, push, ring } = setUp(count)
    push(2)
    dispatcher.notifyInTurns()
    for (const [i, expected] of counts.entries()) {
      expect([served(seen), dispatcher.isDispatching]).toEqual([expected, busy[i]])
      await turn()
    }
    expect(ring.dispatched).toBe(1)
  })

  test('what comes meanwhile is dispatched to all in another round', async () => {
    const { dispatcher, seen, push, ring } = setUp(60)
    push(2)
    dispatcher.notifyInTurns()
    push(3)
    dispatcher.notifyInTurns()
    dispatcher.notifyInTurns()
    expect(seen[0]).toEqual([2])
    while (dispatcher.isDispatching) await turn()
    expect(seen.every((own) => own.join() === '2,3')).toBe(true)
    expect(ring.dispatched).toBe(2)
  })

  test('a round is ended by one that serves all at once', async () => {
    const { dispatcher, seen, push } = setUp(60)
    push(2)
    dispatcher.notifyInTurns()
    push(3)
    dispatcher.notifyInTurns()
    dispatcher.notify()
    expect([dispatcher.isDispatching, seen.every((own) => own.join() === '2,3')]).toEqual([false, true])
    await turn()
    expect(dispatcher.isDispatching).toBe(false)
    push(4)
    dispatcher.notifyInTurns()
    while (dispatcher.isDispatching) await turn()
    expect(seen.every((own) => own.join() === '2,3,4')).toBe(true)
  })

  test('frames of a round are dropped with the next one', async () => {
    const { dispatcher, push } = setUp(60)
    const first = push(2)
    dispatcher.notifyInTurns()
    while (dispatcher.isDispatching) await turn()
    expect(first.frames).toEqual(new Map())
    push(3)
    dispatcher.notifyInTurns()
    while (dispatcher.isDispatching) await turn()
    expect(first.frames).toBeUndefined()
  })

  test('there is no other round where nothing came meanwhile', async () => {
    const { dispatcher, push } = setUp(60)
    for (const revision of [2, 3]) {
      push(revision)
      dispatcher.notifyInTurns()
      dispatcher.notifyInTurns()
      let turns = 0
      for (; dispatcher.isDispatching; turns++) await turn()
      // The batch that was left, then all once more for those who asked meanwhile.
      expect(turns).toBeLessThanOrEqual(3)
    }
  })

  test('frames of a round are shared by all its batches', async () => {
    const { dispatcher, push, encoded } = setUp(120)
    push(2)
    dispatcher.notifyInTurns()
    while (dispatcher.isDispatching) await turn()
    expect(encoded()).toBe(1)
  })
})

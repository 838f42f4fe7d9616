import { describe, expect, test } from 'vitest'
import { type CacheEvent, EventRing } from './event-ring.ts'
import { testEntry } from './testing/test-entry.ts'

const event = (revision: number, { time = 0, previous = 0 } = {}): CacheEvent => ({
  revision,
  entry: testEntry('a/x', revision),
  previous: previous === 0 ? undefined : testEntry('a/x', 1, { text: 'x'.repeat(previous) }),
  time,
  isRedecoded: false,
  frames: undefined,
})
/** The bytes of an entry without a text. */
const bare = testEntry('a/x', 1).size
const bounds = { maxEvents: 4, maxAgeMs: 100, maxRetiredBytes: 1000 }
const filled = (events: readonly CacheEvent[], changed: Partial<typeof bounds> = {}): EventRing => {
  const ring = new EventRing({ ...bounds, ...changed })
  for (const each of events) ring.push(each)
  return ring
}
const revisions = (ring: EventRing): (number | undefined)[] =>
  Array.from({ length: ring.end - ring.first }, (_, i) => ring.at(ring.first + i)?.revision)

describe('the bounds of a ring', () => {
  test.each([
    ['as many as there may be', [2, 3, 4, 5].map((n) => event(n)), 0, undefined, [2, 3, 4, 5]],
    ['one more', [2, 3, 4, 5, 6].map((n) => event(n)), 0, 2, [3, 4, 5, 6]],
    ['as old as they may be', [event(2), event(3, { time: 50 })], 100, undefined, [2, 3]],
    ['one that is older', [event(2), event(3, { time: 50 })], 101, 2, [3]],
    ['all that are older', [event(2), event(3, { time: 50 })], 151, 3, []],
    ['as many bytes as there may be', [event(2, { previous: 400 }), event(3, { previous: 400 })], 0, undefined, [2, 3]],
    [
      'just as many bytes as there may be',
      [event(2, { previous: 500 - bare }), event(3, { previous: 500 - bare })],
      0,
      undefined,
      [2, 3],
    ],
    ['one byte more', [event(2, { previous: 500 - bare }), event(3, { previous: 501 - bare })], 0, 2, [3]],
    ['more bytes', [event(2, { previous: 600 }), event(3, { previous: 600 })], 0, 2, [3]],
  ])('%s', (_, events, now, dropped, left) => {
    const ring = filled(events)
    expect(ring.trim(now)).toBe(dropped)
    expect(revisions(ring)).toEqual(left)
  })

  test('bytes that were dropped do not count any more', () => {
    const ring = filled([event(2, { previous: 600 }), event(3, { previous: 600 })])
    ring.trim(0)
    ring.push(event(4, { previous: 200 }))
    expect(ring.trim(0)).toBeUndefined()
  })
})

test('positions count up for ever, over thousands of events', () => {
  const ring = filled([])
  for (let revision = 2; revision < 5000; revision++) {
    ring.push(event(revision))
    ring.trim(0)
    expect(ring.at(ring.end - 1)?.revision).toBe(revision)
  }
  expect([ring.first, ring.end]).toEqual([4994, 4998])
  expect([ring.at(4993), ring.at(4994)?.revision, ring.at(4998)]).toEqual([undefined, 4996, undefined])
})

test.each([
  [1, 2],
  [2, 3],
  [3, 3],
  [4, 4],
  [5, 5],
  [9, 6],
])('after revision %i comes position %i', (revision, position) => {
  const ring = filled(
    [2, 2, 2, 4, 5, 6].map((n) => event(n)),
    { maxEvents: 4 },
  )
  ring.trim(0)
  expect(ring.positionAfter(revision)).toBe(position)
})

describe('what is prepended', () => {
  test.each([
    ['fits', [event(2), event(3)], true, [2, 3, 4, 5]],
    ['is one too many', [event(1), event(2), event(3)], false, [4, 5]],
    ['has as many bytes as fit', [event(3, { previous: 1000 - 2 * bare - 50 })], true, [3, 4, 5]],
    ['has too many bytes', [event(3, { previous: 1001 - 2 * bare - 50 })], false, [4, 5]],
  ])('%s', (_, events, taken, left) => {
    const ring = filled([event(4, { previous: 50 }), event(5)])
    expect(ring.prepend(events)).toBe(taken)
    expect(revisions(ring)).toEqual(left)
    expect(ring.at(ring.end - 1)?.revision).toBe(5)
  })
})

test('undispatched are those from a position on that are still held; a cleared ring has none', () => {
  const ring = filled([2, 3, 4, 5, 6].map((n) => event(n)))
  ring.dispatched = 3
  expect(Array.from(ring.undispatched(), ({ revision }) => revision)).toEqual([5, 6])
  ring.dispatched = 0
  ring.trim(0)
  expect(Array.from(ring.undispatched(), ({ revision }) => revision)).toEqual([3, 4, 5, 6])
  ring.clear()
  expect([[...ring.undispatched()], ring.first, ring.end, ring.dispatched]).toEqual([[], 5, 5, 5])
})

/** Answers that are kept for a while, and not too many of them. */
import { expect, it } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'
import { FakeClock } from './testing/fake-clock.ts'

function cacheOf(capacity: number) {
  const clock = new FakeClock()
  const cache = new BoundedCache<number>(capacity, clock)
  const kept = (...keys: string[]): (number | undefined)[] => keys.map((key) => cache.get(key))
  return { clock, cache, kept }
}

it('keeps an answer until its time has come', () => {
  const { clock, cache, kept } = cacheOf(9)
  cache.set('a', 1, 1000)
  clock.advance(999)
  expect(kept('a', 'b')).toEqual([1, undefined])
  clock.advance(1)
  expect(kept('a')).toEqual([undefined])
  cache.set('a', 2, 1000)
  expect(kept('a')).toEqual([2])
})

it('keeps nothing that has no time', () => {
  const { cache, kept } = cacheOf(1)
  cache.set('a', 1, 1000)
  cache.set('b', 2, 0)
  cache.set('a', 3, 0)
  expect(kept('a', 'b')).toEqual([1, undefined])
})

it('gives up the oldest where there is no room', () => {
  const { cache, kept } = cacheOf(2)
  cache.set('a', 1, 1000)
  cache.set('b', 2, 1000)
  cache.set('a', 3, 1000)
  cache.set('c', 4, 1000)
  expect(kept('a', 'b', 'c')).toEqual([3, undefined, 4])
})

it('has room again where something has ended', () => {
  const { clock, cache, kept } = cacheOf(2)
  cache.set('b', 2, 5000)
  cache.set('a', 1, 1000)
  clock.advance(1000)
  expect(kept('a')).toEqual([undefined])
  cache.set('c', 3, 1000)
  expect(kept('b', 'c')).toEqual([2, 3])
})

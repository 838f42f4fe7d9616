import { expect, test } from 'vitest'
import { GrowthDetector, IdleDetector, PlateauDetector } from './keep-heap-small.ts'

const quiet = (count: number): number[] => Array.from({ length: count }, () => 0.01)

test.each<[string, number[], number[]]>([
  ['a rest that lasts', quiet(40), [1, 12]],
  ['a rest that is over too soon', [...quiet(11), 0.9, 0.9], [1]],
  ['work all the time', [0.9, 0.3, 0.06, 1.7], []],
  ['rests between work', [...quiet(3), 0.5, ...quiet(20)], [1, 5, 16]],
])('%s', (_, shares, expected) => {
  const rest = new IdleDetector()
  const turns = shares.flatMap((share, i) => (rest.isTurn(share) ? [i + 1] : []))
  expect(turns).toEqual(expected)
})

test('growth is measured from the smallest size, or from what a collection left', () => {
  const growth = new GrowthDetector(10)
  expect([50, 40, 50, 51].map((size) => growth.isOver(size))).toEqual([false, false, false, true])
  growth.settle(45)
  expect([55, 56, 30, 41].map((size) => growth.isOver(size))).toEqual([false, true, false, true])
})

test('what stays large for some looks, without growing, is reported once', () => {
  const staying = new PlateauDetector(10, 3)
  expect([0, 50, 80, 80, 80].map((size) => staying.hasStayed(size))).toEqual([false, false, false, false, false])
  expect(staying.hasStayed(79)).toBe(true)
  staying.settle(79)
  expect([79, 79, 79, 79].map((size) => staying.hasStayed(size))).toEqual([false, false, false, false])
})

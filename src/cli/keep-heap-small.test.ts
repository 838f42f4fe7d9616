import { expect, test } from 'vitest'
import { collectGarbage } from '../engine/engine-flags.ts'
import { GrowthDetector, IdleDetector, LiveEstimate, PlateauDetector } from './keep-heap-small.ts'

const quiet = (count: number): number[] => Array.from({ length: count }, () => 0.01)

test.each<[string, number[], Record<number, string>]>([
  ['a rest that lasts', quiet(40), { 1: 'begun', 12: 'lasted' }],
  ['a rest that is over too soon', [...quiet(11), 0.9, 0.9], { 1: 'begun' }],
  ['work all the time', [0.9, 0.3, 0.06, 1.7], {}],
  ['rests between work', [...quiet(3), 0.5, ...quiet(20)], { 1: 'begun', 5: 'begun', 16: 'lasted' }],
])('%s', (_, shares, expected) => {
  const idle = new IdleDetector()
  const looks = shares.map((share, i) => [i + 1, idle.look(share)]).filter(([, seen]) => seen !== undefined)
  expect(Object.fromEntries(looks)).toEqual(expected)
})

test('what is in use is what a collection of everything has left', async () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
  const inUse = new LiveEstimate()
  expect(inUse.look(50)).toBe(50)
  await turn()
  collectGarbage('major')
  await turn()
  expect(inUse.look(30)).toBe(30)
  await turn()
  collectGarbage('minor')
  await turn()
  expect([inUse.look(80), inUse.look(20)]).toEqual([30, 20])
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

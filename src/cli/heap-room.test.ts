import { expect, test } from 'vitest'
import { Rest } from './heap-room.ts'

const quiet = (count: number): number[] => Array.from({ length: count }, () => 0.01)

test.each<[string, number[], number[]]>([
  ['a rest that lasts', quiet(40), [1, 12]],
  ['a rest that is over too soon', [...quiet(11), 0.9, 0.9], [1]],
  ['work all the time', [0.9, 0.3, 0.06, 1.7], []],
  ['rests between work', [...quiet(3), 0.5, ...quiet(20)], [1, 5, 16]],
])('%s', (_, shares, expected) => {
  const rest = new Rest()
  const turns = shares.flatMap((share, i) => (rest.isTurn(share) ? [i + 1] : []))
  expect(turns).toEqual(expected)
})

import { expect, test } from 'vitest'
import { seededStreams } from './seeded-random.ts'

const draw = (random: (stream?: string) => number, stream: string, count: number): number[] =>
  Array.from({ length: count }, () => random(stream))

test('a stream is the same whatever others draw, and another for another seed', () => {
  const alone = draw(seededStreams('7'), 'a', 5)
  const random = seededStreams('7')
  const mixed = alone.map(() => {
    draw(random, 'b', 3)
    random()
    return random('a')
  })
  expect(mixed).toEqual(alone)
  expect(new Set(alone).size).toBe(5)
  expect(draw(seededStreams('8'), 'a', 5)).not.toEqual(alone)
  expect(draw(seededStreams('7'), 'b', 5)).not.toEqual(alone)
})

test('a stream that was dropped does not begin with the same numbers again', () => {
  const random = seededStreams('7')
  const first = random('a')
  for (let i = 0; i < 10_000; i++) random(`other ${i}`)
  expect(random('a')).not.toBe(first)
})

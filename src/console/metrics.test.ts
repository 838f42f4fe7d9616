import { expect, it } from 'vitest'
import { quantile } from './metrics.ts'

it.each<[readonly (readonly [number, number])[], number, number | null]>([
  [[], 0.5, null],
  [
    [
      [0.1, 0],
      [Infinity, 0],
    ],
    0.5,
    null,
  ],
  [
    [
      [0.1, 10],
      [0.2, 10],
      [Infinity, 10],
    ],
    0.5,
    50,
  ],
  [
    [
      [0.1, 0],
      [0.2, 10],
      [Infinity, 10],
    ],
    0.5,
    150,
  ],
  [
    [
      [0.1, 5],
      [Infinity, 10],
    ],
    0.99,
    100,
  ],
])('the quantile of %j at %d', (buckets, part, expected) => expect(quantile(buckets, part)).toBe(expected))

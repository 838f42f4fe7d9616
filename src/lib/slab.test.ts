import { expect, it } from 'vitest'
import { slabBuffer } from './slab.ts'

it('gives everybody bytes of their own', () => {
  const lengths = [0, 1, 3000, 5000, 8192, 8193, 100_000]
  const buffers = Array.from({ length: 100 }, (_, i) => slabBuffer(lengths[i % lengths.length] ?? 0).fill(i))
  expect(buffers.map(({ length }) => length)).toEqual(buffers.map((_, i) => lengths[i % lengths.length]))
  expect(buffers.every((buffer, i) => buffer.every((byte) => byte === i))).toBe(true)
})

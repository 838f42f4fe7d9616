import { expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { wrapIntegers } from './wrap-integers.ts'

// As Go converts an int64 or a float64 that was read from JSON, on amd64.
it.each<[value: JsonValue, int32: JsonValue, int64: JsonValue]>([
  [1, 1, 1],
  [2 ** 31, -(2 ** 31), 2 ** 31],
  [5_000_000_000, 705_032_704, 5_000_000_000],
  [-(2 ** 31) - 1, 2 ** 31 - 1, -(2 ** 31) - 1],
  [2n ** 63n - 1n, -1, 2n ** 63n - 1n],
  [-(2n ** 63n), 0, -(2n ** 63n)],
  [2 ** 63, 0, -(2n ** 63n)],
  [1e19, 0, -(2n ** 63n)],
  [-1e19, 0, -(2n ** 63n)],
  [1e300, 0, -(2n ** 63n)],
  [1.5, 1.5, 1.5],
  ['1', '1', '1'],
])('%s', (value, int32, int64) => {
  expect(wrapIntegers(value, { kind: 'integer', format: 'int32' })).toBe(int32)
  expect(wrapIntegers(value, { kind: 'integer', format: 'int64' })).toBe(int64)
})

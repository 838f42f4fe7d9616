import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DurationError, formatDuration, parseDuration } from './duration.ts'

describe('durations', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['+0', 0n],
    ['5s', 5_000_000_000n],
    ['-5s', -5_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['1.s', 1_000_000_000n],
    ['.5s', 500_000_000n],
    ['1h30m', 5_400_000_000_000n],
    ['1m1h', 3_660_000_000_000n],
    ['10us', 10_000n],
    ['10\u00b5s', 10_000n],
    ['10\u03bcs', 10_000n],
    ['0.3333333333333333333h', 1_200_000_000_000n],
    ['9007199254.740993s', 9007199254740993000n],
    ['9223372036854775807ns', 9223372036854775807n],
    ['-9223372036854775808ns', -9223372036854775808n],
    ['0.9223372036854775808s', 922337203n],
    ['00000000000000000000000001s', 1_000_000_000n],
  ])('%s', (text, nanos) => expect(parseDuration(text)).toBe(nanos))

  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['3', 'time: missing unit in duration "3"'],
    ['s', 'time: invalid duration "s"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['1h-5m', 'time: unknown unit "h-" in duration "1h-5m"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1..5s', 'time: missing unit in duration "1..5s"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
    ['1\u00e9"', 'time: unknown unit "\\xc3\\xa9\\"" in duration "1\\xc3\\xa9\\""'],
  ])('%j is refused', (text, message) => expect(() => parseDuration(text)).toThrow(new DurationError(() => message)))

  test.each<[bigint, string]>([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [60_000_000_000n, '1m0s'],
    [3_600_000_000_000n, '1h0m0s'],
    [-90_061_000_000_000n, '-25h1m1s'],
    [9223372036854775807n, '2562047h47m16.854775807s'],
  ])('%d is written %s', (nanos, text) => expect(formatDuration(nanos)).toBe(text))

  test('what is written reads the same', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }), (nanos) => {
        expect(parseDuration(formatDuration(nanos))).toBe(nanos)
      }),
    )
  })
})

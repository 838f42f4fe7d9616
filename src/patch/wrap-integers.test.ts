import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { list, map, object, text } from './apply/testing/test-schemas.ts'
import { hasWideInteger, hasWideIntegerInSteps, wrapIntegers } from './wrap-integers.ts'

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

describe('numbers within a value', () => {
  const narrow = { kind: 'integer', format: 'int32' } as const
  const schema = object({ n: narrow, wide: { kind: 'integer' }, list: list(narrow), map: map(narrow), name: text })
  const wide = 2 ** 31

  it.each<[string, JsonValue, JsonValue]>([
    ['of a field', { n: wide, name: 'x' }, { n: -wide, name: 'x' }],
    ['of a field that has room', { wide }, { wide }],
    ['of an element', { list: [1, wide] }, { list: [1, -wide] }],
    ['of a member', { map: { a: wide, b: 1 } }, { map: { a: -wide, b: 1 } }],
    ['of a field that the type does not have', { other: wide }, { other: wide }],
    ['of a text', { name: wide }, { name: wide }],
    ['beside what has another shape', { list: wide, map: [wide], n: [wide] }, { list: wide, map: [wide], n: [wide] }],
    ['beside nothing', { n: null, list: null, map: null }, { n: null, list: null, map: null }],
  ])('are cut: %s', (_, value, expected) => {
    const before = structuredClone(value)
    expect(wrapIntegers(value, schema)).toEqual(expected)
    expect(value).toEqual(before)
  })

  it('that have room are left alone, down to the very objects', () => {
    const value = { n: 1, list: [1, 2], map: { a: 1 }, name: 'x', gone: undefined }
    expect(wrapIntegers(value, schema)).toBe(value)
    const other = { n: wide, list: [1], map: { a: 1 } }
    const wrapped = wrapIntegers(other, schema) as typeof other
    expect([wrapped.list === other.list, wrapped.map === other.map]).toEqual([true, true])
  })

  const many = (last: JsonValue): JsonValue => [...Array.from({ length: 1_100 }, () => 1), last]
  it.each<[string, JsonValue, boolean]>([
    ['a small number', 1, false],
    ['the largest that has room', wide - 1, false],
    ['one more', wide, true],
    ['as far below', -wide, true],
    ['a very large one', 2n ** 60n, true],
    ['a text', '2147483648', false],
    ['null', null, false],
    ['in a list', [1, wide], true],
    ['in a map', { a: 1, b: { c: wide } }, true],
    ['nowhere in a map', { a: 1, b: { c: 'x' } }, false],
    ['at the end of a long list', many(wide), true],
    ['at the end of a long list, in a map', many({ a: wide }), true],
    ['nowhere in a long list', many(1), false],
  ])('are looked for: %s', (_, value, expected) => {
    expect([hasWideInteger(value), runToEnd(hasWideIntegerInSteps(value))]).toEqual([expected, expected])
  })
})

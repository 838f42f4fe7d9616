import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cloneJson,
  emptyList,
  emptyMap,
  equalButRaw,
  equalJson,
  equalSemantic,
  type JsonObject,
  type JsonValue,
  shareEqual,
  withoutOmitted,
} from './json.ts'

test.each<[string, JsonValue, JsonValue, boolean]>([
  ['the same', { raw: { b: [{ d: 1, c: 2 }], a: 1 } }, { raw: { b: [{ d: 1, c: 2 }], a: 1 } }, true],
  ['another order of keys', { raw: { b: 2, a: 1 } }, { raw: { a: 1, b: 2 } }, false],
  ['another order of keys in a list', { raw: [{ b: 2, a: 1 }] }, { raw: [{ a: 1, b: 2 }] }, false],
  ['one key more', { raw: { a: 1 } }, { raw: { a: 1, b: 2 } }, false],
  ['null for none', { raw: null }, {}, false],
  ['a list for an object', { raw: [] }, { raw: {} }, false],
  ['another order of keys around it', { x: { b: 2, a: 1 } }, { x: { a: 1, b: 2 } }, true],
  ['nothing for an empty list around it', { x: [] }, {}, true],
])('raw JSON is compared as it is written: %s', (_, a, b, same) => {
  expect(equalButRaw(a, b, new Set(['raw']))).toBe(same)
})

describe('sharing what is equal', () => {
  test.each<[string, JsonValue, JsonValue, boolean]>([
    ['the same scalars', { a: 1, b: 'x', c: null }, { a: 1, b: 'x', c: null }, true],
    ['another order of keys, which raw JSON tells', { b: 2, a: 1 }, { a: 1, b: 2 }, false],
    ['one key more', { a: 1, b: 2 }, { a: 1 }, false],
    ['one key less', { a: 1 }, { a: 1, b: 2 }, false],
    ['another scalar', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
    ['another order of a list', [1, 2], [2, 1], false],
    ['a shorter list', [1], [1, 2], false],
    ['null for an object', { a: null }, { a: {} }, false],
    ['a list for an object', [], {}, false],
    ['a big integer', { a: 2n ** 60n }, { a: 2n ** 60n }, true],
  ])('%s', (_, value, baseline, same) => expect(shareEqual(value, baseline) === baseline).toBe(same))

  test('parts that are the same are the baseline’s own', () => {
    const baseline = { a: { b: [1, { c: 1 }] }, d: { e: 1 }, f: [{ g: 1 }, { h: 1 }] }
    const value = shareEqual({ a: { b: [1, { c: 1 }] }, d: { e: 2 }, f: [{ g: 1 }, { h: 2 }] }, baseline)
    expect(value).toEqual({ a: { b: [1, { c: 1 }] }, d: { e: 2 }, f: [{ g: 1 }, { h: 2 }] })
    expect([value.a === baseline.a, value.d === baseline.d, value.f[0] === baseline.f[0]]).toEqual([true, false, true])
  })

  test('any key is a plain key', () => {
    const baseline = JSON.parse('{"a":{"__proto__":{"x":1}},"b":1}') as JsonObject
    const value = shareEqual(JSON.parse('{"a":{"__proto__":{"x":1}},"b":2}') as JsonObject, baseline)
    expect(value['a']).toBe(baseline['a'])
    expect(JSON.stringify(value)).toBe('{"a":{"__proto__":{"x":1}},"b":2}')
  })

  test('laws', () => {
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<JsonValue[]>(null, true, 0, 1, 'x'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value')) as fc.Arbitrary<JsonObject>,
      ),
    }))
    fc.assert(
      fc.property(value, value, (a, baseline) => {
        const before = JSON.stringify([a, baseline])
        const shared = shareEqual(a, baseline)
        expect(equalJson(shared, a)).toBe(true)
        expect(shared === baseline).toBe(equalJson(a, baseline))
        expect(shareEqual(cloneJson(baseline), baseline)).toBe(baseline)
        expect(JSON.stringify([a, baseline])).toBe(before)
      }),
    )
  })
})

test.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
  [{ a: null, b: 1 }, { a: [], b: 1 }, true],
  [{ a: [] }, {}, true],
  [{ a: [{ b: [] }] }, { a: [{}] }, true],
  [{ a: emptyList }, {}, true],
  [{ a: emptyMap }, { a: null }, true],
  [emptyMap, undefined, true],
  [{ a: {} }, {}, false],
  [{ a: {} }, { a: emptyMap }, false],
  [{ a: [1] }, { a: [] }, false],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: 'x' }, { a: 'y' }, false],
])('%j and %j are semantically equal: %s', (a, b, expected) => {
  expect(equalSemantic(a, b)).toBe(expected)
  expect(equalSemantic(b, a)).toBe(expected)
})

describe('an omitted empty list or map', () => {
  const object: JsonObject = { a: emptyList, b: { c: emptyMap, d: 1 }, e: [{ f: emptyList }], g: [], h: {} }
  const shown = { b: { d: 1 }, e: [{}], g: [], h: {} }

  test('is left out of JSON', () => {
    expect(JSON.parse(JSON.stringify(object))).toEqual(shown)
    expect(withoutOmitted(object)).toEqual(shown)
    expect(withoutOmitted(shown)).toBe(shown)
  })

  test('is told from an absent one, and survives a copy', () => {
    expect(equalJson(object, shown)).toBe(false)
    expect(cloneJson(object)['a']).toBe(emptyList)
  })
})

import { expect, test } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { differences } from './differences.ts'

test.each<[JsonValue, JsonValue, readonly string[]]>([
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  [{ a: 1 }, { a: 2 }, ['.body.a: expected 1, got 2']],
  [{ a: 1 }, {}, ['.body.a: expected 1, got nothing']],
  [{}, { a: 1 }, ['.body.a: expected nothing, got 1']],
  [[1], [1, 2], ['.body[1]: expected nothing, got 2']],
  [[1], { 0: 1 }, ['.body: expected [1], got {"0":1}']],
  [null, {}, ['.body: expected null, got {}']],
  ['<any>', { a: 1 }, []],
  ['<contains> many', 'too many of them', []],
  ['<contains> many', 'few', ['.body: expected "<contains> many", got "few"']],
])('%j and %j', (expected, actual, found) => {
  expect(differences({ body: expected }, { body: actual })).toEqual(found)
})

test('the number of differences is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]))
  expect(differences({ body: many }, { body: {} })).toHaveLength(100)
})

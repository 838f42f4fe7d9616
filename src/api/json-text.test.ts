import { expect, it } from 'vitest'
import { emptyList, type JsonValue } from './json.ts'
import { jsonText } from './json-text.ts'

const big = 2n ** 63n - 1n

it.each<[JsonValue, string]>([
  [{ a: [1, 'x', null, true], b: undefined, c: emptyList }, '{"a":[1,"x",null,true]}'],
  [
    { a: [big, 'x', null, true], b: undefined, c: emptyList, d: [], e: {} },
    `{"a":[${big},"x",null,true],"d":[],"e":{}}`,
  ],
  [big, String(big)],
])('writes %o as JSON.stringify would', (value, text) => {
  expect(jsonText(value)).toBe(text)
})

it('indents alike with integers of any size', () => {
  const shape = (n: JsonValue): JsonValue => ({ a: [n, { b: n }], c: [], d: {} })
  expect(jsonText(shape(big), 2)).toBe(jsonText(shape(7), 2).replaceAll('7', String(big)))
})

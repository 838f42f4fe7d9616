import { expect, it } from 'vitest'
import { goJson } from './json-text.ts'

it('escapes what HTML would take for its own', () => {
  const text = goJson({ a: '1 < 2 && "x" > \u2028\u2029' })
  expect(text).toBe(String.raw`{"a":"1 \u003c 2 \u0026\u0026 \"x\" \u003e \u2028\u2029"}`)
  expect(JSON.parse(text)).toEqual({ a: '1 < 2 && "x" > \u2028\u2029' })
})

it('writes long texts as it writes their pieces', () => {
  const piece = 'a<b>&  é\n'
  expect(goJson(piece.repeat(3_000))).toBe(`"${goJson(piece).slice(1, -1).repeat(3_000)}"`)
})

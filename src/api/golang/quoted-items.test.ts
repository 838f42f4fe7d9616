import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { quotedJson, quotedJsonText, quotedText } from './quoted-items.ts'

const map = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${String(count - i).padStart(5, '0')}`, i]))

describe('quotedJson', () => {
  it('is all of a value that is not large', () => {
    expect(quotedJson({ b: ['<', map(3)], a: null })).toBe(
      '{"b":["\\u003c",{"k00003":0,"k00002":1,"k00001":2}],"a":null}',
    )
  })

  it('is the first members of what is large, at any depth', () => {
    const shown = JSON.parse(quotedJson({ list: [map(5_000), Array(5_000).fill(1)] })) as {
      list: [JsonObject, number[]]
    }
    expect(Object.keys(shown.list[0])).toHaveLength(1_000)
    expect(Object.keys(shown.list[0])[0]).toBe('k00001')
    expect(shown.list[1]).toHaveLength(1_000)
  })
})

it('of a long text is how it begins', () => {
  const most = 128 * 1024
  const lengths = [most, most + 1].map((length) => [quotedText('"'.repeat(length)), quotedJsonText('<'.repeat(length))])
  expect(lengths.map((texts) => texts.map((text) => text.length))).toEqual([
    [2 * most + 2, 6 * most + 2],
    [2 * most + 5, 6 * most + 5],
  ])
  expect(lengths[1]?.map((text) => text.slice(-5))).toEqual(['\\""...', '3c"...'].map((end) => end.slice(-5)))
})

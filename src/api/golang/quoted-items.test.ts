import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { quotedJson } from './quoted-items.ts'

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

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseTree } from './json-parser.ts'

const textOf = (body: Uint8Array): unknown => parseTree(Buffer.concat([Buffer.from('"'), body, Buffer.from('"')]))

/** One character after the other, by the platform's strict decoder. */
function decoded(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const width = [1, 2, 3, 4].find(
      (length) => at + length <= bytes.length && isCharacter(bytes.subarray(at, at + length)),
    )
    text +=
      width === undefined
        ? '\ufffd'
        : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, at + width))
    at += width ?? 1
  }
  return text
}

function isCharacter(bytes: Uint8Array): boolean {
  try {
    return [...new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)].length === 1
  } catch {
    return false
  }
}

it('makes U+FFFD of every byte that belongs to no character', () => {
  const byte = fc.oneof(
    fc.constantFrom(
      0x61,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc1,
      0xc2,
      0xe0,
      0xe2,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0xff,
    ),
    fc.integer({ min: 0x80, max: 0xff }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.array(byte, { maxLength: 12 }), (any, likely) => {
      const bytes = Uint8Array.from([...likely, ...any]).filter(
        (each) => each >= 0x20 && each !== 0x22 && each !== 0x5c,
      )
      expect(textOf(bytes)).toBe(decoded(bytes))
    }),
    { numRuns: 500 },
  )
})

it('reads every escape, and U+FFFD for half of a pair', () => {
  const unit = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(0xd83d, 0xde00, 0xd800, 0xdfff, 0x22, 0x5c, 0x2f, 8, 9, 10, 12, 13),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), fc.boolean(), (units, areShort) => {
      const text = String.fromCharCode(...units)
      const escaped = units.map((each) => `\\u${each.toString(16).padStart(4, '0')}`).join('')
      const body = Buffer.from(areShort ? JSON.stringify(text).slice(1, -1) : escaped)
      expect(textOf(body)).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    }),
    { numRuns: 500 },
  )
})

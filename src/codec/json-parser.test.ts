import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import { parseTree, parseTreeInSteps } from './json-parser.ts'

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

it.each([
  ['a value', (text) => ['"', text, '"']],
  ['a member', (text) => ['{"a":"', text, '"}']],
  ['items', (text) => ['["', text, '","b","', text, '"]']],
  ['keys', (text) => ['{"', text, '":{"', text, '":1},"b":2,"', text, '" : []}']],
  ['with an escape', (text) => ['["\\u003c', text, '\\ud800"]']],
  ['before what is no JSON', (text) => ['{"a":"', text, '"]']],
  ['without an end', (text) => ['{"', text]],
] satisfies [string, (text: Buffer) => (string | Buffer)[]][])(
  'reads long broken strings in steps as at once: %s',
  (_, parts) => {
    // Of two and three bytes, so that some character lies across the end of a step, whatever its length.
    for (const character of ['é', '€']) {
      const broken = Buffer.concat([
        Buffer.from([0xff]),
        Buffer.from(character.repeat(300_000)),
        Buffer.from([0xe2, 0x82]),
      ])
      const bytes = Buffer.concat(parts(broken).map((part) => Buffer.from(part)))
      const outcome = (parse: (unusual: Set<string>) => unknown): unknown => {
        const unusual = new Set<string>()
        try {
          return { tree: parse(unusual), unusual }
        } catch (error) {
          return (error as Error).message
        }
      }
      const atOnce = outcome((unusual) => parseTree(bytes, unusual))
      let steps = 0
      const inSteps = outcome((unusual) => {
        const parsing = parseTreeInSteps(bytes, unusual)
        return runToEnd({
          next: () => {
            steps++
            return parsing.next()
          },
        })
      })
      expect(inSteps).toEqual(atOnce)
      if (typeof atOnce === 'object') expect(steps).toBeGreaterThan(3)
    }
  },
)

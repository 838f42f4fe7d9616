import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextDelta } from './text-delta.ts'

const spec = Buffer.from(JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ [`field${i}`]: i }))))
/** As objects are: much the same over and over. */
const repetitive = Buffer.from(
  `"spec":{"name":"one","rows":[${'{"type":"string","description":"xxxxxxxx"},'.repeat(900)}]}`,
)
const joined = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)))

describe('what is left of an old text', () => {
  it.each<[string, Buffer, Buffer]>([
    ['the same', spec, spec],
    ['a new beginning', joined('old', spec), joined('the new', spec)],
    ['a new end', joined(spec, 'old'), joined(spec, 'and more')],
    ['both', joined('{"metadata":{}', spec, '"status":{}}'), joined('{"metadata":{"a":1}', spec, '"status":{"b":2}}')],
    ['both, of much the same', joined('{"a":1,', repetitive, '{}}'), joined('{"a":1,"b":2,', repetitive, '{"c":3}}')],
    ['less at both ends', joined('{"metadata":{"a":1}', spec, '"status":{"b":2}}'), joined('{', spec, '}')],
  ])('is restored: %s', (_, old, next) => {
    const rest = TextDelta.of(old, next)
    expect(rest?.length).toBe(old.length)
    expect(rest?.restore(next).equals(old)).toBe(true)
  })

  it('is not kept where there is little in common, or little at all', () => {
    expect(TextDelta.of(spec, Buffer.alloc(spec.length, 'x'))).toBeUndefined()
    expect(TextDelta.of(Buffer.from('old'), Buffer.from('new'))).toBeUndefined()
  })

  it('is restored whatever was cut out and put in', () => {
    const edit = fc.record({ at: fc.nat(spec.length), cut: fc.nat(300), put: fc.string({ maxLength: 300 }) })
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), (edits) => {
        let old: Buffer = spec
        for (const { at, cut, put } of edits) old = joined(old.subarray(0, at), put, old.subarray(at + cut))
        for (const [a, b] of [
          [old, spec],
          [spec, old],
        ] as const) {
          const rest = TextDelta.of(a, b)
          if (rest !== undefined) expect(rest.restore(b).equals(a)).toBe(true)
        }
      }),
    )
  })
})

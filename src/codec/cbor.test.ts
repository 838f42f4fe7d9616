import { decode as otherDecode, encode as otherEncode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalJson, type JsonValue } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { decodeCbor, decodeCborBody, encodeCbor, encodeCborEvent, encodeCborList, hasCborPrefix } from './cbor.ts'
import { CborReader } from './cbor-reader.ts'
import { WellformedCheck } from './cbor-wellformed.ts'
import { DecodeError } from './decode-error.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

describe('written', () => {
  test.each<[JsonValue, string]>([
    [null, 'f6'],
    [true, 'f5'],
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [256, '190100'],
    [-1, '20'],
    [2 ** 40, '1b0000010000000000'],
    [2n ** 63n - 1n, '1b7fffffffffffffff'],
    [-(2n ** 63n), '3b7fffffffffffffff'],
    [0.5, 'f93800'],
    [-1.5, 'f9be00'],
    [65504.5, 'fa477fe080'],
    [1.1, 'fb3ff199999999999a'],
    [2 ** -24, 'f90001'],
    ['hi', '426869'],
    [[1, 'a'], '82014161'],
    [{ bb: 1, a: 2, c: 3 }, 'a341610241630342626201'],
  ])('%s', (value, text) => {
    expect(encodeCbor(value).toString('hex')).toBe(`d9d9f7${text}`)
  })

  test('bytes under their tag, where the schema knows them', () => {
    const secret = { data: { k: 'aGk=' } }
    expect(encodeCbor(secret, typeSchema('core.v1.Secret')).toString('hex')).toBe('d9d9f7a14464617461a1416bd6426869')
    expect(decodeCbor(encodeCbor(secret, typeSchema('core.v1.Secret')))).toEqual(secret)
    expect(decodeCbor(encodeCbor(secret))).toEqual(secret)
  })

  test('a double stays one', () => {
    const schema = typeSchema('apiextensions.v1.JSONSchemaProps')
    expect(encodeCbor({ maximum: 5, maxLength: 5 }, schema).toString('hex')).toBe(
      `d9d9f7a2${'476d6178696d756d'}f94500${'496d61784c656e677468'}05`,
    )
  })

  test('an event, and a list of encoded items', () => {
    const item = encodeCbor({ a: 1 })
    expect(decodeCbor(encodeCborEvent('ADDED', item))).toEqual({ type: 'ADDED', object: { a: 1 } })
    const list = { kind: 'L', metadata: {}, items: [] }
    const whole = encodeCbor({ ...list, items: [{ a: 1 }, { a: 1 }] })
    expect(Buffer.concat(encodeCborList(list, [item, item])).equals(whole)).toBe(true)
  })
})

describe('read', () => {
  test.each<[string, JsonValue]>([
    ['d9d9f7a0', {}],
    ['a0', {}],
    ['a1616101', { a: 1 }],
    ['a1416101', { a: 1 }],
    ['5f426869426869ff', 'hihi'],
    ['7f626869ff', 'hi'],
    ['9f0102ff', [1, 2]],
    ['bf616101ff', { a: 1 }],
    ['d6426869', 'aGk='],
    ['d542fbff', '-_8'],
    ['d7426869', '6869'],
    ['d682426869426869', ['aGk=', 'aGk=']],
    ['c074323032342d30312d30325430333a30343a30355a', '2024-01-02T03:04:05Z'],
    ['c11a65937d25', '2024-01-02T03:04:05Z'],
    ['d86401', 1],
    ['f93c00', 1],
    ['f6', null],
    ['a1695f5f70726f746f5f5f01', JSON.parse('{"__proto__":1}')],
  ])('%s', (text, value) => {
    expect(decodeCbor(hex(text))).toEqual(value)
  })

  test.each([
    ['', 'EOF'],
    ['a1', 'unexpected EOF'],
    ['5b7fffffffffffffff', 'unexpected EOF'],
    ['5bffffffffffffffff', 'cbor: byte string length 18446744073709551615 is too large, causing integer overflow'],
    ['9bffffffffffffffff', 'cbor: array length 18446744073709551615 is too large, it would cause integer overflow'],
    ['f818', 'cbor: invalid simple value 24 for type primitives'],
    ['fc', 'cbor: invalid additional information 28 for type primitives'],
    ['bf4161ff', 'cbor: unexpected "break" code'],
    ['5f6161ff', 'cbor: wrong element type UTF-8 text string for indefinite-length byte string'],
    ['5f5f4161ffff', 'cbor: indefinite-length byte string chunk is not definite-length'],
    ['c001', 'cbor: tag number 0 must be followed by text string, got positive integer'],
    ['c16161', 'cbor: tag number 1 must be followed by integer or floating-point number, got UTF-8 text string'],
    // What is wrong with the bytes comes before what is wrong with the values.
    ['ef00', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['a241610141610200', 'cbor: 1 bytes of extraneous data starting at index 7'],
    ['8261ff', 'unexpected EOF'],
    ['d5c2', 'unexpected EOF'],
    ['0001', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['a2616101616102', 'cbor: found duplicate map key "a" at map element index 1'],
    ['a2416101616102', 'cbor: found duplicate map key "a" at map element index 1'],
    ['61ff', 'cbor: invalid UTF-8 string'],
    ['a10101', 'cbor: cannot unmarshal positive integer into Go value of type string'],
    [
      '1bffffffffffffffff',
      "cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)",
    ],
    ['f97e00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN'],
    ['f97c00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity'],
    ['f7', 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized'],
    ['c24101', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
    ['ff', 'cbor: unexpected "break" code'],
    ['1f', 'cbor: invalid additional information 31 for type positive integer'],
    ['81'.repeat(20_000), 'cbor: exceeded max nested level 64'],
    ['c5'.repeat(20_000), 'cbor: exceeded max nested level 64'],
    [`990401${'00'.repeat(1025)}`, 'cbor: exceeded max number of elements 1024 for CBOR array'],
    [`9f${'00'.repeat(1025)}ff`, 'cbor: exceeded max number of elements 1024 for CBOR array'],
    ['b90401', 'cbor: exceeded max number of key-value pairs 1024 for CBOR map'],
  ])('%s is refused', (text, message) => {
    expect(() => decodeCborBody(hex(text))).toThrow(new DecodeError(message))
  })
})

test('what was stored may be larger', () => {
  const items = Array.from({ length: 5000 }, (_, i) => i)
  expect(decodeCbor(encodeCbor({ items }))).toEqual({ items })
  expect(decodeCborBody(encodeCbor(items.slice(0, 1024)))).toEqual(items.slice(0, 1024))
})

const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, false, ''),
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

test('what is written reads as the same value, with a prefix that tells it', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const bytes = encodeCbor(value)
      expect(hasCborPrefix(bytes)).toBe(true)
      const read = decodeCbor(bytes)
      if (!equalJson(read, value)) expect(read).toEqual(value)
    }),
  )
})

test('what another writer of CBOR writes reads as the same value', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const bytes = Buffer.from(otherEncode(value))
      const read = decodeCbor(bytes)
      if (!equalJson(read, otherDecode(bytes) as JsonValue)) expect(read).toEqual(value)
    }),
  )
})

test('any bytes give a value or a DecodeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        decodeCbor(Buffer.from(bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
    { numRuns: 3000 },
  )
})

test('a check and a reader that stop after every item find what those find that do not', () => {
  const read = (bytes: Buffer, items: number): unknown => {
    try {
      const check = new WellformedCheck(bytes, { depth: 4, items: 8 })
      while (!check.proceed(items));
      const reader = new CborReader(bytes)
      while (!reader.proceed(items));
      return reader.result
    } catch (error) {
      if (error instanceof DecodeError) return error.message
      throw error
    }
  }
  // Heads of short arrays, maps and strings, tags and breaks: most of these are nearly well-formed.
  const heads = [0x81, 0x82, 0x9f, 0xa1, 0xbf, 0x40, 0x41, 0x5f, 0x60, 0x61, 0x7f, 0xd6, 0xc1, 0xf4, 0xf6, 1, 0x20]
  const byte = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...heads, 0xff) }, fc.nat(255))
  fc.assert(
    fc.property(fc.array(byte, { minLength: 1, maxLength: 12 }), (bytes) => {
      const body = Buffer.from(bytes)
      expect(read(body, 1)).toEqual(read(body, Number.POSITIVE_INFINITY))
    }),
    { numRuns: 3000 },
  )
})

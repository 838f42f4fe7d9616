import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity, QuantityError } from './quantity.ts'

const q = (text: string): Quantity => Quantity.parse(text)

describe('parse and print', () => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['0Ki', '0'],
    ['1', '1'],
    ['1000', '1k'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['1.500', '1.500'],
    ['0.500', '500m'],
    ['+5', '+5'],
    ['05', '05'],
    ['-1.5', '-1500m'],
    ['1Ki', '1Ki'],
    ['8Ki', '8Ki'],
    ['1024Ki', '1Mi'],
    ['1536Ki', '1536Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['0.05Gi', '53687091200m'],
    ['0.000000000001Ki', '2n'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e7', '120e6'],
    ['1e1001', '100e999'],
    ['1.2e3', '1200'],
    ['0.0000000001', '1n'],
    ['3.001n', '4n'],
    ['-3.001n', '-4n'],
    ['1e-2000000000', '1e-9'],
    ['8Ei', '9223372036854775807'],
    ['-9Ei', '-9223372036854775807'],
    ['7Ei', '7Ei'],
    ['1Pi', '1Pi'],
    ['12E', '12E'],
    ['1000E', '1'],
    ['1234567890123456789012', '1234567890123456789012'],
    ['1234567890123456789000', '1234567890123456789k'],
    ['.', '0'],
    ['+', '0'],
    ['1.', '1.'],
    ['1.G', '1.G'],
    ['.001', '1m'],
    ['Ki', '0'],
    ['5', '5'],
    ['2E', '2E'],
    ['64Mi', '64Mi'],
    ['1025', '1025'],
  ]
  test.each(cases)('%s is written %s', (text, written) => {
    expect(q(text).toString()).toBe(written)
    expect(JSON.stringify({ q: q(text) })).toBe(`{"q":"${written}"}`)
  })

  const shape = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  const suffix = "unable to parse quantity's suffix"
  test.each([
    ['', shape],
    ['lots', shape],
    ['1 Gi', shape],
    ['1.1.M', shape],
    ['1x', shape],
    ['1+1.0M', shape],
    ['+-1', suffix],
    ['true', shape],
    ['\u00d7', shape],
    ['1Kib', shape],
    ['1i', suffix],
    ['0.1mi', suffix],
    ['1e', suffix],
    ['1KiKi', suffix],
    ['1+5', suffix],
    ['1e9223372036854775808', suffix],
    ['e-10', 'unable to parse numeric part of quantity'],
  ])('%j is refused', (text, message) => {
    expect(Quantity.check(text)).toBe(message)
    expect(() => q(text)).toThrow(new QuantityError(message))
  })
  test('a valid text has nothing wrong', () => expect(Quantity.check('1Gi')).toBeUndefined())

  test('a long text takes no long time', () => {
    expect(Quantity.check(`${'0'.repeat(1_000_000)}x`)).toBe(shape)
    expect(Quantity.check(`1${'K'.repeat(1_000_000)}`)).toBe(suffix)
    expect(Quantity.check(`1e${'9'.repeat(1_000_000)}`)).toBe(suffix)
  })

  test('a printed quantity reads as the same amount, and prints the same again', () => {
    const suffixes = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'e7')
    const number = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(12)).map(([digits, places]) => {
      const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
      const whole = text.slice(0, text.length - places)
      return (digits < 0n ? '-' : '') + (places ? `${whole}.${text.slice(-places)}` : whole)
    })
    fc.assert(
      fc.property(number, suffixes, (digits, suffix) => {
        const first = q(digits + suffix)
        const magnitude = Math.abs(first.asApproximateFloat())
        fc.pre(magnitude < 1e21)
        const second = q(first.toString())
        expect(second.compare(first)).toBe(0)
        expect(second.toString()).toBe(first.toString())
      }),
    )
  })
})

describe('arithmetic', () => {
  test.each([
    ['1', '1000m', 0],
    ['100m', '50m', 1],
    ['50m', '100m', -1],
    ['10000T', '100Gi', 1],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['0', '0Ki', 0],
    ['1e1000000000', '1e999999999', 1],
    ['-1e1000000000', '1', -1],
    ['1Gi', '1073741824', 0],
    ['9223372036854775807', '9223372036854775806', 1],
  ])('%s against %s', (a, b, expected) => expect(q(a).compare(q(b))).toBe(expected))

  test.each([
    ['1', '1', '2'],
    ['0', '1Gi', '1Gi'],
    ['1Gi', '0', '1Gi'],
    ['100m', '1', '1100m'],
    ['1Gi', '1', '1073741825'],
    ['9223372036854775807', '1', '9223372036854775808'],
    ['1e1000000000', '1', '10e999999999'],
    ['1.5Gi', '0.5Gi', '2Gi'],
  ])('%s + %s = %s', (a, b, sum) => expect(q(a).add(q(b)).toString()).toBe(sum))

  test.each([
    ['1', '1', '0'],
    ['0', '1Gi', '-1Gi'],
    ['1', '100m', '900m'],
  ])('%s - %s = %s', (a, b, rest) => expect(q(a).sub(q(b)).toString()).toBe(rest))

  test('sums are exact', () => {
    const amount = fc.tuple(fc.maxSafeInteger(), fc.constantFrom('', 'm', 'k', 'G', 'E')).map(([n, s]) => `${n}${s}`)
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(
          q(a)
            .add(q(b))
            .compare(q(b).add(q(a))),
        ).toBe(0)
        expect(q(a).add(q(b)).sub(q(b)).compare(q(a))).toBe(0)
        expect(q(a).sub(q(a)).sign()).toBe(0)
        expect(q(a).compare(q(b)) + q(b).compare(q(a))).toBe(0)
      }),
    )
  })

  test.each([
    ['1m', '1m'],
    ['0.1m', '1m'],
    ['1.0001', '1001m'],
    ['-0.1m', '-1m'],
    ['1.500', '1.500'],
    ['1n', '1m'],
    ['1.1Ki', '1126400m'],
  ])('%s rounds up to %s', (text, rounded) => expect(q(text).roundUp().toString()).toBe(rounded))

  test.each([
    ['100m', 1, 100],
    ['1.5', 2, 1500],
    ['1n', 1, 1],
    ['-1.5', -2, -1500],
    ['1Gi', 1073741824, 1073741824000],
    ['0', 0, 0],
    ['1e30', 0, 0],
    ['1e17', 1e17, 0],
  ])('%s in whole and thousandth units', (text, whole, thousandths) => {
    expect(q(text).value()).toBe(whole)
    expect(q(text).milliValue()).toBe(thousandths)
  })

  test.each([
    ['1', true, false],
    ['1.5', false, false],
    ['2Mi', true, true],
    ['9007199254740993', true, false],
    // Its thousandths wrap around in 64 bits.
    ['123456789012345678', false, false],
    ['1Ei', false, true],
    ['9223372036854775807', true, false],
  ])('%s is whole: %s, and a multiple of 2Mi: %s', (text, whole, multiple) => {
    expect([q(text).isWhole(), q(text).isMultiple(2 ** 21)]).toEqual([whole, multiple])
  })

  test.each<[string, bigint | undefined]>([
    ['1', 1n],
    ['1k', 1000n],
    ['1Gi', 1073741824n],
    ['1000m', undefined],
    ['1.5Gi', undefined],
    ['9223372036854775807', undefined],
    ['922337203685477580', 922337203685477580n],
    ['10E', undefined],
    ['0e99', 0n],
  ])('%s as a 64-bit integer', (text, value) => {
    expect(q(text).asInteger()).toBe(value)
    expect(q(text).isInteger()).toBe(value !== undefined)
  })

  test('a float that may be off', () => {
    expect(q('1.5').asApproximateFloat()).toBe(1.5)
    expect(q('100m').asApproximateFloat()).toBe(0.1)
    expect(q('1e400').asApproximateFloat()).toBe(Number.POSITIVE_INFINITY)
    expect(q('1Ki').asApproximateFloat()).toBe(1024)
  })

  test('made from numbers', () => {
    expect(Quantity.of(2048, 'BinarySI').toString()).toBe('2Ki')
    expect(Quantity.ofMilli(1500).toString()).toBe('1500m')
    expect(Quantity.of(3).mul(5).toString()).toBe('15')
    expect(Quantity.zero.neg().toString()).toBe('0')
  })
})

test.each([
  [' 5 ', '5'],
  ['\u00a05\u2003', '5'],
  ['5\n', undefined],
  ['\t5', undefined],
  ['\ufeff5', undefined],
])('of a JSON string, %j is %s', (text, expected) => {
  expect(Quantity.checkJson(text) === undefined ? Quantity.parseJson(text).toString() : undefined).toBe(expected)
})

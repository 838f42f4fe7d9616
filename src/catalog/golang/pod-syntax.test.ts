import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writingOf } from '../../api/given-writing.ts'
import { goQuantity } from '../../api/golang/quantity.ts'
import { goRawExtension } from '../../api/golang/value.ts'
import type { JsonValue } from '../../api/json.ts'
import { decodePart } from '../../schema/decode.ts'
import { canonicalQuantity } from '../../schema/scalars.ts'
import type { MapSchema } from '../../schema/schema.ts'
import { goToleration } from './pod-syntax.ts'

const shown = (value: string, scale: number, text: string, format: string, decimal = 'nil'): string =>
  `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(${decimal})}, s:"${text}", Format:"${format}"}`

describe('a quantity', () => {
  test.each([
    ['0', shown('0', 0, '0', 'DecimalSI')],
    ['1500m', shown('1500', -3, '1500m', 'DecimalSI')],
    ['1.5', shown('15', -1, '', 'DecimalSI')],
    ['0.5', shown('5', -1, '', 'DecimalSI')],
    ['-1.5', shown('-15', -1, '', 'DecimalSI')],
    ['1.500', shown('1500', -3, '1.500', 'DecimalSI')],
    ['5k', shown('5', 3, '5k', 'DecimalSI')],
    ['5000', shown('5000', 0, '', 'DecimalSI')],
    ['2e9', shown('2', 9, '2e9', 'DecimalExponent')],
    ['3Gi', shown('3221225472', 0, '3Gi', 'BinarySI')],
    ['512Mi', shown('536870912', 0, '', 'BinarySI')],
    ['1.5Gi', shown('0', 0, '', 'BinarySI', '0xc000000000')],
    ['123456789012345678', shown('123456789012345678', 0, '123456789012345678', 'DecimalSI')],
    ['1234567890123456789', shown('0', 0, '', 'DecimalSI', '0xc000000000')],
    ['1Pi', shown('0', 0, '', 'BinarySI', '0xc000000000')],
    ['999Gi', shown('1072668082176', 0, '999Gi', 'BinarySI')],
    ['0.0000000001', shown('0', 0, '', 'DecimalSI', '0xc000000000')],
  ])('%s is shown as it was read', (written, expected) => {
    expect(goQuantity(canonicalQuantity(written), { written }).go).toBe(expected)
  })

  test('has a text once somebody asked for it', () => {
    expect(goQuantity(canonicalQuantity('0.5'), { written: '0.5', isTold: true }).go).toBe(
      shown('5', -1, '500m', 'DecimalSI'),
    )
  })

  test('is shown as its own object had it, whatever was decoded before, between and after', () => {
    const schema: MapSchema = { kind: 'map', values: { kind: 'quantity' }, atomic: false }
    const decoded = (cpu: string) => decodePart({ cpu }, schema, { empties: 'given' })?.value as { cpu: string }
    const show = (map: { cpu: string }) => goQuantity(map.cpu, { written: writingOf(map, 'cpu') }).go
    const expected = new Map([
      ['2.5', shown('25', -1, '', 'DecimalSI')],
      ['2500m', shown('2500', -3, '2500m', 'DecimalSI')],
      ['2.50', shown('250', -2, '', 'DecimalSI')],
    ])
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...expected.keys()), { minLength: 1 }), (order) => {
        const maps = order.map(decoded)
        expect(maps.map((map) => map.cpu)).toEqual(order.map(() => '2500m'))
        expect(maps.map(show)).toEqual(order.map((written) => expected.get(written)))
      }),
    )
  })

  test('has no writing any more in what is stored', () => {
    const schema: MapSchema = { kind: 'map', values: { kind: 'quantity' }, atomic: false }
    const given = decodePart({ cpu: '2.5' }, schema, { empties: 'given' })?.value as object
    const stored = decodePart(given as JsonValue, schema, { empties: 'stored' })?.value as object
    expect(stored).toEqual(given)
    expect([writingOf(given, 'cpu'), writingOf(stored, 'cpu')]).toEqual(['2.5', undefined])
  })
})

test.each([
  ['raw JSON', goRawExtension({}), 'runtime.RawExtension{Raw:[]uint8{0x7b, 0x7d}, Object:runtime.Object(nil)}'],
  ['no JSON', goRawExtension(null), 'runtime.RawExtension{Raw:[]uint8(nil), Object:runtime.Object(nil)}'],
  [
    'a toleration',
    goToleration({ key: 'k', tolerationSeconds: 3 }),
    'core.Toleration{Key:"k", Operator:"", Value:"", Effect:"", TolerationSeconds:(*int64)(0xc000000000)}',
  ],
])('%s', (_, shown, expected) => {
  expect(String(shown)).toBe(expected)
})

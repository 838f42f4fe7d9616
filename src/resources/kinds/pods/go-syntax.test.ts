import { describe, expect, test } from 'vitest'
import { canonicalQuantity } from '../../../schema/scalars.ts'
import { goQuantity, goRawExtension, goTime, goToleration } from './go-syntax.ts'

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
  ])('%s is shown as it was read', (written, expected) => {
    expect(goQuantity(canonicalQuantity(written))).toBe(expected)
  })

  test('has a text once somebody asked for it', () => {
    expect(goQuantity(canonicalQuantity('0.5'), true)).toBe(shown('5', -1, '500m', 'DecimalSI'))
  })

  test('is shown as it was written last', () => {
    const canonical = canonicalQuantity('2.5')
    expect(goQuantity(canonical)).toBe(shown('25', -1, '', 'DecimalSI'))
    expect(canonicalQuantity('2500m')).toBe(canonical)
    expect(goQuantity(canonical)).toBe(shown('2500', -3, '2500m', 'DecimalSI'))
  })
})

test.each([
  ['a time', goTime('2024-05-06T07:08:09Z'), '2024-05-06 07:08:09 +0000 UTC'],
  ['a part of a second', goTime('2024-05-06T07:08:09.120300Z'), '2024-05-06 07:08:09.1203 +0000 UTC'],
  ['no part of a second', goTime('2024-05-06T07:08:09.000000Z'), '2024-05-06 07:08:09 +0000 UTC'],
  ['raw JSON', goRawExtension({}), 'runtime.RawExtension{Raw:[]uint8{0x7b, 0x7d}, Object:runtime.Object(nil)}'],
  ['no JSON', goRawExtension(null), 'runtime.RawExtension{Raw:[]uint8(nil), Object:runtime.Object(nil)}'],
  [
    'a toleration',
    goToleration({ key: 'k', tolerationSeconds: 3 }),
    'core.Toleration{Key:"k", Operator:"", Value:"", Effect:"", TolerationSeconds:(*int64)(0xc000000000)}',
  ],
])('%s', (_, shown, expected) => {
  expect(shown).toBe(expected)
})

import { expect, test } from 'vitest'
import { emptyList, emptyMap } from '../../api/json.ts'
import { goDump } from './dump.ts'

test.each<[string, unknown, string]>([
  ['[]string', undefined, '[]string(nil)'],
  ['[]string', emptyList, '[]string{}'],
  ['map[string]string', null, 'map[string]string(nil)'],
  ['map[string]string', emptyMap, 'map[string]string{}'],
  [
    'core.Volume',
    undefined,
    expect.stringMatching(/^core\.Volume\{Name:"", VolumeSource:core\.VolumeSource\{HostPath/),
  ],
  [
    'batch.SuccessPolicy',
    { rules: [{ succeededIndexes: '1' }] },
    'batch.SuccessPolicy{Rules:[]batch.SuccessPolicyRule{batch.SuccessPolicyRule{SucceededIndexes:(*string)(0xc000000000), SucceededCount:(*int32)(nil)}}}',
  ],
  [
    'core.ResourceList',
    { cpu: '1' },
    'core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:1, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}}',
  ],
  ['intstr.IntOrString', '5%', 'intstr.IntOrString{Type:1, IntVal:0, StrVal:"5%"}'],
])('%s of %j', (type, value, text) => {
  expect(goDump(type, value).go).toEqual(text)
})

test('a dump is bounded', () => {
  expect(
    goDump(
      '[]string',
      Array.from({ length: 1_000_000 }, () => 'x'.repeat(100)),
    ).go.length,
  ).toBeLessThan(10_000_000)
})

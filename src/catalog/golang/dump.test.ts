import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyList, emptyMap } from '../../api/json.ts'
import { isInternalType } from '../internal-types.ts'
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

test.each<[string, unknown, string]>([
  ['v1.LabelSelector', { matchExpressions: [{}] }, '{"matchExpressions":[{"key":"","operator":""}]}'],
  ['v1.LabelSelector', { matchExpressions: emptyList, matchLabels: emptyMap }, '{}'],
  [
    'v1.LabelSelector',
    { matchExpressions: [{ key: 'k', operator: 'Exists', values: [] }] },
    '{"matchExpressions":[{"key":"k","operator":"Exists"}]}',
  ],
  ['v1.LabelSelector', { matchLabels: { a: '<' } }, '{"matchLabels":{"a":"\\u003c"}}'],
  ['apiextensions.JSONSchemaPropsOrBool', true, '{"Allows":true,"Schema":null}'],
  ['apiextensions.JSONSchemaPropsOrBool', false, '{"Allows":false,"Schema":null}'],
  ['apiextensions.JSONSchemaPropsOrBool', {}, expect.stringMatching(/^\{"Allows":true,"Schema":\{"ID":""/)],
])('%s of %j in JSON', (type, value, text) => {
  expect(goDump(type, value).jsonAt(34)).toEqual(text)
})

test('a dump is bounded', () => {
  expect(
    goDump(
      '[]string',
      Array.from({ length: 1_000_000 }, () => 'x'.repeat(100)),
    ).go.length,
  ).toBeLessThan(10_000_000)
})

test.each<[string, unknown, number, string]>([
  [
    'resource.DeviceAttribute',
    { int: 1 },
    34,
    '{"IntValue":1,"BoolValue":null,"StringValue":null,"VersionValue":null}',
  ],
  [
    'resource.DeviceAttribute',
    { int: 1 },
    36,
    '{"IntValue":1,"BoolValue":null,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}',
  ],
  [
    'flowcontrol.LimitedPriorityLevelConfiguration',
    { nominalConcurrencyShares: 30, limitResponse: { type: '' } },
    34,
    '{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"","Queuing":null},"LendablePercent":null,"BorrowingLimitPercent":null}',
  ],
  ['apps.RollingUpdateDeployment', { maxUnavailable: '5%' }, 34, '{"MaxUnavailable":"5%","MaxSurge":0}'],
  [
    'resource.ResourceClaimTemplateSpec',
    { metadata: { labels: { a: 'b' } } },
    34,
    expect.stringMatching(/^\{"labels":\{"a":"b"\},"Spec":\{/),
  ],
])('%s of %j in JSON at release %i', (type, value, release, text) => {
  expect(goDump(type, value).jsonAt(release)).toEqual(text)
})

test('every struct that messages point to is among the facts', () => {
  const source = new URL('../../resources/', import.meta.url)
  const pointers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, source), 'utf8').matchAll(/(?:goPointer|podSyntaxPointer)\('([a-z]+\.[A-Z]\w*)'/g),
    ])
    .map(([, type = '']) => type)
  expect(pointers.length).toBeGreaterThan(10)
  const isTagged = (type: string): boolean => type.startsWith('v1.') || type.startsWith('field.')
  const scalars = ['intstr.IntOrString', 'policy.UnhealthyPodEvictionPolicyType']
  expect(pointers.filter((type) => !isTagged(type) && !scalars.includes(type) && !isInternalType(type))).toEqual([])
})

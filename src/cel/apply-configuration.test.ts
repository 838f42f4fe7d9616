import { expect, it } from 'vitest'
import { GoNative } from '../api/golang/native.ts'
import type { JsonValue } from '../api/json.ts'
import { configurationOf } from './apply-configuration.ts'
import { storedExpressions } from './environment.ts'
import { admissionEnvironment } from './environments.ts'

const environment = admissionEnvironment(storedExpressions(), { patches: true })

function configuration(expression: string): JsonValue {
  const compiled = environment.compile(`Object{x: ${expression}}`)
  if (!compiled.ok) throw new Error(compiled.message)
  const made = compiled.program.evaluate({ object: { json: true } } as never)
  if (made.kind !== 'value') throw new Error(JSON.stringify(made))
  return configurationOf(made.value)['x'] ?? null
}

it.each<[string, JsonValue]>([
  ["'a'", 'a'],
  ['1', 1],
  ['true', true],
  ['int', 'int'],
  ["optional.of('a')", 'a'],
  ['optional.none()', null],
  ["['a'] + ['b']", ['a', 'b']],
  ["{'a': 1}", { a: 1 }],
  ['[Object.x{a: 1}]', [{ a: 1 }]],
  ["[['a'] + ['b']]", [['a', 'b']]],
])('keeps %s as JSON', (expression, json) => {
  expect(configuration(expression)).toEqual(json)
})

it.each<[string, GoNative]>([
  ['null', new GoNative('structpb.NullValue', 'NULL_VALUE', '0')],
  ['31u', new GoNative('uint64', '31', '0x1f')],
  ["b'abc'", new GoNative('[]uint8', '[97 98 99]', '[]uint8{0x61, 0x62, 0x63}')],
  ["duration('90m')", new GoNative('time.Duration', '1h30m0s', '5400000000000')],
  [
    "timestamp('2024-01-02T03:04:05Z')",
    new GoNative(
      'time.Time',
      '2024-01-02 03:04:05 +0000 UTC',
      'time.Date(2024, time.January, 2, 3, 4, 5, 0, time.UTC)',
    ),
  ],
  ["'a,b'.split(',')", new GoNative('[]string', '[a b]', '[]string{"a", "b"}')],
  ["'ab'.findAll('a')", new GoNative('[]string', '[a]', '[]string{"a"}')],
  ["quantity('1')", GoNative.pointer('*resource.Quantity', '1')],
  ["url('http://a/b')", GoNative.pointer('*url.URL', 'http://a/b')],
  ["ip('1.2.3.4')", GoNative.pointer('netip.Addr', '1.2.3.4')],
  ["cidr('10.0.0.0/8')", GoNative.pointer('netip.Prefix', '10.0.0.0/8')],
])('keeps %s as Go has it', (expression, native) => {
  expect(configuration(expression)).toEqual(native)
})

it.each<[string, JsonValue]>([
  ['[[1]]', [new GoNative('[]ref.Val', '[1]', '[]ref.Val{1}') as never]],
  ["[['a'].map(x, x)]", [new GoNative('[]ref.Val', '[a]', '[]ref.Val{"a"}') as never]],
  ["{'a': {'b': 2u}}", { a: new GoNative('map[ref.Val]ref.Val', 'map[b:2]', 'map[ref.Val]ref.Val{"b":0x2}') as never }],
  [
    "[[dyn(duration('1s')), dyn(b'a'), dyn(1.5), dyn(null)]]",
    [
      new GoNative(
        '[]ref.Val',
        '[1s [97] 1.5 0]',
        '[]ref.Val{types.Duration{Duration:1000000000}, types.Bytes{0x61}, 1.5, 0}',
      ) as never,
    ],
  ],
])('keeps lists and maps within others as the expression made them: %s', (expression, json) => {
  expect(configuration(expression)).toEqual(json)
})

it.each([
  ["Object.x{a: {1: 'b'}}", `fail to convert field "a": map key '\\x01' is of type types.Int, not string`],
  ["Object.x{a: {97u: 'b'}}", `fail to convert field "a": map key 'a' is of type types.Uint, not string`],
  ["Object.x{a: {39: 'b'}}", `fail to convert field "a": map key '\\'' is of type types.Int, not string`],
  [
    "Object.x{a: {true: 'b'}}",
    'fail to convert field "a": map key %!q(types.Bool=true) is of type types.Bool, not string',
  ],
])('makes an error of %s', (expression, message) => {
  expect(configuration(expression)).toEqual(GoNative.pointer('*types.Err', message))
})

it('refuses keys that are no texts right below the root', () => {
  expect(() => configuration("{1: 'a'}")).toThrow('invalid return type: *dynamic.ObjectVal')
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalJson, type JsonValue } from '../api/json.ts'
import { decodeYaml } from './yaml.ts'
import { encodeYaml } from './yaml-emitter.ts'

const lines = (...text: string[]): string => `${text.join('\n')}\n`

test.each<[string, JsonValue, string]>([
  ['null', null, lines('null')],
  ['empty collections', { a: {}, b: [], c: [{}, []] }, lines('a: {}', 'b: []', 'c:', '- {}', '- []')],
  [
    'lists are in line with their key',
    { kind: 'List', items: [{ b: 1, a: [1, [2, 3]] }, 'x'] },
    lines('items:', '- a:', '  - 1', '  - - 2', '    - 3', '  b: 1', '- x', 'kind: List'),
  ],
  [
    'fields that are owned',
    { 'f:data': { '.': {}, 'f:k': {} }, 'k:{"name":"c"}': {} },
    lines('f:data:', '  .: {}', '  f:k: {}', 'k:{"name":"c"}: {}'),
  ],
  ['a list at the root', ['a', ['b']], lines('- a', '- - b')],
  [
    'texts over several lines',
    { a: 'two\nlines\n', b: 'no end\nhere', c: 'two ends\n\n', d: '  indented\n', e: '\n' },
    lines(
      'a: |',
      '  two',
      '  lines',
      'b: |-',
      '  no end',
      '  here',
      'c: |+',
      '  two ends',
      '',
      'd: |2',
      '    indented',
      'e: |2+',
      '',
    ),
  ],
  ['a text in a list over several lines', { a: ['x\ny'] }, lines('a:', '- |-', '  x', '  y')],
  [
    'a long text folds after column 80',
    {
      message:
        'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    },
    lines(
      "message: 'only the following media types are accepted: application/json;stream=watch,",
      "  application/vnd.kubernetes.protobuf;stream=watch'",
    ),
  ],
  [
    'a long plain text folds too',
    { a: 'word '.repeat(30).trim() },
    lines(`a: ${'word '.repeat(15).trim()} word`, `  ${'word '.repeat(14).trim()}`),
  ],
])('%s', (_, value, text) => {
  expect(encodeYaml(value)).toBe(text)
})

describe('one text', () => {
  test.each([
    ['plain', 'plain'],
    ['5', '"5"'],
    ['1.5', '"1.5"'],
    ['true', '"true"'],
    ['yes', '"yes"'],
    ['y', '"y"'],
    ['null', '"null"'],
    ['~', '"~"'],
    ['', '""'],
    ['<<', '"<<"'],
    ['12:30', '"12:30"'],
    ['2024-01-01T00:00:00Z', '"2024-01-01T00:00:00Z"'],
    ['0x1F', '"0x1F"'],
    ['100m', '100m'],
    ['10.0.0.1', '10.0.0.1'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a #b', "'a #b'"],
    ['a#b', 'a#b'],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['*', "'*'"],
    ['[a', "'[a'"],
    ['{}', "'{}'"],
    ["it's", "it's"],
    ["'a'", "'''a'''"],
    ['"a"', '\'"a"\''],
    ['configmaps "x" not found', 'configmaps "x" not found'],
    [' lead', "' lead'"],
    ['tail ', "'tail '"],
    ['tab\there', '"tab\\there"'],
    ['größe', 'größe'],
    ['😀', '"\\U0001F600"'],
    ['\0', '"\\0"'],
    ['back\\slash', 'back\\slash'],
    ['---', "'---'"],
    ['trailing space \nline', '"trailing space \\nline"'],
  ])('%j', (text, shown) => {
    expect(encodeYaml({ a: text })).toBe(`a: ${shown}\n`)
  })
})

test.each<[JsonValue, string]>([
  [5, '5'],
  [-1, '-1'],
  [0.5, '0.5'],
  [1234567.5, '1.2345675e+06'],
  [1e-7, '1e-07'],
  [1e21, '1e+21'],
  [9223372036854775807n, '9223372036854775807'],
  [true, 'true'],
])('%s', (value, shown) => {
  expect(encodeYaml({ a: value })).toBe(`a: ${shown}\n`)
})

test('keys are quoted where they must be, and come in natural order', () => {
  const object = { true: 1, a10: 1, a9: 1, b: 1, A: 1, '.': 1, '': 1, '5': 1, 'x y': 1, ['k'.repeat(130)]: 1 }
  expect(encodeYaml(object)).toBe(
    lines(
      '"": 1',
      '.: 1',
      '"5": 1',
      'A: 1',
      'a9: 1',
      'a10: 1',
      'b: 1',
      `? ${'k'.repeat(130)}`,
      ': 1',
      '"true": 1',
      'x y: 1',
    ),
  )
})

const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      -5,
      1.5,
      'yes',
      '',
      'a: b',
      '# c',
      '- x',
      ' lead',
      'tail ',
      'a\nb',
      'a\n',
      '\n',
      '\n\n',
      ' \n',
      'a\n b',
      'word '.repeat(40),
      `${'x'.repeat(90)}  y z`,
    ),
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('a', 'b c', 'on', '1', 'a\nb', 'k'.repeat(200))),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value

test('what is written reads as the same value', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const read = decodeYaml(Buffer.from(encodeYaml(value))).value
      if (!equalJson(read, value)) expect(read).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

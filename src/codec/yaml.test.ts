import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { JsonValue } from '../api/json.ts'
import { DecodeError } from './decode-error.ts'
import { decodeYaml, yamlStrictError } from './yaml.ts'

const decode = (text: string): JsonValue => decodeYaml(Buffer.from(text)).value

describe('values', () => {
  test.each<[string, JsonValue]>([
    ['', null],
    ['# only a comment\n', null],
    ['---\n', null],
    ['{}: 1', {}],
    ['.inf: 1\n-.INF: 2\n.nan: 3', { '-.inf': 2, '.inf': 1, '.nan': 3 }],
    ['just text', 'just text'],
    ['a: 1', { a: 1 }],
    ['a:\n  b: c\n  d:\n  - 1\n  - x: v\n    z: w\n', { a: { b: 'c', d: [1, { x: 'v', z: 'w' }] } }],
    ['- - a\n  - b\n-\n- c: d\n', [['a', 'b'], null, { c: 'd' }]],
    ['{a: [1, {b: c}], "d": e, f}', { a: [1, { b: 'c' }], d: 'e', f: null }],
    ['[a: b, c]', [{ a: 'b' }, 'c']],
    ['{"apiVersion":"v1","data":{"k":"a\\u00e9\\n"}}', { apiVersion: 'v1', data: { k: 'aé\n' } }],
    ['a: |\n  two\n  lines\nb: >-\n  one\n  two\n\n  three\n', { a: 'two\nlines\n', b: 'one two\nthree' }],
    ['a: |+\n  x\n\nb: |-\n  y\nc: |2\n    z\n', { a: 'x\n\n', b: 'y', c: '  z\n' }],
    ['a: >\n  one\n   more\n  two\n', { a: 'one\n more\ntwo\n' }],
    ['a: plain text\n  goes on\n\n  here\n', { a: 'plain text goes on\nhere' }],
    ['a: \'it\'\'s\'\nb: "x\\\n  y"\nc: "x\n\n  y"\n', { a: "it's", b: 'xy', c: 'x\ny' }],
    ['a: b # comment\nc: d#e\n', { a: 'b', c: 'd#e' }],
    ['a: http://x/y\nb: a:b\n', { a: 'http://x/y', b: 'a:b' }],
    ['? a\n: b\n? c\n', { a: 'b', c: null }],
    ['? [x]\n: y\n', 'error'],
    ['a: 1\n---\nb: [', { a: 1 }],
    ['---\na: 1\n...\nrubbish: [', { a: 1 }],
    ['[a, b]]', ['a', 'b']],
    ['%YAML 1.1\n---\na: 1\n', { a: 1 }],
    ['\ufeffa: 1', { a: 1 }],
    ['a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['a:\tb\n', { a: 'b' }],
    ['a: -1\nb: - 1\n', 'error'],
    ['key with spaces: v\n"quoted": w\n', { 'key with spaces': 'v', quoted: 'w' }],
    ['z: 1\na: 2\n', { a: 2, z: 1 }],
    ['__proto__: 1', JSON.parse('{"__proto__":1}')],
    ['on: 1\n5: a\n1.5: b\nyes: c\n', { true: 'c', 5: 'a', '1.5': 'b' }],
  ])('%j', (text, value) => {
    if (value === 'error') expect(() => decode(text)).toThrow(DecodeError)
    else expect(decode(text)).toEqual(value)
  })

  test('keys come out sorted, as the reference writes the JSON', () => {
    expect(JSON.stringify(decode('z: 1\na: 2\n'))).toBe('{"a":2,"z":1}')
  })
})

describe('JSON on one line', () => {
  // A comment in front makes it YAML beyond doubt.
  const asYaml = (text: string) => decodeYaml(Buffer.from(`#\n${text}`))
  const whole = fc.integer({ min: -(10 ** 15), max: 10 ** 15 })
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, true, 'yes', '1_000', '<<', 'ü', 'a: b', '#'),
      whole,
      fc.string(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('<<', 'no', '__proto__', '1')), tie('json'), { maxKeys: 4 }),
    ) as fc.Arbitrary<JsonValue>,
  }))

  test('means the same as YAML', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.boolean(), (value, spaced) => {
        const text = spaced ? JSON.stringify(value, null, 1).replaceAll('\n', '') : JSON.stringify(value)
        expect(attempt(() => decodeYaml(Buffer.from(text)))).toEqual(attempt(() => asYaml(text)))
      }),
    )
  })

  test.each(['{"a":1,"a":2}', '{"a":1.0}', '{"a":1e3}', '{"a":12345678901234567890}', `{"${'k'.repeat(1_100)}":1}`])(
    'is read as YAML where they differ: %s',
    (text) => {
      const values = (decode: () => { value: JsonValue }) => attempt(() => decode().value)
      expect(values(() => decodeYaml(Buffer.from(text)))).toEqual(values(() => asYaml(text)))
    },
  )
})

/** The result, or that it is refused; where, depends on the line. */
function attempt<T>(run: () => T): T | 'refused' {
  try {
    return run()
  } catch (error) {
    if (error instanceof DecodeError) return 'refused'
    throw error
  }
}

describe('scalars of YAML 1.1', () => {
  test.each<[string, JsonValue]>([
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['N', false],
    ['~', null],
    ['Null', null],
    ['nULL', 'nULL'],
    ['0', 0],
    ['-0', 0],
    ['+12', 12],
    ['1_000', 1000],
    ['0x1F', 31],
    ['0b101', 5],
    ['0o17', 15],
    ['017', 15],
    ['08', 8],
    ['1e3', 1000],
    ['9007199254740993.0', 9007199254740992n],
    ['-1e16', -10000000000000000n],
    ['9223372036854774784.0', 9223372036854775000n],
    ['1e19', 1e19],
    ['1e21', 1e21],
    ['.5', 0.5],
    ['1.', 1],
    ['-1.5e-3', -0.0015],
    ['9223372036854775807', 9223372036854775807n],
    ['12345678901234567890', 12345678901234567890n],
    ['99999999999999999999', 1e20],
    ['0xFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFF'],
    ['1e400', '1e400'],
    ['1.2.3', '1.2.3'],
    ['12:30:45', '12:30:45'],
    ['2024-01-02', '2024-01-02'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['100m', '100m'],
    ['-', '-'],
    ['"yes"', 'yes'],
    ["'5'", '5'],
    ['!!str 5', '5'],
    ['!!int "5"', 5],
    ['!!float 5', 5],
    ['!!binary aGk=', 'hi'],
    ['!custom 5', '5'],
  ])('%s', (text, value) => {
    if (text === '-') expect(decode('a: "-"')).toEqual({ a: '-' })
    else expect(decode(`a: ${text}`)).toEqual({ a: value })
  })
})

describe('anchors', () => {
  test('aliases and merge keys', () => {
    expect(decode('a: &x {k: 1, l: 2}\nb: *x\nc:\n  <<: *x\n  l: 3\n')).toEqual({
      a: { k: 1, l: 2 },
      b: { k: 1, l: 2 },
      c: { k: 1, l: 3 },
    })
    expect(decode('a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc:\n  <<: [*x, *y]\n')).toMatchObject({ c: { k: 1, m: 3 } })
  })

  test('a document that multiplies itself is refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 10; i++) {
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`)
    }
    expect(() => decode(lines.join('\n'))).toThrow(new DecodeError('yaml: document contains excessive aliasing'))
  })

  test.each([
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['[*x', "yaml: unknown anchor 'x' referenced"],
    ['...\n', 'yaml: did not find expected node content'],
    [': a', 'yaml: did not find expected key'],
    ['a: b\n: c', 'yaml: line 1: did not find expected key'],
    ['? ', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>'],
    ['? \n: [a]', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{"a"}'],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['[a, 1]: b', 'yaml: invalid map key: []interface {}{"a", 1}'],
    ['{a: ~}: b', 'yaml: invalid map key: map[interface {}]interface {}{"a":interface {}(nil)}'],
    ['<<: 5', 'yaml: map merge requires map or sequence of maps as the value'],
  ])('%s', (text, message) => {
    expect(() => decode(text)).toThrow(new DecodeError(message))
  })
})

test.each([
  ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: c\n', 'line 4: found character that cannot start any token'],
  ['apiVersion: v1\nkind: [', 'line 2: did not find expected node content'],
  ['{"apiVersion":"v1",', 'line 1: did not find expected node content'],
  ['apiVersion: v1\nkind: ConfigMap\n  bad: indent\n', 'line 3: mapping values are not allowed in this context'],
  ['a: b: c', 'mapping values are not allowed in this context'],
  ['x: 1\na: b: c', 'line 2: mapping values are not allowed in this context'],
  ['a: 1\nb\n', "line 3: could not find expected ':'"],
  ['a: @x', 'found character that cannot start any token'],
  ['x: 1\na: "\\q"', 'line 2: found unknown escape character'],
  ['x: 1\na: "open\n', 'line 3: found unexpected end of stream'],
  ['a:\n  b: 1\n c: 2\n', 'line 2: did not find expected key'],
  ['x:\n- a\nb c', "line 4: could not find expected ':'"],
  ['x: 1\na: [1, 2\nb: 3\n', "line 2: did not find expected ',' or ']'"],
  ['x: 1\na: {b: 1\n', "line 2: did not find expected ',' or '}'"],
  ['x: 1\na: {"b"\n :"c"}', "line 2: did not find expected ',' or '}'"],
  ['x: 1\na: {b\n c: 1}', "line 2: did not find expected ',' or '}'"],
  ['x: 1\nkey: - a', 'line 2: block sequence entries are not allowed in this context'],
  ['x: 1\na: |x\n', 'line 2: did not find expected comment or line break'],
  ['x: 1\na: & b\n', 'line 2: did not find expected alphabetic or numeric character'],
  ['a: \x01', 'control characters are not allowed'],
  ['%YAML 1.2\n---\na: b', 'found incompatible YAML document'],
  ['%YAML x\n---\na: b', 'did not find expected version number'],
  ['%FOO\n---\na: b', 'found unknown directive name'],
  ['a: !!int x', 'cannot decode !!str `x` as a !!int'],
  [`${'['.repeat(100_000)}`, 'exceeded max depth of 1000'],
  [`${'- '.repeat(100_000)}`, 'exceeded max depth of 1000'],
])('%j is refused', (text, message) => {
  expect(() => decode(text)).toThrow(new DecodeError(`yaml: ${message}`))
})

test.each([
  [[0x61, 0xff], 'invalid leading UTF-8 octet'],
  [[0x61, 0x00, 0xff], 'control characters are not allowed'],
  [[0xd9, 0xd9], 'invalid trailing UTF-8 octet'],
  [[0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
  [[0xed, 0xa0, 0x80], 'invalid Unicode character'],
  [[0x61, 0xe2, 0x82], 'incomplete UTF-8 octet sequence'],
  [[0xff, 0xfe, 0x61, 0x00, 0x01], 'incomplete UTF-16 character'],
  [[0xfe, 0xff, 0x00, 0x61, 0x00], 'incomplete UTF-16 character'],
  [[0xff, 0xfe, 0x00, 0xd8], 'incomplete UTF-16 surrogate pair'],
  [[0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00], 'expected low surrogate area'],
  [[0xff, 0xfe, 0x00, 0xdc, 0x61, 0x00], 'unexpected low surrogate area'],
  [[0xff, 0xfe, 0x01, 0x00, 0x00, 0xdc], 'control characters are not allowed'],
])('bytes that are no text: %j', (octets, problem) => {
  expect(() => decodeYaml(Buffer.from(octets))).toThrow(new DecodeError(`yaml: ${problem}`))
})

test('behind its byte order mark a text is UTF-16', () => {
  const little = Buffer.from('\ufeffa: é😀', 'utf16le')
  for (const bytes of [little, Buffer.from(little).swap16()]) expect(decodeYaml(bytes).value).toEqual({ a: 'é😀' })
})

test('a document may say that it is of the version that is read', () => {
  expect(decodeYaml(Buffer.from('%YAML 1.1\n---\na: b')).value).toEqual({ a: 'b' })
})

test('duplicate keys are reported by the line of their value; the last one counts', () => {
  const { value, duplicates } = decodeYaml(Buffer.from('data:\n  a: "1"\n  a: "2"\non: 1\nyes: 2\n'))
  expect(value).toEqual({ data: { a: '2' }, true: 2 })
  expect(duplicates).toEqual(['line 3: key "a" already set in map', 'line 5: key true already set in map'])
  expect(yamlStrictError(duplicates)).toBe(
    'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key true already set in map',
  )
})

const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(
      null,
      true,
      false,
      0,
      -5,
      1.5,
      'yes',
      'null',
      '',
      '5',
      'a: b',
      '# c',
      '- x',
      ' lead',
      'tail ',
      'a\nb',
      'a\n',
      '\n',
      'x'.repeat(120),
      'word '.repeat(40),
    ),
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', 'b c', 'on', '1')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value

const isAllowed = (value: JsonValue): boolean =>
  !/[\u007f-\u009f\ufffe\uffff\ufeff\u2028\u2029]/.test(JSON.stringify(value))

test('JSON is YAML', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      fc.pre(isAllowed(value))
      expect(decode(JSON.stringify(value))).toEqual(value)
    }),
  )
})

test('what another writer of YAML 1.1 prints reads as the same value', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      fc.pre(isAllowed(value))
      expect(decode(stringify({ v: value }, { version: '1.1', compat: 'core' }))).toEqual({ v: value })
    }),
  )
})

test('any text gives a value or a DecodeError', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '-',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '|',
    '>',
    '&',
    '*',
    '!',
    '#',
    '?',
    '%',
    '\t',
    '---',
    '...',
    '<<',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        decode(pieces.join(''))
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
    { numRuns: 3000 },
  )
})

/** Ways to nest, each of which takes other frames of the stack. */
const nestings: Record<string, (levels: number) => string> = {
  'flow mappings': (n) => `${'{a: '.repeat(n)}1${'}'.repeat(n)}`,
  'flow mappings as keys': (n) => `${'{? '.repeat(n)}1${'}'.repeat(n)}`,
  'flow sequences': (n) => '['.repeat(n) + ']'.repeat(n),
  'pairs in flow sequences': (n) => `${'[a: '.repeat(n)}1${']'.repeat(n)}`,
  'block sequences': (n) => `${'- '.repeat(n)}x`,
  'block mappings': (n) => `${Array.from({ length: n }, (_, i) => `${' '.repeat(i)}a:`).join('\n')} 1`,
  'mappings in sequences': (n) => `${Array.from({ length: n }, (_, i) => `${' '.repeat(2 * i)}- a:`).join('\n')} 1`,
}

describe.each(Object.entries(nestings))('nested %s', (_, nest) => {
  test.each([100, 400])('are read: %i levels', (levels) => {
    const read = (): unknown => decodeYaml(Buffer.from(nest(levels)))
    // A mapping is no key, however deep it is.
    if (nest(1).includes('?')) expect(read).toThrow('invalid map key')
    else expect(read).not.toThrow()
  })

  test.each([990, 1001, 3000, 9990])('are read, or refused for their depth: %i levels', (levels) => {
    try {
      decodeYaml(Buffer.from(nest(levels)))
      expect(levels).toBeLessThan(1000)
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError)
      if (levels > 1000) expect((error as Error).message).toBe('yaml: exceeded max depth of 1000')
    }
  })
})

import { describe, expect, it } from 'vitest'
import type { Field, Schema } from '../schema/schema.ts'
import { DeclaredType } from './declared-type.ts'
import { type Environment, newExpressions, newExpressionsAt, storedExpressions } from './environment.ts'
import { admissionEnvironment, validationRuleEnvironment } from './environments.ts'
import { BOOL, NULL, STRING } from './types.ts'

const field = (name: string, schema: Schema): [string, Field] => [
  name,
  { name, schema, required: false, pointer: false, emit: false },
]
const text: Schema = { kind: 'string' }
const self = new DeclaredType(
  {
    kind: 'object',
    name: undefined,
    fields: new Map([
      field('a', text),
      field('n', { kind: 'integer' }),
      field('l', { kind: 'list', items: text, topology: 'atomic', keys: [] }),
      field('d-ash', text),
      field('namespace', text),
      field('free', {
        kind: 'object',
        name: undefined,
        fields: new Map(),
        atomic: false,
        preserveUnknown: true,
        embedded: false,
      }),
      field('anything', { kind: 'any' }),
    ]),
    atomic: false,
    preserveUnknown: false,
    embedded: false,
  },
  { name: 'selfType' },
)
const environment = validationRuleEnvironment(storedExpressions(), self)

const expressionStart = `{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`

/** The message's lines; the snippet and the caret below it are checked once, the column always. */
const cases: readonly (readonly [expression: string, ...issues: string[]])[] = [
  ['self.a ==', `1:10: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`],
  ['', `1:0: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`],
  [' ', `1:2: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`],
  ['1 + * 2', `1:5: Syntax error: extraneous input '*' expecting ${expressionStart}`],
  ['1 + )', `1:5: Syntax error: mismatched input ')' expecting ${expressionStart}`],
  [
    'self.n = 5',
    "1:8: Syntax error: token recognition error at: '= '",
    "1:10: Syntax error: extraneous input '5' expecting <EOF>",
  ],
  [
    'self.n > 0; self.n < 5',
    "1:11: Syntax error: token recognition error at: ';'",
    "1:13: Syntax error: mismatched input 'self' expecting <EOF>",
  ],
  // What is left after a mistake is read all the same.
  [
    "'a'.(b(-9223372036854775808) + c(1e308))",
    "1:5: Syntax error: no viable alternative at input '.('",
    '1:9: invalid int literal',
    "1:28: Syntax error: mismatched input ')' expecting <EOF>",
  ],
  ['18446744073709551616u ]', '1:1: invalid uint literal', "1:23: Syntax error: extraneous input ']' expecting <EOF>"],
  ['-99999999999999999999 .', '1:1: invalid int literal', "1:24: Syntax error: no viable alternative at input '.'"],
  [
    '1 + * 1e999 )',
    `1:5: Syntax error: extraneous input '*' expecting ${expressionStart}`,
    '1:7: invalid double literal',
    "1:13: Syntax error: extraneous input ')' expecting <EOF>",
  ],
  [
    '99999999999999999999 +',
    '1:1: invalid int literal',
    `1:23: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`,
  ],
  ['(1 + 2', "1:7: Syntax error: missing ')' at '<EOF>'"],
  ['[1, 2', "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  ['{1: 2', "1:6: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
  ['{1}', "1:3: Syntax error: mismatched input '}' expecting ':'"],
  ['true ? 1', "1:9: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['self.', "1:6: Syntax error: no viable alternative at input '.'"],
  ['self.true', "1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  [
    '.?1',
    "1:2: Syntax error: no viable alternative at input '.?'",
    "1:3: Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}",
    '1:3: unsupported ident kind',
  ],
  // Of entries that are not whole nothing more is found.
  ['{1: if, 2', '1:5: reserved identifier: if', "1:10: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['{if', "1:4: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['[{9999999999999999999', "1:22: Syntax error: mismatched input '<EOF>' expecting ':'"],
  [
    'T{? 1: if}',
    '1:3: unsupported ident kind',
    "1:5: Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}",
  ],
  [
    ' |`x`1== ',
    "1:2: Syntax error: token recognition error at: '|`'",
    "1:5: Syntax error: token recognition error at: '`1='",
    "1:8: Syntax error: token recognition error at: '= '",
  ],
  ['self. true', "1:7: Syntax error: no viable alternative at input '. true'"],
  [
    'self.n + / 2 == self.a * * 3',
    `1:10: Syntax error: extraneous input '/' expecting ${expressionStart}`,
    `1:26: Syntax error: extraneous input '*' expecting ${expressionStart}`,
  ],
  [
    '(self.n + ) * [1, 2',
    `1:11: Syntax error: mismatched input ')' expecting ${expressionStart}`,
    "1:20: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
  ],
  [
    '--',
    "1:3: Syntax error: no viable alternative at input '-'",
    `1:3: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`,
  ],
  [
    "self.a == 'x",
    "1:11: Syntax error: token recognition error at: ''x'",
    `1:13: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`,
  ],
  [
    '"\\x1g" == 1',
    `1:1: Syntax error: token recognition error at: '"\\x1g'`,
    `1:6: Syntax error: token recognition error at: '" == 1'`,
    `1:12: Syntax error: mismatched input '<EOF>' expecting ${expressionStart}`,
  ],
  [
    'A{{b}}',
    "1:3: Syntax error: extraneous input '{' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
    "1:5: Syntax error: mismatched input '}' expecting ':'",
    "1:6: Syntax error: extraneous input '}' expecting <EOF>",
  ],
  ['var + (2', '1:1: reserved identifier: var', "1:9: Syntax error: missing ')' at '<EOF>'"],
  [
    '[1].map(let, let + for)',
    '1:9: reserved identifier: let',
    '1:9: argument is not an identifier',
    '1:14: reserved identifier: let',
    '1:20: reserved identifier: for',
  ],
  ['1e999', '1:1: invalid double literal'],
  ['for', '1:1: reserved identifier: for'],
  ['9223372036854775808', '1:1: invalid int literal'],
  ['18446744073709551616u', '1:1: invalid uint literal'],
  ['"\\ud800"', '1:1: invalid unicode code point'],
  ['[1].all(x.y, true)', '1:10: argument must be a simple name'],
  ['[1].map(1, true)', '1:9: argument is not an identifier'],
  ['has(self)', '1:5: invalid argument to has() macro'],
  ['[1].all(__result__, true)', '1:9: iteration variable overwrites accumulator variable'],
  ['[1].all(i, i, true)', '1:12: duplicate variable name: i'],
  ['optional.of(1).optMap(1, 2)', '1:23: optMap() variable name must be a simple identifier'],
  ['self.missing == 1', "1:5: undefined field 'missing'"],
  ["url('http://a').host", "1:16: unexpected failed resolution of 'kubernetes.URL'"],
  ['self.free.x == 1', "1:10: undefined field 'x'"],
  ['self.anything == 1', "1:5: undefined field 'anything'"],
  ['other.a == "x"', "1:1: undeclared reference to 'other' (in container '')"],
  ['[1].filter(.x, true)', "1:13: undeclared reference to '.x' (in container '')"],
  ['unknown(self.a)', "1:8: undeclared reference to 'unknown' (in container '')"],
  // The macro of this name takes two variables; that of one is exists_one.
  [
    'self.l.existsOne(x, true)',
    "1:17: undeclared reference to 'existsOne' (in container '')",
    "1:18: undeclared reference to 'x' (in container '')",
  ],
  ['self.a.shout()', "1:13: undeclared reference to 'shout' (in container '')"],
  ["self.d-ash == 'x'", "1:5: undefined field 'd'", "1:8: undeclared reference to 'ash' (in container '')"],
  [
    "self.a == 1 && self.n == 'x'",
    "1:8: found no matching overload for '_==_' applied to '(string, int)'",
    "1:23: found no matching overload for '_==_' applied to '(int, string)'",
  ],
  ['self.a.substring(true) == self.a', "1:17: found no matching overload for 'substring' applied to 'string.(bool)'"],
  ['self.n.x', "1:7: type 'int' does not support field selection"],
  ['self.n && true', "1:5: expected type 'bool' but found 'int'"],
  [
    'self.n.all(x, true)',
    "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'x'}.size() == 2", "1:15: expected type 'int' but found 'string'"],
  ["{'a': 1, 2: 1}.size() == 2", "1:10: expected type 'string' but found 'int'"],
  ["duration('x') == duration('1s')", '1:10: invalid duration argument'],
  ["timestamp('x') == timestamp(0)", '1:11: invalid timestamp argument'],
  ['timestamp(null) == timestamp(0)', '1:11: invalid timestamp argument'],
  ["duration(null) == duration('1s')", '1:10: invalid duration argument'],
  ["self.a.matches('(')", '1:16: invalid matches argument'],
  [
    "'%d'.format(['a']) == ''",
    '1:14: error during formatting: decimal clause can only be used on integers, was given string',
  ],
  ["'%d'.format([1, 2]) == ''", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
  ["'%d %d'.format([1]) == ''", '1:15: index 1 out of range'],
  [
    "'%b'.format(['%v'.format([1])]) == ''",
    '1:25: could not parse formatting clause: unrecognized formatting clause "v"',
    '1:25: error during formatting: only integers and bools can be formatted as binary, was given string',
  ],
  [
    "[1, '%b'.format(['%v'.format([1])])] == []",
    "1:16: expected type 'int' but found 'string'",
    '1:29: could not parse formatting clause: unrecognized formatting clause "v"',
    '1:29: error during formatting: only integers and bools can be formatted as binary, was given string',
  ],
  [
    "[1, '%v'.format([1])] == []",
    "1:16: expected type 'int' but found 'string'",
    '1:16: could not parse formatting clause: unrecognized formatting clause "v"',
  ],
  ['Object{a: 1} == null', "1:7: undeclared reference to 'Object' (in container '')"],
]

describe('messages of compilation', () => {
  it.each(cases)('%s', (expression, ...issues) => {
    const compiled = environment.compile(expression)
    const lines = compiled.ok ? [] : compiled.message.split('\n').filter((line) => line.startsWith('ERROR: <input>:'))
    expect(lines).toEqual(issues.map((issue) => `ERROR: <input>:${issue}`))
  })

  it('shows the line and points into it', () => {
    const compiled = environment.compile("self.n > 0 &&\n\t'é' + self.x == ''")
    expect(!compiled.ok && compiled.message).toBe(
      "ERROR: <input>:2:12: undefined field 'x'\n |  'é' + self.x == ''\n | ..．........^",
    )
  })

  it('shows what is no token as it stands, with its line break', () => {
    const compiled = environment.compile("self.n == 'a\n")
    expect(!compiled.ok && compiled.message).toContain("token recognition error at: ''a\n'\n | self.n == 'a\n")
  })

  it('takes names that are keywords, and escaped ones', () => {
    for (const rule of ["self.namespace == ''", "self.__namespace__ == ''", "self.d__dash__ash == ''"]) {
      expect(environment.compile(rule).ok).toBe(true)
    }
  })

  it.each([
    [`${'1 + '.repeat(300)}1`, 'expression recursion limit exceeded: 250'],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [`[1]${'[0]'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [`${'('.repeat(200)}1${')'.repeat(200)} + ${'1 + '.repeat(200)}1`, undefined],
    [`${'[1 + '.repeat(80)}1${']'.repeat(80)} + ${'1 + '.repeat(240)}1`, 'max recursion depth exceeded'],
    [`'${'x'.repeat(100_001)}'`, 'expression code point size exceeds limit: size: 100003, limit 100000'],
    [`'${'😀'.repeat(99_998)}'`, undefined],
    [`'${'😀\ud83d'.repeat(60_000)}'`, 'expression code point size exceeds limit: size: 120002, limit 100000'],
    [Array.from({ length: 5000 }, () => 'true').join(' && '), undefined],
  ])('is bounded in depth and size: %#', (expression, message) => {
    const compiled = environment.compile(expression)
    expect(compiled.ok ? undefined : compiled.message.split('\n')[0]).toBe(
      message === undefined ? undefined : `ERROR: <input>:-1:1: ${message}`,
    )
  })

  it.each([
    ['1', [BOOL], 'must evaluate to bool but got int'],
    ['object', [BOOL], 'must evaluate to bool but got dyn'],
    ['1', [STRING, NULL], 'must evaluate to one of [string null_type] but got int'],
    ['true', [BOOL], undefined],
    ['null', [STRING, NULL], undefined],
  ])('checks the type of the result: %s', (expression, expectedTypes, message) => {
    const compiled = admissionEnvironment(storedExpressions()).compile(expression, { expectedTypes })
    expect(compiled.ok ? undefined : compiled.message).toBe(message)
  })

  it('finds variables of comprehensions behind a leading dot', () => {
    for (const rule of [
      '[1].all(x, .x == 1)',
      "{'a': 1}.all(k, v, .k == 'a' && . v == 1)",
      '[[1]].map(x, .x[0])[0] == 1',
    ])
      expect(environment.compile(rule)).toMatchObject({ ok: true })
  })

  it('takes a variable that holds a type for the name of one', () => {
    for (const rule of ['[type(1)].all(x, x == int)', "{'a': int}.all(k, x, x == int)", '[int].map(x, x).size() > 0']) {
      expect(environment.compile(rule)).toMatchObject({ reason: 'program', message: 'reference to undefined type: x' })
    }
    for (const name of ['timestamp', 'duration', 'google.protobuf.Any', 'google.protobuf.BoolValue']) {
      const message = `reference to undefined type: ${name}`
      expect(environment.compile(`[${name}].size() == 1`)).toMatchObject({ reason: 'program', message })
    }
    expect(environment.compile('[int].exists(int, int == int)')).toMatchObject({ ok: true })
    expect(environment.compile('[dyn(int)].all(x, x == int)')).toMatchObject({ ok: true })
  })

  it('refuses constants without a value as no program', () => {
    for (const rule of ["int('a') == 1", "int(dyn('a')) == 1"])
      expect(environment.compile(rule)).toMatchObject({
        reason: 'program',
        message: "type conversion error from 'string' to 'int'",
      })
  })
})

describe('versions', () => {
  it.each([
    ['[3, 1, 2].sort() == [1, 2, 3]', 34],
    ["semver('1.2.3').major() == 1", 33],
    ['[1].all(i, v, i >= 0)', 32],
    ["format.dns1123Label().validate('a').hasValue()", 31],
    ["isIP('1.1.1.1')", 30],
    ['sets.contains([1], [1])', 29],
    ["'%d'.format([1]) == '1'", 29],
    ["quantity('1') == quantity('1')", 28],
    ['[?optional.of(1)] == [1]', 28],
    ['1 < 2.0', 28],
    ["'a'.matches('(')", 0],
  ])('%s is new in 1.%i', (expression, minor) => {
    if (minor > 0) expect(newExpressions({ major: 1, minor }).compile(expression).ok).toBe(true)
    if (minor > 0) expect(newExpressions({ major: 1, minor: minor - 1 }).compile(expression).ok).toBe(false)
    expect(storedExpressions(34).compile(expression).ok).toBe(minor > 0)
    expect(storedExpressions().compile(expression).ok).toBe(minor > 0 && minor <= 33)
  })

  it('takes from new expressions what the server before this one understands', () => {
    expect(newExpressionsAt({ release: 33 }).compile("isSemver('1.2.3')").ok).toBe(false)
    expect(newExpressionsAt({ release: 33 }).compile('[1].all(i, v, i >= 0)').ok).toBe(true)
    expect(newExpressionsAt({ release: 34 }).compile("isSemver('1.2.3')").ok).toBe(true)
    expect([34, 35].map((release) => newExpressionsAt({ release }).compile('[1].reverse() == [1]').ok)).toEqual([
      false,
      true,
    ])
  })

  it.each([
    [{ release: 36, oldest: 33 }, '[1].reverse() == [1]', false],
    [{ release: 36, oldest: 33 }, "isSemver('1.2.3')", true],
    [{ release: 35, oldest: 32 }, "isSemver('1.2.3')", false],
    [{ release: 34, oldest: 34 }, '[1].reverse() == [1]', true],
    [{ release: 32, oldest: 31 }, '[1].all(i, v, i >= 0)', false],
    [{ release: 29, oldest: 28 }, 'sets.contains([1], [1])', false],
    [{ release: 27, oldest: 26 }, "quantity('1') == quantity('1')", false],
  ])('takes from new expressions at %j: %s: %j', (scope, expression, taken) => {
    expect(newExpressionsAt(scope).compile(expression).ok).toBe(taken)
    expect(storedExpressions(scope.release).compile(expression).ok).toBe(true)
  })

  it.each([
    [{ release: 33 }, true],
    [{ release: 33, selectors: false }, false],
    [{ release: 30, oldest: 29, selectors: true }, true],
  ])('takes selectors of the authorizer at %j: %j', (scope, taken) => {
    const expression = "authorizer.group('').resource('pods').labelSelector('a').check('get').allowed()"
    const compiled = (base: Environment) => admissionEnvironment(base, { authorizer: true }).compile(expression).ok
    expect(compiled(newExpressionsAt(scope))).toBe(taken)
    expect(compiled(storedExpressions(scope.release))).toBe(true)
  })
})

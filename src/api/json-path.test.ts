import { describe, expect, test } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import type { JsonValue } from './json.ts'
import { compileJsonPath, JsonPathError } from './json-path.ts'

const object: JsonValue = {
  metadata: { name: 'x', labels: { 'app.kind': 'web', plain: 'p' } },
  spec: {
    list: [{ name: 'a', n: 1 }, { name: 'b', n: 2 }, { name: 'c' }],
    nested: [[1, 2], [3]],
    empty: [],
    flag: false,
    nothing: null,
    'odd key': 7,
  },
  status: {
    conditions: [
      { type: 'Other', status: 'False', weight: 1 },
      { type: 'Ready', status: 'True', weight: 5 },
    ],
  },
}

describe('a path finds', () => {
  test.each<[string, JsonValue[]]>([
    ['.metadata.name', ['x']],
    ['$.metadata.name', ['x']],
    ['.metadata.labels.app\\.kind', ['web']],
    [".metadata.labels['app\\.kind']", ['web']],
    [".metadata.labels['app.kind']", []],
    ['.metadata.labels[*]', []],
    [".metadata['name','labels']", ['x', { 'app.kind': 'web', plain: 'p' }]],
    ['.', []],
    ['.metadata.', []],
    ['.metadata@.name', ['x']],
    ['.metadata name', []],
    [".spec['odd\\ key']", [7]],
    ['.spec.list[0].name', ['a']],
    ['.spec.list[-1].name', ['c']],
    ['.spec.list[-2].name', ['b']],
    ['.spec.list[9].name', []],
    ['.spec.list[0:9].name', []],
    ['.spec.list[].name', ['a']],
    ['.spec.list[0:1:0]', []],
    ['.spec.nested[*][1]', []],
    ['.spec.list[*].name', ['a', 'b', 'c']],
    ['.spec.list[1:].name', ['b', 'c']],
    ['.spec.list[:2].name', ['a', 'b']],
    ['.spec.list[0:3:2].name', ['a', 'c']],
    ['.spec.list[0,2].name', ['a', 'c']],
    ['.spec.nested[0]', [[1, 2]]],
    ['.spec.nested[*]', [[1, 2], [3]]],
    ['.spec.empty', [[]]],
    ['.spec.empty[0]', []],
    ['.spec.flag', [false]],
    ['.spec.nothing', [null]],
    ['.spec.missing.deeper', []],
    ['.metadata.name.deeper', []],
    ['.metadata.labels.*', ['web', 'p']],
    ['..weight', [1, 5]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Ready')].status", ['True']],
    ['.status.conditions[?(@.type!="Ready")].status', ['False']],
    ['.status.conditions[?(@.weight>1)].type', ['Ready']],
    ['.status.conditions[?(@.weight<=1)].type', ['Other']],
    ['.status.conditions[?(@.missing)].type', []],
    ['.spec.list[?(@.n)].name', ['a', 'b']],
    ['.spec.list[?(@.n>=1.5)].name', []],
    ['.spec.list[?(@.name==1)].name', []],
    ['.spec.list[?("a"==@.name)].n', [1]],
    ['.constructor', []],
    ['.__proto__', []],
  ])('%s', (path, found) => {
    expect(runToEnd(compileJsonPath(path)(object))).toEqual(found)
  })
})

test.each(['.spec[', '.spec[x]', '.spec[?(@.a', '.spec[?(@.a==)]', '.spec["list"]', '.spec[?(@.a=~"b")]', '.spec]'])(
  '%s is no path',
  (path) => {
    expect(() => compileJsonPath(path)).toThrow(JsonPathError)
  },
)

test.each([['...*'.repeat(40)]])('descents that multiply end: %.20s', (path) => {
  const object = { a: { b: { c: { d: ['x', 'y', { e: 'z' }] } } }, f: [{ g: 'h' }, { g: 'i' }] }
  expect(runToEnd(compileJsonPath(path)(object))).toEqual([])
})

describe('a long list', () => {
  const items = Array.from({ length: 40_000 }, (_, i) => ({ name: `n${i}`, n: i, deep: { a: { b: ['x'] } } }))

  test.each<[string, JsonValue[]]>([
    ['.items[*].name', items.map(({ name }) => name)],
    ['.items[?(@.n>=39998)].name', ['n39998', 'n39999']],
    ['.items[?(@.deep.a)].n', items.map(({ n }) => n)],
    ['.items[-1].n', [39_999]],
    // Descents into each item would multiply.
    [`.items[?(@${'...*'.repeat(6)})].n`, []],
    [`.items[?(@${'...*'.repeat(6)}=="x")].n`, []],
  ])('%s', (path, found) => {
    expect(runToEnd(compileJsonPath(path)({ items }))).toEqual(found)
  })
})

test.each([
  ['a\\{', "unrecognized character in action: U+007B '{'"],
  ['.a\\', 'unclosed action'],
  ['.a\n', 'unclosed action'],
  ['....', 'invalid multiple recursive descent'],
  ['.a}{.. ..', 'invalid multiple recursive descent'],
  ['[-]', 'array index - is not a number'],
  ['[0:99999999999999999999]', 'array index 99999999999999999999 is not a number'],
  ['[a', 'unterminated array'],
  ['[0\n]', 'unterminated array'],
  ['[0,x]', 'invalid array index x'],
  ['[?(@.a\n)]', 'unterminated filter'],
  ['[?(@.a) ]', 'unclosed array expect ]'],
  ['"a\\"', 'unterminated quoted string'],
  [`'\\"'`, `unquote string '\\"' error invalid syntax`],
  ['"\\ud800"', 'unquote string "\\ud800" error invalid syntax'],
  ['+', 'cannot parse number +'],
  ['\u0661', 'cannot parse number \u0661'],
])('%j is refused in the words of the reference', (path, message) => {
  expect(() => compileJsonPath(path)).toThrow(new JsonPathError(message))
})

test.each<[string, JsonValue[]]>([
  // Only the first path of several gives values, unless another makes no sense.
  ['.spec.flag} and {.metadata.name', [false]],
  ['.spec.flag}{.spec.flag[0]', []],
  ['..type "one"', ['one']],
  [String.raw`"\x41\102\u00e9\U0001f600\n\""`, ['AB\u00e9\u{1f600}\n"']],
  [".spec['list}{x'][0].name", ['a']],
])('%j is read as by the reference', (path, found) => {
  expect(runToEnd(compileJsonPath(path)(object))).toEqual(found)
})

test.each([
  ['*', "U+002A '*'"],
  ['§', "U+00A7 '§'"],
  ['\u0001', 'U+0001'],
  ['\u00a0', 'U+00A0'],
  ['\u200b', 'U+200B'],
])('an unexpected character is named as Go names it: %j', (character, named) => {
  const message = `unrecognized character in action: ${named}`
  expect(() => compileJsonPath(character)).toThrow(new JsonPathError(message))
})

import { describe, expect, it } from 'vitest'
import { compileJq } from './jq-evaluate.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const pod = {
  metadata: { name: 'web', labels: { app: 'x', 'a.b/c': 'y' }, ownerReferences: [{ kind: 'Job', name: 'j' }] },
  spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'i1' }, { name: 'b' }] },
  status: {
    phase: 'Running',
    count: 3,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
}

it.each<[string, unknown[]]>([
  ['.', [pod]],
  ['.metadata.name', ['web']],
  ['.metadata.labels["a.b/c"]', ['y']],
  ['.metadata.labels."a.b/c"', ['y']],
  ['.metadata."labels".app', ['x']],
  ['.metadata.deletionTimestamp', [null]],
  ['.missing.deeper[0].x', [null]],
  ['.status.conditions.[] | select(.type == "Ready") | .status', ['True']],
  ['.status.conditions[] | select(.type == "None") | .status', []],
  ['.metadata.ownerReferences.[].kind', ['Job']],
  ['.spec.containers[].name', ['a', 'b']],
  ['.spec.containers[0]["image"]', ['i1']],
  ['.spec.containers[-1].name', ['b']],
  ['.spec.containers[1:] | length', [1]],
  ['.spec.containers | map(.name) | join(",")', ['a,b']],
  ['[.spec.containers[] | .image // "none"]', [['i1', 'none']]],
  ['.status.nothing[]?', []],
  ['.metadata | keys', [['labels', 'name', 'ownerReferences']]],
  ['.status.count + 1 * 2 - 4 / 2', [3]],
  ['7 % 3, -(2), 10 / 4', [1, -2, 2.5]],
  ['.status.count > 2 and (.status.phase == "Running" | not)', [false]],
  ['if .status.count >= 3 then "many" elif true then "x" else "few" end', ['many']],
  ['if false then 1 end', [pod]],
  ['"\\(.metadata.name)-\\(.status.count)"', ['web-3']],
  ['{name: .metadata.name, (.spec.nodeName): 1, "k": [1,2]}', [{ name: 'web', n1: 1, k: [1, 2] }]],
  ['.metadata | {name}', [{ name: 'web' }]],
  ['.status.count as $n | .spec.containers | length + $n', [5]],
  ['reduce .spec.containers[] as $c (0; . + 1)', [2]],
  ['[foreach range(3) as $i (0; . + $i)]', [[0, 1, 3]]],
  ['[limit(2; .spec.containers[], 9)] | length', [2]],
  ['try error("x") catch .', ['x']],
  ['.spec.containers | any(.name == "b")', [true]],
  ['.metadata.labels | to_entries | map(.key) | sort', [['a.b/c', 'app']]],
  ['.metadata.labels | has("app"), has("nope")', [true, false]],
  ['["b","a","b"] | unique', [['a', 'b']]],
  ['[3,1,2] | sort_by(-.) | first', [3]],
  ['"2026-01-01T00:01:00Z" | fromdate - now', [60]],
  ['"abc" | test("^A.c$"; "i"), startswith("ab"), ltrimstr("a")', [true, true, 'bc']],
  ['[1,[2]] | flatten, contains([1])', [[1, 2], true]],
  ['. as $x | [$x.status.count, .status.count] | add', [6]],
  ['[..|numbers]', [[3]]],
  ['.a.b.c // "d" | ascii_upcase', ['D']],
  ['"YQ==" | @base64d', ['a']],
  ['.status | .phase, .count | tostring', ['Running', '3']],
  ['1 as $x | 2 as $y | [$x, $y]', [[1, 2]]],
  ['.__proto__', [null]],
  ['# a comment\n.status.phase', ['Running']],
])('%s', (filter, expected) => expect(compileJq(filter).run(pod as never, now)).toEqual(expected))

describe('what is refused', () => {
  it.each<[string, string]>([
    ['.a = 1', 'assignments (=) are not offered'],
    ['.a |= 1', 'assignments (|=) are not offered'],
    ['def f: 1; f', 'functions of one’s own (def) are not offered'],
    ['. as [$a] | $a', 'destructuring is not offered'],
    ['.a |', 'the end of the filter'],
    ['.a ~ b', 'unexpected "~"'],
    ['"abc', 'a string is not closed'],
    ['label $out | 1', 'label is not offered'],
    ['.a | env', 'the function env/0 is not offered'],
    ['[1 as $x | $x] | $x', '$x is not defined'],
    ['('.repeat(200), 'nested at most'],
  ])('%s', (filter, message) => expect(() => compileJq(filter)).toThrow(message))

  it.each<[string, string]>([
    ['.metadata.name.x', 'cannot index string with "x"'],
    ['.status.count[]', 'cannot iterate over number (3)'],
    ['[range(1000000)]', 'too long'],
    ['[range(400) | [range(400)]] | length', 'too long'],
    ['1 / 0', 'cannot divide by zero'],
    ['"a" * 2', 'is not a number'],
  ])('%s when it runs', (filter, message) => expect(() => compileJq(filter).run(pod as never, now)).toThrow(message))
})

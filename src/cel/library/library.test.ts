import { describe, expect, it } from 'vitest'
import type { Environment } from '../environment.ts'
import { storedExpressions } from '../environment.ts'
import { bindingsLibrary } from './bindings.ts'
import { encodersLibrary } from './encoders.ts'
import { jsonPatchLibrary } from './json-patch.ts'
import { mathLibrary } from './math.ts'

const environment: Environment = storedExpressions(34).extend({
  libraries: [mathLibrary, encodersLibrary, jsonPatchLibrary, bindingsLibrary],
})

function outcome(expression: string): unknown {
  const compiled = environment.compile(expression)
  if (!compiled.ok) return compiled.message
  const result = compiled.program.evaluate({})
  return result.kind === 'value' ? result.value : result.kind === 'error' ? result.message : result.kind
}

/** Each of these is true. */
const truths: Readonly<Record<string, readonly string[]>> = {
  strings: [
    "'tacocat'.charAt(3) == 'o' && 'tacocat'.charAt(7) == ''",
    "'👑ok'.size() == 3 && '👑ok'.charAt(1) == 'o' && '👑ok'.indexOf('k') == 2",
    "'hello mellow'.indexOf('ello', 2) == 7 && 'hello'.indexOf('') == 0 && 'hello'.indexOf('z') == -1",
    "'hello mellow'.lastIndexOf('ello') == 7 && 'hello mellow'.lastIndexOf('ello', 6) == 1",
    "''.lastIndexOf('a') == -1 && ''.lastIndexOf('') == 0",
    "'TacoCÆt Xii'.lowerAscii() == 'tacocÆt xii' && 'tacocät'.upperAscii() == 'TACOCäT'",
    "'hello hello'.replace('he', 'we') == 'wello wello' && 'hello hello'.replace('he', 'we', 1) == 'wello hello'",
    "'abc'.replace('', '-') == '-a-b-c-' && 'abc'.replace('', '-', 2) == '-a-bc' && 'aaa'.replace('a', 'b', 0) == 'aaa'",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'abc'.split('') == ['a', 'b', 'c']",
    "'a,b'.split(',', 0) == [] && 'a,b'.split(',', -1) == ['a', 'b'] && ''.split(',') == ['']",
    "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco' && '👑ok'.substring(1, 2) == 'o'",
    "' \\u00a0\\ttrim\\n\\u2028'.trim() == 'trim'",
    "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join('-') == ''",
    `strings.quote('a "b"\\n') == '"a \\\\"b\\\\"\\\\n"'`,
  ],
  'list extensions': [
    '[1, 2, 3, 4].slice(1, 3) == [2, 3] && [1].slice(1, 1) == []',
    '[[1], [2, 3], []].flatten() == [1, 2, 3] && [[[1]], [[2, 3]]].flatten(2) == [1, 2, 3] && [[1]].flatten(0) == [[1]]',
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [].sort() == []",
    "[{'n': 2}, {'n': 1}].sortBy(e, e.n) == [{'n': 1}, {'n': 2}] && ['ccc', 'a', 'bb'].sortBy(e, size(e)) == ['a', 'bb', 'ccc']",
    'lists.range(3) == [0, 1, 2] && lists.range(-1) == [] && [1, 2].reverse() == [2, 1]',
    '[dyn(1), dyn(2), dyn(1), dyn(2.0)].distinct() == [1, 2] && [].distinct() == []',
  ],
  format: [
    "'%s %d %x %X %o %b %%'.format(['a', 10, 255, 255, 8, 5]) == 'a 10 ff FF 10 101 %'",
    "'%.2f %e'.format([1234.567, 3.14]) == '1,234.57 3.140000×10⁰⁰'",
    "'%f %f'.format([double('inf'), double('-inf')]) == '∞ -∞'",
    "'%s'.format([[1, 2.5, 'x', true, null, b'y', duration('1m'), timestamp(0)]]) == '[1, 2.500000, \"x\", true, null, b\"y\", duration(\"60s\"), timestamp(\"1970-01-01T00:00:00Z\")]'",
    `'%s'.format([{'b': 1, 'a': [1u]}]) == '{"a":[1], "b":1}'`,
    "'%x'.format(['hi']) == '6869' && '%x'.format([b'hi']) == '6869' && '%b'.format([true]) == '1'",
    "'%s'.format([type(1)]) == 'int' && '%s'.format([1.5]) == '1.5' && '%.0f %.0f'.format([2.5, 3.5]) == '2 4'",
  ],
  numbers: [
    "string(1000000.0) == '1e+06' && string(123456.0) == '123456' && string(0.00001) == '1e-05' && string(-0.5) == '-0.5'",
    "int('-42') == -42 && uint('42') == 42u && double('1e3') == 1000.0 && int(3.9) == 3 && int(-3.9) == -3",
    '9007199254740993 + 1 == 9007199254740994 && 9007199254740991 + 1 == 9007199254740992',
    '9223372036854775807 - 9223372036854775806 == 1 && 3000000000 * 3000000000 == 9000000000000000000',
    '-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1 && 7u / 2u == 3u',
    'dyn(1) == 1.0 && dyn(1u) == 1 && 1 < 1.5 && 2u > 1.5 && dyn(1) in [1.0] && {1: 2}[dyn(1u)] == 2 && {1: 2}[dyn(1.0)] == 2',
    'math.least(3, 1.5) == 1.5 && math.least(3, 1, 2) == 1 && math.greatest([1, 4, 2]) == 4 && math.abs(-3) == 3',
    'math.ceil(1.2) == 2.0 && math.floor(-1.2) == -2.0 && math.round(-1.5) == -2.0 && math.trunc(1.9) == 1.0',
    'math.bitAnd(6, 3) == 2 && math.bitOr(6, 3) == 7 && math.bitXor(6, 3) == 5 && math.bitNot(0) == -1',
    'math.bitShiftLeft(1, 63) == -9223372036854775808 && math.bitShiftRight(-1, 63) == 1 && math.bitShiftLeft(1, 64) == 0',
    'math.isNaN(0.0 / 0.0) && math.isInf(1.0 / 0.0) && !math.isFinite(1.0 / 0.0) && math.sign(-2.5) == -1.0',
  ],
  time: [
    "timestamp('2023-01-02T03:04:05.678Z').getMilliseconds() == 678 && duration('1m30s').getMilliseconds() == 90000",
    "string(timestamp('2023-01-01T00:00:00+02:00')) == '2023-01-01T00:00:00+02:00'",
    "timestamp('2023-01-01T00:00:00+02:00') == timestamp('2022-12-31T22:00:00Z')",
    "timestamp('2023-12-31T23:30:00Z').getFullYear('+01:00') == 2024 && timestamp('2023-07-01T00:00:00Z').getHours('America/New_York') == 20",
    "timestamp('2024-03-01T00:00:00Z').getDayOfYear() == 60 && timestamp('2024-03-01T00:00:00Z').getDayOfWeek() == 5",
    "timestamp('2024-03-01T00:00:00Z').getDate() == 1 && timestamp('2024-03-01T00:00:00Z').getDayOfMonth() == 0",
    "timestamp('2023-01-01T00:00:00Z') + duration('25h') == timestamp('2023-01-02T01:00:00Z')",
    "timestamp('2023-01-02T00:00:00Z') - timestamp('2023-01-01T00:00:00Z') == duration('24h')",
    "string(duration('1h1ms')) == '3600.001s' && duration('1.5h') == duration('90m') && int(timestamp(7)) == 7",
    "duration('1h').getHours() == 1 && duration('-90s').getMinutes() == -1 && duration('1ns') > duration('0')",
  ],
  lists: [
    "[1, 2, 3].isSorted() && !['b', 'a'].isSorted() && [1, 2, 3].sum() == 6 && ['b', 'c', 'a'].max() == 'c'",
    "[duration('1m'), duration('2m')].sum() == duration('3m') && [2.5, 1.5].min() == 1.5 && [].sum() == 0",
    "['a', 'b', 'a'].indexOf('a') == 0 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && ['a'].indexOf('z') == -1",
    'sets.contains([1, 2, 3], [1, 1]) && sets.equivalent([1, 1], [1]) && sets.intersects([dyn(1)], [dyn(1.0)]) && !sets.intersects([], [1])',
    '[1, 2] + [3] == [1, 2, 3] && size([1] + []) == 1 && ([1, 2] + [3])[2] == 3',
    '[1, 2, 3].first().value() == 1 && [1, 2, 3].last().value() == 3 && ![].first().hasValue()',
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && ['x'].transformList(i, v, string(i) + v) == ['0x']",
    "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'} && {'a': 1, 'b': 2}.exists_one(k, v, v == 2)",
  ],
  optionals: [
    "{'a': 1}[?'b'].orValue(5) == 5 && {'a': 1}.?a.orValue(5) == 1 && [1][?3].or(optional.of(2)).value() == 2",
    // Keys are of any type; numbers find one another, lists only themselves.
    '{1.5: 2}[1.5] == 2 && {dyn(1): 1, dyn(1u): 2, dyn(1.0): 3}.size() == 3 && {dyn(1u): 2}[dyn(1.0)] == 2',
    'dyn(1) in {dyn(1u): 2} && !(dyn(1) in {dyn(1.0): 2}) && !([1] in {[1]: 2}) && {[1]: 2} != {[1]: 2}',
    '{dyn(null): 1, dyn(timestamp(0)): 2, dyn(timestamp(0)): 3}.size() == 2',
    '[?optional.none(), ?optional.of(1)] == [1] && {?1: optional.none(), 2: 3} == {2: 3}',
    'optional.of(2).optMap(x, x * x).value() == 4 && optional.none().optFlatMap(x, optional.of(1)) == optional.none()',
    "optional.ofNonZeroValue('') == optional.none() && optional.of(null).hasValue()",
    'optional.unwrap([optional.of(1), optional.none()]) == [1] && [optional.of(1)].unwrapOpt() == [1]',
    "has({'a': {'b': 1}}.?a.b) && !has({'a': {'b': 1}}.?z.b)",
  ],
  regex: [
    "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == '' && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
    "'a1b22'.findAll('[0-9]+', 1) == ['1'] && 'aaa'.findAll('a*') == ['aaa'] && 'baab'.findAll('a*') == ['', 'aa', '']",
    "'hello'.matches('ell') && !'hello'.matches('^ell') && matches('a\\nb', '(?s)a.b')",
  ],
  urls: [
    "url('https://user:pw@Example.com:80/a%20b/c?x=1&x=2&y=%41#f').getHost() == 'Example.com:80'",
    "url('https://[::1]:80/p').getHostname() == '::1' && url('https://[::1]:80/p').getPort() == '80' && url('https://h').getPort() == ''",
    "url('https://h/a%2Fb').getEscapedPath() == '/a%2Fb' && url('https://h/a%2Fb c').getEscapedPath() == '/a/b%20c' && url('/p?q=1').getScheme() == ''",
    "url('https://h/?x=1&x=2&y=a+b').getQuery() == {'x': ['1', '2'], 'y': ['a b']}",
    "isURL('https://h') && !isURL('h') && !isURL('') && !isURL('https://h:a') && isURL('/x') && !isURL('https://a b/')",
    "url('HTTPS://h/a') == url('https://h/a') && url('https://h/a') != url('https://h/b')",
  ],
  quantities: [
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1500m').compareTo(quantity('1.5')) == 0",
    "quantity('2').add(quantity('1')).asInteger() == 3 && quantity('2').sub(1).isInteger() && sign(quantity('-1')) == -1",
    "quantity('0.5').asApproximateFloat() == 0.5 && isQuantity('1.5Gi') && !isQuantity('1GiB') && quantity('1').isLessThan(quantity('2'))",
    "quantity('50k').add(20) == quantity('50020')",
  ],
  network: [
    "ip('192.168.0.1').family() == 4 && ip('::1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast()",
    "isIP('1.2.3.4') && !isIP('1.2.3') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && ip.isCanonical('::1') && !ip.isCanonical('0::1')",
    "ip('FE80::1').isLinkLocalUnicast() && string(ip('2001:DB8::1')) == '2001:db8::1' && ip('::1') == ip('0::1')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && !cidr('10.0.0.0/8').containsIP('11.0.0.1')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8 && cidr('10.0.0.0/8').ip() == ip('10.0.0.0')",
    "isCIDR('::/0') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/33') && string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
  ],
  semver: [
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('1.2.3-alpha.1').isLessThan(semver('1.2.3-alpha.2')) && semver('1.2.3-1').isLessThan(semver('1.2.3-a'))",
    "semver('1.2.3-rc').isLessThan(semver('1.2.3')) && semver('1.2.3+a') == semver('1.2.3+b') && semver('2.0.0').compareTo(semver('1.9.9')) == 1",
    "isSemver('1.0.0') && !isSemver('v1.0') && isSemver('v1.0', true) && !isSemver('01.0.0') && isSemver('01.0.0', true) && !isSemver('1.0.0-')",
    "semver('v1', true) == semver('1.0.0') && !isSemver('1-rc', true)",
  ],
  formats: [
    "!format.dns1123Label().validate('abc').hasValue() && format.dns1123Label().validate('A').hasValue()",
    "format.named('dns1123Subdomain').hasValue() && !format.named('nothing').hasValue()",
    "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && format.uuid().validate('x').value() == ['does not match the UUID format']",
    "!format.date().validate('2024-02-29').hasValue() && format.date().validate('2023-02-29').hasValue()",
    "!format.datetime().validate('2024-02-29T00:00:00Z').hasValue() && format.byte().validate('=').value() == ['invalid base64']",
    "!format.uri().validate('https://h').hasValue() && !format.labelValue().validate('').hasValue() && !format.dns1035LabelPrefix().validate('a-').hasValue()",
    'format.byte() == format.byte() && format.byte() != format.uri()',
  ],
  encoders: [
    "base64.encode(b'hello') == 'aGVsbG8=' && base64.decode('aGVsbG8') == b'hello' && base64.decode('aGVsbG8=') == b'hello'",
    "jsonpatch.escapeKey('a/b~c') == 'a~1b~0c'",
    "cel.bind(x, 'a' + 'b', x + x) == 'abab'",
  ],
  types: [
    "type(1) == int && type('') == string && type([]) == list && type({}) == map && type(null) == null_type && type(type(1)) == type",
    "type(timestamp(0)) == google.protobuf.Timestamp && type(ip('::1')) == net.IP && type(optional.none()) == optional_type",
    "[dyn(1), dyn('a')] != [dyn('a'), dyn(1)] && dyn(1) != dyn('1') && dyn({'a': 1}) == {'a': 1.0}",
  ],
}

describe.each(Object.entries(truths))('%s', (_name, expressions) => {
  it.each(expressions)('%s', (expression) => {
    expect(outcome(expression)).toBe(true)
  })
})

const keyTypes: Readonly<Record<string, string>> = {
  '1.5': 'double',
  null: 'null_type',
  '[1]': 'list',
  'timestamp(0)': 'google.protobuf.Timestamp',
  int: 'type',
}

describe('errors of evaluation', () => {
  it.each([
    ['1 / 0 == 1', 'division by zero'],
    ['1 % 0 == 1', 'modulus by zero'],
    ['9223372036854775807 + 1 == 0', 'integer overflow'],
    ['-(-9223372036854775808) == 0', 'integer overflow'],
    ['0u - 1u == 0u', 'unsigned integer overflow'],
    ["{'a': 1}['b'] == 1", 'no such key: b'],
    ['[1, 2][2] == 1', 'index out of bounds: 2'],
    ["dyn([1])['a'] == 1", "unsupported index type 'string' in list"],
    ['dyn([1])[0.5] == 1', 'unsupported index value 0.5 in list'],
    ['dyn(1).a == 1', 'no such key: a'],
    ["dyn(1) + 'a' == ''", 'no such overload'],
    ['dyn([1]) < dyn([2])', 'no such overload: _<_'],
    ['size(dyn(1)) == 1', 'no such overload: size'],
    ["dyn(1).startsWith('a')", 'no such overload'],
    ["dyn(1).matches('a')", 'no such overload'],
    ["['a'].all(pattern, dyn(1).matches(pattern))", 'no such overload: matches'],
    ["['a'].all(pattern, dyn(duration('1s')).matches(pattern))", 'no such overload'],
    ["'a'.matches(dyn(1))", 'no such overload'],
    ["int(['a'][0]) == 1", "type conversion error from 'string' to 'int'"],
    ["timestamp(['a'][0]) == timestamp(0)", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)", 'timestamp overflow'],
    ["duration('2562047h') + duration('1h') == duration('1s')", 'integer overflow'],
    ["timestamp(0).getHours('Nowhere') == 0", 'unknown time zone Nowhere'],
    ["string(b'\\xff') == ''", 'invalid UTF-8 in bytes, cannot convert to string'],
    ['0.0 / 0.0 < 1.0', 'NaN values cannot be ordered'],
    ['optional.none().value() == 1', 'optional.none() dereference'],
    ['[].max() == 1', 'max called on empty list'],
    ["'a'.substring(2) == ''", 'index out of range: 2'],
    ["'abc'.substring(2, 1) == ''", 'invalid substring range. start: 2, end: 1'],
    ["'a'.charAt(-1) == ''", 'index out of range: -1'],
    [
      "dyn('%d').format(['a']) == ''",
      'error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["'a'.matches(['('][0])", 'error parsing regexp: missing closing ): `(`'],
    ["'a'.find(['('][0]) == ''", 'Illegal regex: error parsing regexp: missing closing ): `(`'],
    ["url('h') == url('h')", 'URL parse error during conversion from string: parse "h": invalid URI for request'],
    [
      "ip('x') == ip('x')",
      'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
    ],
    ["quantity('1.5').asInteger() == 1", 'cannot convert value to integer'],
    ["quantity('1') == quantity('0').add(1)", 'no such overload'],
    ["semver('1.2') == semver('1.2')", 'No Major.Minor.Patch elements found'],
    ["semver('01.2.3') == semver('1.2.3')", 'Major number must not contain leading zeroes "01"'],
    ["['a', 'a'].transformMapEntry(i, v, {v: i}) == {}", 'insert failed: key a already exists'],
    ['math.bitShiftLeft(1, -1) == 1', 'math.bitShiftLeft() negative offset: -1'],
    ['[1, 2].exists_one(x, 1 / (x - 1) == 1)', 'division by zero'],
    ['true && dyn(1)', 'no such overload'],
    ["dyn('a') - dyn(1)", 'no such overload'],
    ["dyn(duration('1s')) * dyn(1)", 'no such overload'],
    ['dyn([1]) * dyn(1)', 'no such overload: _*_'],
    ["cidr('10.0.0.0/8').containsIP('x')", 'no such overload'],
    ['dyn(1).all(x, true)', "got 'types.Int', expected iterable type"],
    ['dyn(null).all(k, v, true)', 'unsupported comprehension range type: types.Null'],
    ['[1][dyn([[1]][0])]', 'invalid qualifier type: *types.baseList'],
    ['{1: 2}[dyn(timestamp(dyn([0][0])))]', 'invalid qualifier type: types.Timestamp'],
    ["dyn(1).find('a')", 'no such overload'],
    ["'a'.find(dyn(1))", 'no such overload: find(string, int)'],
    ...['1.5', 'null', '[1]', 'timestamp(0)', 'int'].map((key): [string, string] => [
      `'%s'.format([{dyn(${key}): 2}])`,
      `error during formatting: no formatting function for map key of type ${keyTypes[key]}`,
    ]),
    ["timestamp(0).getHours('/p')", 'time: invalid location name'],
    ["'%s'.format([[dyn(quantity('1'))]])", 'error during formatting: no formatting function for kubernetes.Quantity'],
    [
      "'%s'.format([b'\\xff'])",
      'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    ],
  ])('%s: %s', (expression, message) => {
    expect(outcome(expression)).toBe(message)
  })

  it.each([
    ['1 / 0 == 1 || true', true],
    ['true || 1 / 0 == 1', true],
    ['1 / 0 == 1 && false', false],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[0, 1].all(x, 1 / x == 2)', false],
    ['false ? 1 / 0 == 1 : true', true],
  ])('%s is %s in spite of an error', (expression, value) => {
    expect(outcome(expression)).toBe(value)
  })
})

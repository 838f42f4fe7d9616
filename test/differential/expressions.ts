/** Random CEL: well-typed for the most part, over the variables that are given, with a wrong turn now and then. */
import type { Random } from '../harness/random.ts'

export type CelType = 'bool' | 'int' | 'double' | 'string' | 'list' | 'map' | 'time' | 'dyn'

/** Expressions of a type that the environment has: fields of the object, variables. */
export type Scope = Readonly<Partial<Record<CelType, readonly string[]>>>

interface Writing {
  readonly random: Random
  readonly scope: Scope
}

type Producer = (writing: Writing, depth: number) => string

const of =
  (type: CelType): Producer =>
  (writing, depth) =>
    expression(writing, type, depth)
const [bool, int, double, string, list, map, time, dyn] = (
  ['bool', 'int', 'double', 'string', 'list', 'map', 'time', 'dyn'] as const
).map(of) as [Producer, Producer, Producer, Producer, Producer, Producer, Producer, Producer]

/** `form('$ + $', int, int)`: the operands take the places of the dollar signs. */
const form =
  (text: string, ...operands: readonly Producer[]): Producer =>
  (writing, depth) => {
    let next = 0
    return text.replaceAll('$', () => operands[next++]?.(writing, depth - 1) ?? '')
  }

const literals: Readonly<Record<CelType, readonly string[]>> = {
  bool: ['true', 'false'],
  int: ['0', '1', '-1', '2', '7', '100', '9223372036854775807', '-9223372036854775808', '0x1F', 'int(3u)'],
  double: ['0.0', '1.5', '-2.5', '1e3', '1e308', 'double(7)'],
  string: [
    "''",
    "'a'",
    "'abc'",
    "'a,b,c'",
    "'é😀'",
    '"x\\ny"',
    "'1'",
    "'1.5'",
    "'2024-01-01T00:00:00Z'",
    "r'\\d+'",
    "'true'",
  ],
  list: ['[]', '[1, 2, 3]', "['a', 'b', 'a']", '[1, 2.5]', '[true]', '[[1], [2]]', '[3, 1, 2]', "['b', 'a']"],
  map: ['{}', "{'a': 1}", "{'a': 'x', 'b': 'y'}", '{1: true}', "{'a': {'b': [1]}}"],
  time: ["timestamp('2024-01-01T00:00:00Z')", "timestamp('2024-02-29T12:30:15.5Z')", 'timestamp(0)'],
  dyn: ['null', 'dyn(1)', "dyn('a')", 'dyn([1])', 'type(1)', "b'ab'", '1u', "duration('90m')"],
}

const comparisons = ['==', '!=', '<', '<=', '>', '>=']
const forms: Readonly<Record<CelType, readonly Producer[]>> = {
  bool: [
    form('$ && $', bool, bool),
    form('$ || $', bool, bool),
    form('!$', bool),
    form('($ ? $ : $)', bool, bool, bool),
    ...comparisons.flatMap((sign) => [form(`$ ${sign} $`, int, int), form(`$ ${sign} $`, string, string)]),
    form('$ == $', list, list),
    form('$ == $', map, map),
    form('$ < $', time, time),
    form('$ == $', dyn, dyn),
    form('$ < $', double, int),
    form('$ in $', int, list),
    form('$ in $', string, list),
    form("'a' in $", map),
    form('$.all(x, $)', list, bool),
    form('$.exists(x, x == $)', list, int),
    form('$.exists_one(x, x == $)', list, string),
    form("$.all(k, k != 'z')", map),
    form('$.all(i, v, i >= 0 && v == v)', list),
    form("$.exists(k, v, k == 'a')", map),
    form('$.existsOne(i, v, i == $)', list, int),
    form('$.startsWith($)', string, string),
    form('$.endsWith($)', string, string),
    form('$.contains($)', string, string),
    form("$.matches('^[a-z]+$')", string),
    form("$.matches('(')", string),
    form('$.matches($)', string, string),
    form('isURL($)', string),
    form("url('https://a.example:80/p?q=1').getHost() == $", string),
    form('isIP($)', string),
    form("ip('10.0.0.1').isLoopback()"),
    form("cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))"),
    form('isCIDR($)', string),
    form('isQuantity($)', string),
    form("quantity('1Gi').isGreaterThan(quantity('500M'))"),
    form("quantity($).compareTo(quantity('1')) == 0", string),
    form('isSemver($)', string),
    form("semver('1.2.3').isLessThan(semver('1.10.0'))"),
    form('sets.contains($, $)', list, list),
    form('sets.intersects($, $)', list, list),
    form('sets.equivalent($, $)', list, list),
    form('$.isSorted()', list),
    form('!format.dns1123Label().validate($).hasValue()', string),
    form("format.named('uuid').hasValue()"),
    form('optional.of($).hasValue()', int),
    form('optional.none().orValue($)', bool),
    form('has({"a": 1}.a)'),
    form('has($.a)', map),
    form('bool($)', string),
  ],
  int: [
    ...['+', '-', '*', '/', '%'].map((sign) => form(`$ ${sign} $`, int, int)),
    form('-$', int),
    form('($ ? $ : $)', bool, int, int),
    form('size($)', string),
    form('$.size()', list),
    form('size($)', map),
    form('int($)', string),
    form('int($)', double),
    form('int($)', time),
    form('$.indexOf($)', string, string),
    form('$.lastIndexOf($)', string, string),
    form('$.indexOf($)', list, int),
    form('$[$]', list, int),
    form("$['a']", map),
    form('$.a', map),
    form('$.sum()', list),
    form('$.min()', list),
    form('$.max()', list),
    form('$.getFullYear()', time),
    form("$.getHours('+02:00')", time),
    form("$.getDayOfWeek('Europe/Berlin')", time),
    form("duration('1h30m').getMinutes()"),
    form("quantity('10').asInteger()"),
    form("semver('1.2.3').minor()"),
    form("quantity('1k').compareTo(quantity($))", string),
    form('optional.of($).orValue($)', int, int),
    form('[1,2,3][?$].orValue($)', int, int),
    form("{'a': 1}.?a.orValue($)", int),
  ],
  double: [
    ...['+', '-', '*', '/'].map((sign) => form(`$ ${sign} $`, double, double)),
    form('double($)', int),
    form('double($)', string),
    form("quantity('1.5').asApproximateFloat()"),
    form('($ ? $ : $)', bool, double, double),
  ],
  string: [
    form('$ + $', string, string),
    form('($ ? $ : $)', bool, string, string),
    form('string($)', int),
    form('string($)', double),
    form('string($)', bool),
    form('string($)', time),
    form('$.charAt($)', string, int),
    form('$.substring($)', string, int),
    form('$.substring($, $)', string, int, int),
    form('$.lowerAscii()', string),
    form('$.upperAscii()', string),
    form('$.trim()', string),
    form('$.replace($, $)', string, string, string),
    form('$.replace($, $, 1)', string, string, string),
    form('$.join()', list),
    form("$.join('-')", list),
    form("'%s %d %v'.format([$, $, $])", string, int, list),
    form("'%s'.format([$])", map),
    form("'%.2f %e %x %b %o'.format([$, $, $, $, $])", double, double, int, int, int),
    form("'%s'.format([$])", dyn),
    form('strings.quote($)', string),
    form("$.find('[a-z]')", string),
    form("url('https://a.example:80/p?q=1').getEscapedPath()"),
    form("string(ip('::FFFF'))"),
    form("string(cidr('10.0.0.0/8').masked())"),
    form('string(type($))', dyn),
    form('$.reverse()', string),
    form("string(b'abc')"),
  ],
  list: [
    form('$ + $', list, list),
    form('[$, $]', int, int),
    form('[$, $]', string, string),
    form('[$, $]', string, int),
    form('$.map(x, $)', list, dyn),
    form('$.map(x, $, x)', list, bool),
    form('$.filter(x, $)', list, bool),
    form('$.map(k, k)', map),
    form('$.transformList(i, v, v)', list),
    form("$.split(',')", string),
    form('$.split($, 2)', string, string),
    form("$.findAll('[a-z]')", string),
    form("$.findAll('[a-z]', 1)", string),
    form('[$, $].flatten()', list, list),
    form('$.sort()', list),
    form('$.distinct()', list),
    form('lists.range(($) % 1000)', int),
    form('$.slice(0, 1)', list),
    form('$.reverse()', list),
    form('($ ? $ : $)', bool, list, list),
    form('[?optional.of($)]', int),
  ],
  map: [
    form("{'a': $, 'b': $}", int, string),
    form('{$: $}', string, dyn),
    form('$.transformMap(k, v, v)', map),
    form('$.transformMapEntry(i, v, {string(i): v})', list),
    form('($ ? $ : $)', bool, map, map),
    form("{?'a': optional.of($)}", int),
  ],
  time: [
    form('timestamp($)', string),
    form("$ + duration('1h')", time),
    form('$ - duration($)', time, string),
    form('timestamp($)', int),
  ],
  dyn: [
    form('dyn($)', int),
    form('dyn($)', list),
    form('dyn($)', map),
    form('type($)', int),
    form('$', string),
    form('$ + 1', dyn),
    form('$.x', dyn),
    form('$ - $', time, time),
    form('uint($)', int),
    form('bytes($)', string),
    form('duration($)', string),
    form('quantity($)', string),
    form('optional.of($)', int),
  ],
}

const types = Object.keys(literals) as CelType[]

export function expression(writing: Writing, type: CelType, depth: number): string {
  const { random, scope } = writing
  if (random.chance(0.02)) return expression(writing, random.pick(types), depth - 1)
  const variables = scope[type] ?? []
  if (variables.length > 0 && random.chance(depth <= 0 ? 0.6 : 0.3)) return random.pick(variables)
  if (depth <= 0 || random.chance(0.15)) return random.pick(literals[type])
  return random.pick(forms[type])(writing, depth)
}

/** An expression of the type, at times with a character too many or too few. */
export function randomExpression(random: Random, type: CelType, scope: Scope): string {
  const text = expression({ random, scope }, type, random.pick([0, 1, 1, 2, 2, 3]))
  if (!random.chance(0.04)) return text
  const at = random.below(text.length + 1)
  return `${text.slice(0, at)}${random.pick(['', ')', '(', '.', '?', ' ', "'", '$', '@', '&&'])}${text.slice(at + random.below(2))}`
}

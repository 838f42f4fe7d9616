/** Expressions of the grammar, with random types, and its words. */
import type { Random } from '../../random.ts'

const atoms = [
  '1',
  '-1',
  '0',
  '9223372036854775807',
  '2u',
  '1.5',
  '1e308',
  "'a'",
  "'aé👑'",
  "r'\\d'",
  "b'\\xff'",
  'true',
  'null',
  '[]',
  '{}',
  '[1, 2]',
  "{'a': 1}",
  'object',
  'object.metadata',
  'object.metadata.name',
  'object.spec.list',
  'oldObject',
  'request.userInfo',
  'params',
  'x',
  "duration('1h')",
  "timestamp('2024-01-01T00:00:00Z')",
  "quantity('1Gi')",
  "ip('10.0.0.1')",
  "cidr('10.0.0.0/8')",
  "url('http://a/b')",
  "semver('1.2.3')",
  'optional.of(1)',
  'optional.none()',
  "authorizer.path('/a')",
  'int',
  'type(1)',
]
const binary = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||', 'in']
const methods = [
  'size()',
  'matches(#)',
  'contains(#)',
  'startsWith(#)',
  'split(#)',
  'split(#, 2)',
  'replace(#, #)',
  'substring(#)',
  'charAt(#)',
  'indexOf(#)',
  'find(#)',
  'findAll(#)',
  'format([#, #])',
  'lowerAscii()',
  'trim()',
  'join(#)',
  'reverse()',
  'sum()',
  'min()',
  'max()',
  'isSorted()',
  'indexOf(#)',
  'flatten()',
  'orValue(#)',
  'value()',
  'hasValue()',
  'getHours()',
  'getFullYear()',
  'isLessThan(#)',
  'add(#)',
  'asInteger()',
  'containsIP(#)',
  'family()',
  'getHost()',
  'all(x, #)',
  'exists(x, #)',
  'exists_one(x, #)',
  'map(x, #)',
  'filter(x, #)',
  'transformList(i, x, #)',
  'transformMap(k, x, #)',
  'a',
  '?a',
  'spec.list[0]',
  "check('get').allowed()",
]
const functions = [
  'size',
  'string',
  'int',
  'uint',
  'double',
  'bool',
  'bytes',
  'duration',
  'timestamp',
  'dyn',
  'type',
  'quantity',
  'isQuantity',
  'ip',
  'isIP',
  'cidr',
  'url',
  'isURL',
  'semver',
  'sets.contains',
  'format.dns1123Label',
  'has',
  'math.greatest',
  'lists.range',
  'base64.encode',
  'base64.decode',
  'strings.quote',
]

/** Words of the grammar, for soups. */
export const expressionWords: readonly string[] = [
  ...atoms,
  ...binary,
  ...methods,
  ...functions,
  ...['(', ')', '[', '{', '?', ':', ',', '\\', "'", '"', '//'],
]

/** Expressions of the grammar, with random types. */
export function expressionTexts(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => expressionText(random, 1 + random.below(5)))
}

function expressionText(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.25)) return random.pick(atoms)
  const sub = (): string => expressionText(random, depth - 1)
  const filled = (text: string): string => text.replaceAll('#', sub)
  switch (random.below(7)) {
    case 0:
      return `(${sub()} ${random.pick(binary)} ${sub()})`
    case 1:
    case 2:
      return `${sub()}.${filled(random.pick(methods))}`
    case 3:
      return `${random.pick(functions)}(${sub()}${random.chance(0.2) ? `, ${sub()}` : ''})`
    case 4:
      return `(${sub()} ? ${sub()} : ${sub()})`
    case 5:
      return random.pick([
        `${sub()}[${sub()}]`,
        `!${sub()}`,
        `-${sub()}`,
        `[${sub()}, ${sub()}]`,
        `{${sub()}: ${sub()}}`,
        `Object{metadata: ${sub()}}`,
        `JSONPatch{op: ${sub()}, path: ${sub()}}`,
      ])
    default:
      return `cel.bind(y, ${sub()}, ${sub()})`
  }
}

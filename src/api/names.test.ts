import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as names from './names.ts'

type Check = (value: string) => readonly string[]
const long = (length: number): string => 'a'.repeat(length)
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const dns1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const qualified =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('checks of text', () => {
  test.each<[string, Check, string, string[]]>([
    ['subdomain', names.checkDns1123Subdomain, 'a.b-c.0', []],
    ['subdomain', names.checkDns1123Subdomain, long(253), []],
    ['subdomain', names.checkDns1123Subdomain, long(254), ['must be no more than 253 characters']],
    ['subdomain', names.checkDns1123Subdomain, 'A', [subdomain]],
    ['subdomain', names.checkDns1123Subdomain, 'a..b', [subdomain]],
    ['subdomain', names.checkDns1123Subdomain, 'a\n', [subdomain]],
    ['subdomain', names.checkDns1123Subdomain, `${long(254)}-`, ['must be no more than 253 characters', subdomain]],
    ['underscores', names.checkDns1123SubdomainWithUnderscore, '_a.b_c', []],
    ['label', names.checkDns1123Label, 'a-1', []],
    ['label', names.checkDns1123Label, 'a.b', ['must not contain dots']],
    ['label', names.checkDns1123Label, '', [label]],
    [
      'label',
      names.checkDns1123Label,
      `${long(70)}.b`,
      ['must be no more than 63 characters', 'must not contain dots'],
    ],
    ['DNS-1035 label', names.checkDns1035Label, '1a', [dns1035]],
    ['wildcard', names.checkWildcardDns1123Subdomain, '*.a.b', []],
    ['qualified name', names.checkQualifiedName, 'example.com/My_name', []],
    ['qualified name', names.checkQualifiedName, 'bad key', [`name part ${qualified}`]],
    ['qualified name', names.checkQualifiedName, '', ['name part must be non-empty', `name part ${qualified}`]],
    ['qualified name', names.checkQualifiedName, '/a', ['prefix part must be non-empty']],
    ['qualified name', names.checkQualifiedName, 'A/a', [`prefix part ${subdomain}`]],
    ['qualified name', names.checkQualifiedName, long(64), ['name part must be no more than 63 characters']],
    [
      'qualified name',
      names.checkQualifiedName,
      'a/b/c',
      [`a qualified name ${qualified} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['label value', names.checkLabelValue, '', []],
    ['label value', names.checkLabelValue, '-a', [labelValue]],
    ['label value', names.checkLabelValue, 'é'.repeat(32), ['must be no more than 63 characters', labelValue]],
    ['port name', names.checkPortName, 'http-2', []],
    [
      'port name',
      names.checkPortName,
      '--1',
      [
        'must contain at least one letter (a-z)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ],
    ],
    ['config key', names.checkConfigMapKey, '..a', ["must not start with '..'"]],
    ['config key', names.checkConfigMapKey, '.', ["must not be '.'"]],
    [
      'config key',
      names.checkConfigMapKey,
      'a/b',
      [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    ['variable', names.checkEnvVarName, 'a.b-C_1', []],
    ['relaxed variable', names.checkRelaxedEnvVarName, '1 a:b', []],
    [
      'relaxed variable',
      names.checkRelaxedEnvVarName,
      'a=b',
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
    ['relaxed variable', names.checkRelaxedEnvVarName, '', ['environment variable name must be non-empty']],
    ['path segment', names.checkPathSegmentName, '..', ["may not be '..'"]],
    ['path segment', names.checkPathSegmentName, 'a/b%', ["may not contain '/'", "may not contain '%'"]],
    ['percent', names.checkPercent, '10%', []],
    ['identifier', names.checkCIdentifier, '_a1', []],
    ['header', names.checkHttpHeaderName, 'X-A', []],
  ])('%s: %#', (_, check, value, messages) => expect(check(value)).toEqual(messages))

  test('a prefix may end with a dash', () => {
    expect(names.checkSubdomainName('web-', true)).toEqual([])
    expect(names.checkSubdomainName('web-')).toEqual([subdomain])
    expect(names.checkLabelName('-', true)).toEqual([label])
    expect(names.checkDns1035Name('1-', true)).toEqual([])
    expect(names.checkPathSegmentName('..', true)).toEqual([])
  })
})

test('checks of numbers', () => {
  expect(names.checkPortNumber(80)).toEqual([])
  expect(names.checkPortNumber(0)).toEqual(['must be between 1 and 65535, inclusive'])
  expect(names.checkGroupId(2n ** 31n)).toEqual(['must be between 0 and 2147483647, inclusive'])
})

test('fully qualified names', () => {
  const messages = (errors: { message: string }[]): string[] => errors.map((error) => error.message)
  expect(messages(names.validateFullyQualifiedName('name', 'a.b'))).toEqual([
    'Invalid value: "a.b": should be a domain with at least three segments separated by dots',
  ])
  expect(names.validateFullyQualifiedName('name', 'a.b.c')).toEqual([])
  expect(messages(names.validateFullyQualifiedName('name', ''))).toEqual(['Required value'])
  expect(names.validateFullyQualifiedDomainName('name', 'a.b.')).toEqual([])
  expect(messages(names.validateFullyQualifiedDomainName('name', 'a.'))).toEqual([
    'Invalid value: "a": should be a domain with at least two segments separated by dots',
  ])
  expect(messages(names.validateDomainPrefixedPath('path', 'acme.io'))).toEqual([
    'Invalid value: "acme.io": must be a domain-prefixed path (such as "acme.io/foo")',
  ])
  expect(messages(names.validateDomainPrefixedPath('path', 'acme.io/a b'))).toEqual([
    "Invalid value: \"a b\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
  ])
})

test('very long values take no long time', () => {
  for (const check of [names.checkDns1123Subdomain, names.checkQualifiedName, names.checkLabelValue]) {
    expect(check(`${'a.-'.repeat(300_000)}!`).length).toBe(2)
    expect(check(`${long(1_000_000)}!`).length).toBe(2)
  }
})

describe('names with a domain', () => {
  const told = (errors: readonly { field: string; message: string }[]): string[] =>
    errors.map(({ field, message }) => `${field}: ${message}`)

  test.each<[string, string[]]>([
    ['a.b', []],
    ['a.b.', []],
    ['', ['f: Required value']],
    ['A.b', [`f: Invalid value: "A.b": ${subdomain}`]],
    ['a', ['f: Invalid value: "a": should be a domain with at least two segments separated by dots']],
    [`${long(64)}.b`, [`f: Invalid value: "${long(64)}": must be no more than 63 characters`]],
  ])('fully qualified: %s', (value, errors) => {
    expect(told(names.validateFullyQualifiedDomainName('f', value))).toEqual(errors)
  })

  test.each<[string, string[]]>([
    ['a.b/c', []],
    ['', ['f: Required value']],
    ['a.b/', ['f: Invalid value: "a.b/": must be a domain-prefixed path (such as "acme.io/foo")']],
    ['A/b', [`f: Invalid value: "A": ${subdomain}`]],
  ])('and a path: %s', (value, errors) => {
    expect(told(names.validateDomainPrefixedPath('f', value))).toEqual(errors)
  })
})

test('a subdomain is what its pattern says', () => {
  const pattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
  const text = fc.array(fc.constantFrom('a', '7', '-', '.', 'A', '\n'), { maxLength: 8 }).map((chars) => chars.join(''))
  fc.assert(
    fc.property(text, (name) => {
      expect(names.checkDns1123Subdomain(name).length === 0).toBe(pattern.test(name))
    }),
    { numRuns: 2_000 },
  )
})

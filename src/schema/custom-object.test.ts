import { describe, expect, it, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { applyDefaults, dropNulls } from './default.ts'
import { matchesFormat } from './formats.ts'
import { schemaFromOpenApi } from './from-openapi.ts'
import { pruneObject, pruneValueInSteps } from './prune.ts'
import { validateValue } from './validate.ts'

const schema = schemaFromOpenApi({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        known: { type: 'object', properties: { a: { type: 'string' } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer', default: 7 } } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true },
        open: { type: 'object', additionalProperties: true },
        shut: { type: 'object', additionalProperties: false },
        mode: { type: 'string', default: 'soft' },
        deep: { type: 'object', default: {}, properties: { inner: { type: 'string', default: 'x' } } },
        maybe: { type: 'string', nullable: true, default: 'y' },
        never: { type: 'string' },
      },
    },
  },
})

describe('pruneObject', () => {
  it('drops what is not declared, at every depth, and names it', () => {
    const object: JsonObject = {
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'n' },
      topLevel: 1,
      spec: {
        known: { a: 'x', b: 1 },
        map: { k: { a: 'x', b: 1 } },
        rows: [{ id: 1 }, { id: 2, x: 3 }],
        free: { any: { thing: [1] } },
        template: { apiVersion: 'v1', kind: 'B', metadata: {}, more: 1 },
        open: { k: { gone: 1 }, n: 1 },
        shut: { n: 1 },
      },
    }
    const { value, unknown } = pruneObject(object, schema)
    expect(unknown).toEqual([
      'spec.known.b',
      'spec.map.k.b',
      'spec.open.k.gone',
      'spec.rows[1].x',
      'spec.template.more',
      'topLevel',
    ])
    expect(value['spec']).toEqual({
      known: { a: 'x' },
      map: { k: { a: 'x' } },
      rows: [{ id: 1 }, { id: 2 }],
      free: { any: { thing: [1] } },
      template: { apiVersion: 'v1', kind: 'B', metadata: {} },
      open: { k: {}, n: 1 },
      shut: { n: 1 },
    })
  })

  it('gives the same object back when there is nothing to drop', () => {
    const object: JsonObject = { apiVersion: 'a/v1', kind: 'A', metadata: {}, spec: { known: { a: 'x' } } }
    expect(pruneObject(object, schema).value).toBe(object)
  })
})

it('pruneValueInSteps prunes a part of an object, such as a default', () => {
  const part = schemaFromOpenApi({ type: 'object', properties: { a: { type: 'string' } } })
  expect(runToEnd(pruneValueInSteps({ a: 'x', b: 1, metadata: {} }, part))).toEqual({ a: 'x' })
})

describe('applyDefaults', () => {
  it('fills absent keys and nulls that are not allowed, also inside of what it filled in', () => {
    const object: JsonObject = { spec: { rows: [{}, { id: 1 }], mode: null, maybe: null } }
    expect(applyDefaults(object, schema)).toEqual({
      spec: { rows: [{ id: 7 }, { id: 1 }], mode: 'soft', maybe: null, deep: { inner: 'x' } },
    })
    expect(object).toEqual({ spec: { rows: [{}, { id: 1 }], mode: null, maybe: null } })
  })

  it('gives the same object back when nothing is missing', () => {
    const object: JsonObject = { spec: { mode: 'a', maybe: null, deep: { inner: 'b' } } }
    expect(applyDefaults(object, schema)).toBe(object)
  })
})

it('dropNulls drops nulls that are neither allowed nor replaced', () => {
  const object: JsonObject = { spec: { never: null, mode: null, maybe: null, free: { a: null } } }
  expect(dropNulls(object, schema)).toEqual({ spec: { mode: null, maybe: null, free: { a: null } } })
})

describe('formats', () => {
  it.each([
    ['uri', 'https://a.example/x', true],
    ['uri', '/path', true],
    ['uri', 'not an address', false],
    ['uri', 'https://', true],
    ['uri', 'mailto:somebody', true],
    ['uri', 'https://h/%zz', false],
    ['uri', 'https://a b/', false],
    ['uri', '/a b#c', true],
    ['email', 'Some One <a@b.example>', true],
    ['email', 'nobody', false],
    ['email', 'a@b.example\n', false],
    ['email', ' a@b.example (comment)', true],
    ['email', '"a b"@c', true],
    ['email', '""@c', false],
    ['email', 'a..b@c', false],
    ['email', 'a@[::1]', true],
    ['email', 'a@[b]', false],
    ['email', 'a (x) b <c@d>', true],
    ['email', 'a (x <c@d>', false],
    ['email', 'group: a@b;', true],
    ['email', 'group: a@b, c@d;', false],
    ['email', '=?utf-8?q?a?= <a@b>', true],
    ['email', '=?x?B?YQ==?= <a@b>', false],
    ['email', '=?x?B?Y?= <a@b>', true],
    ['email', '=?utf-8?q??= <a@b>', false],
    ['email', `${'a '.repeat(60_000)}<a@b>`, true],
    ['email', `${'a '.repeat(70_000)}<a@b>`, false],
    ['hostname', 'a.example.org', true],
    ['hostname', '-a', false],
    ['ipv4', '192.168.000.001', true],
    ['ipv4', '1.2.3', false],
    ['ipv6', '2001:db8::1', true],
    ['ipv6', '1.2.3.4', false],
    ['ipv6', '::ffff:1.2.03.4', false],
    ['ipv6', 'fe80::1%eth0', false],
    ['cidr', '10.0.0.0/8', true],
    ['cidr', '10.0.0.0/33', false],
    ['cidr', '0fe80::/10', true],
    ['mac', '01:23:45:67:89:ab', true],
    ['mac', '01:23', false],
    ['mac', '0123456789ab', false],
    ['uuid', '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', true],
    ['uuid4', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', false],
    ['isbn', '978-0321751041', true],
    ['isbn10', '0321751043', true],
    ['isbn10', '\u00a00321751043', false],
    ['isbn13', '978-0321751042', false],
    ['creditcard', '2223000048400011', false],
    ['creditcard', '4111 1111 1111 1111', true],
    ['ssn', '111-11-1111', true],
    ['ssn', '111111111', false],
    ['hexcolor', '#FFFFFF', true],
    ['rgbcolor', 'rgb(100,100,100)', true],
    ['rgbcolor', 'rgb(\u00a0100,100,100)', false],
    ['byte', 'aGk=', true],
    ['byte', 'a', false],
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date-time', '2014-12-15T19:30:20.000Z', true],
    ['datetime', '2014-12-15', false],
    ['datetime', '2014-12-15T19:30:60Z', false],
    ['datetime', '2014-12-15t19:30:20+99:99', true],
    ['datetime', '12014-12-15T19:30:20Z', false],
    ['duration', '1h30m', true],
    ['duration', '3 days', true],
    ['duration', '3\u00a0days', false],
    ['duration', 'about 5 mins or 1 hr', true],
    ['duration', '5 lightyears', false],
    ['duration', '99999999999999999999 days', false],
    ['duration', 'soon', false],
    ['password', '', true],
    ['unheard-of', 'x', true],
  ])('%s of %s: %s', (format, text, expected) => {
    expect(matchesFormat(format, text, 33)).toBe(expected)
  })

  /** None of these is read as a whole, so that it does not hold the event loop. */
  it.each([
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'mac',
    'isbn',
    'creditcard',
    'ssn',
    'duration',
    'date',
    'k8s-long-name',
  ])('%s of a long text', (format) => {
    expect(['1', '1h', '::', 'a.'].map((part) => matchesFormat(format, part.repeat(100_000), 36))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it.each([
    ['isbn', `3-401${' '.repeat(100_000)}-01319-X`],
    ['creditcard', `4111${'-'.repeat(100_000)}111111111111`],
    ['byte', 'AAAA'.repeat(100_000)],
    ['datetime', `2020-01-02T03:04:05.${'1'.repeat(100_000)}Z`],
    ['uri', `/${'%41'.repeat(100_000)}`],
    ['cidr', `1.2.3.4/${'0'.repeat(100_000)}8`],
  ])('%s may be long', (format, text) => {
    expect(matchesFormat(format, text, 36)).toBe(true)
  })

  it.each([
    ['mac', '0123456789ab', [33, 34], [false, true]],
    ['uri', 'http://a:b:1/', [35, 36], [true, false]],
    ['uri', 'ldap://a:b:1/', [35, 36], [true, true]],
  ])('%s of %s by release', (format, text, releases, expected) => {
    expect(releases.map((release) => matchesFormat(format, text, release))).toEqual(expected)
  })
})

describe('numbers and names with a format', () => {
  const errorsAt = (release: number, props: JsonObject, value: JsonValue): string[] => {
    const schema = schemaFromOpenApi({ type: 'object', properties: { a: props } }, release)
    return runToEnd(validateValue({ a: value }, schema)).map(({ field, message }) => `${field}: ${message}`)
  }
  const whole = '<nil>: Invalid value: "": Checked value must be of type integer'

  test.each<[JsonObject, JsonValue, string[], string[]]>([
    [{ type: 'integer', format: 'int32' }, 2 ** 31, [], [`${whole} with format int32 in a`]],
    [{ type: 'integer', format: 'int32' }, 2 ** 31 - 1, [], []],
    [
      { type: 'integer' },
      2.5,
      ['a: Invalid value: "number": a in body must be of type integer: "number"'],
      ['a: Invalid value: "number": a in body must be of type integer: "number"', `${whole} (default format) in a`],
    ],
    [
      { type: 'number', format: 'float' },
      4e38,
      [],
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in a'],
    ],
    [{ type: 'number', format: 'float' }, 3.4e38, [], []],
    [{ type: 'number', format: 'int32' }, 2 ** 40, [], []],
  ])('%j of %j, before 1.36 and since', (props, value, before, since) => {
    expect([errorsAt(35, props, value), errorsAt(36, props, value)]).toEqual([before, since])
  })

  test('names are checked since 1.35', () => {
    const props = { type: 'string', format: 'k8s-short-name' }
    const text = 'a: Invalid value: "A_": a in body must be of type k8s-short-name: "A_"'
    expect([33, 34, 35].map((release) => errorsAt(release, props, 'A_'))).toEqual([[], [], [text]])
  })
})

/** The user that claims make: by claims, by expressions, and by rules about both. */
import { describe, expect, it } from 'vitest'
import type { JwtAuthenticatorConfig } from '../../api/authentication-configuration.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { AuthenticationExpressions } from '../expressions/authentication-expressions.ts'
import { ClaimError, compileMapping } from './claim-mapping.ts'

type Mappings = JwtAuthenticatorConfig['claimMappings']

interface Given {
  readonly mappings?: Partial<Mappings>
  readonly rules?: readonly Partial<JwtAuthenticatorConfig['claimValidationRules'][number]>[]
  readonly userRules?: JwtAuthenticatorConfig['userValidationRules']
}

const compiler = new AuthenticationExpressions()
const none = { claim: '', expression: '', prefix: '' }

const configOf = ({ mappings = {}, rules = [], userRules = [] }: Given): JwtAuthenticatorConfig => ({
  issuer: { url: 'https://i', discoveryURL: '', certificateAuthority: '', audiences: ['a'], audienceMatchPolicy: '' },
  claimValidationRules: rules.map((rule) => ({ claim: '', requiredValue: '', expression: '', message: '', ...rule })),
  claimMappings: { username: { ...none, claim: 'sub' }, groups: none, uid: none, extra: [], ...mappings },
  userValidationRules: userRules,
})

/** The user, with its extra as an object; or why there is none. */
function userOf(given: Given, claims: JsonObject): unknown {
  try {
    const { extra, ...user } = compileMapping(configOf(given), compiler)(claims)
    return { ...user, extra: Object.fromEntries(extra) }
  } catch (error) {
    if (error instanceof ClaimError) return error.message
    throw error
  }
}

describe('the name', () => {
  const email = { username: { ...none, claim: 'email' } }
  const expression = (text: string) => ({ username: { ...none, expression: text } })
  it.each<[string, Partial<Mappings>, JsonObject, unknown]>([
    ['is a claim', {}, { sub: 'jane' }, 'jane'],
    ['has a prefix', { username: { ...none, claim: 'sub', prefix: 'x:' } }, { sub: 'jane' }, 'x:jane'],
    ['has none if none is given', { username: { ...none, claim: 'sub', prefix: undefined } }, { sub: 'jane' }, 'jane'],
    ['is not missing', {}, {}, 'oidc: parse username claims "sub": it is not a string'],
    [
      'is not what every object has',
      { username: { ...none, claim: 'toString' } },
      {},
      'oidc: parse username claims "toString": it is not a string',
    ],
    ['is not a number', {}, { sub: 5 }, 'oidc: parse username claims "sub": it is not a string'],
    ['is an address that nobody speaks of', email, { email: 'j@x' }, 'j@x'],
    ['is an address that is verified', email, { email: 'j@x', email_verified: true }, 'j@x'],
    ['is no address that is not', email, { email: 'j@x', email_verified: false }, 'oidc: email not verified'],
    [
      'is no address that is verified in words',
      email,
      { email: 'j@x', email_verified: 'true' },
      'oidc: email not verified',
    ],
    ['of another claim needs no verified address', {}, { sub: 'jane', email_verified: false }, 'jane'],
    ['is an expression', expression('claims.sub + "!"'), { sub: 'jane' }, 'jane!'],
    [
      'is no empty expression',
      expression('claims.sub'),
      { sub: '' },
      'oidc: username claim expression evaluated to the empty string',
    ],
    [
      'is no expression that gives a number',
      expression('5'),
      {},
      'oidc: error evaluating username claim expression: expected string',
    ],
    [
      'is no expression that fails',
      expression('claims.other'),
      {},
      expect.stringMatching(/^oidc: error evaluating expression: .*no such key/),
    ],
  ])('%s', (_, mappings, claims, expected) => {
    const user = userOf({ mappings }, claims)
    expect(typeof user === 'string' ? user : (user as { name: string }).name).toEqual(expected)
  })
})

describe('the groups', () => {
  const claim = { groups: { ...none, claim: 'groups', prefix: 'x:' } }
  const plain = { groups: { ...none, claim: 'groups', prefix: undefined } }
  const expression = { groups: { ...none, expression: 'claims.groups' } }
  const notTexts = 'oidc: parse groups claim "groups": it is neither a string nor a list of strings'
  const notResult =
    'oidc: error evaluating group claim expression: expression must return a string or a list of strings'
  it.each<[string, Partial<Mappings>, JsonValue | undefined, unknown]>([
    ['are none where no claim is named', {}, ['a'], []],
    ['are a list', claim, ['a', 'b'], ['x:a', 'x:b']],
    ['have no prefix if none is given', plain, ['a'], ['a']],
    ['are one text', claim, 'a', ['x:a']],
    ['are none that are null', claim, null, []],
    ['are none that are missing', claim, undefined, []],
    ['are no number', claim, 5, notTexts],
    ['are no list of numbers', claim, ['a', 5], notTexts],
    ['are no object', claim, { a: 'b' }, notTexts],
    ['are a list by expression, without empty ones', expression, ['a', '', 'b'], ['a', 'b']],
    ['are one text by expression', expression, 'a', ['a']],
    ['are nothing by expression', expression, null, []],
    ['are no number by expression', expression, 5, notResult],
    ['are no list of numbers by expression', expression, ['a', 5], notResult],
  ])('%s', (_, mappings, groups, expected) => {
    const user = userOf({ mappings }, { sub: 'jane', ...(groups === undefined ? {} : { groups }) })
    expect(typeof user === 'string' ? user : (user as { groups: string[] }).groups).toEqual(expected)
  })
})

describe('the uid', () => {
  it.each<[string, Partial<Mappings>, JsonObject, unknown]>([
    ['is none where none is asked for', {}, { uid: 'u' }, undefined],
    ['is a claim', { uid: { ...none, claim: 'uid' } }, { uid: 'u' }, 'u'],
    ['is an expression', { uid: { ...none, expression: '"u-" + claims.uid' } }, { uid: 'u' }, 'u-u'],
    ['is none that is empty', { uid: { ...none, claim: 'uid' } }, { uid: '' }, undefined],
    ['is not missing', { uid: { ...none, claim: 'uid' } }, {}, 'oidc: the uid is not a string'],
    ['is no number', { uid: { ...none, expression: '5' } }, {}, 'oidc: the uid is not a string'],
  ])('%s', (_, mappings, claims, expected) => {
    const user = userOf({ mappings }, { sub: 'jane', ...claims })
    if (typeof user === 'string') expect(user).toBe(expected)
    else if (expected === undefined) expect(user).not.toHaveProperty('uid')
    else expect(user).toMatchObject({ uid: expected })
  })
})

describe('the extra', () => {
  const extra = (...values: string[]) => ({
    extra: values.map((valueExpression, i) => ({ key: `x.io/${i}`, valueExpression })),
  })
  it.each<[string, Partial<Mappings>, JsonObject, unknown]>([
    ['is by expressions', extra('claims.a', '["x", "", "y"]'), { a: 'b' }, { 'x.io/0': ['b'], 'x.io/1': ['x', 'y'] }],
    ['has no keys without values', extra('""', '[]', 'null'), {}, {}],
    ['has the identity of the token', {}, { jti: 'j' }, { 'authentication.kubernetes.io/credential-id': ['JTI=j'] }],
    [
      'has it beside the rest',
      extra('"a"'),
      { jti: 'j' },
      { 'x.io/0': ['a'], 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
    ],
    ['has no empty identity', {}, { jti: '' }, {}],
    ['has no identity that is a number', {}, { jti: 5 }, {}],
  ])('%s', (_, mappings, claims, expected) => {
    expect(userOf({ mappings }, { sub: 'jane', ...claims })).toMatchObject({ name: 'jane', extra: expected })
    expect((userOf({ mappings }, { sub: 'jane', ...claims }) as { extra: object }).extra).toEqual(expected)
  })

  it('is refused by its expression', () => {
    expect(userOf({ mappings: extra('5') }, { sub: 'jane' })).toBe(
      'oidc: error evaluating extra claim expression: 5: expression must return a string or a list of strings',
    )
  })
})

describe('rules', () => {
  const hd = { claim: 'hd', requiredValue: 'x' }
  const failed = (what: string, expression: string): string =>
    `oidc: error evaluating ${what}: validation expression '${expression}' failed: no`
  it.each<[string, Given, JsonObject, unknown]>([
    ['want a claim', { rules: [hd] }, { hd: 'x' }, 'jane'],
    ['want it to be there', { rules: [hd] }, {}, 'oidc: required claim hd not present in ID token'],
    ['want its value', { rules: [hd] }, { hd: 'y' }, 'oidc: required claim hd value does not match. Got = y, want = x'],
    [
      'want a text',
      { rules: [hd] },
      { hd: 5 },
      'oidc: parse claim hd: json: cannot unmarshal number into Go value of type string',
    ],
    ['hold', { rules: [{ expression: 'claims.hd == "x"', message: 'no' }] }, { hd: 'x' }, 'jane'],
    [
      'do not hold',
      { rules: [{ expression: 'claims.hd == "x"', message: 'no' }] },
      { hd: 'y' },
      failed('claim validation expression', 'claims.hd == "x"'),
    ],
    [
      'come after the name',
      { rules: [hd], mappings: { username: { ...none, claim: 'name' } } },
      {},
      'oidc: parse username claims "name": it is not a string',
    ],
    ['about the user hold', { userRules: [{ expression: 'user.username == "jane"', message: 'no' }] }, {}, 'jane'],
    [
      'about the user do not hold',
      { userRules: [{ expression: 'user.groups.size() > 0', message: 'no' }] },
      {},
      failed('user info validation rule', 'user.groups.size() > 0'),
    ],
    [
      'see a user without uid and extra',
      { userRules: [{ expression: 'user.uid == "" && user.extra.size() == 0', message: 'no' }] },
      { jti: 'j' },
      'jane',
    ],
    [
      'see all of the user',
      {
        mappings: {
          uid: { ...none, claim: 'sub' },
          groups: { ...none, claim: 'groups' },
          extra: [{ key: 'x.io/a', valueExpression: '"b"' }],
        },
        userRules: [
          { expression: 'user.uid == "jane" && user.groups == ["g"] && user.extra["x.io/a"] == ["b"]', message: 'no' },
        ],
      },
      { groups: ['g'] },
      'jane',
    ],
  ])('%s', (_, given, claims, expected) => {
    const user = userOf(given, { sub: 'jane', ...claims })
    expect(typeof user === 'string' ? user : (user as { name: string }).name).toBe(expected)
  })

  it('that do not compile are an error at once', () => {
    expect(() => compileMapping(configOf({ rules: [{ expression: 'claims.' }] }), compiler)).toThrow()
  })
})

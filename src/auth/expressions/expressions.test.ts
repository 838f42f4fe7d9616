import { describe, expect, it } from 'vitest'
import { AuthenticationExpressions } from './authentication-expressions.ts'
import { MatchConditionCompiler } from './match-conditions.ts'

const authentication = new AuthenticationExpressions()
const conditions = new MatchConditionCompiler()

describe('AuthenticationExpressions', () => {
  it.each([
    ['claims.sub', true, 'must evaluate to bool'],
    [
      'claims.sub ==',
      true,
      "compilation failed: ERROR: <input>:1:14: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | claims.sub ==\n | .............^",
    ],
    ['1', false, undefined],
    ['claims.a', false, undefined],
  ])('checks %s', (expression, rule, error) => {
    expect(authentication.check(expression, 'claims', rule).error).toBe(error)
  })

  it.each([
    ['claims.email', true, false],
    ["has(claims.email_verified) ? claims.email : ''", true, true],
    ["claims.?email_verified.orValue(true) ? claims.sub : ''", false, true],
    ["other.email == 'x'".replace('other', "{'email': 'x'}"), false, false],
  ])('sees the claims in %s', (expression, usesEmail, usesEmailVerified) => {
    expect(authentication.check(expression, 'claims', false)).toEqual({ usesEmail, usesEmailVerified })
  })

  it.each([
    ["claims.name + ':' + string(claims.n)", { name: 'jane', n: 3 }, { value: 'jane:3' }],
    ['claims.roles', { roles: ['a', ''] }, { value: ['a', ''] }],
    ['claims.roles', { roles: null }, { value: null }],
    ['claims.exp - claims.iat <= 7200', { exp: 10, iat: 5 }, { value: true }],
    ['claims.a', {}, { error: 'no such key: a' }],
  ])('evaluates %s', (expression, claims, expected) => {
    expect(authentication.compile(expression, 'claims')(claims)).toEqual(expected)
  })

  it('evaluates over the user', () => {
    const rule = authentication.compile("!user.username.startsWith('system:') && user.groups.all(g, g != 'x')", 'user')
    expect(rule({ username: 'jane', groups: ['a'], uid: '', extra: {} })).toEqual({ value: true })
    expect(rule({ username: 'system:x', groups: ['a'], uid: '', extra: {} })).toEqual({ value: false })
  })
})

describe('MatchConditionCompiler', () => {
  it.each([
    ['request.user', 'must evaluate to bool but got string'],
    [
      'request.nobody == 1',
      "compilation failed: ERROR: <input>:1:8: undefined field 'nobody'\n | request.nobody == 1\n | .......^",
    ],
    ["'people' in request.groups", undefined],
    ["request.resourceAttributes.labelSelector.requirements.exists(r, r.key == 'a')", undefined],
  ])('checks %s', (expression, error) => {
    expect(conditions.check(expression)).toBe(error)
  })

  const match = conditions.compile([
    "request.resourceAttributes.namespace == 'default'",
    "request.user != 'nobody' && !('x' in request.extra)",
  ])
  it.each([
    [{ resourceAttributes: { namespace: 'default' }, user: 'a' }, true],
    [{ resourceAttributes: { verb: 'list' }, user: 'a' }, false],
    [{ nonResourceAttributes: { path: '/version', verb: 'get' }, user: 'nobody' }, false],
    [
      { nonResourceAttributes: { path: '/version', verb: 'get' }, user: 'a' },
      {
        error:
          "cel evaluation error: expression 'request.resourceAttributes.namespace == 'default'' resulted in error: no such key: resourceAttributes",
      },
    ],
  ])('judges %j', (spec, expected) => {
    expect(match(spec)).toEqual(expected)
  })
})

it.each([
  [undefined, false],
  [33, false],
  [34, true],
  [36, true],
])('configuration of release %s may sort lists: %j', (release, isTaken) => {
  const taken = [
    new AuthenticationExpressions(release).check('["b", "a"].sort()[0]', 'claims', false).error === undefined,
    new MatchConditionCompiler(release).check('request.groups.sort()[0] == "a"') === undefined,
  ]
  expect(taken).toEqual([isTaken, isTaken])
})

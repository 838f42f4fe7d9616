import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { mistypedClaim, secondsOf } from './claim-types.ts'

describe('secondsOf', () => {
  it.each<[JsonValue | undefined, number | undefined]>([
    [1_700_000_000, 1_700_000_000],
    [1.7e9, 1_700_000_000],
    [1.9, 1],
    [-5, -5],
    ['1700000000', 1_700_000_000],
    ['1.7e9', 1_700_000_000],
    ['', undefined],
    [' 1', undefined],
    ['0x10', undefined],
    ['Infinity', undefined],
    [1e300, undefined],
    [2 ** 63 - 1024, undefined],
    [null, undefined],
    [true, undefined],
    [[1], undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('reads %j', (value, expected) => {
    expect(secondsOf(value)).toBe(expected)
  })
})

describe('mistypedClaim', () => {
  const source = { endpoint: 'https://a', access_token: 't' }
  it.each<JsonObject>([
    {},
    { iss: 'a', sub: null, aud: 'a', exp: 1, iat: 1.5, nbf: null, nonce: '', at_hash: 'x' },
    { aud: ['a', null], nbf: '12' },
    { _claim_names: null },
    { _claim_names: { groups: 's' }, _claim_sources: { s: source } },
    { _claim_names: { groups: 's' }, _claim_sources: { s: {}, other: null } },
  ])('takes %j', (claims) => {
    expect(mistypedClaim(claims)).toBeUndefined()
  })
  it.each<JsonObject>([
    { sub: 5 },
    { sub: ['a'] },
    { aud: 5 },
    { aud: ['a', 5] },
    { aud: { a: 'b' } },
    { exp: null },
    { exp: true },
    { exp: 'soon' },
    { iat: 'now' },
    { iat: null },
    { nbf: 'later' },
    { nbf: false },
    { nbf: [4e9] },
    { nonce: 1 },
    { at_hash: {} },
    { _claim_names: 'groups' },
    { _claim_names: { groups: 1 } },
    { _claim_names: { groups: '' }, _claim_sources: { '': source } },
    { _claim_names: { groups: 's' } },
    { _claim_names: { groups: 's' }, _claim_sources: {} },
    { _claim_names: { groups: 's' }, _claim_sources: [source] },
    { _claim_names: { groups: 's' }, _claim_sources: { s: 'https://a' } },
    { _claim_names: { groups: 's' }, _claim_sources: { s: { endpoint: 5 } } },
  ])('refuses %j', (claims) => {
    expect(mistypedClaim(claims)).toMatch(/^oidc: verify token: oidc: /)
  })
})

// Structured JWT authentication against a real issuer over HTTPS: mappings, rules, rotation, and forged tokens.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JwtAuthenticatorConfig } from '../../../src/api/authentication-configuration.ts'
import type { JsonObject } from '../../../src/api/json.ts'
import { AuthenticationExpressions } from '../../../src/auth/expressions/authentication-expressions.ts'
import { signToken } from '../../../src/auth/jwt/jws.ts'
import { JwtAuthenticator } from '../../../src/auth/jwt/jwt-authenticator.ts'
import { FakeClock } from '../../../src/auth/testing/fake-clock.ts'
import { readAuthenticationConfiguration } from '../../../src/config/files/authentication-configuration.ts'
import { CertificateFolder } from './certificates.ts'
import { OidcIssuer } from './oidc-issuer.ts'

const folder = new CertificateFolder()
const authority = folder.authority('issuers')
const serving = folder.issue(authority, '/CN=issuer', { extensions: ['subjectAltName=IP:127.0.0.1'] })
const issuer = new OidcIssuer(serving)
const expressions = new AuthenticationExpressions()

beforeAll(() => issuer.start())
afterAll(() => {
  issuer.close()
  folder.close()
})

function configOf(jwt: JsonObject, from: OidcIssuer = issuer, issuerMore: JsonObject = {}): JwtAuthenticatorConfig {
  const document = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: from.url, certificateAuthority: authority.certificate, audiences: ['app'], ...issuerMore },
        ...jwt,
      },
    ],
  }
  const [config] = readAuthenticationConfiguration(JSON.stringify(document), 'authn.yaml', {
    checkExpression: (expression, over, rule) => expressions.check(expression, over, rule),
    disallowedIssuers: [],
    anonymousFlagSet: false,
    release: 33,
    gate: () => true,
  }).jwt
  if (!config) throw new Error('no authenticator')
  return config
}
const bySub: JsonObject = { claimMappings: { username: { claim: 'sub', prefix: '' } } }
const make = (jwt: JsonObject, from = issuer, issuerMore: JsonObject = {}) =>
  new JwtAuthenticator({ config: configOf(jwt, from, issuerMore), compiler: expressions, apiAudiences: ['api'] })
const any = { audiences: undefined }
const who = async (authenticator: JwtAuthenticator, token: string) => {
  const result = await authenticator.authenticateToken(token, any)
  if (result.outcome !== 'authenticated') return result.outcome
  const { name, uid, groups, extra } = result.user
  return { name, ...(uid ? { uid } : {}), groups, ...(extra.size > 0 ? { extra: Object.fromEntries(extra) } : {}) }
}

describe('mappings and rules', () => {
  const mapping = (more: JsonObject): JsonObject => ({
    claimMappings: { username: { claim: 'sub', prefix: '' }, ...more },
  })
  const rules = {
    ...bySub,
    claimValidationRules: [
      { claim: 'tenant', requiredValue: 'blue' },
      { expression: 'claims.exp - claims.iat <= 7200', message: 'lives too long' },
    ],
  }
  it.each<[string, JsonObject, JsonObject, unknown]>([
    ['a name', bySub, { sub: 'jane' }, { name: 'jane', groups: [] }],
    ['an audience as text', bySub, { sub: 'jane', aud: 'app' }, { name: 'jane', groups: [] }],
    ['an empty name', bySub, { sub: '' }, { name: '', groups: [] }],
    ['a number for a name', bySub, { sub: 5 }, 'failed'],
    ['no name', bySub, {}, 'failed'],
    [
      'a prefix',
      { claimMappings: { username: { claim: 'sub', prefix: 'one#' } } },
      { sub: 'jane' },
      { name: 'one#jane', groups: [] },
    ],
    [
      'an expression',
      { claimMappings: { username: { expression: "claims.name + ':' + string(claims.n)" } } },
      { name: 'jane', n: 3 },
      { name: 'jane:3', groups: [] },
    ],
    ['an expression over nothing', { claimMappings: { username: { expression: 'claims.name' } } }, {}, 'failed'],
    ['an expression that gives a number', { claimMappings: { username: { expression: '1' } } }, {}, 'failed'],
    [
      'an address that is not verified',
      { claimMappings: { username: { claim: 'email', prefix: '' } } },
      { email: 'a@b', email_verified: false },
      'failed',
    ],
    [
      'groups',
      mapping({ groups: { claim: 'groups', prefix: 'g:' } }),
      { sub: 'j', groups: ['a', 'b'] },
      { name: 'j', groups: ['g:a', 'g:b'] },
    ],
    [
      'one group',
      mapping({ groups: { claim: 'groups', prefix: 'g:' } }),
      { sub: 'j', groups: 'solo' },
      { name: 'j', groups: ['g:solo'] },
    ],
    ['groups of numbers', mapping({ groups: { claim: 'groups', prefix: '' } }), { sub: 'j', groups: [1] }, 'failed'],
    [
      'groups by expression',
      mapping({ groups: { expression: 'claims.roles' } }),
      { sub: 'j', roles: ['a', '', 'b'] },
      { name: 'j', groups: ['a', 'b'] },
    ],
    [
      'no groups by expression',
      mapping({ groups: { expression: 'claims.roles' } }),
      { sub: 'j', roles: null },
      { name: 'j', groups: [] },
    ],
    ['a number for groups', mapping({ groups: { expression: 'claims.roles' } }), { sub: 'j', roles: 7 }, 'failed'],
    ['a uid', mapping({ uid: { claim: 'oid' } }), { sub: 'j', oid: 'u' }, { name: 'j', uid: 'u', groups: [] }],
    ['no uid', mapping({ uid: { claim: 'oid' } }), { sub: 'j' }, 'failed'],
    [
      'extra',
      mapping({ extra: [{ key: 'example.org/a', valueExpression: "has(claims.a) ? claims.a : ''" }] }),
      { sub: 'j', a: ['p', '', 'q'] },
      { name: 'j', groups: [], extra: { 'example.org/a': ['p', 'q'] } },
    ],
    [
      'empty extra',
      mapping({ extra: [{ key: 'example.org/a', valueExpression: "has(claims.a) ? claims.a : ''" }] }),
      { sub: 'j' },
      { name: 'j', groups: [] },
    ],
    [
      'a credential id',
      bySub,
      { sub: 'j', jti: 'x' },
      { name: 'j', groups: [], extra: { 'authentication.kubernetes.io/credential-id': ['JTI=x'] } },
    ],
    ['rules that hold', rules, { sub: 'j', tenant: 'blue' }, { name: 'j', groups: [] }],
    ['a claim of another value', rules, { sub: 'j', tenant: 'red' }, 'failed'],
    ['a claim of another type', rules, { sub: 'j', tenant: ['blue'] }, 'failed'],
    ['a claim that is not there', rules, { sub: 'j' }, 'failed'],
    ['an expression that is false', rules, { sub: 'j', tenant: 'blue', iat: 1000 }, 'failed'],
    [
      'a user that a rule refuses',
      { ...bySub, userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }] },
      { sub: 'system:x' },
      'failed',
    ],
  ])('%s', async (_, jwt, claims, expected) => {
    expect(await who(make(jwt), issuer.token({ aud: ['app'], ...claims }))).toEqual(expected)
  })
})

describe('tokens that are not good', () => {
  let authenticator: JwtAuthenticator
  beforeAll(() => {
    authenticator = make(bySub)
  })
  const claims = (more: JsonObject = {}): JsonObject => ({ aud: ['app'], sub: 'jane', ...more })
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const past = Math.floor(Date.now() / 1000) - 10

  it.each<[string, () => string, string]>([
    ['expired', () => issuer.token(claims({ exp: past })), 'failed'],
    ['without expiry', () => issuer.token({ ...claims(), exp: null }), 'failed'],
    ['not yet valid', () => issuer.token(claims({ nbf: past + 1000 })), 'failed'],
    ['for somebody else', () => issuer.token(claims({ aud: ['other'] })), 'failed'],
    ['for nobody', () => issuer.token(claims({ aud: null })), 'failed'],
    ['of another issuer', () => issuer.token(claims({ iss: 'https://example.com' })), 'no opinion'],
    ['of nearly this issuer', () => issuer.token(claims({ iss: `${issuer.url}/` })), 'no opinion'],
    [
      'unsigned',
      () =>
        `${encode({ alg: 'none', kid: issuer.keyId })}.${encode({ iss: issuer.url, exp: past + 9999, ...claims() })}.AA`,
      'failed',
    ],
    [
      'signed with the public key as a secret',
      () => {
        const head = `${encode({ alg: 'HS256', kid: issuer.keyId })}.${encode({ iss: issuer.url, exp: past + 9999, ...claims() })}`
        const secret = issuer.publicKey.export({ type: 'spki', format: 'pem' })
        return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
      },
      'failed',
    ],
    [
      'signed by somebody else under a known name',
      () =>
        signToken(
          { iss: issuer.url, exp: past + 9999, ...claims() },
          generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
          issuer.keyId,
        ),
      'failed',
    ],
    [
      'of another kind of key under a known name',
      () =>
        signToken(
          { iss: issuer.url, exp: past + 9999, ...claims() },
          generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
          issuer.keyId,
        ),
      'failed',
    ],
    ['huge', () => issuer.token(claims({ fill: 'x'.repeat(100_000) })), 'no opinion'],
    [
      'changed behind the signature',
      () =>
        issuer
          .token(claims())
          .replace(/\.[^.]+\./, `.${encode({ iss: issuer.url, exp: past + 9999, aud: ['app'], sub: 'root' })}.`),
      'failed',
    ],
  ])('%s', async (_, token, outcome) => {
    expect(await who(authenticator, token())).toBe(outcome)
  })

  it('are not asked about elsewhere for other audiences', async () => {
    const token = issuer.token(claims())
    expect((await authenticator.authenticateToken(token, { audiences: ['vault'] })).outcome).toBe('no opinion')
    expect(await authenticator.authenticateToken(token, { audiences: ['api'] })).toMatchObject({ audiences: ['api'] })
  })
})

describe('the keys of the issuer', () => {
  /** One that a test may change, and what asks it, by a clock that stands still. */
  const ownIssuer = async () => {
    const own = new OidcIssuer(serving)
    await own.start()
    const clock = new FakeClock(Date.now())
    const config = configOf(bySub, own)
    const authenticator = new JwtAuthenticator({ config, compiler: expressions, apiAudiences: [], clock })
    return { own, clock, authenticator, token: () => own.token({ aud: ['app'], sub: 'jane' }) }
  }

  it('are fetched at once when they rotate, and no more than so often for made-up ones', async () => {
    const { own, clock, authenticator, token } = await ownIssuer()
    expect(await who(authenticator, token())).toMatchObject({ name: 'jane' })
    expect(own.requests.get('/keys')).toBe(1)
    own.rotate()
    expect(await who(authenticator, token())).toMatchObject({ name: 'jane' })
    expect(own.requests.get('/keys')).toBe(2)
    const forged = () =>
      signToken(
        { iss: own.url, aud: ['app'], sub: 'x', exp: 9e9 },
        generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
        'made-up',
      )
    for (let i = 0; i < 20; i++) expect(await who(authenticator, forged())).toBe('failed')
    expect(own.requests.get('/keys')).toBe(10)
    clock.advance(1000)
    for (let i = 0; i < 3; i++) expect(await who(authenticator, forged())).toBe('failed')
    expect(own.requests.get('/keys')).toBe(11)
    expect(await who(authenticator, token())).toMatchObject({ name: 'jane' })
    own.close()
  })

  it('may be late, elsewhere, or those of a liar', async () => {
    const { own, authenticator, token } = await ownIssuer()
    own.broken = true
    await authenticator.start()
    expect(authenticator.problem).toContain('status 500')
    expect(await who(authenticator, token())).toBe('failed')
    own.broken = false
    expect(await who(authenticator, token())).toMatchObject({ name: 'jane' })
    expect(authenticator.problem).toBeUndefined()

    const elsewhere = make(bySub, own, { discoveryURL: `${own.url}/other/config` })
    expect(await who(elsewhere, token())).toMatchObject({ name: 'jane' })
    own.claimsToBe = 'https://liar.example.com'
    expect(await who(make(bySub, own), token())).toBe('failed')
    own.claimsToBe = undefined
    const untrusted = make(bySub, own, { certificateAuthority: folder.authority('another').certificate })
    expect(await who(untrusted, token())).toBe('failed')
    own.close()
  })
})

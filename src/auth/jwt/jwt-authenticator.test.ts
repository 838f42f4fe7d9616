/** Tokens of an issuer: its keys are discovered and fetched over HTTPS, and its claims may be elsewhere. */
import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JwtAuthenticatorConfig } from '../../api/authentication-configuration.ts'
import type { JsonObject } from '../../api/json.ts'
import { AuthenticationExpressions } from '../expressions/authentication-expressions.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { type HttpsAnswers, openHttpsAnswers } from '../testing/https-answers.ts'
import { discoveredUrlPolicy, fetchJson, fetchText } from './fetch-json.ts'
import { parseToken, signToken } from './jws.ts'
import { JwtAuthenticator, type JwtAuthenticatorOptions } from './jwt-authenticator.ts'
import { RemoteKeySet } from './remote-key-set.ts'

const first = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const second = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const jwkOf = (key: KeyObject, more: JsonObject = {}): JsonWebKey => ({
  ...key.export({ format: 'jwk' }),
  kid: 'k1',
  ...more,
})

let server: HttpsAnswers
beforeAll(async () => {
  server = await openHttpsAnswers()
})
afterAll(() => server.close())

const discovery = '/.well-known/openid-configuration'

function serve(keys: readonly unknown[], more: JsonObject = {}): void {
  server.answers.clear()
  server.asked.length = 0
  server.answers.set(discovery, { body: { issuer: server.url, jwks_uri: `${server.url}/keys`, ...more } })
  server.answers.set('/keys', { body: { keys } })
}

const clock = new FakeClock()
const now = clock.now() / 1000
const claimsOf = (more: JsonObject = {}): JsonObject => ({
  iss: server.url,
  aud: 'client',
  exp: now + 100,
  sub: 'jane',
  ...more,
})
const tokenOf = (claims: JsonObject = claimsOf(), key = first.privateKey, keyId = 'k1'): string =>
  signToken(claims, key, keyId)

function authenticator(given: Partial<JwtAuthenticatorOptions> = {}, issuer: JsonObject = {}): JwtAuthenticator {
  const none = { claim: '', expression: '', prefix: '' }
  const { certificateAuthority, url } = server
  const config = {
    issuer: {
      url,
      discoveryURL: '',
      certificateAuthority,
      audiences: ['client', 'other'],
      audienceMatchPolicy: '',
      ...issuer,
    },
    claimValidationRules: [],
    claimMappings: { username: { ...none, claim: 'sub' }, groups: { ...none, claim: 'groups' }, uid: none, extra: [] },
    userValidationRules: [],
  } as unknown as JwtAuthenticatorConfig
  return new JwtAuthenticator({
    config,
    compiler: new AuthenticationExpressions(),
    apiAudiences: ['api', 'api2'],
    clock,
    ...given,
  })
}

/** The name and groups of the user and the audiences; or why there is none. */
async function judged(token: string, by = authenticator(), audiences?: readonly string[]): Promise<unknown> {
  const result = await by.authenticateToken(token, { audiences })
  if (result.outcome === 'failed') return result.error
  if (result.outcome === 'no opinion') return result.outcome
  const { user, audiences: found } = result
  return [user.name, ...user.groups, ...(found === undefined ? [] : [found])]
}

describe('a token', () => {
  const refused = 'oidc: verify token: '
  it.each<[string, () => string, unknown]>([
    ['of the issuer is good', () => tokenOf(), ['jane']],
    ['with groups has them', () => tokenOf(claimsOf({ groups: ['a', 'b'] })), ['jane', 'a', 'b']],
    ['for another of the audiences is good', () => tokenOf(claimsOf({ aud: ['x', 'other'] })), ['jane']],
    ['that is none is for others', () => 'x', 'no opinion'],
    ['of another issuer is for others', () => tokenOf(claimsOf({ iss: 'https://other' })), 'no opinion'],
    [
      'by another key is not good',
      () => tokenOf(claimsOf(), second.privateKey),
      `${refused}failed to verify signature: failed to verify id token signature`,
    ],
    [
      'by a key of another name is not good',
      () => tokenOf(claimsOf(), first.privateKey, 'k2'),
      `${refused}failed to verify signature: failed to verify id token signature`,
    ],
    ['by a key without a name is good', () => tokenOf(claimsOf(), first.privateKey, ''), ['jane']],
    [
      'for others is not good',
      () => tokenOf(claimsOf({ aud: ['x', 'y'] })),
      `${refused}oidc: expected audience in ["client" "other"] got ["x" "y"]`,
    ],
    [
      'that is over is not good',
      () => tokenOf(claimsOf({ exp: now - 1 })),
      `${refused}oidc: token is expired (Token Expiry: 2024-12-31 23:59:59 +0000 UTC)`,
    ],
    ['that ends now is good', () => tokenOf(claimsOf({ exp: now })), ['jane']],
    [
      'that never ends is not good',
      () => tokenOf({ iss: server.url, aud: 'client', sub: 'jane' }),
      `${refused}oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)`,
    ],
    ['that begins in a minute is good', () => tokenOf(claimsOf({ nbf: now + 60 })), ['jane']],
    [
      'that begins later is not good',
      () => tokenOf(claimsOf({ nbf: now + 61 })),
      `${refused}oidc: current time 2025-01-01 00:00:00 +0000 UTC before the nbf (not before) time: 2025-01-01 00:01:01 +0000 UTC`,
    ],
    [
      'with a claim of another type is not good',
      () => tokenOf(claimsOf({ nonce: 5 })),
      expect.stringContaining('nonce'),
    ],
    [
      'without a user is not good',
      () => tokenOf(claimsOf({ sub: '', groups: 5 })),
      'oidc: parse groups claim "groups": it is neither a string nor a list of strings',
    ],
  ])('%s', async (_, token, expected) => {
    serve([jwkOf(first.publicKey, { kid: 'k1' })])
    expect(await judged(token())).toEqual(expected)
  })

  it.each<[readonly string[], unknown]>([
    [['api'], ['jane', ['api']]],
    [
      ['x', 'api2', 'api'],
      ['jane', ['api', 'api2']],
    ],
    [['x'], 'no opinion'],
    [[], 'no opinion'],
  ])('is good for those of the server that %j asks for', async (audiences, expected) => {
    serve([jwkOf(first.publicKey)])
    expect(await judged(tokenOf(), authenticator(), audiences)).toEqual(expected)
  })

  it('is told of, unless it is for others', async () => {
    serve([jwkOf(first.publicKey)])
    const told: unknown[] = []
    const by = authenticator({ onJudged: (result, seconds) => void told.push(result, seconds >= 0 && seconds < 1000) })
    for (const token of [tokenOf(), tokenOf(claimsOf({ exp: 1 })), 'x']) await judged(token, by)
    expect(told).toEqual(['success', true, 'failure', true])
  })

  it('is signed by an algorithm that is allowed', async () => {
    serve([jwkOf(first.publicKey)])
    expect(await judged(tokenOf(), authenticator({ algorithms: ['ES256'] }))).toEqual(['jane'])
    expect(await judged(tokenOf(), authenticator({ algorithms: ['RS256'] }))).toContain('failed to verify')
  })
})

describe('the keys of an issuer', () => {
  it('are fetched once, and again for a key that is not known', async () => {
    serve([jwkOf(first.publicKey, { kid: 'k1' })])
    const by = authenticator()
    expect(by.problem).toBe('the keys of the issuer have not been fetched yet')
    await by.start()
    expect([by.problem, server.asked]).toEqual([undefined, [discovery, '/keys']])
    expect(await judged(tokenOf(), by)).toEqual(['jane'])
    expect(server.asked).toHaveLength(2)
    server.answers.set('/keys', { body: { keys: [jwkOf(second.publicKey, { kid: 'k2' })] } })
    const moved = tokenOf(claimsOf(), second.privateKey, 'k2')
    expect(await Promise.all([judged(moved, by), judged(moved, by)])).toEqual([['jane'], ['jane']])
    expect(server.asked).toEqual([discovery, '/keys', '/keys'])
    expect(await judged(tokenOf(), by)).toContain('failed to verify')
  })

  it('are not fetched without end, but again when time has passed', async () => {
    serve([jwkOf(first.publicKey, { kid: 'k1' })])
    const own = new FakeClock()
    const by = authenticator({ clock: own })
    const bad = tokenOf(claimsOf(), second.privateKey, 'k2')
    for (let i = 0; i < 15; i++) await judged(bad, by)
    expect(server.asked.filter((path) => path === '/keys')).toHaveLength(10)
    own.advance(999)
    await judged(bad, by)
    expect(server.asked.filter((path) => path === '/keys')).toHaveLength(10)
    own.advance(1)
    await judged(bad, by)
    expect(server.asked.filter((path) => path === '/keys')).toHaveLength(11)
    own.advance(3_600_000)
    for (let i = 0; i < 15; i++) await judged(bad, by)
    expect(server.asked.filter((path) => path === '/keys')).toHaveLength(21)
  })

  const verifies = async (...keys: unknown[]): Promise<boolean> => {
    serve(keys)
    const { certificateAuthority, url } = server
    const set = new RemoteKeySet({ issuer: url, certificateAuthority, clock })
    const token = parseToken(tokenOf())
    return token !== undefined && (await set.verify(token, ['ES256']))
  }
  it.each<[string, () => unknown[], boolean]>([
    ['for signatures', () => [jwkOf(first.publicKey, { use: 'sig' })], true],
    ['for encryption', () => [jwkOf(first.publicKey, { use: 'enc' })], false],
    ['of the algorithm', () => [jwkOf(first.publicKey, { alg: 'ES256' })], true],
    ['of another algorithm', () => [jwkOf(first.publicKey, { alg: 'ES384' })], false],
    ['among others', () => [5, {}, { kty: 'EC' }, { kty: 'oct', k: 'x' }, jwkOf(first.publicKey)], true],
    [
      'after 256 others',
      () => [...Array.from({ length: 256 }, () => jwkOf(second.publicKey)), jwkOf(first.publicKey)],
      false,
    ],
  ])('%s', async (_, keys, expected) => {
    expect(await verifies(...keys())).toBe(expected)
  })

  it.each<[string, () => void, unknown]>([
    [
      'that says to be another',
      () => serve([], { issuer: 'https://other' }),
      expect.stringMatching(
        /^oidc: issuer did not match the issuer returned by provider, expected "https:.*" got "https:\/\/other"$/,
      ),
    ],
    ['that says nothing of itself', () => serve([], { issuer: null }), expect.stringMatching(/got ""$/)],
    ['without an address of keys', () => serve([], { jwks_uri: '' }), 'oidc: the discovery document has no jwks_uri'],
    [
      'whose keys are elsewhere',
      () => serve([], { jwks_uri: 'http://x/keys' }),
      'http://x/keys is not an https address',
    ],
    [
      'that fails',
      () => {
        serve([])
        server.answers.set('/keys', { status: 500, body: 'x' })
      },
      expect.stringMatching(/\/keys: status 500$/),
    ],
    [
      'that answers with no object',
      () => {
        serve([])
        server.answers.set('/keys', { body: [] })
      },
      expect.stringMatching(/\/keys: the answer is not a JSON object$/),
    ],
  ])('of an issuer %s are not there, and that is the problem', async (_, arrange, expected) => {
    arrange()
    const by = authenticator()
    await by.start()
    expect(by.problem).toEqual(expected)
    expect(await judged(tokenOf(), by)).toBe(`oidc: verify token: failed to verify signature: ${by.problem}`)
  })

  it('are discovered where the configuration says', async () => {
    serve([jwkOf(first.publicKey)])
    server.answers.set('/elsewhere', { body: { issuer: server.url, jwks_uri: `${server.url}/keys` } })
    server.answers.delete(discovery)
    expect(await judged(tokenOf(), authenticator({}, { discoveryURL: `${server.url}/elsewhere` }))).toEqual(['jane'])
  })

  it('are not waited for without end', async () => {
    serve([jwkOf(first.publicKey)])
    const own = new FakeClock()
    const by = authenticator({ clock: own })
    let isDone = false
    server.answers.set(discovery, () => {
      own.advance(1000)
      isDone = true
      return { body: 'x' }
    })
    expect(await judged(tokenOf(), by)).toContain('failed to verify')
    expect(isDone).toBe(true)
  })
})

describe('a claim that is elsewhere', () => {
  const names = { _claim_names: { groups: 's' } }
  const sources = (source: JsonObject): JsonObject => ({ ...names, _claim_sources: { s: source } })
  const inner = (more: JsonObject = {}): string => tokenOf(claimsOf({ groups: ['a'], ...more }))
  const expand = async (claims: JsonObject, answer: string = inner()): Promise<unknown> => {
    serve([jwkOf(first.publicKey)])
    server.answers.set('/claims', { body: answer })
    return judged(tokenOf(claimsOf(claims)))
  }
  const failure = 'oidc: could not expand distributed claims: '

  it('is fetched, with the token that the source gives', async () => {
    expect(await expand(sources({ endpoint: `${server.url}/claims`, access_token: 't' }))).toEqual(['jane', 'a'])
    expect(server.asked).toContain('/claims')
    const seen: unknown[] = []
    server.answers.set('/claims', () => {
      seen.push(server.authorization())
      return { body: ` ${inner()}\n` }
    })
    expect(await judged(tokenOf(claimsOf(sources({ endpoint: `${server.url}/claims`, access_token: 't' }))))).toEqual([
      'jane',
      'a',
    ])
    expect(await judged(tokenOf(claimsOf(sources({ endpoint: `${server.url}/claims` }))))).toEqual(['jane', 'a'])
    expect(seen).toEqual(['Bearer t', undefined])
  })

  it.each<[string, () => JsonObject, unknown]>([
    [
      'is not asked for when the token has it',
      () => ({ groups: ['b'], ...sources({ endpoint: `${server.url}/claims` }) }),
      ['jane', 'b'],
    ],
    [
      'is none of another name',
      () => ({ _claim_names: { other: 's' }, _claim_sources: { s: { endpoint: 'https://x' } } }),
      ['jane'],
    ],
    ['is none without an address', () => sources({ JWT: 'x' }), ['jane']],
    ['is none with an empty address', () => sources({ endpoint: '' }), ['jane']],
  ])('%s', async (_, claims, expected) => {
    expect(await expand(claims())).toEqual(expected)
    expect(server.asked).not.toContain('/claims')
  })

  it.each<[string, () => string, unknown]>([
    ['no token', () => 'x', expect.stringMatching(/^the answer of .*\/claims is no signed token$/)],
    [
      'a token by another key',
      () => tokenOf(claimsOf({ groups: ['a'] }), second.privateKey),
      'verify distributed claim token: failed to verify signature',
    ],
    [
      'a token for others',
      () => inner({ aud: 'x' }),
      expect.stringContaining('verify distributed claim token: oidc: verify token: oidc: expected audience'),
    ],
    ['a token that is over', () => inner({ exp: 1 }), expect.stringContaining('token is expired')],
    [
      'a token without the claim',
      () => tokenOf(),
      expect.stringMatching(/^jwt returned by distributed claim endpoint .*\/claims did not contain claim: groups$/),
    ],
    ['a token of nobody', () => inner({ iss: '' }), 'the token of a distributed claim has no issuer'],
  ])('is refused: %s', async (_, answer, expected) => {
    const found = await expand(sources({ endpoint: `${server.url}/claims` }), answer())
    expect(String(found).startsWith(failure)).toBe(true)
    expect(String(found).slice(failure.length)).toEqual(expected)
  })
})

describe('what is fetched', () => {
  it.each<[string, string, string]>([
    ['https://a.example/x', 'https://a.example/y', 'any'],
    ['https://a.example/x', 'https://b.example/y', discoveredUrlPolicy('https://z', 'https://b.example')],
  ])('from %s as named by %s may be at %s', (url, namedBy, expected) => {
    expect(discoveredUrlPolicy(url, namedBy)).toBe(expected)
  })

  it('is a text or an object, over HTTPS alone', async () => {
    serve([])
    const options = { certificateAuthority: server.certificateAuthority, timeoutMs: 60_000 }
    server.answers.set('/?a=b', { body: 'text' })
    server.answers.set('/', { body: '{"a":' })
    expect(await fetchText(`${server.url}?a=b`, options)).toBe('text')
    await expect(fetchJson(server.url, options)).rejects.toThrow('the answer is not a JSON object')
    await expect(fetchText('http://localhost/', options)).rejects.toThrow('http://localhost/ is not an https address')
    await expect(fetchText('x', options)).rejects.toThrow('x is not an https address')
  })
})

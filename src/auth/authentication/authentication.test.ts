import { describe, expect, it } from 'vitest'
import { type AuthenticationResult, authenticated, type Credentials, failed, noOpinion } from '../authenticator.ts'
import { user } from '../testing/attributes.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { anonymousAuthenticator } from './anonymous.ts'
import { audienceAgnostic } from './audience-agnostic.ts'
import { BearerTokenAuthenticator } from './bearer-token.ts'
import { BootstrapTokens } from './bootstrap-token.ts'
import { parseCsv } from './csv.ts'
import { StaticTokens } from './static-tokens.ts'
import { TokenCache } from './token-cache.ts'
import { unionOfRequests, unionOfTokens } from './union.ts'

const request = (headers: Credentials['headers'], path = '/'): Credentials => ({
  headers,
  peerCertificates: [],
  remoteAddress: '127.0.0.1',
  path,
})
const any = { audiences: undefined }

describe('StaticTokens', () => {
  const tokens = new StaticTokens('admintoken,admin,uid1,"system:masters,ops"\nplain,joe,2\n,empty,3\n', 'tokens.csv')
  it('knows its tokens and no others', () => {
    expect(tokens.authenticateToken('admintoken')).toEqual(
      authenticated({ name: 'admin', uid: 'uid1', groups: ['system:masters', 'ops'], extra: new Map() }),
    )
    expect(tokens.authenticateToken('plain')).toMatchObject({ user: { name: 'joe', groups: [] } })
    for (const wrong of ['', 'admintoke', 'admintoken ', 'ADMINTOKEN'])
      expect(tokens.authenticateToken(wrong)).toBe(noOpinion)
  })
  it('refuses short lines', () => {
    expect(() => new StaticTokens('a,b\n', 'f')).toThrow(/at least 3 columns/)
    expect(() => parseCsv('"a,b\n', 'f')).toThrow(/quoted-field/)
  })
})

describe('BearerTokenAuthenticator', () => {
  const bearer = new BearerTokenAuthenticator(new StaticTokens('good,joe,1', 'f'))
  it.each<[string, Credentials['headers'], AuthenticationResult['outcome']]>([
    ['no header', {}, 'no opinion'],
    ['basic', { authorization: 'Basic YTpi' }, 'no opinion'],
    ['no token', { authorization: 'Bearer' }, 'no opinion'],
    ['an empty token', { authorization: 'Bearer ' }, 'no opinion'],
    ['an empty token and more', { authorization: 'Bearer  good' }, 'no opinion'],
    ['a good token', { authorization: 'Bearer good' }, 'authenticated'],
    ['another case', { authorization: 'bEARER good' }, 'authenticated'],
    ['a wrong token', { authorization: 'Bearer bad' }, 'failed'],
    ['a token with more behind it', { authorization: 'Bearer good more' }, 'authenticated'],
    [
      'a websocket protocol',
      {
        upgrade: 'websocket',
        'sec-websocket-protocol': `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from('good').toString('base64url')}`,
      },
      'authenticated',
    ],
    [
      'a websocket protocol without upgrade',
      {
        'sec-websocket-protocol': `v4, base64url.bearer.authorization.k8s.io.${Buffer.from('good').toString('base64url')}`,
      },
      'no opinion',
    ],
  ])('%s', async (_, headers, outcome) => {
    expect((await bearer.authenticate(request(headers))).outcome).toBe(outcome)
  })
})

describe('unionOfRequests', () => {
  const anonymous = anonymousAuthenticator({ enabled: true, paths: [] })
  const always = (result: AuthenticationResult) => ({ authenticate: () => result })
  it.each<[string, AuthenticationResult[], string]>([
    ['nothing is anonymous', [noOpinion], 'system:anonymous'],
    ['a failure is never anonymous', [noOpinion, failed('a')], 'a'],
    ['a later success heals a failure', [failed('a'), authenticated(user('joe'))], 'joe'],
    ['the first success counts', [authenticated(user('ann')), authenticated(user('joe'))], 'ann'],
    ['errors are told together', [failed('a'), failed('b'), failed('a')], '[a, b]'],
  ])('%s', async (_, results, expected) => {
    for (const delayed of [false, true]) {
      const credentials = results.map((result) => ({
        authenticate: () => (delayed ? Promise.resolve(result) : result),
      }))
      const result = await unionOfRequests({ credentials, anonymous }).authenticate(request({}))
      expect(
        result.outcome === 'authenticated' ? result.user.name : result.outcome === 'failed' ? result.error : '',
      ).toBe(expected)
    }
  })
  it('adds system:authenticated to everybody but the anonymous', async () => {
    const groups = async (result: AuthenticationResult) => {
      const answer = await unionOfRequests({ credentials: [always(result)], anonymous }).authenticate(request({}))
      return answer.outcome === 'authenticated' ? answer.user.groups : []
    }
    expect(await groups(authenticated(user('joe', 'a')))).toEqual(['a', 'system:authenticated'])
    expect(await groups(authenticated(user('joe', 'system:authenticated')))).toEqual(['system:authenticated'])
    expect(await groups(authenticated(user('system:anonymous')))).toEqual([])
    expect(await groups(noOpinion)).toEqual(['system:unauthenticated'])
  })
  it('answers at once when nothing waits', () => {
    expect(
      unionOfRequests({ credentials: [always(noOpinion)], anonymous }).authenticate(request({})),
    ).not.toBeInstanceOf(Promise)
  })
})

describe('anonymousAuthenticator', () => {
  it('is of whatever audiences are asked for', async () => {
    const { authenticate } = anonymousAuthenticator({ enabled: true, paths: [] })
    const request = { headers: {}, peerCertificates: [], remoteAddress: '', path: '' }
    expect(await authenticate({ ...request, audiences: ['a'] })).toMatchObject({ audiences: ['a'] })
    expect(await authenticate(request)).not.toHaveProperty('audiences')
  })
  const some = anonymousAuthenticator({ enabled: true, paths: ['/livez'] })
  it.each([
    ['/livez', 'authenticated'],
    ['/livez/', 'no opinion'],
    ['/livez/ping', 'no opinion'],
    ['//livez', 'no opinion'],
    ['/%6civez', 'no opinion'],
  ])('%s', async (path, outcome) => {
    expect((await some.authenticate(request({}, path))).outcome).toBe(outcome)
    expect((await anonymousAuthenticator({ enabled: false, paths: [] }).authenticate(request({}, path))).outcome).toBe(
      'no opinion',
    )
  })
})

describe('TokenCache', () => {
  const setUp = (capacity = 4) => {
    const clock = new FakeClock()
    let calls = 0
    const inner = {
      authenticateToken: async (token: string) => {
        calls++
        return token.startsWith('good') ? authenticated(user(token)) : failed('no')
      },
    }
    return {
      clock,
      cache: new TokenCache(inner, { successMs: 1000, failureMs: 100, capacity, clock }),
      calls: () => calls,
    }
  }
  it('asks once for a while, shorter for failures', async () => {
    const { clock, cache, calls } = setUp()
    await Promise.all([cache.authenticateToken('good', any), cache.authenticateToken('good', any)])
    expect(cache.authenticateToken('good', any)).toMatchObject({ outcome: 'authenticated' })
    expect(calls()).toBe(1)
    await cache.authenticateToken('bad', any)
    clock.advance(500)
    await cache.authenticateToken('bad', any)
    expect(cache.authenticateToken('good', any)).not.toBeInstanceOf(Promise)
    expect(calls()).toBe(3)
    clock.advance(600)
    await cache.authenticateToken('good', any)
    expect(calls()).toBe(4)
  })
  it('keeps audiences apart and stays small', async () => {
    const { cache, calls } = setUp(4)
    await cache.authenticateToken('good', { audiences: ['a'] })
    await cache.authenticateToken('good', { audiences: ['b'] })
    await cache.authenticateToken('good', any)
    expect(calls()).toBe(3)
    for (let i = 0; i < 50; i++) await cache.authenticateToken(`bad${i}`, any)
    expect(cache.size).toBe(4)
  })
})

describe('audienceAgnostic', () => {
  const tokens = audienceAgnostic(unionOfTokens([new StaticTokens('t,joe,1', 'f')]), ['api', 'other'])
  it.each([
    [undefined, undefined],
    [['api'], ['api']],
    [['vault'], 'no opinion'],
    [
      ['x', 'other', 'api', 'other'],
      ['other', 'api', 'other'],
    ],
  ])('%s', async (audiences, expected) => {
    const result = await tokens.authenticateToken('t', { audiences })
    expect(result.outcome === 'authenticated' ? result.audiences : result.outcome).toEqual(expected)
  })
})

describe('BootstrapTokens', () => {
  const encode = (data: Record<string, string>) =>
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
  const data = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }
  const secret = (more: Record<string, string>, type = 'bootstrap.kubernetes.io/token') =>
    new BootstrapTokens(
      new MemorySource([
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
          type,
          data: encode({ ...data, ...more }),
        },
      ]),
      new FakeClock(),
    )
  it.each<[string, BootstrapTokens, string, string[] | undefined]>([
    ['good', secret({}), 'abcdef.0123456789abcdef', ['system:bootstrappers']],
    [
      'with groups',
      secret({ 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a' }),
      'abcdef.0123456789abcdef',
      ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
    ],
    ['with a forbidden group', secret({ 'auth-extra-groups': 'system:masters' }), 'abcdef.0123456789abcdef', undefined],
    ['wrong secret', secret({}), 'abcdef.0123456789abcdee', undefined],
    ['wrong shape', secret({}), 'abcdef.0123456789ABCDEF', undefined],
    ['unknown', secret({}), 'zzzzzz.0123456789abcdef', undefined],
    ['expired', secret({ expiration: '2024-12-31T23:59:59Z' }), 'abcdef.0123456789abcdef', undefined],
    [
      'not yet expired',
      secret({ expiration: '2025-01-01T00:00:01Z' }),
      'abcdef.0123456789abcdef',
      ['system:bootstrappers'],
    ],
    ['unreadable expiry', secret({ expiration: 'soon' }), 'abcdef.0123456789abcdef', undefined],
    ['not for this', secret({ 'usage-bootstrap-authentication': 'false' }), 'abcdef.0123456789abcdef', undefined],
    ['another type', secret({}, 'Opaque'), 'abcdef.0123456789abcdef', undefined],
  ])('%s', (_, tokens, token, groups) => {
    const result = tokens.authenticateToken(token)
    expect(result.outcome === 'authenticated' ? result.user.groups : undefined).toEqual(groups)
  })
})

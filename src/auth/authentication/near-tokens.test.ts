/** Tokens that need nobody else: those of a file, those of the server to itself, and those that are remembered. */
import { describe, expect, it } from 'vitest'
import type { ResolveService, ServiceAddress } from '../../outbound/webhook-address.ts'
import {
  type AuthenticationResult,
  authenticated,
  failed,
  noOpinion,
  type TokenAuthenticator,
} from '../authenticator.ts'
import { user } from '../testing/attributes.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { parseCsv } from './csv.ts'
import { Loopback, newLoopbackToken } from './loopback.ts'
import { serverAuthenticator } from './server-authenticator.ts'
import { StaticTokens } from './static-tokens.ts'
import { TokenCache } from './token-cache.ts'

describe('lines of columns', () => {
  it.each<[string, string, string[][]]>([
    [
      'are split',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'end in any way',
      'a,b\r\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['may be empty', '\n\na\n\n', [['a']]],
    [
      'may have empty columns',
      ',\na,,b',
      [
        ['', ''],
        ['a', '', 'b'],
      ],
    ],
    [
      'may have quotes',
      '"a,b","c\nd"\ne,"f"',
      [
        ['a,b', 'c\nd'],
        ['e', 'f'],
      ],
    ],
    ['may have quotes in quotes', '"a""b",c', [['a"b', 'c']]],
    ['may have quotes at the end of a line', '"a"\r\n"b"', [['a'], ['b']]],
    ['begin after blanks', 'a,  b', [['a', 'b']]],
    ['are none', '', []],
  ])('%s', (_, text, expected) => {
    expect(parseCsv(text, 'f')).toEqual(expected)
  })

  it.each(['"a', '"a"b', 'x,"a"b,c'])('%j are refused', (text) => {
    expect(() => parseCsv(text, 'f')).toThrow(`'f': extraneous or missing " in quoted-field`)
  })
})

describe('the tokens of a file', () => {
  const tokens = () => new StaticTokens('t1,ann,u1,"a,b"\nt2,bob,\n ,nobody,u\nt3,cat,,', 'f')
  it.each<[string, AuthenticationResult]>([
    ['t1', { outcome: 'authenticated', user: { name: 'ann', uid: 'u1', groups: ['a', 'b'], extra: new Map() } }],
    ['t2', { outcome: 'authenticated', user: { name: 'bob', groups: [], extra: new Map() } }],
    ['t3', { outcome: 'authenticated', user: { name: 'cat', groups: [], extra: new Map() } }],
    ['t4', noOpinion],
    ['', noOpinion],
    [' ', noOpinion],
  ])('%j', (token, expected) => {
    const all = tokens()
    const found = all.authenticateToken(token)
    expect(found).toEqual(expected)
    if (found.outcome === 'authenticated') expect(all.authenticateToken(token)).toBe(found)
  })

  it.each<[string, string]>([
    ['t1,ann', `token file 'f' must have at least 3 columns (token, user name, user uid), found 2`],
    ['t1,a,b\nt1,c,d', `token file 'f': the token of line 2 is there twice`],
  ])('%j are refused', (text, why) => {
    expect(() => new StaticTokens(text, 'f')).toThrow(why)
  })
})

describe('the server to itself', () => {
  const address = { host: 'own' } as unknown as ServiceAddress
  const elsewhere = { host: 'other' } as unknown as ServiceAddress
  const resolve = (async () => elsewhere) as ResolveService
  const service = (more: object = {}) => ({ name: 'kubernetes', namespace: 'default', port: 443, ...more })

  it('is found by the name of its service once it listens', async () => {
    const loopback = new Loopback()
    expect(await loopback.resolver(resolve)(service())).toBe(elsewhere)
    loopback.listensAt(address)
    expect(await loopback.resolver(resolve)(service())).toBe(address)
    for (const other of [{ name: 'x' }, { namespace: 'x' }, { port: 8443 }])
      expect(await loopback.resolver(resolve)(service(other))).toBe(elsewhere)
  })

  it('is itself at its own address alone', () => {
    const loopback = new Loopback('t')
    const other = { headers: () => ({ a: 'b' }) }
    const own = 'kubernetes.default.svc:443'
    expect(loopback.credentials(() => other)(own)).toBe(other)
    loopback.listensAt(address)
    const credentials = loopback.credentials(() => other)
    expect(credentials('x.default.svc:443')).toBe(other)
    expect([credentials(own).isOwnServer, credentials(own).headers()]).toEqual([true, { authorization: 'Bearer t' }])
  })

  it.each<[string, boolean]>([
    ['right', true],
    ['wrong', false],
    ['rightt', false],
    ['', false],
    ['righä', false],
  ])('proves itself by its token: %s', (token, isGood) => {
    expect(new Loopback('right').tokens.authenticateToken(token, { audiences: undefined })).toMatchObject({
      outcome: isGood ? 'authenticated' : 'no opinion',
    })
  })

  it('has a token that nobody guesses', () => {
    expect(newLoopbackToken()).toHaveLength(43)
    expect(newLoopbackToken()).not.toBe(newLoopbackToken())
  })
})

describe('a cache of tokens', () => {
  const options = { audiences: undefined }
  function metered(answer: () => ReturnType<TokenAuthenticator['authenticateToken']>, failureMs = 100) {
    const told: string[] = []
    const clock = new FakeClock()
    const meter = {
      asked: (status: string, ms: number) => void told.push(`${status} ${ms >= 0 && ms < 100_000}`),
      fetched: (status: string) => void told.push(status),
      fetching: (status: string, by: number) => void told.push(`${status} ${by}`),
    }
    const cache = new TokenCache({ authenticateToken: answer }, { successMs: 1000, failureMs, clock, meter })
    return { cache, told, clock }
  }

  it('tells of hits and misses', async () => {
    const { cache, told, clock } = metered(() => authenticated(user('ann')))
    await cache.authenticateToken('t', options)
    clock.advance(999)
    await cache.authenticateToken('t', options)
    clock.advance(1)
    await cache.authenticateToken('t', options)
    expect(told).toEqual(['ok', 'miss true', 'hit true', 'ok', 'miss true'])
  })

  it('tells of those who wait', async () => {
    const { cache, told } = metered(async () => failed('x'))
    await Promise.all([cache.authenticateToken('t', options), cache.authenticateToken('t', options)])
    expect(told.slice(0, 2)).toEqual(['in_flight 1', 'blocked 1'])
    expect(told.toSorted()).toEqual([
      'blocked -1',
      'blocked 1',
      'error',
      'in_flight -1',
      'in_flight 1',
      'miss true',
      'miss true',
    ])
  })

  it('keeps nothing that it is not to', async () => {
    const { cache, told } = metered(() => noOpinion, 0)
    for (let i = 0; i < 2; i++) await cache.authenticateToken('t', options)
    expect([cache.size, told]).toEqual([0, ['ok', 'miss true', 'ok', 'miss true']])
  })
})

describe('the authenticators of a server', () => {
  const credentials = (token?: string) => ({
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    peerCertificates: [],
    remoteAddress: '',
    path: '/',
  })
  const knows = (...tokens: string[]): TokenAuthenticator & { asked: number } => {
    const known = {
      asked: 0,
      authenticateToken: (token: string): AuthenticationResult => {
        known.asked++
        return tokens.includes(token) ? authenticated(user(token)) : noOpinion
      },
    }
    return known
  }
  const nameOf = async (given: ReturnType<typeof serverAuthenticator>, token?: string): Promise<unknown> => {
    const result = await given.authenticate(credentials(token))
    return result.outcome === 'authenticated' ? result.user.name : result.outcome
  }

  it('know tokens of all kinds, and nobody else', async () => {
    const given = serverAuthenticator({
      apiAudiences: ['api'],
      staticTokens: knows('file'),
      serviceAccountTokens: knows('account'),
      bootstrapTokens: knows('bootstrap'),
      jwtTokens: knows('jwt'),
      webhookTokens: knows('webhook'),
    })
    for (const token of ['file', 'account', 'bootstrap', 'jwt', 'webhook'])
      expect(await nameOf(given, token)).toBe(token)
    expect([await nameOf(given, 'x'), await nameOf(given)]).not.toContain('x')
  })

  it('are asked in order, the program’s own first', async () => {
    const first = { authenticate: () => authenticated(user('first')) }
    const anonymous = { authenticate: () => authenticated(user('anonymous')) }
    expect(await nameOf(serverAuthenticator({ apiAudiences: [], first: [first], staticTokens: knows('t') }), 't')).toBe(
      'first',
    )
    expect(await nameOf(serverAuthenticator({ apiAudiences: [], anonymous }))).toBe('anonymous')
    const proxy = { authenticate: () => authenticated(user('proxy')) }
    expect(
      await nameOf(serverAuthenticator({ apiAudiences: [], requestHeader: proxy, clientCertificate: first })),
    ).toBe('proxy')
  })

  it('remember what had to be verified, and nothing that is near', async () => {
    const [near, jwt, webhook] = [knows('near'), knows('jwt'), knows('webhook')]
    const cache = { successMs: 1000, failureMs: 1000, clock: new FakeClock() }
    const given = serverAuthenticator({
      apiAudiences: [],
      serviceAccountTokens: near,
      jwtTokens: jwt,
      webhookTokens: webhook,
      cache,
    })
    for (let i = 0; i < 2; i++) for (const token of ['near', 'jwt', 'webhook']) await nameOf(given, token)
    expect([near.asked, jwt.asked, webhook.asked]).toEqual([6, 2, 1])
    const own = knows('webhook')
    const never = { successMs: 0, failureMs: 0, clock: new FakeClock() }
    const other = serverAuthenticator({ apiAudiences: [], webhookTokens: own, cache, webhookCache: never })
    for (let i = 0; i < 2; i++) await nameOf(other, 'webhook')
    expect(own.asked).toBe(2)
  })
})

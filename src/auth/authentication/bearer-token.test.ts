/** Where a request carries a token, and what is none. */
import { describe, expect, it } from 'vitest'
import { authenticated, type Credentials, failed, noOpinion } from '../authenticator.ts'
import { user } from '../testing/attributes.ts'
import { BearerTokenAuthenticator, hasExtraSpace, invalidToken } from './bearer-token.ts'

type Headers = Credentials['headers']

/** The token that is asked about, if any, and the outcome. */
async function asked(headers: Headers) {
  const tokens: string[] = []
  const authenticator = new BearerTokenAuthenticator({
    authenticateToken: (token, { audiences }) => {
      tokens.push(`${token} ${audiences?.join() ?? ''}`.trim())
      if (token === 'good') return authenticated(user('ann'), [])
      return token === 'bad' ? failed('expired') : noOpinion
    },
  })
  const credentials = { headers, peerCertificates: [], remoteAddress: '', path: '', audiences: ['a'] } as Credentials
  const { outcome, ...rest } = await authenticator.authenticate(credentials)
  return { token: tokens[0]?.split(' ')[0], asked: tokens, outcome, error: (rest as { error?: string }).error }
}

describe('a header', () => {
  it.each<[string, Headers, string | undefined]>([
    ['is not there', {}, undefined],
    ['is empty', { authorization: '' }, undefined],
    ['has a token', { authorization: 'Bearer t' }, 't'],
    ['has a token in any case', { authorization: 'bEARER t' }, 't'],
    ['has spaces around', { authorization: '  Bearer t  ' }, 't'],
    ['has more behind', { authorization: 'Bearer t more' }, 't'],
    ['has two spaces', { authorization: 'Bearer  t' }, undefined],
    ['has no token', { authorization: 'Bearer' }, undefined],
    ['has something else', { authorization: 'Basic t' }, undefined],
    ['is there twice', { authorization: ['Bearer t', 'Bearer u'] as never }, 't'],
  ])('%s', async (_, headers, expected) => {
    expect((await asked(headers)).token).toBe(expected)
  })
})

describe('a WebSocket', () => {
  const prefix = 'base64url.bearer.authorization.k8s.io.'
  const encoded = Buffer.from('t').toString('base64url')
  const upgrade = (protocols: string | string[], to = 'WebSocket'): Headers =>
    ({ upgrade: to, 'sec-websocket-protocol': protocols }) as Headers
  it.each<[string, Headers, string | undefined]>([
    ['has a token and a protocol', upgrade(`v4.channel.k8s.io, ${prefix}${encoded}`), 't'],
    ['has them apart', upgrade([`${prefix}${encoded}`, 'v4.channel.k8s.io']), 't'],
    ['has a token alone', upgrade(`${prefix}${encoded}`), undefined],
    ['has an empty token', upgrade(`x, ${prefix}`), undefined],
    ['has a token that is not encoded', upgrade(`x, ${prefix}a+b`), undefined],
    ['has no token', upgrade('x, y'), undefined],
    ['has no protocols', { upgrade: 'websocket' }, undefined],
    ['is none', upgrade(`x, ${prefix}${encoded}`, 'h2c'), undefined],
    ['has a header, too', { ...upgrade(`x, ${prefix}${encoded}`), authorization: 'Bearer h' }, 'h'],
  ])('%s', async (_, headers, expected) => {
    expect((await asked(headers)).token).toBe(expected)
  })
})

it('a token that nobody knows is a failure, and none is no opinion', async () => {
  expect(await asked({ authorization: 'Bearer good' })).toMatchObject({ outcome: 'authenticated', asked: ['good a'] })
  expect(await asked({ authorization: 'Bearer bad' })).toMatchObject({ outcome: 'failed', error: 'expired' })
  expect(await asked({ authorization: 'Bearer what' })).toMatchObject({ outcome: 'failed', error: invalidToken })
  expect(await asked({})).toMatchObject({ outcome: 'no opinion' })
})

it.each<[string, boolean]>([
  ['Bearer  t', true],
  [' bearer  t', true],
  ['Bearer t', false],
  ['Bearer t  u', false],
  ['Bearer  ', false],
  ['Basic  t', false],
])('%j has a stray space: %s', (authorization, expected) => {
  expect(hasExtraSpace({ headers: { authorization } })).toBe(expected)
})

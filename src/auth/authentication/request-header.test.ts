/** The user that an authenticating proxy names in headers, and when it is believed. */
import type { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Credentials } from '../authenticator.ts'
import { headerValues, type RequestHeaderSettings, requestHeaderAuthenticator, unescapeKey } from './request-header.ts'

const certificate = {} as X509Certificate

function ask(
  headers: Record<string, string | string[]>,
  settings: Partial<RequestHeaderSettings> & { readonly commonName?: string | null } = {},
  peerCertificates: readonly X509Certificate[] = [certificate],
): unknown {
  const { commonName = 'proxy', ...given } = settings
  const verify = () =>
    commonName === null ? { ok: false, error: 'unknown authority' } : { ok: true, subject: { commonName } }
  const authenticator = requestHeaderAuthenticator({
    verifier: { verify } as unknown as RequestHeaderSettings['verifier'],
    allowedNames: [],
    usernameHeaders: ['X-Remote-User', 'X-Other-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group', 'X-Other-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-', 'X-More-'],
    ...given,
  })
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((each) => [name, each]),
  )
  const credentials: Credentials = { headers: {}, rawHeaders, peerCertificates, remoteAddress: '', path: '/' }
  const result = authenticator.authenticate(credentials) as { user?: { extra: Map<string, string[]> } }
  return result.user === undefined
    ? result
    : { ...result, user: { ...result.user, extra: Object.fromEntries(result.user.extra) } }
}

describe('a proxy', () => {
  const ann = { 'X-Remote-User': 'ann' }
  const named = { outcome: 'authenticated', user: { name: 'ann' } }
  it.each<[string, () => unknown, object]>([
    ['without a certificate is nobody', () => ask(ann, {}, []), { outcome: 'no opinion' }],
    [
      'with a bad one is refused',
      () => ask(ann, { commonName: null }),
      { outcome: 'failed', error: 'verifying certificate failed: unknown authority' },
    ],
    ['of any name is believed', () => ask(ann), named],
    ['of an allowed name is believed', () => ask(ann, { allowedNames: ['other', 'proxy'] }), named],
    [
      'of another name is refused',
      () => ask(ann, { allowedNames: ['other'] }),
      { outcome: 'failed', error: 'x509: subject with cn=proxy is not in the allowed list' },
    ],
    ['that names nobody has no opinion', () => ask({ 'X-Remote-Group': 'g' }), { outcome: 'no opinion' }],
    ['that names an empty user has no opinion', () => ask({ 'X-Remote-User': '' }), { outcome: 'no opinion' }],
    ['may name the user in another header', () => ask({ 'X-Remote-User': '', 'X-Other-User': 'ann' }), named],
  ])('%s', (_, run, expected) => {
    expect(run()).toMatchObject(expected)
  })

  it('names all of a user, and its headers go no further', () => {
    const headers = {
      'X-Remote-User': 'ann',
      'X-Remote-Uid': 'u',
      'x-remote-group': ['a', 'b'],
      'X-Other-Group': 'c',
      'X-Remote-Extra-Acme.com%2Fproject': ['p', 'q'],
      'X-More-acme.com%2fproject': 'r',
      'X-Remote-Extra-Scopes': 's',
      Accept: 'x',
    }
    expect(ask(headers)).toEqual({
      outcome: 'authenticated',
      user: {
        name: 'ann',
        uid: 'u',
        groups: ['a', 'b', 'c'],
        extra: { 'acme.com/project': ['p', 'q', 'r'], scopes: ['s'] },
      },
      consumedHeaders: [
        'x-remote-user',
        'x-remote-uid',
        'x-remote-group',
        'x-other-group',
        'x-remote-extra-acme.com%2fproject',
        'x-more-acme.com%2fproject',
        'x-remote-extra-scopes',
      ],
    })
  })

  it('names no uid that is empty', () => {
    expect(ask({ 'X-Remote-User': 'ann', 'X-Remote-Uid': '' })).toMatchObject({
      user: { name: 'ann', groups: [], extra: {} },
    })
    expect((ask({ 'X-Remote-User': 'ann', 'X-Remote-Uid': '' }) as { user: object }).user).not.toHaveProperty('uid')
  })
})

it.each<[string, Pick<Credentials, 'headers' | 'rawHeaders'>, object]>([
  [
    'as they came',
    { headers: { a: 'x, y' }, rawHeaders: ['A', 'x', 'a', 'y', 'B', 'z', 'odd'] },
    { a: ['x', 'y'], b: ['z'] },
  ],
  ['as they were joined', { headers: { A: 'x', b: ['y', 'z'], c: undefined } }, { a: ['x'], b: ['y', 'z'] }],
])('values of headers are taken %s', (_, credentials, expected) => {
  expect(Object.fromEntries(headerValues(credentials))).toEqual(expected)
})

it('a key that does not decode stays as it is', () => {
  expect(['a%2fb', 'a%zz', 'a%'].map(unescapeKey)).toEqual(['a/b', 'a%zz', 'a%'])
})

/** Tokens are taken apart without trust, and verified by the one algorithm that a key is for. */
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { algorithmOf, audiencesOf, parseToken, type SignatureAlgorithm, signToken, verifyToken } from './jws.ts'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'ES256', kid: 'k' }
const tokenOf = (head: unknown = header, claims: unknown = { sub: 'a' }, signature = 'AAAA'): string =>
  `${encode(head)}.${encode(claims)}.${signature}`

describe('a token', () => {
  it('has a header, claims and a signature', () => {
    const token = tokenOf()
    expect(parseToken(token)).toEqual({
      algorithm: 'ES256',
      keyId: 'k',
      claims: { sub: 'a' },
      signed: token.slice(0, token.lastIndexOf('.')),
      signature: Buffer.of(0, 0, 0),
    })
    expect(parseToken(tokenOf({ alg: 'x' }))?.keyId).toBeUndefined()
  })

  it.each<[string, string]>([
    ['two parts', 'a.b'],
    ['four parts', `${tokenOf()}.x`],
    ['no header', `.${encode({})}.AAAA`],
    ['no claims', `${encode(header)}..AAAA`],
    ['no signature', `${encode(header)}.${encode({})}.`],
    ['a header in another alphabet', `${encode(header)}+.${encode({})}.AAAA`],
    ['claims in another alphabet', `${encode(header)}.${encode({})}=.AAAA`],
    ['a signature in another alphabet', `${encode(header)}.${encode({})}.A/AA`],
    ['a header that is a list', tokenOf([])],
    ['a header that is no JSON', `eA.${encode({})}.AAAA`],
    ['claims that are a text', tokenOf(header, 'x')],
    ['claims that are no JSON', `${encode(header)}.eA.AAAA`],
    ['extensions that must be understood', tokenOf({ ...header, crit: ['b64'] })],
    ['no algorithm', tokenOf({ kid: 'k' })],
    ['an algorithm that is a number', tokenOf({ alg: 5 })],
    ['a key that is a number', tokenOf({ ...header, kid: 5 })],
    ['too much of it', tokenOf(header, { x: 'y'.repeat(64 * 1024) })],
  ])('with %s is none', (_, token) => {
    expect(parseToken(token)).toBeUndefined()
  })

  it('may be as long as 64 KiB', () => {
    const short = tokenOf(header, {}, 'A')
    const longest = short + 'A'.repeat(64 * 1024 - short.length)
    expect(parseToken(longest)).toBeDefined()
    expect(parseToken(`${longest}A`)).toBeUndefined()
  })
})

describe('a signature', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const wider = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const edwards = generateKeyPairSync('ed25519')
  const verifies = (key: typeof ec.publicKey, allowed: readonly SignatureAlgorithm[], by = ec.privateKey): boolean => {
    const parsed = parseToken(signToken({ sub: 'a' }, by, 'k'))
    return parsed !== undefined && verifyToken(parsed, key, allowed)
  }

  it.each<[string, () => boolean, boolean]>([
    ['by its key', () => verifies(ec.publicKey, ['ES256']), true],
    ['by its private key', () => verifies(ec.privateKey, ['ES256']), true],
    ['of an algorithm that is not allowed', () => verifies(ec.publicKey, ['RS256', 'ES384']), false],
    ['by a key of another curve', () => verifies(wider.publicKey, ['ES256', 'ES384']), false],
    ['by a key of another type', () => verifies(rsa.publicKey, ['ES256']), false],
    ['by a secret', () => verifies(createSecretKey(Buffer.alloc(32)), ['ES256']), false],
    ['by RSA', () => verifies(rsa.publicKey, ['RS256'], rsa.privateKey), true],
    ['by RSA, in words of another', () => verifies(rsa.publicKey, ['PS256'], rsa.privateKey), false],
  ])('%s', (_, run, expected) => {
    expect(run()).toBe(expected)
  })

  it('of an algorithm that nobody knows is none', () => {
    const parsed = parseToken(tokenOf({ alg: 'none' }))
    expect(parsed && verifyToken(parsed, ec.publicKey, ['none' as SignatureAlgorithm])).toBe(false)
  })

  it('is by the algorithm of the key', () => {
    expect([rsa, ec, wider, edwards].map(({ privateKey }) => algorithmOf(privateKey))).toEqual([
      'RS256',
      'ES256',
      'ES384',
      undefined,
    ])
    expect(() => signToken({}, edwards.privateKey, 'k')).toThrow('a key of type ed25519 cannot sign tokens')
  })
})

it.each<[unknown, string[]]>([
  ['a', ['a']],
  [
    ['a', 'b', 5],
    ['a', 'b'],
  ],
  [undefined, []],
  [{ a: 'b' }, []],
])('the audiences of %j are %j', (aud, expected) => {
  expect(audiencesOf({ aud } as never)).toEqual(expected)
})

import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { parseToken, signToken } from '../jwt/jws.ts'
import { answerTokenRequest } from '../reviews/token-request.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { discoveryDocuments } from './discovery-documents.ts'
import { keySigner, TokenIssuer } from './issuer.ts'
import { parseSigningKey, parseVerificationKeys, signingKey, staticKeys } from './keys.ts'
import { ServiceAccountTokens } from './token-authenticator.ts'

const issuer = 'https://kubernetes.default.svc'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = signingKey(rsa.privateKey)
const other = signingKey(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey)
const object = (kind: string, name: string, more: JsonObject = {}, namespace = 'ns'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-${name}`, ...(namespace ? { namespace } : {}) },
  ...more,
})

function world() {
  const clock = new FakeClock()
  const sources = {
    serviceAccounts: new MemorySource([object('ServiceAccount', 'robot')]),
    secrets: new MemorySource([object('Secret', 's')]),
    pods: new MemorySource([
      object('Pod', 'p', { spec: { serviceAccountName: 'robot', nodeName: 'n' } }),
      object('Pod', 'q', { spec: { serviceAccountName: 'other' } }),
    ]),
    nodes: new MemorySource([object('Node', 'n', {}, '')]),
  }
  const tokens = new ServiceAccountTokens({
    issuers: [issuer, 'https://old.example.com'],
    keys: staticKeys([
      { keyId: key.keyId, key: key.publicKey },
      { keyId: other.keyId, key: other.publicKey },
    ]),
    apiAudiences: [issuer],
    sources,
    clock,
  })
  const options = {
    issuer: new TokenIssuer({ issuer, signer: keySigner(key), clock }),
    sources,
    apiAudiences: [issuer],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    clock,
  }
  const ask = (spec: JsonObject) => answerTokenRequest({ spec }, { namespace: 'ns', name: 'robot' }, options)
  const tokenOf = async (spec: JsonObject): Promise<string> =>
    String(((await ask(spec)).object['status'] as JsonObject)['token'])
  return { clock, sources, tokens, options, ask, tokenOf }
}
const any = { audiences: undefined }
const ref = (kind: string, name: string, more: JsonObject = {}) => ({
  boundObjectRef: { apiVersion: 'v1', kind, name, ...more },
})

describe('TokenRequest', () => {
  it('makes a token with the reference claims', async () => {
    const { ask, clock } = world()
    const { object: answer } = await ask({})
    expect(answer['spec']).toEqual({ audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null })
    const status = answer['status'] as JsonObject
    expect(status['expirationTimestamp']).toBe('2025-01-01T01:00:00Z')
    const now = clock.now() / 1000
    expect(parseToken(String(status['token']))).toMatchObject({
      algorithm: 'RS256',
      keyId: key.keyId,
      claims: {
        aud: [issuer],
        exp: now + 3600,
        iat: now,
        nbf: now,
        iss: issuer,
        sub: 'system:serviceaccount:ns:robot',
        'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-robot' } },
      },
    })
  })

  it('binds to pods with their node, and extends what kubelets ask for', async () => {
    const { tokenOf, clock } = world()
    const claims = parseToken(await tokenOf({ ...ref('Pod', 'p'), expirationSeconds: 3607 }))?.claims
    const now = clock.now() / 1000
    expect(claims?.['exp']).toBe(now + 365 * 24 * 3600)
    expect(claims?.['kubernetes.io']).toEqual({
      namespace: 'ns',
      node: { name: 'n', uid: 'uid-n' },
      pod: { name: 'p', uid: 'uid-p' },
      serviceaccount: { name: 'robot', uid: 'uid-robot' },
      warnafter: now + 3607,
    })
  })

  it.each<[string, JsonObject, number, string]>([
    [
      'short',
      { expirationSeconds: 599 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'long',
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    ['bound to nothing', ref('Pod', 'none'), 404, 'pods "none" not found'],
    ['bound to a config map', ref('ConfigMap', 'x'), 400, 'cannot bind token to object of type /v1, Kind=ConfigMap'],
    [
      'bound to a foreign pod',
      ref('Pod', 'q'),
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      'bound to another uid',
      ref('Secret', 's', { uid: 'x' }),
      409,
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('refuses: %s', async (_, spec, code, message) => {
    const { ask } = world()
    await expect(ask(spec)).rejects.toThrow(expect.objectContaining({ code, message }))
  })

  it('shortens with a warning', async () => {
    const { options } = world()
    const answer = await answerTokenRequest(
      { spec: { expirationSeconds: 7200 } },
      { namespace: 'ns', name: 'robot' },
      { ...options, maxExpirationSeconds: 3600 },
    )
    expect(answer.warnings).toEqual(['requested expiration of 7200 seconds shortened to 3600 seconds'])
  })
})

describe('ServiceAccountTokens', () => {
  it('names the account', async () => {
    const { tokens, tokenOf } = world()
    expect(await tokens.authenticateToken(await tokenOf(ref('Pod', 'p')), any)).toEqual({
      outcome: 'authenticated',
      audiences: [issuer],
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'uid-robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: new Map([
          ['authentication.kubernetes.io/credential-id', ['JTI=00000000-0000-4000-8000-000000000001']],
          ['authentication.kubernetes.io/node-name', ['n']],
          ['authentication.kubernetes.io/node-uid', ['uid-n']],
          ['authentication.kubernetes.io/pod-name', ['p']],
          ['authentication.kubernetes.io/pod-uid', ['uid-p']],
        ]),
      },
    })
  })

  it('dies with what it is bound to, at once', async () => {
    for (const [spec, kill] of [
      [{}, (w: ReturnType<typeof world>) => w.sources.serviceAccounts.delete('ns', 'robot')],
      [
        {},
        (w: ReturnType<typeof world>) =>
          w.sources.serviceAccounts.put({
            ...object('ServiceAccount', 'robot'),
            metadata: { name: 'robot', namespace: 'ns', uid: 'new' },
          }),
      ],
      [ref('Secret', 's'), (w: ReturnType<typeof world>) => w.sources.secrets.delete('ns', 's')],
      [ref('Pod', 'p'), (w: ReturnType<typeof world>) => w.sources.pods.delete('ns', 'p')],
      [ref('Node', 'n'), (w: ReturnType<typeof world>) => w.sources.nodes.delete('', 'n')],
    ] as const) {
      const here = world()
      const token = await here.tokenOf(spec)
      expect((await here.tokens.authenticateToken(token, any)).outcome).toBe('authenticated')
      kill(here)
      expect((await here.tokens.authenticateToken(token, any)).outcome).toBe('failed')
    }
  })

  it('keeps to audiences', async () => {
    const { tokens, tokenOf } = world()
    const vault = await tokenOf({ audiences: ['vault'] })
    expect(await tokens.authenticateToken(vault, any)).toEqual({
      outcome: 'failed',
      error: 'token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    })
    expect(await tokens.authenticateToken(vault, { audiences: ['vault', 'x'] })).toMatchObject({ audiences: ['vault'] })
  })

  it('expires, with a minute of grace', async () => {
    const { tokens, tokenOf, clock } = world()
    const token = await tokenOf({})
    clock.advance(3_659_000)
    expect((await tokens.authenticateToken(token, any)).outcome).toBe('authenticated')
    clock.advance(2000)
    expect(await tokens.authenticateToken(token, any)).toEqual({
      outcome: 'failed',
      error: 'service account token has expired',
    })
  })

  const claims = (clock: FakeClock, more: JsonObject = {}): JsonObject => ({
    iss: issuer,
    aud: [issuer],
    exp: clock.now() / 1000 + 60,
    nbf: clock.now() / 1000,
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-robot' } },
    ...more,
  })
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('is not fooled', async () => {
    const { tokens, clock } = world()
    const outcome = async (token: string): Promise<string> => (await tokens.authenticateToken(token, any)).outcome
    const payload = encode(claims(clock))
    const none = `${encode({ alg: 'none' })}.${payload}.`
    const noneSigned = `${encode({ alg: 'none' })}.${payload}.AAAA`
    const pem = key.publicKey.export({ type: 'spki', format: 'pem' })
    const confused = `${encode({ alg: 'HS256', kid: key.keyId })}.${payload}`
    const confusedToken = `${confused}.${createHmac('sha256', pem).update(confused).digest('base64url')}`
    const foreign = signingKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    expect(await outcome(none)).toBe('no opinion')
    expect(await outcome(noneSigned)).toBe('failed')
    expect(await outcome(confusedToken)).toBe('failed')
    expect(await outcome(signToken(claims(clock), foreign.privateKey, foreign.keyId))).toBe('failed')
    expect(await outcome(signToken(claims(clock), foreign.privateKey, key.keyId))).toBe('failed')
    expect(
      await outcome(signToken(claims(clock, { iss: 'https://evil.example.com' }), key.privateKey, key.keyId)),
    ).toBe('no opinion')
    expect(await outcome(signToken(claims(clock, { nbf: clock.now() / 1000 + 120 }), key.privateKey, key.keyId))).toBe(
      'failed',
    )
    expect(await outcome(signToken(claims(clock, { exp: 'never' }), key.privateKey, key.keyId))).toBe('failed')
    for (const times of [{ nbf: '4000000000' }, { nbf: [4e9] }, { iat: '4000000000' }, { iat: {} }]) {
      expect(await outcome(signToken(claims(clock, times), key.privateKey, key.keyId)), JSON.stringify(times)).toBe(
        'failed',
      )
    }
    expect(await outcome(signToken(claims(clock, { 'kubernetes.io': 5 }), key.privateKey, key.keyId))).toBe('failed')
    expect(await outcome(`${'a'.repeat(70_000)}.b.c`)).toBe('no opinion')
    expect(await outcome('a.b')).toBe('no opinion')
    const good = signToken(claims(clock), key.privateKey, key.keyId)
    expect(await outcome(good)).toBe('authenticated')
    expect(await outcome(`${good.slice(0, -4)}AAAA`)).toBe('failed')
  })

  it('takes several keys and issuers', async () => {
    const { tokens, clock } = world()
    expect(await tokens.authenticateToken(signToken(claims(clock), other.privateKey, other.keyId), any)).toMatchObject({
      outcome: 'authenticated',
    })
    expect(
      await tokens.authenticateToken(
        signToken(claims(clock, { iss: 'https://old.example.com' }), key.privateKey, key.keyId),
        any,
      ),
    ).toMatchObject({ outcome: 'authenticated' })
  })
})

describe('keys', () => {
  it('are read from PEM and shown as a key set', () => {
    const pem =
      String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })) +
      String(other.publicKey.export({ type: 'spki', format: 'pem' }))
    const keys = parseVerificationKeys(pem, 'keys.pem')
    expect(keys.map(({ keyId }) => keyId)).toEqual([key.keyId, other.keyId])
    expect(parseSigningKey(pem, 'keys.pem').keyId).toBe(key.keyId)
    const documents = discoveryDocuments(issuer, `${issuer}/openid/v1/jwks`, keys)
    expect(JSON.parse(documents?.configuration ?? '')).toEqual({
      issuer,
      jwks_uri: `${issuer}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    })
    expect(JSON.parse(documents?.keys ?? '').keys).toMatchObject([
      { use: 'sig', kty: 'RSA', kid: key.keyId, alg: 'RS256', e: 'AQAB' },
      { use: 'sig', kty: 'EC', kid: other.keyId, alg: 'ES256', crv: 'P-256' },
    ])
    expect(() => parseVerificationKeys('nothing', 'f')).toThrow(
      'f: data does not contain any valid RSA or ECDSA public keys',
    )
  })
})

/** Tokens of service accounts over time: when they begin and end, whose they are, and what dies with what they are bound to. */

import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { splitServiceAccountUser } from '../../api/service-account-user.ts'
import { noOpinion } from '../authenticator.ts'
import { signToken } from '../jwt/jws.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { readClaims, userOfClaims } from './claims.ts'
import { signingKey, staticKeys, type VerificationKeys } from './keys.ts'
import { ServiceAccountTokens, type ServiceAccountTokensOptions, type TokenUse } from './token-authenticator.ts'

const issuer = 'https://kubernetes.default.svc'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const key = signingKey(privateKey)
const object = (kind: string, name: string, metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, uid: `uid-${name}`, ...metadata } }) as KubeObject

function world(more: Partial<ServiceAccountTokensOptions> = {}) {
  const clock = new FakeClock()
  const now = clock.now() / 1000
  const inNs = { namespace: 'ns' }
  const sources = {
    serviceAccounts: new MemorySource([object('ServiceAccount', 'robot', inNs)]),
    secrets: new MemorySource([object('Secret', 's', inNs)]),
    pods: new MemorySource([object('Pod', 'p', inNs)]),
    nodes: new MemorySource([object('Node', 'n')]),
  }
  const uses: TokenUse[] = []
  const tokens = new ServiceAccountTokens({
    issuers: [issuer],
    keys: staticKeys([{ keyId: key.keyId, key: key.publicKey }]),
    apiAudiences: [issuer],
    sources,
    clock,
    onUse: (use) => void uses.push(use),
    ...more,
  })
  const sign = (claims: JsonObject = {}, own: JsonObject = {}): string =>
    signToken(
      {
        iss: issuer,
        sub: 'system:serviceaccount:ns:robot',
        aud: [issuer],
        exp: now + 600,
        iat: now,
        nbf: now,
        'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-robot' }, ...own },
        ...claims,
      },
      privateKey,
      key.keyId,
    )
  const judge = async (token: string, audiences?: readonly string[]) => {
    const result = await tokens.authenticateToken(token, { audiences })
    return 'user' in result ? result : JSON.stringify(result)
  }
  const outcome = async (claims: JsonObject, own: JsonObject = {}): Promise<string> => {
    const result = await judge(sign(claims, own))
    return typeof result === 'string' ? result : 'known'
  }
  return { clock, now, sources, tokens, sign, judge, outcome, uses }
}

describe('a token is good', () => {
  it.each<[string, (now: number) => JsonObject, string]>([
    ['now', () => ({}), 'known'],
    ['a minute after its end', (now) => ({ exp: now - 60 }), 'known'],
    ['not later', (now) => ({ exp: now - 61 }), 'has expired'],
    ['not without an end', () => ({ exp: null }), 'has expired'],
    ['a minute before its beginning', (now) => ({ nbf: now + 60 }), 'known'],
    ['not sooner', (now) => ({ nbf: now + 61 }), 'is not valid yet'],
    ['a minute before it was made', (now) => ({ iat: now + 60 }), 'known'],
    ['not sooner than that', (now) => ({ iat: now + 61 }), 'is issued in the future'],
    ['without a beginning', () => ({ nbf: null, iat: null }), 'known'],
    ['not with times that are none', () => ({ nbf: 'x' }), 'has no times'],
    ['not without an account', () => ({ 'kubernetes.io': { namespace: 'ns' } }), 'unexpected private claim'],
    ['not without a namespace', () => ({ 'kubernetes.io': { serviceaccount: {} } }), 'unexpected private claim'],
    ['not without claims of its own', () => ({ 'kubernetes.io': 1 }), 'unexpected private claim'],
    ['not of another issuer', () => ({ iss: 'https://other' }), 'no opinion'],
    ['not of no issuer', () => ({ iss: 1 }), 'no opinion'],
    [
      'not for others',
      () => ({ aud: ['x', 'y'] }),
      `token audiences [\\\\"x\\\\" \\\\"y\\\\"] is invalid for the target audiences`,
    ],
  ])('%s', async (_, claims, expected) => {
    const { now, outcome } = world()
    const found = await outcome(claims(now))
    if (expected === 'known') expect(found).toBe('known')
    else if (expected === 'no opinion') expect(found).toBe(JSON.stringify(noOpinion))
    else expect(found).toMatch(new RegExp(expected.replaceAll('[', '\\[').replaceAll(']', '\\]')))
  })
})

describe('a token dies', () => {
  const bound = { pod: { name: 'p', uid: 'uid-p' } }
  it.each<[string, JsonObject, (sources: ReturnType<typeof world>['sources']) => void, string]>([
    ['with its account', {}, ({ serviceAccounts }) => serviceAccounts.delete('ns', 'robot'), 'not found'],
    [
      'with its account, though another has its name',
      {},
      ({ serviceAccounts }) => serviceAccounts.put(object('ServiceAccount', 'robot', { namespace: 'ns', uid: 'new' })),
      'service account UID (new) does not match claim (uid-robot)',
    ],
    ['with its pod', bound, ({ pods }) => pods.delete('ns', 'p'), 'has been invalidated'],
    [
      'with its pod, though another has its name',
      bound,
      ({ pods }) => pods.put(object('Pod', 'p', { namespace: 'ns', uid: 'new' })),
      'pod UID (new) does not match service account pod ref claim (uid-p)',
    ],
    [
      'with its secret',
      { secret: { name: 's', uid: 'uid-s' } },
      ({ secrets }) => secrets.delete('ns', 's'),
      'invalidated',
    ],
    ['with its node', { node: { name: 'n', uid: 'uid-n' } }, ({ nodes }) => nodes.delete('', 'n'), 'invalidated'],
    [
      'not with the node of its pod',
      { ...bound, node: { name: 'n', uid: 'x' } },
      ({ nodes }) => nodes.delete('', 'n'),
      'known',
    ],
  ])('%s', async (_, own, change, expected) => {
    const { sources, sign, judge } = world()
    const token = sign({}, own)
    expect(typeof (await judge(token))).toBe('object')
    change(sources)
    const found = await judge(token)
    expect(typeof found === 'string' ? found : 'known').toContain(expected)
  })

  it.each<[string, 'serviceAccounts' | 'pods', KubeObject, string]>([
    ['account', 'serviceAccounts', object('ServiceAccount', 'robot', { namespace: 'ns' }), 'ns/robot has been deleted'],
    ['pod', 'pods', object('Pod', 'p', { namespace: 'ns' }), 'has been invalidated'],
  ])('a minute after its %s began to go', async (_, source, gone, expected) => {
    const { clock, sources, sign, judge } = world()
    const token = sign({}, bound)
    const deletionTimestamp = new Date(clock.now()).toISOString()
    sources[source].put({ ...gone, metadata: { ...gone.metadata, deletionTimestamp } })
    clock.advance(60_000)
    expect(typeof (await judge(token))).toBe('object')
    clock.advance(1000)
    expect(await judge(token)).toContain(expected)
  })

  it('with the key that it was signed with', async () => {
    const found = { keyId: key.keyId, key: key.publicKey }
    const state = { version: 1, keys: [found] }
    const keys = {
      get version() {
        return state.version
      },
      find: () => state.keys,
    } as unknown as VerificationKeys
    const { sign, judge } = world({ keys })
    const token = sign()
    expect(typeof (await judge(token))).toBe('object')
    state.keys = []
    expect(typeof (await judge(token))).toBe('object')
    state.version = 2
    expect(await judge(token)).toContain('invalid signature, no keys found')
    expect(await judge(token)).toContain('invalid signature, no keys found')
    state.keys = [found]
    expect(typeof (await judge(token))).toBe('object')
  })
})

describe('a token that should have been replaced', () => {
  it.each<[string, (now: number) => JsonObject, TokenUse[], JsonObject | undefined]>([
    ['is not yet to be', (now) => ({ warnafter: now + 1 }), ['valid'], undefined],
    ['is to be this very second', (now) => ({ warnafter: now }), ['valid'], undefined],
    [
      'is told of',
      (now) => ({ warnafter: now - 5 }),
      ['stale'],
      {
        'authentication.k8s.io/stale-token':
          'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 5',
      },
    ],
    ['is none of those without a time', () => ({ warnafter: 0 }), [], undefined],
    ['is none of those with another', () => ({ warnafter: 'x' }), [], undefined],
  ])('%s', async (_, own, expected, annotations) => {
    const { now, sign, judge, uses } = world()
    const result = await judge(sign({}, own(now)))
    expect(uses).toEqual(expected)
    expect((result as { annotations?: JsonObject }).annotations).toEqual(annotations)
  })

  it('and one for nobody in particular is one of old', async () => {
    const { sign, judge, uses } = world()
    const result = await judge(sign({ aud: [] }))
    expect(uses).toEqual(['legacy'])
    expect(result).toMatchObject({
      audiences: [issuer],
      annotations: { 'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot' },
    })
  })
})

it('a token is good for those of its audiences that are asked for', async () => {
  const { sign, judge } = world()
  const token = sign({ aud: ['a', 'b', 'c'] })
  expect(await judge(token, ['x', 'c', 'a'])).toMatchObject({ audiences: ['c', 'a'] })
  expect(await judge(token)).toContain('is invalid for the target audiences')
  expect(await world({ apiAudiences: [] }).judge(token)).toMatchObject({ audiences: [] })
})

describe('a user name', () => {
  it.each<[string, { namespace: string; name: string } | undefined]>([
    ['system:serviceaccount:ns:robot', { namespace: 'ns', name: 'robot' }],
    ['system:serviceaccount:ns:a.b', { namespace: 'ns', name: 'a.b' }],
    ['system:serviceaccount:ns', undefined],
    ['system:serviceaccount:ns:a:b', undefined],
    ['system:serviceaccount:n.s:a', undefined],
    ['system:serviceaccount:Ns:a', undefined],
    [`system:serviceaccount:${'n'.repeat(63)}:a`, { namespace: 'n'.repeat(63), name: 'a' }],
    [`system:serviceaccount:${'n'.repeat(64)}:a`, undefined],
    ['system:serviceaccount:ns:-a', undefined],
    ['system:serviceaccount:ns:', undefined],
    ['ann', undefined],
  ])('%s', (name, expected) => {
    expect(splitServiceAccountUser(name)).toEqual(expected)
  })
})

it('claims name the user, and what the token is bound to', () => {
  const own = {
    namespace: 'ns',
    serviceaccount: { name: 'robot', uid: 'u' },
    pod: { name: 'p', uid: 'pu' },
    node: { name: 'n' },
    secret: 'x',
    warnafter: 5,
  }
  const claims = readClaims({ 'kubernetes.io': own })
  expect(claims).toEqual({
    namespace: 'ns',
    serviceAccount: { name: 'robot', uid: 'u' },
    pod: { name: 'p', uid: 'pu' },
    node: { name: 'n', uid: '' },
    warnAfter: 5,
  })
  const user = userOfClaims(claims!, 'id')
  expect([user.name, user.uid]).toEqual(['system:serviceaccount:ns:robot', 'u'])
  expect(Object.fromEntries(user.extra)).toEqual({
    'authentication.kubernetes.io/credential-id': ['JTI=id'],
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': ['pu'],
  })
  expect(userOfClaims({ namespace: 'ns', serviceAccount: { name: 'r', uid: '' } }, '').extra.size).toBe(0)
})

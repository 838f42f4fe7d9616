/** New tokens of service accounts: for whom, how long, bound to what, and what refuses them. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { parseToken } from '../jwt/jws.ts'
import { keySigner, TokenIssuer } from '../service-account/issuer.ts'
import { signingKey } from '../service-account/keys.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { answerTokenRequest, completedTokenRequest, type TokenRequestOptions } from './token-request.ts'

const key = signingKey(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey)
const object = (kind: string, name: string, spec: JsonObject = {}, namespace = 'ns'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { name, uid: `uid-${name}`, ...(namespace === '' ? {} : { namespace }) },
    spec,
  }) as KubeObject

type Account = Parameters<typeof answerTokenRequest>[1]

function world(more: Partial<TokenRequestOptions> = {}) {
  const clock = new FakeClock()
  const sources = {
    serviceAccounts: new MemorySource([object('ServiceAccount', 'robot')]),
    secrets: new MemorySource([object('Secret', 's')]),
    pods: new MemorySource([
      object('Pod', 'p', { serviceAccountName: 'robot', nodeName: 'n' }),
      object('Pod', 'lost', { serviceAccountName: 'robot', nodeName: 'gone' }),
      object('Pod', 'pending', { serviceAccountName: 'robot', nodeName: '' }),
      object('Pod', 'other', { serviceAccountName: 'other' }),
    ]),
    nodes: new MemorySource([object('Node', 'n', {}, '')]),
  }
  const options: TokenRequestOptions = {
    issuer: new TokenIssuer({ issuer: 'https://i', signer: keySigner(key), clock }),
    sources,
    apiAudiences: ['api', 'api2'],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    clock,
    ...more,
  }
  const account: Account = { namespace: 'ns', name: 'robot' }
  /** What is answered, with the claims of the token; or the refusal. */
  const ask = async (spec: JsonObject, metadata: JsonObject = {}, of: Account = account) => {
    const answer = await answerTokenRequest({ metadata, spec }, of, options).catch(
      ({ code, message }: { code: number; message: string }) => `${code} ${message}`,
    )
    if (typeof answer === 'string') return answer
    const status = answer.object['status'] as JsonObject
    const { claims = {} } = parseToken(String(status['token'])) ?? {}
    return { ...answer, claims, own: claims['kubernetes.io'] as JsonObject, now: clock.now() / 1000 }
  }
  return { ask, options, account }
}

const refusal = async (answer: Promise<unknown>): Promise<unknown> => {
  const found = await answer
  return typeof found === 'string' ? found : 'granted'
}
const ref = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  boundObjectRef: { apiVersion: 'v1', kind, name, ...more },
})

describe('a token lives', () => {
  const kubelet = { ...ref('Pod', 'p'), expirationSeconds: 3607 }
  const year = 365 * 24 * 3600
  it.each<[string, Partial<TokenRequestOptions>, JsonObject, number, number, number | undefined]>([
    ['an hour', {}, {}, 3600, 3600, undefined],
    ['ten minutes at least', {}, { expirationSeconds: 600 }, 600, 600, undefined],
    ['as long as may be', {}, { expirationSeconds: 2 ** 32 }, 2 ** 32, 2 ** 32, undefined],
    ['as long as it is let', { maxExpirationSeconds: 1000 }, { expirationSeconds: 1000 }, 1000, 1000, undefined],
    ['no longer than it is let', { maxExpirationSeconds: 1000 }, { expirationSeconds: 1001 }, 1000, 1000, undefined],
    ['a year for a kubelet', {}, kubelet, 3607, year, 3607],
    ['less than a year where a signer says so', { maxExtendedSeconds: 9000 }, kubelet, 3607, 9000, 3607],
    ['no longer where that is off', { extendExpiration: false }, kubelet, 3607, 3607, undefined],
    ['no longer for another time', {}, { ...kubelet, expirationSeconds: 3608 }, 3608, 3608, undefined],
    ['no longer without a pod', {}, { expirationSeconds: 3607 }, 3607, 3607, undefined],
    ['no longer for others', {}, { ...kubelet, audiences: ['api', 'x'] }, 3607, 3607, undefined],
    ['a year for all of the server', {}, { ...kubelet, audiences: ['api2'] }, 3607, year, 3607],
  ])('%s', async (_, options, spec, told, lifetime, warnAfter) => {
    const found = await world(options).ask(spec)
    if (typeof found === 'string') throw new Error(found)
    const { object: answer, claims, own, now, warnings } = found
    expect((answer['spec'] as JsonObject)['expirationSeconds']).toBe(told)
    expect((answer['status'] as JsonObject)['expirationTimestamp']).toBe(
      new Date((now + told) * 1000).toISOString().replace('.000', ''),
    )
    expect(claims['exp']).toBe(now + lifetime)
    expect(own['warnafter']).toBe(warnAfter === undefined ? undefined : now + warnAfter)
    const isShortened = spec['expirationSeconds'] === 1001
    expect(warnings).toEqual(isShortened ? ['requested expiration of 1001 seconds shortened to 1000 seconds'] : [])
  })
})

describe('a token is bound', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['to nothing', {}, {}],
    ['to nothing that is no object', { boundObjectRef: null }, {}],
    ['to a pod and its node', ref('Pod', 'p'), { pod: { name: 'p', uid: 'uid-p' }, node: { name: 'n', uid: 'uid-n' } }],
    [
      'to a pod of a node that is not there',
      ref('Pod', 'lost'),
      { pod: { name: 'lost', uid: 'uid-lost' }, node: { name: 'gone' } },
    ],
    ['to a pod that waits', ref('Pod', 'pending'), { pod: { name: 'pending', uid: 'uid-pending' } }],
    ['to a secret', ref('Secret', 's', { uid: 'uid-s' }), { secret: { name: 's', uid: 'uid-s' } }],
    ['to a node', ref('Node', 'n', { uid: '' }), { node: { name: 'n', uid: 'uid-n' } }],
  ])('%s', async (_, spec, expected) => {
    const found = await world().ask(spec)
    if (typeof found === 'string') throw new Error(found)
    const { namespace, serviceaccount, ...bound } = found.own
    expect([namespace, serviceaccount]).toEqual(['ns', { name: 'robot', uid: 'uid-robot' }])
    expect(bound).toEqual(expected)
    const given = (found.object['spec'] as JsonObject)['boundObjectRef']
    expect(JSON.stringify(given)).not.toContain('"uid":""')
  })

  it.each<[string, JsonObject, string]>([
    ['to nothing that has a name', ref('Pod', ''), '400 Name parameter required.'],
    ['to a pod that is not there', ref('Pod', 'none'), '404 pods "none" not found'],
    ['to a secret that is not there', ref('Secret', 'none'), '404 secrets "none" not found'],
    ['to a node that is not there', ref('Node', 'none'), '404 nodes "none" not found'],
    ['to other kinds', ref('ConfigMap', 'x'), '400 cannot bind token to object of type /v1, Kind=ConfigMap'],
    [
      'to pods of other groups',
      ref('Pod', 'p', { apiVersion: 'x/v1' }),
      '400 cannot bind token to object of type x/v1, Kind=Pod',
    ],
    [
      'to the pod of another account',
      ref('Pod', 'other'),
      '400 cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      'to what has another uid now',
      ref('Node', 'n', { uid: 'x' }),
      '409 Operation cannot be fulfilled on Node "n": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('not %s', async (_, spec, expected) => {
    expect(await refusal(world().ask(spec))).toBe(expected)
  })
})

describe('who asks', () => {
  const wrong = (field: string) =>
    `422 TokenRequest.authentication.k8s.io "robot" is invalid: metadata.${field}: Invalid value: "x": must match the service account ${field} if specified`
  it.each<[string, JsonObject, string]>([
    ['may name the account', { name: 'robot', namespace: 'ns' }, 'granted'],
    ['need not name it', { name: '', namespace: '' }, 'granted'],
    ['may not name another', { name: 'x' }, wrong('name')],
    ['may not name another namespace', { namespace: 'x' }, wrong('namespace')],
  ])('%s', async (_, metadata, expected) => {
    expect(await refusal(world().ask({}, metadata))).toBe(expected)
  })

  it('must ask for an account that is there', async () => {
    expect(await refusal(world().ask({}, {}, { namespace: 'ns', name: 'none' }))).toBe(
      '404 serviceaccounts "none" not found',
    )
  })

  const mismatch = 'the UID in the token request (x) does not match the UID of the service account (uid-robot)'
  it.each<[Account['uids'], string | undefined, string | undefined, string[] | string]>([
    [undefined, 'x', 'x', []],
    ['shown', undefined, 'uid-robot', []],
    ['shown', '', 'uid-robot', []],
    ['shown', 'uid-robot', 'uid-robot', []],
    [
      'shown',
      'x',
      'x',
      [
        `${mismatch} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`,
      ],
    ],
    ['checked', 'uid-robot', 'uid-robot', []],
    [
      'checked',
      'x',
      undefined,
      `409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": ${mismatch}`,
    ],
  ])('where uids are %s may say %s', async (uids, uid, shown, expected) => {
    const found = await world().ask({}, uid === undefined ? {} : { uid }, { namespace: 'ns', name: 'robot', uids })
    if (typeof found === 'string') {
      expect(found).toBe(expected)
      return
    }
    expect([found.warnings, (found.object['metadata'] as JsonObject)['uid']]).toEqual([expected, shown])
    expect(found.uidMismatch).toBe(uids === 'shown' && uid === 'x' ? mismatch : undefined)
  })

  it('with another uid is refused for that before its spec, and warned of that first', async () => {
    const spec = { expirationSeconds: 1 }
    const of = { namespace: 'ns', name: 'robot' }
    expect(await world().ask(spec, { uid: 'x' }, { ...of, uids: 'checked' })).toContain(mismatch)
    const long = { expirationSeconds: 1001 }
    const found = await world({ maxExpirationSeconds: 1000 }).ask(long, { uid: 'x' }, { ...of, uids: 'shown' })
    if (typeof found === 'string') throw new Error(found)
    expect(found.warnings.map((text) => text.slice(0, 9))).toEqual(['the UID i', 'requested'])
  })

  it('is told of a signer that fails', async () => {
    const issuer = { issue: () => Promise.reject(new Error('no signer')) } as never
    expect(await refusal(world({ issuer }).ask({}))).toContain('failed to generate token: no signer')
  })
})

it.each([
  [undefined, undefined],
  ['shown', 'uid-robot'],
] as const)('a request is completed before admission sees it, with its uid %s', (uids, uid) => {
  const { options, account } = world()
  const request = { apiVersion: 'v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 700 } } as never
  const completed = completedTokenRequest(request, { ...account, uids }, options)
  expect(completed.metadata.uid).toBe(uid)
  expect(completed).toMatchObject({
    metadata: { name: 'robot', namespace: 'ns', creationTimestamp: '2025-01-01T00:00:00Z' },
    spec: { audiences: ['api', 'api2'], expirationSeconds: 700 },
    status: { token: '', expirationTimestamp: null },
  })
})

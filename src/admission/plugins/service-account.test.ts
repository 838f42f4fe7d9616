/** The account that a pod runs as: its token, its pull secrets, and the secrets that it is limited to. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { serviceAccount } from './service-account.ts'

const waits: number[] = []
const clock: Clock = {
  ...systemClock,
  random: () => 0.5,
  setTimeout: (fn, ms) => {
    waits.push(ms)
    setImmediate(fn)
    return () => undefined
  },
}
const account = (name: string, more: JsonObject = {}, annotations: JsonObject = {}): KubeObject =>
  testObject('ServiceAccount', name, more, { namespace: 'ns', annotations })
const pod = (spec: JsonObject, annotations: JsonObject = {}): KubeObject =>
  testObject('Pod', 'x', { spec }, { annotations })
const pluginWith = (...accounts: KubeObject[]) =>
  serviceAccount(testCluster({ serviceaccounts: accounts }), { suffix: () => 'abcde', clock })
const admit = (accounts: KubeObject[], object: KubeObject, given: Partial<AdmissionRequest> = {}) =>
  pluginOutcome(pluginWith(...accounts), testRequest({ object, ...given }))

const path = '/var/run/secrets/kubernetes.io/serviceaccount'
const mount = (name = 'kube-api-access-abcde'): JsonObject => ({ name, readOnly: true, mountPath: path })
const bare = { automountServiceAccountToken: false }

describe('the account of a pod', () => {
  const missing = (name: string) =>
    `pods "x" is forbidden: error looking up service account ns/${name}: serviceaccount "${name}" not found`
  it.each<[string, KubeObject[], JsonObject, unknown]>([
    ['is the default one', [account('default')], bare, 'default'],
    ['is the one that it names', [account('own')], { ...bare, serviceAccountName: 'own' }, 'own'],
    ['must be there', [account('default')], { ...bare, serviceAccountName: 'own' }, missing('own')],
    ['is waited for, if it is the default one', [], bare, missing('default')],
  ])('%s', async (_, accounts, spec, expected) => {
    waits.length = 0
    const found = await admit(accounts, pod(spec))
    if (typeof found === 'string') expect(found).toBe(expected)
    else expect(found?.['spec']).toEqual({ ...bare, serviceAccountName: expected, serviceAccount: expected })
    expect(waits).toEqual(accounts.length === 0 ? Array.from({ length: 9 }, () => 150) : [])
  })

  it('may come while it is waited for', async () => {
    let looks = 0
    const source = {
      get: () => (++looks > 3 ? account('default') : undefined),
      list: () => [],
    } as unknown as ObjectSource
    const plugin = serviceAccount(testCluster({}, { source }), { suffix: () => 'abcde', clock })
    expect(await pluginOutcome(plugin, testRequest({ object: pod(bare) }))).toMatchObject({
      spec: { serviceAccountName: 'default' },
    })
    expect(looks).toBe(5)
  })

  it('is never missing when it is checked', async () => {
    const request = testRequest({ object: pod({}), subresource: 'ephemeralcontainers', operation: 'UPDATE' })
    expect(await pluginOutcome(pluginWith(account('default')), request)).toBe(
      'pods "x" is forbidden: no service account specified for pod ns/x',
    )
  })
})

describe('the token of an account', () => {
  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['is mounted', {}, {}, true],
    ['is not where the pod says so', {}, bare, false],
    ['is not where the account says so', bare, {}, false],
    ['is where the pod says so, whatever the account', bare, { automountServiceAccountToken: true }, true],
  ])('%s', async (_, given, spec, isMounted) => {
    const found = (await admit(
      [account('default', given)],
      pod({ ...spec, containers: [{ name: 'c' }] }),
    )) as KubeObject
    expect(JSON.stringify(found['spec']).includes(path)).toBe(isMounted)
  })

  it('is at the usual place in every container that has nothing there', async () => {
    const own = { name: 'own', mountPath: path }
    const found = await admit(
      [account('default')],
      pod({
        containers: [{ name: 'a' }, { name: 'b', volumeMounts: [own] }],
        initContainers: [{ name: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        volumes: [{ name: 'v' }],
      }),
    )
    expect((found as KubeObject)['spec']).toMatchObject({
      containers: [
        { name: 'a', volumeMounts: [mount()] },
        { name: 'b', volumeMounts: [own] },
      ],
      initContainers: [{ volumeMounts: [{ name: 'v' }, mount()] }],
      volumes: [{ name: 'v' }, { name: 'kube-api-access-abcde', projected: { defaultMode: 420 } }],
    })
  })

  it('has a volume once, and none where nobody wants it', async () => {
    const volumes = [{ name: 'kube-api-access-x' }]
    const found = (await admit([account('default')], pod({ containers: [{ name: 'a' }], volumes }))) as KubeObject
    expect(found['spec']).toMatchObject({ volumes, containers: [{ volumeMounts: [mount('kube-api-access-x')] }] })
    expect((found['spec'] as { volumes: unknown[] }).volumes).toHaveLength(1)
    const taken = pod({ containers: [{ name: 'a', volumeMounts: [{ name: 'own', mountPath: path }] }] })
    expect(((await admit([account('default')], taken)) as KubeObject)['spec']).not.toHaveProperty('volumes')
  })
})

it.each<[string, JsonObject, JsonObject, unknown]>([
  ['are those of the account', { imagePullSecrets: [{ name: 'p' }] }, bare, [{ name: 'p' }]],
  [
    'are its own',
    { imagePullSecrets: [{ name: 'p' }] },
    { ...bare, imagePullSecrets: [{ name: 'q' }] },
    [{ name: 'q' }],
  ],
  ['are none', {}, bare, undefined],
])('the pull secrets of a pod %s', async (_, given, spec, expected) => {
  const found = (await admit([account('default', given)], pod(spec))) as KubeObject
  expect((found['spec'] as JsonObject)['imagePullSecrets']).toEqual(expected)
})

describe('an account that is limited to its secrets', () => {
  const enforced = (value = 'true') =>
    account(
      'default',
      { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }] },
      { 'kubernetes.io/enforce-mountable-secrets': value },
    )
  const why = (what: string) =>
    `pods "x" is forbidden: ${what}secret.secretName="z" is not allowed because service account default does not reference that secret`
  const env = (name: string): JsonObject => ({ name: 'E', valueFrom: { secretKeyRef: { name } } })
  const withContainer = (more: JsonObject): JsonObject => ({ ...bare, containers: [{ name: 'c', ...more }] })
  it.each<[string, JsonObject, string | undefined]>([
    [
      'lets its own be mounted',
      { ...bare, volumes: [{ name: 'v', secret: { secretName: 's' } }, { name: 'w' }] },
      undefined,
    ],
    [
      'lets no other be mounted',
      { ...bare, volumes: [{ name: 'v', secret: { secretName: 'z' } }] },
      why('volume with '),
    ],
    [
      'lets its own be read',
      withContainer({
        env: [env('s'), { name: 'F', value: 'x' }],
        envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'z' } }],
      }),
      undefined,
    ],
    ['lets no other be a variable', withContainer({ env: [env('z')] }), why('container c with envVar E referencing ')],
    [
      'lets no other be all variables',
      withContainer({ envFrom: [{ secretRef: { name: 'z' } }] }),
      why('container c with envFrom referencing '),
    ],
    [
      'lets no other be read by init containers',
      { ...bare, initContainers: [{ name: 'i', env: [env('z')] }] },
      why('init container i with envVar E referencing '),
    ],
    ['lets its own pull', { ...bare, imagePullSecrets: [{ name: 'p' }] }, undefined],
    [
      'lets no other pull',
      { ...bare, imagePullSecrets: [{ name: 'p' }, { name: 'z' }] },
      'pods "x" is forbidden: imagePullSecrets[1].name="z" is not allowed because service account default does not reference that imagePullSecret',
    ],
  ])('%s', async (_, spec, expected) => {
    const found = await admit([enforced()], pod(spec))
    if (expected === undefined) expect(found).toMatchObject({ spec })
    else expect(found).toBe(expected)
  })

  it.each(['1', 't', 'T', 'TRUE', 'True'])('is limited by %s', async (value) => {
    expect(typeof (await admit([enforced(value)], pod(withContainer({ env: [env('z')] }))))).toBe('string')
  })

  it.each(['false', '', 'yes', '0'])('is not limited by %j', async (value) => {
    expect(typeof (await admit([enforced(value)], pod(withContainer({ env: [env('z')] }))))).toBe('object')
  })

  it('is asked about ephemeral containers alone when they are added', async () => {
    const given = { operation: 'UPDATE', subresource: 'ephemeralcontainers' } as const
    const spec = {
      ...bare,
      serviceAccountName: 'default',
      containers: [{ name: 'c', env: [env('z')] }],
      volumes: [{ name: 'v', secret: { secretName: 'z' } }],
    }
    expect(await admit([enforced()], pod(spec), given)).toMatchObject({ spec })
    const added = { ...spec, ephemeralContainers: [{ name: 'e', env: [env('z')] }] }
    expect(await admit([enforced()], pod(added), given)).toBe(why('ephemeral container e with envVar E referencing '))
  })
})

describe('a mirror pod', () => {
  const mirror = { 'kubernetes.io/config.mirror': 'x' }
  const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', projected: { sources: [source] } }] })
  it.each<[string, JsonObject, string | undefined]>([
    [
      'is left as it is',
      { volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'c' } }] } }] },
      undefined,
    ],
    ['has no account', { serviceAccountName: 'a' }, 'a mirror pod may not reference service accounts'],
    [
      'has no secrets',
      { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
      'a mirror pod may not reference secrets',
    ],
    [
      'has no token',
      volume({ serviceAccountToken: { path: 'p' } }),
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
    [
      'has no trust bundle',
      volume({ clusterTrustBundle: { path: 'p' } }),
      'a mirror pod may not use ClusterTrustBundle volume projections',
    ],
  ])('%s', async (_, spec, why) => {
    const object = pod(spec, mirror)
    const found = await admit([], object)
    if (why === undefined) expect(found).toBe(object)
    else expect(found).toBe(`pods "x" is forbidden: ${why}`)
  })
})

it.each<['CREATE' | 'UPDATE', string, string, string, boolean]>([
  ['CREATE', '', 'pods', '', true],
  ['CREATE', '', 'pods', 'ephemeralcontainers', false],
  ['UPDATE', '', 'pods', 'ephemeralcontainers', true],
  ['UPDATE', '', 'pods', '', false],
  ['CREATE', 'x', 'pods', '', false],
  ['CREATE', '', 'secrets', '', false],
])('accounts are for %s of %s %s %s: %s', (operation, group, resource, subresource, expected) => {
  expect(pluginWith().handles({ operation, group, resource, subresource })).toBe(expected)
})

/**
 * What the server writes for itself at the start is refused like anybody's by webhooks and policies. That must neither
 * end the server nor keep it from being ready: otherwise nobody could remove what refuses.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' }

/** What every start looks after, one of each hook. */
const ownObjects = [
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/default/services/kubernetes',
  '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
  '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:basic-user',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/system::leader-locking-kube-scheduler',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/global-default',
  '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
  '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
]

const guards: Record<string, (url: string) => [resource: string, object: Json]> = {
  'a validating webhook that is down': (url) => ['validatingwebhookconfigurations', webhook(url)],
  'a mutating webhook that is down': (url) => ['mutatingwebhookconfigurations', webhook(url)],
  'a policy that denies everything': () => [
    'validatingadmissionpolicies',
    {
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [{ ...everything, operations: ['CREATE', 'UPDATE', 'DELETE'] }] },
        validations: [{ expression: 'false', message: 'no' }],
      },
    },
  ],
}

const webhook = (url: string): Json => ({
  webhooks: [
    {
      name: 'all.example.com',
      clientConfig: { url },
      rules: [{ ...everything, operations: ['*'] }],
      failurePolicy: 'Fail',
      timeoutSeconds: 1,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
})

let folder: string | undefined
let server: TestServer | undefined
let silent: Server | undefined
const sockets = new Set<Socket>()

const start = async (): Promise<TestServer> => {
  folder ??= mkdtempSync(join(tmpdir(), 'pilothouse-first-'))
  server = await startTestServer(['--data-dir', folder])
  return server
}

afterEach(async () => {
  await server?.close()
  for (const socket of sockets) socket.destroy()
  silent?.close()
  silent = undefined
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  folder = undefined
})

/** Takes connections and never says a word. */
async function silentPort(): Promise<number> {
  const port = await freePort()
  silent = createServer((socket) => sockets.add(socket)).listen(port, '127.0.0.1')
  return port
}

/** The next start must write everything anew. */
async function forgetAllButGuards(data: string): Promise<void> {
  const store = await openLmdbStore({ folder: join(data, 'store'), clock: systemClock, historyMs: 60_000 })
  const all = await store.range('/registry/')
  if (all.status !== 'ok') throw new Error(all.status)
  const isGuard = /^\/registry\/(validating|mutating)(webhookconfigurations|admissionpolic)/
  for (const { key, revision } of all.items) {
    if (!isGuard.test(key)) await store.write({ type: 'delete', key, expectedRevision: revision })
  }
  await store.close()
}

describe('a start under', () => {
  it.each([
    ...Object.keys(guards).map((name) => [name, 'refuses connections'] as const),
    ['a validating webhook that is down', 'never answers'] as const,
  ])('%s (%s) is ready, and catches up once it is removed', async (name, how) => {
    const first = await start()
    const port = how === 'never answers' ? await silentPort() : await freePort()
    const [resource, guard] = guards[name]?.(`https://127.0.0.1:${port}/x`) ?? []
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'all' }, ...guard }
    expect((await first.call('POST', `${registration}/${resource}`, body)).status).toBe(201)
    if (resource === 'validatingadmissionpolicies') {
      const spec = { policyName: 'all', validationActions: ['Deny'] }
      const binding = { apiVersion: body.apiVersion, metadata: { name: 'all' }, spec }
      const made = await first.call('POST', `${registration}/validatingadmissionpolicybindings`, binding)
      expect(made.status).toBe(201)
    }
    await until('the guard to work', async () => {
      const object = { apiVersion: 'v1', metadata: { name: 'x' } }
      return (await first.call('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', object)).status >= 400
    })
    await first.close()
    await forgetAllButGuards(folder ?? '')

    const second = await start()
    expect((await second.call('GET', '/readyz', undefined, { accept: '*/*' })).body.toString()).toBe('ok')
    for (const path of ownObjects) expect([path, (await second.call('GET', path)).status]).toEqual([path, 404])
    expect((await second.call('DELETE', `${registration}/${resource}/all`)).status).toBe(200)
    for (const path of ownObjects) {
      await until(path, async () => (await second.call('GET', path)).status === 200)
    }
  })
})

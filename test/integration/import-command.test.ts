/** `pilothouse import`: the objects of a cluster in a store and in a snapshot of one's own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importCluster } from '../../src/cli/import/import.ts'
import { snapshot } from '../../src/cli/snapshot.ts'
import { createServer, type EmbeddedServer } from '../../src/embedding/embedding.ts'
import { type StoredObject, startServer, type TestServer } from '../../src/testing/testing.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-import-test-'))
let cluster: TestServer
let kubeconfig: string
let owner: StoredObject

beforeAll(async () => {
  cluster = await startServer()
  kubeconfig = cluster.kubeconfig().file()
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  })
  await cluster.apply([
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'boats', kind: 'Boat' },
        versions: [version('v1', false), version('v2', true)],
      },
    },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'shop' }, stringData: { word: 'sesame' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there', namespace: 'other' } },
  ])
  const [boat] = await cluster.apply({
    apiVersion: 'example.com/v1',
    kind: 'Boat',
    metadata: { name: 'a', namespace: 'shop' },
    length: 3,
  })
  if (boat === undefined) throw new Error('no boat')
  owner = boat
  await cluster.call(
    'PATCH',
    '/apis/example.com/v1/namespaces/shop/boats/a/status',
    { status: { afloat: true } },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  )
  const reference = (uid: string) => ({ apiVersion: 'example.com/v1', kind: 'Boat', name: 'a', uid })
  const owned = (name: string, uid: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', ownerReferences: [reference(uid)] },
  })
  await cluster.apply(owned('owned', owner.metadata.uid ?? ''))
  // Leases stay behind.
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held', namespace: 'shop' } }
  const [held] = await cluster.apply(lease)
  const lonely = owned('lonely', '')
  const ownerReferences = [{ apiVersion: lease.apiVersion, kind: 'Lease', name: 'held', uid: held?.metadata.uid }]
  await cluster.apply({ ...lonely, metadata: { ...lonely.metadata, ownerReferences } })
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const print = (more: string): void => {
    text += more
  }
  return { code: await importCluster(args, { print, note: print, isTerminal: false }), text }
}

const open = (data: string): Promise<EmbeddedServer> =>
  createServer({ store: { kind: 'lmdb', folder: data }, background: true })

const secret = '/api/v1/namespaces/shop/secrets/key'

it('brings objects with their uids, status, owners and definitions', async () => {
  const data = path.join(folder, 'all')
  const { code, text } = await run('--kubeconfig', kubeconfig, '--data-dir', data)
  expect(code).toBe(0)
  expect(text).toMatch(/boats\.example\.com: 1\n/)
  expect(text).toMatch(/Imported \d+ objects into/)
  await using server = await open(data)
  await expect
    .poll(async () => (await server.call('GET', '/apis/example.com/v1/namespaces/shop/boats/a')).status)
    .toBe(200)
  const { body } = await server.call('GET', '/apis/example.com/v1/namespaces/shop/boats/a')
  expect(body).toMatchObject({
    apiVersion: 'example.com/v1',
    length: 3,
    status: { afloat: true },
    metadata: { uid: owner.metadata.uid },
  })
  expect(body['metadata'].creationTimestamp).toBe(owner.metadata.creationTimestamp)
  const owned = await server.call('GET', '/api/v1/namespaces/shop/configmaps/owned')
  expect(owned.body['metadata'].ownerReferences[0].uid).toBe(owner.metadata.uid)
  const { body: key } = await server.call('GET', secret)
  expect(key['data']).toEqual({ word: '' })
  expect(key['metadata'].annotations['pilothouse.dev/values-left-out']).toBe('true')
  // It is a server like any other: owners go with what they own.
  await server.call('DELETE', '/apis/example.com/v1/namespaces/shop/boats/a')
  await expect.poll(async () => (await server.call('GET', '/api/v1/namespaces/shop/configmaps/owned')).status).toBe(404)
})

it('takes some namespaces, with the values of secrets, into a snapshot', async () => {
  const file = path.join(folder, 'shop.snapshot')
  const { text } = await run(
    '--kubeconfig',
    kubeconfig,
    '--namespaces',
    'shop',
    '--with-secret-values',
    '--snapshot',
    file,
  )
  expect(text).toContain('1 objects have owners that did not come along')
  const data = path.join(folder, 'restored')
  const print = (): void => undefined
  await snapshot(['restore', file, '--data-dir', data], { print, note: print, isTerminal: false })
  await using server = await open(data)
  const { body } = await server.call('GET', secret)
  expect(Buffer.from(body['data'].word, 'base64').toString()).toBe('sesame')
  expect((await server.call('GET', '/api/v1/namespaces/other')).status).toBe(404)
  const lonely = await server.call('GET', '/api/v1/namespaces/shop/configmaps/lonely')
  expect(lonely.body['metadata'].ownerReferences).toBeUndefined()
})

it('names what may not be read, and goes on', async () => {
  await cluster.apply([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'some' },
      rules: [{ apiGroups: [''], resources: ['configmaps', 'namespaces'], verbs: ['list'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'some' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'some' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ben' }],
    },
  ])
  const ben = cluster.user('ben').kubeconfig().file()
  const { code, text } = await run('--kubeconfig', ben, '--data-dir', path.join(folder, 'some'))
  expect(code).toBe(0)
  expect(text).toContain('skipped secrets: may not be read')
  expect(text).toContain('configmaps: ')
})

it('reads the namespaces that are named by the rights of one namespace', async () => {
  await cluster.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'carl', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'carl' }],
  })
  const carl = cluster.user('carl').kubeconfig().file()
  const data = path.join(folder, 'one')
  const { text } = await run('--kubeconfig', carl, '--namespaces', 'shop', '--data-dir', data)
  expect(text).toContain('skipped secrets: may not be read in namespace shop')
  const all = await run('--kubeconfig', carl, '--data-dir', path.join(folder, 'none'))
  expect(all.text).toContain('skipped configmaps: may not be read in all namespaces; --namespaces reads those')
  await using server = await open(data)
  const { body } = await server.call('GET', '/api/v1/namespaces/shop/configmaps')
  expect(body['items'].map(({ metadata }: StoredObject) => metadata.name)).toContain('lonely')
  const made = { metadata: { name: 'new' } }
  expect((await server.call('POST', '/api/v1/namespaces/shop/configmaps', made)).status).toBe(201)
})

it('leaves nothing behind when it fails, for the next to stumble over', async () => {
  const data = path.join(folder, 'failed')
  const args = ['--kubeconfig', kubeconfig, '--data-dir', data, '--namespaces', 'nowhere']
  for (let i = 0; i < 2; i++)
    await expect(run(...args)).rejects.toThrow('there is no namespace "nowhere" in the cluster')
})

it.each<[string, string[], string]>([
  [
    'an unknown flag',
    ['--namespace', 'a', '--data-dir', 'b'],
    'unknown flag: --namespace (did you mean --namespaces?)',
  ],
  ['a flag of nothing', ['-x'], 'unknown flag: -x'],
  ['no target', [], 'either --data-dir or --snapshot'],
  ['two targets', ['--data-dir', 'a', '--snapshot', 'b'], 'either --data-dir or --snapshot'],
  [
    'a context that is not there',
    ['--data-dir', path.join(folder, 'x'), '--context', 'moon'],
    'there is no context "moon"',
  ],
  ['an argument', ['a', '--data-dir', 'b'], 'does not take the argument'],
  ['a store that is there', ['--data-dir', path.join(folder, 'all')], 'is there already'],
])('refuses %s', async (_, args, message) => {
  await expect(run('--kubeconfig', kubeconfig, ...args)).rejects.toThrow(message)
})

it('says why a cluster cannot be reached', async () => {
  const file = path.join(folder, 'nowhere.yaml')
  writeFileSync(file, cluster.kubeconfig().yaml().replace(cluster.url, 'https://127.0.0.1:1'))
  await expect(run('--kubeconfig', file, '--data-dir', path.join(folder, 'nowhere'))).rejects.toThrow(
    /cannot read https:\/\/127.0.0.1:1: Get .*: dial tcp 127.0.0.1:1: connect: connection refused/,
  )
})

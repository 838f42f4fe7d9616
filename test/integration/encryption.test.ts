// Encryption at rest over real servers: what is in the store, keys that change, plugins that go, and objects that cannot
// be read. The bytes are opened here by other means than the server's.
import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import protobuf from 'protobufjs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { openEtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts'
import type { Store } from '../../src/store/store.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type KmsPluginProcess, startKmsPlugin } from './support/kms-plugin.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const keyOne = Buffer.alloc(32, 1)
const keyTwo = Buffer.alloc(32, 2)

let folder = ''
let server: TestServer | undefined
let plugin: KmsPluginProcess | undefined
const configFile = (): string => join(folder, 'encryption.json')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'encryption-'))
})
afterEach(async () => {
  await server?.close()
  await plugin?.stop()
  server = undefined
  plugin = undefined
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Entry {
  readonly resources: readonly string[]
  readonly providers: readonly object[]
}

function configure(...resources: Entry[]): void {
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
  replaceConfig(text)
}

/** In one step: nobody sees half of it. */
function replaceConfig(text: string): void {
  writeFileSync(`${configFile()}.new`, text)
  renameSync(`${configFile()}.new`, configFile())
}

const keyed = (provider: string, name: string, key: Buffer): object => ({
  [provider]: { keys: [{ name, secret: key.toString('base64') }] },
})
const identity = { identity: {} }

/** A clock whose slow timers run fast, and which can be set forward. */
function quickClock(): Clock & { forward(ms: number): void } {
  let offset = 0
  return {
    ...systemClock,
    now: () => Date.now() + offset,
    setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms >= 10_000 && ms <= 60_000 ? 100 : ms),
    forward(ms) {
      offset += ms
    },
  }
}

const secrets = '/api/v1/namespaces/default/secrets'
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { word: Buffer.from('not to be seen').toString('base64') },
})

async function start(flags: readonly string[], clock?: Clock): Promise<TestServer> {
  server = await startTestServer([...flags, '--encryption-provider-config', configFile()], clock)
  return server
}

async function stop(): Promise<void> {
  await server?.close()
  server = undefined
}

async function stored(store: Store, key: string): Promise<Buffer> {
  const found = await store.get(key)
  if (found.status !== 'ok' || found.entry === undefined) throw new Error(`${key} is not in the store`)
  return Buffer.from(found.entry.value)
}

describe('on the embedded store', () => {
  const data = (): string => join(folder, 'data')
  const lmdb = (): string[] => ['--store', 'lmdb', '--data-dir', data()]
  const raw = async (name: string): Promise<Buffer> => {
    const store = await openLmdbStore({ folder: join(data(), 'store'), clock: systemClock, historyMs: 60_000 })
    try {
      return await stored(store, `/registry/secrets/default/${name}`)
    } finally {
      await store.close()
    }
  }

  it('reads what any key of the configuration sealed, and writes it anew with the first on a change of nothing', async () => {
    configure({ resources: ['secrets'], providers: [keyed('aescbc', 'one', keyOne), identity] })
    await (await start(lmdb())).call('POST', secrets, secret('a'))
    await stop()
    const sealed = await raw('a')
    const prefix = 'k8s:enc:aescbc:v1:one:'
    expect(sealed.subarray(0, prefix.length).toString()).toBe(prefix)
    const rest = sealed.subarray(prefix.length)
    const decipher = createDecipheriv('aes-256-cbc', keyOne, rest.subarray(0, 16))
    const opened = Buffer.concat([decipher.update(rest.subarray(16)), decipher.final()]).toString()
    expect(JSON.parse(opened)).toMatchObject({ kind: 'Secret', metadata: { name: 'a' } })

    configure({
      resources: ['secrets'],
      providers: [keyed('secretbox', 'two', keyTwo), keyed('aescbc', 'one', keyOne)],
    })
    const second = await start(lmdb())
    const read = await second.call('GET', `${secrets}/a`)
    expect(read.json().data.word).toBe('bm90IHRvIGJlIHNlZW4=')
    const written = await second.call('PUT', `${secrets}/a`, read.json())
    expect(written.status).toBe(200)
    expect(written.json().metadata.resourceVersion).not.toBe(read.json().metadata.resourceVersion)
    const again = await second.call('PUT', `${secrets}/a`, written.json())
    expect(again.json().metadata.resourceVersion).toBe(written.json().metadata.resourceVersion)
    await stop()
    expect((await raw('a')).toString('latin1')).toMatch(/^k8s:enc:secretbox:v1:two:/)
  })

  it('follows a file that changes, and stays with what it has when the file is bad', async () => {
    configure({ resources: ['secrets'], providers: [identity] })
    const running = await start([...lmdb(), '--encryption-provider-config-automatic-reload'], quickClock())
    await running.call('POST', secrets, secret('b'))
    const metric = async (status: string): Promise<number> => {
      const page = (await running.call('GET', '/metrics')).body.toString()
      const found = new RegExp(`automatic_reloads_total\\{[^}]*status="${status}"[^}]*\\} (\\d+)`).exec(page)
      return Number(found?.[1] ?? 0)
    }
    replaceConfig('{"kind":"EncryptionConfiguration"')
    await until('the bad file to be seen', async () => (await metric('failure')) > 0)
    expect((await running.call('GET', '/readyz')).body.toString()).toBe('ok')
    configure({ resources: ['*.*'], providers: [keyed('aesgcm', 'one', keyOne), identity] })
    await until('the good file to be read', async () => (await metric('success')) > 0)
    const read = await running.call('GET', `${secrets}/b`)
    await running.call('PUT', `${secrets}/b`, read.json())
    await stop()
    expect((await raw('b')).toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:one:/)
  })

  it('uses a plugin of version 2, its new key when it has one, and does without it for reading', async () => {
    plugin = await startKmsPlugin(join(folder, 'v2.sock'))
    const kms = { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint, timeout: '5s' }
    configure({ resources: ['secrets'], providers: [{ kms }, keyed('aesgcm', 'one', keyOne), identity] })
    const clock = quickClock()
    const first = await start(lmdb(), clock)
    await first.call('POST', secrets, secret('c'))
    const created = await first.call('GET', `${secrets}/c`)
    await plugin.change({ keyId: '2' })
    clock.forward(25_000)
    const metrics = async (): Promise<string> => (await first.call('GET', '/metrics')).body.toString()
    await until('the new key', async () => /key_id_hash_status_last_timestamp_seconds/.test(await metrics()))
    await until('a write with the new key', async () => {
      const answer = await first.call('PUT', `${secrets}/c`, created.json())
      return answer.status === 409 || answer.json().metadata.resourceVersion !== created.json().metadata.resourceVersion
    })
    await stop()
    const sealed = await raw('c')
    const prefix = 'k8s:enc:kms:v2:vault:'
    expect(sealed.subarray(0, prefix.length).toString()).toBe(prefix)
    const object = envelope.decode(sealed.subarray(prefix.length)).toJSON()
    expect([object['keyID'], object['encryptedDEKSourceType']]).toEqual(['2', 1])
    const seed = openGcm(pluginKey('2'), Buffer.from(object['encryptedDEKSource'], 'base64'))
    const value = Buffer.from(object['encryptedData'], 'base64')
    const derived = createHmac('sha256', seed).update(value.subarray(0, 32)).update(Buffer.of(1)).digest()
    const opened = openGcm(derived, value.subarray(32), '/registry/secrets/default/c').toString()
    expect(JSON.parse(opened).metadata.name).toBe('c')

    const second = await start(lmdb(), clock)
    expect((await second.call('GET', '/readyz?verbose')).body.toString()).toContain('[+]kms-providers ok')
    expect((await second.call('GET', `${secrets}/c`)).json().data.word).toBe('bm90IHRvIGJlIHNlZW4=')
    await plugin.stop()
    clock.forward(25_000)
    const ready = await second.call('GET', '/readyz?verbose')
    expect(ready.status).toBe(500)
    expect(ready.body.toString()).toContain('[-]kms-providers failed')
    expect((await second.call('GET', '/livez')).status).toBe(200)
    expect((await second.call('GET', `${secrets}/c`)).status).toBe(200)
    clock.forward(200_000)
    const refused = await second.call('POST', secrets, secret('late'))
    expect(refused.status).toBe(500)
    expect(refused.json().message).toMatch(
      /^Internal error occurred: encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at .*Z \(current time is .*Z\)$/,
    )
  })

  it('starts without its plugin, and reads once it is there', async () => {
    const kms = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${join(folder, 'v2.sock')}`, timeout: '200ms' }
    const others = [keyed('aesgcm', 'one', keyOne), keyed('secretbox', 'two', keyTwo), identity]
    configure({ resources: ['secrets'], providers: [{ kms }, ...others] })
    const running = await start(lmdb(), quickClock())
    const refused = await running.call('GET', `${secrets}/c`)
    expect(refused.status).toBe(500)
    expect(refused.json().message).toBe('Internal error occurred: got unexpected nil transformer')
    plugin = await startKmsPlugin(join(folder, 'v2.sock'))
    await until('the plugin', async () => (await running.call('GET', `${secrets}/c`)).status === 200)
    await until('all of them', async () => (await running.call('GET', secrets)).status === 200)
  })

  it('uses a plugin of version 1, which every write needs', async () => {
    plugin = await startKmsPlugin(`@pilothouse-${process.pid}-v1`)
    const { endpoint } = plugin
    const withPlugin = (timeout: string): void => {
      const kms = { apiVersion: 'v1', name: 'old', endpoint, timeout, cachesize: 10 }
      configure({ resources: ['secrets'], providers: [{ kms }, keyed('aesgcm', 'one', keyOne), identity] })
    }
    withPlugin('30s')
    const flags = [...lmdb(), '--feature-gates', 'KMSv1=true']
    const first = await start(flags)
    expect((await first.call('POST', secrets, secret('d'))).status).toBe(201)
    await stop()
    const sealed = await raw('d')
    const prefix = 'k8s:enc:kms:v1:old:'
    expect(sealed.subarray(0, prefix.length).toString()).toBe(prefix)
    const rest = sealed.subarray(prefix.length)
    const end = 2 + rest.readUInt16BE()
    const dataKey = openGcm(pluginKey('v1'), rest.subarray(2, end))
    const opened = openGcm(dataKey, rest.subarray(end), '/registry/secrets/default/d').toString()
    expect(JSON.parse(opened).metadata.name).toBe('d')
    const second = await start(flags)
    expect((await second.call('GET', `${secrets}/d`)).json().data.word).toBe('bm90IHRvIGJlIHNlZW4=')
    expect((await second.call('GET', '/readyz?verbose')).body.toString()).toContain('[+]kms-provider-0 ok')
    await stop()
    withPlugin('300ms')
    const clock = quickClock()
    const third = await start(flags, clock)
    await plugin.stop()
    const refused = await third.call('POST', secrets, secret('e'))
    expect(refused.status).toBe(500)
    // The plugin may have gone before it could even say which version it speaks.
    const unreached = /^Internal error occurred: (failed get version from remote KMS provider: )?rpc error: code = /
    expect(refused.json().message).toMatch(unreached)
    clock.forward(25_000)
    expect((await third.call('GET', '/readyz')).body.toString()).toContain('[-]kms-provider-0 failed')
  })
})

describe('on etcd', () => {
  let etcd: EtcdCluster
  let store: Store
  beforeAll(async () => {
    etcd = await EtcdCluster.start()
    store = openEtcdStore({ servers: etcd.urls, clock: systemClock, compactionIntervalMs: 0 })
  })
  afterAll(async () => {
    await store.close()
    await etcd.stop()
  })
  const flags = (...more: string[]): string[] => ['--etcd-servers', etcd.urls.join(','), ...more]
  const gate = ['--feature-gates', 'AllowUnsafeMalformedObjectDeletion=true']

  it('seals the layout of the reference, of built-in kinds and of custom ones', async () => {
    configure({ resources: ['secrets', '*.example.com'], providers: [keyed('aesgcm', 'one', keyOne), identity] })
    const running = await start(flags())
    await running.call('POST', secrets, secret('a'))
    await running.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgets)
    const path = '/apis/example.com/v1/namespaces/default/widgets'
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }
    await until('the kind to be served', async () =>
      [201, 409].includes((await running.call('POST', path, widget)).status),
    )
    for (const [key, begin] of [
      ['/registry/secrets/default/a', 'k8s\0'],
      ['/registry/example.com/widgets/default/w', '{"'],
    ] as const) {
      const sealed = await stored(store, key)
      const prefix = 'k8s:enc:aesgcm:v1:one:'
      expect(sealed.subarray(0, prefix.length).toString()).toBe(prefix)
      const rest = sealed.subarray(prefix.length)
      const decipher = createDecipheriv('aes-256-gcm', keyOne, rest.subarray(0, 12)).setAAD(Buffer.from(key))
      decipher.setAuthTag(rest.subarray(-16))
      const opened = Buffer.concat([decipher.update(rest.subarray(12, -16)), decipher.final()])
      expect(opened.toString('latin1').startsWith(begin)).toBe(true)
    }
    expect((await stored(store, '/registry/namespaces/default')).toString('latin1')).toMatch(/^k8s\0/)
  })

  it('takes values in order that take time to read', async () => {
    plugin = await startKmsPlugin(join(folder, 'order.sock'))
    const kms = { apiVersion: 'v1', name: 'slow', endpoint: plugin.endpoint, cachesize: -1 }
    configure({ resources: ['secrets'], providers: [{ kms }, keyed('aesgcm', 'one', keyOne), identity] })
    const running = await start(flags('--feature-gates', 'KMSv1=true'))
    const watch = await running.watch(`${secrets}?watch=true`)
    const names = Array.from({ length: 20 }, (_, i) => `order-${i}`)
    for (const name of names) expect((await running.call('POST', secrets, secret(name))).status).toBe(201)
    const events = await watch.until((all) => all.length >= 21)
    expect(events.map(({ object }) => object.metadata.name)).toEqual(['a', ...names])
    expect((await running.call('GET', secrets)).json().items).toHaveLength(21)
    watch.close()
    expect((await running.call('DELETE', secrets)).status).toBe(200)
  })

  it('says what cannot be read, and serves the rest', async () => {
    configure({ resources: ['secrets'], providers: [keyed('aesgcm', 'one', keyOne)] })
    const running = await start(flags())
    await running.call('POST', secrets, secret('good'))
    const watch = await running.watch(`${secrets}?watch=true`)
    const path = '/registry/secrets/default/bad'
    await store.write({ type: 'create', key: path, value: Buffer.from('k8s:enc:aesgcm:v1:other:xxxxxxxx') })
    const why = 'no matching key was found for the provided AES transformer'
    const get = await running.call('GET', `${secrets}/bad`)
    expect([get.status, get.json().reason, get.json().message]).toEqual([
      500,
      'InternalError',
      `Internal error occurred: ${why}`,
    ])
    const event = (await watch.until((all) => all.some(({ type }) => type === 'ERROR'))).at(-1)
    expect(event?.object).toMatchObject({ code: 500, message: `Internal error occurred: ${why}` })
    const unready = `unable to transform key "${path}": ${why}`
    // What the reference answers from its cache, of other objects and namespaces, too.
    const elsewhere = '/api/v1/namespaces/kube-system/secrets'
    const selections = ['', '?resourceVersion=0', '?fieldSelector=metadata.name%3Dgood', '?labelSelector=a%3Db&limit=1']
    const watches = ['?watch=1', '?watch=1&resourceVersion=1', '?watch=1&fieldSelector=metadata.name%3Dgood']
    for (const query of [...selections, ...watches]) {
      for (const at of [secrets, elsewhere]) {
        expect((await running.call('GET', `${at}${query}`)).json(), query).toMatchObject({
          code: 429,
          message: `storage is (re)initializing: failed to list *core.Secret: ${unready}`,
          details: { retryAfterSeconds: expect.any(Number) },
        })
      }
    }
    const paged = await running.call('GET', `${secrets}?limit=10`)
    expect([paged.status, paged.json().message]).toEqual([500, `Internal error occurred: ${unready}`])
    expect((await running.call('GET', `${secrets}/good`)).status).toBe(200)
    expect((await running.call('GET', `${elsewhere}?limit=10`)).status).toBe(200)
    expect((await running.call('PATCH', `${secrets}/bad`, {}, mergePatch)).json().message).toBe(
      `Internal error occurred: ${why}`,
    )
    const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
    const refused = await running.call('DELETE', `${secrets}/bad`, unsafe)
    expect([refused.status, refused.json().message]).toEqual([500, `Internal error occurred: ${why}`])
    await store.write({ type: 'create', key: '/registry/configmaps/default/bad', value: Buffer.from('{"half') })
    const undecodable = await running.call('GET', '/api/v1/namespaces/default/configmaps/bad')
    expect([undecodable.status, undecodable.json().message]).toEqual([
      500,
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ])
  })

  it('lets go of what cannot be read, under the gate and to who may', async () => {
    configure({ resources: ['secrets'], providers: [keyed('aesgcm', 'one', keyOne)] })
    const running = await start(flags(...gate))
    for (const query of ['', '?watch=true&resourceVersion=0']) {
      expect((await running.call('GET', `${secrets}${query}`)).json()).toMatchObject({
        code: 429,
        message:
          'storage is (re)initializing: failed to list *core.Secret: failed to read one or more secrets from the storage',
      })
    }
    const list = (await running.call('GET', `${secrets}?limit=10`)).json()
    const why = 'no matching key was found for the provided AES transformer'
    const cause = (key: string) =>
      `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: ${why}`
    expect(list).toMatchObject({
      code: 500,
      reason: 'StorageReadError',
      message: 'failed to read one or more secrets from the storage',
      details: {
        name: 'list',
        kind: 'secrets',
        causes: [
          {
            reason: 'UnexpectedServerResponse',
            message: cause('/registry/secrets/default/bad'),
            field: '/registry/secrets/default/bad',
          },
        ],
      },
    })
    expect((await running.call('GET', `${secrets}/bad`)).json().message).toBe(
      `Internal error occurred: ${cause('/secrets/default/bad')}`,
    )
    const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
    const remove = async (name: string, options: object = unsafe, headers = {}) =>
      (await running.call('DELETE', `${secrets}/${name}`, options, headers)).json()
    expect((await remove('bad', { ...unsafe, gracePeriodSeconds: 0 })).message).toContain(
      'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .gracePeriodSeconds',
    )
    expect((await remove('good')).message).toBe(
      'secrets "good" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option',
    )
    expect((await running.call('DELETE', secrets, unsafe)).json().message).toContain(
      'is not allowed with DELETECOLLECTION, try again after removing the option',
    )
    await running.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', deleter)
    await running.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', deleterBinding)
    // The role takes force a little after it is made.
    await expect
      .poll(async () => (await remove('bad', unsafe, { 'impersonate-user': 'deleter' })).message)
      .toMatch(/^secrets "bad" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: /)
    expect(await remove('bad')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'bad', kind: 'Secret' },
      code: 200,
    })
    expect((await running.call('GET', `${secrets}/bad`)).status).toBe(404)
    expect((await running.call('GET', secrets)).json().items).toHaveLength(1)
    const config = await running.call('DELETE', '/api/v1/namespaces/default/configmaps/bad', unsafe)
    expect(config.status).toBe(200)
  })
})

/** As the plugin derives its keys. */
const pluginKey = (id: string): Buffer => createHash('sha256').update(`the key ${id}`).digest()

function openGcm(key: Buffer, sealed: Buffer, authenticated = ''): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(authenticated))
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
}

const envelope = protobuf
  .parse(
    `syntax = "proto3"; package v2; message EncryptedObject { bytes encryptedData = 1; string keyID = 2;
    bytes encryptedDEKSource = 3; map<string, bytes> annotations = 4; int32 encryptedDEKSourceType = 5; }`,
    { keepCase: true },
  )
  .root.lookupType('v2.EncryptedObject')

const mergePatch = { 'content-type': 'application/merge-patch+json' }
const deleter = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'deleter' },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['delete'] }],
}
const deleterBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'deleter' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'deleter' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'deleter' }],
}
const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

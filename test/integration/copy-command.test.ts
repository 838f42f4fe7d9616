/**
 * The command `copy` as a user gives it: an etcd that wants a certificate of its clients, values that are encrypted on
 * either side, and a target that no server takes before it is whole.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copy } from '../../src/cli/copy.ts'
import { openEtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Certificate, createCa, issueCertificate } from '../contract/store/certificates.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { startKmsPlugin } from './support/kms-plugin.ts'
import { startTestServer } from './support/test-server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-copy-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inFolder = (name: string): string => path.join(folder, name)

/** Runs the command and gives what it printed and noted. */
async function run(...args: string[]): Promise<string> {
  let text = ''
  const add = (more: string): void => {
    text += more
  }
  expect(await copy(args, { print: add, note: add, isTerminal: false })).toBe(0)
  return text
}

const secret = (name: string) => ({ metadata: { name }, stringData: { word: 'not to be seen' } })
const secrets = '/api/v1/namespaces/default/secrets'

/** A data folder with three secrets, written by a server. */
async function writtenFolder(name: string, ...flags: string[]): Promise<string> {
  const data = inFolder(name)
  const server = await startTestServer(['--store', 'lmdb', '--data-dir', data, ...flags])
  try {
    for (const each of ['a', 'b', 'c']) {
      expect((await server.call('POST', secrets, secret(each))).status).toBe(201)
    }
  } finally {
    await server.close()
  }
  return data
}

async function stored(store: Store, key: string): Promise<string> {
  const found = await store.get(key)
  return Buffer.from((found.status === 'ok' && found.entry?.value) || '').toString('latin1')
}

async function storedIn(data: string, key: string): Promise<string> {
  const store = await openLmdbStore({ folder: path.join(data, 'store') })
  try {
    return await stored(store, key)
  } finally {
    await store.close()
  }
}

function encryption(name: string, providers: readonly object[], resources = ['secrets']): string {
  const file = inFolder(name)
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' }
  writeFileSync(file, JSON.stringify({ ...kind, resources: [{ resources, providers }] }))
  return file
}

const keyed = (provider: string, name: string, fill: number): object => ({
  [provider]: { keys: [{ name, secret: Buffer.alloc(32, fill).toString('base64') }] },
})

async function wordsServed(data: string, ...flags: string[]): Promise<string[]> {
  const server = await startTestServer(['--store', 'lmdb', '--data-dir', data, ...flags])
  try {
    const { items } = (await server.call('GET', secrets)).json()
    return items.map(({ data: { word } }: { data: { word: string } }) => Buffer.from(word, 'base64').toString())
  } finally {
    await server.close()
  }
}

const words = ['not to be seen', 'not to be seen', 'not to be seen']
const key = '/registry/secrets/default/b'

describe('encrypted values', () => {
  const config = '--encryption-provider-config'
  let from: string
  let data: string
  beforeAll(async () => {
    from = encryption('from.yaml', [keyed('aesgcm', 'one', 1), { identity: {} }])
    data = await writtenFolder('sealed', config, from)
  })

  it('are copied as they are without the keys', async () => {
    const target = inFolder('as-is')
    expect(await run('--from', `lmdb://${data}`, '--to', `lmdb://${target}`)).toContain(
      '3 values are encrypted and were copied as they are',
    )
    expect(await storedIn(target, key)).toBe(await storedIn(data, key))
    expect(await wordsServed(target, config, from)).toEqual(words)
  })

  it('are decrypted with the keys of the source', async () => {
    const target = inFolder('opened')
    const flags = ['--from-encryption-provider-config', from]
    expect(await run('--from', `lmdb://${data}`, '--to', `lmdb://${target}`, ...flags)).toContain(
      '3 values were decrypted on the way',
    )
    expect(JSON.parse(await storedIn(target, key)).metadata.name).toBe('b')
    expect(await wordsServed(target)).toEqual(words)
  })

  it('are encrypted anew with the keys of the target, once', async () => {
    const target = inFolder('anew')
    const to = encryption('to.yaml', [keyed('secretbox', 'two', 2)])
    const args = ['--from', `lmdb://${data}`, '--to', `lmdb://${target}`]
    const flags = ['--from-encryption-provider-config', from, '--to-encryption-provider-config', to]
    const first = await run(...args, ...flags)
    const sealed = await storedIn(target, key)
    expect(sealed).toMatch(/^k8s:enc:secretbox:v1:two:/)
    // Sealed values are never the same twice: what is there is left alone because it opens to the same.
    const second = await run(...args, ...flags, '--overwrite')
    expect(second).toContain('Copied 0 of')
    expect(await storedIn(target, key)).toBe(sealed)
    const sum = /SHA-256 ([0-9a-f]{64})/
    expect(sum.exec(second)?.[1]).toBe(sum.exec(first)?.[1])
    expect(await wordsServed(target, config, to)).toEqual(words)
    // A key that is no longer the first is stale: the same command writes it anew.
    const rotated = encryption('to.yaml', [keyed('aescbc', 'three', 3), keyed('secretbox', 'two', 2)])
    await run(...args, ...flags, '--overwrite')
    expect(await storedIn(target, key)).toMatch(/^k8s:enc:aescbc:v1:three:/)
    expect(await wordsServed(target, config, rotated)).toEqual(words)
  })

  it('are refused when the keys do not open them, or when they would be encrypted twice', async () => {
    const wrong = encryption('wrong.yaml', [keyed('aesgcm', 'one', 9)])
    const args = ['--from', `lmdb://${data}`, '--to', `lmdb://${inFolder('refused')}`]
    await expect(run(...args, '--from-encryption-provider-config', wrong)).rejects.toThrow(
      '/registry/secrets/default/a cannot be read',
    )
    await expect(run(...args, '--to-encryption-provider-config', wrong)).rejects.toThrow(
      'it is encrypted; say how with --from-encryption-provider-config',
    )
  })

  it('are sealed by a plugin, which must be there', async () => {
    const endpoint = `unix://${inFolder('kms.sock')}`
    const kms = { apiVersion: 'v2', name: 'vault', endpoint, timeout: '60s' }
    const to = encryption('kms.yaml', [{ kms }])
    const target = inFolder('kms')
    const plugin = await startKmsPlugin(inFolder('kms.sock'))
    try {
      const flags = ['--from-encryption-provider-config', from, '--to-encryption-provider-config', to]
      await run('--from', `lmdb://${data}`, '--to', `lmdb://${target}`, ...flags)
      expect(await storedIn(target, key)).toMatch(/^k8s:enc:kms:v2:vault:/)
      expect(await wordsServed(target, config, to)).toEqual(words)
    } finally {
      await plugin.stop()
    }
    const gone = encryption('gone.yaml', [{ kms: { ...kms, timeout: '100ms' } }])
    const args = ['--from', `lmdb://${target}`, '--to', `lmdb://${inFolder('never')}`]
    await expect(run(...args, '--from-encryption-provider-config', gone)).rejects.toThrow('cannot be used')
  })
})

describe('a copy that was cut', () => {
  it('is not served; a server takes the target when it is whole', async () => {
    const data = await writtenFolder('whole')
    const target = inFolder('part')
    const store = await openLmdbStore({ folder: path.join(target, 'store') })
    const value = Buffer.from(JSON.stringify({ from: `lmdb://${data}` }))
    await store.write({ type: 'create', key: 'pilothouse-copy/registry', value })
    await store.close()
    const flags = ['--store', 'lmdb', '--data-dir', target]
    await expect(startTestServer(flags)).rejects.toThrow(`the store holds an unfinished copy of lmdb://${data}`)
    await expect(run('--from', `lmdb://${inFolder('opened')}`, '--to', `lmdb://${target}`)).rejects.toThrow()
    await run('--from', `lmdb://${data}`, '--to', `lmdb://${target}`)
    expect(await wordsServed(target)).toEqual(words)
  })
})

describe('an etcd with TLS', () => {
  const [ca, otherCa] = [createCa(folder, 'ca'), createCa(folder, 'other-ca')]
  const client = issueCertificate(folder, 'client', ca)
  const stranger = issueCertificate(folder, 'stranger', otherCa)
  let cluster: EtcdCluster
  let address: string
  const tls = ['--etcd-cafile', ca.cert, '--etcd-certfile', client.cert, '--etcd-keyfile', client.key]
  beforeAll(async () => {
    cluster = await EtcdCluster.start(1, { ca: ca.cert, ...issueCertificate(folder, 'etcd', ca) })
    address = `etcds://${new URL(cluster.urls[0] as string).host}`
  })
  afterAll(() => cluster.stop())

  it('takes a copy, serves it, and gives it back', async () => {
    const data = await writtenFolder('tls')
    expect(await run('--from', `lmdb://${data}`, '--to', address, ...tls)).toContain('all compared')
    const server = await startTestServer(['--etcd-servers', cluster.urls.join(','), ...tls])
    try {
      expect((await server.call('GET', secrets)).json().items).toHaveLength(3)
    } finally {
      await server.close()
    }
    const back = inFolder('tls-back')
    await run('--from', `${address}/registry`, '--to', `lmdb://${back}`, ...tls)
    expect(await wordsServed(back)).toEqual(words)
  })

  it('is not reached without a certificate that it knows, nor taken for what it does not show to be', async () => {
    const shown = (own: Certificate) => ['--etcd-certfile', own.cert, '--etcd-keyfile', own.key]
    const wrong = [
      ['--etcd-cafile', ca.cert],
      ['--etcd-cafile', ca.cert, ...shown(stranger)],
      ['--etcd-cafile', otherCa.cert, ...shown(client)],
      ['--etcd-cafile', inFolder('nothing.crt')],
    ]
    const copies = wrong.map((flags) => run('--from', address, '--to', `lmdb://${inFolder('unreached')}`, ...flags))
    for (const { status } of await Promise.allSettled(copies)) expect(status).toBe('rejected')
    expect(existsSync(inFolder('unreached'))).toBe(false)
  })

  it('seals records of servers where everything is encrypted', async () => {
    const file = encryption('all.yaml', [keyed('aesgcm', 'one', 1), { identity: {} }], ['*.*'])
    const flags = ['--etcd-servers', cluster.urls.join(','), ...tls, '--etcd-prefix', '/sealed']
    const server = await startTestServer([
      ...flags,
      '--advertise-address',
      '10.9.0.1',
      '--encryption-provider-config',
      file,
    ])
    const read = (name: string): Buffer => readFileSync(name)
    const store = openEtcdStore({
      servers: cluster.urls,
      compactionIntervalMs: 0,
      tls: { ca: read(ca.cert), cert: read(client.cert), key: read(client.key) },
    })
    try {
      await expect.poll(() => stored(store, '/sealed/masterleases/10.9.0.1')).toMatch(/^k8s:enc:aesgcm:v1:one:/)
      expect(
        (
          await server.call('POST', '/api/v1/namespaces/default/services', {
            metadata: { name: 'web' },
            spec: { type: 'NodePort', ports: [{ port: 80 }] },
          })
        ).status,
      ).toBe(201)
      expect(await stored(store, '/sealed/ranges/servicenodeports')).toMatch(/^k8s:enc:aesgcm:v1:one:/)
    } finally {
      await store.close()
      await server.close()
    }
  })
})

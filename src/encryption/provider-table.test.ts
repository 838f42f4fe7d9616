import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readEncryptionConfiguration } from '../config/files/encryption-configuration.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLogger } from '../lib/logger.ts'
import { MetricSet } from '../lib/metrics.ts'
import { EncryptionMetrics } from './encryption-metrics.ts'
import { ProviderTable } from './provider-table.ts'
import type { Transformer } from './transformer.ts'

const key = (byte: number): Buffer => Buffer.alloc(32, byte)
const keys = (...names: [string, number][]) => ({
  keys: names.map(([name, byte]) => ({ name, secret: key(byte).toString('base64') })),
})
const at = '/registry/secrets/default/one'
const text = Buffer.from('{"kind":"Secret"}')

interface Entry {
  readonly resources: readonly string[]
  readonly providers: readonly object[]
}

const definitions = [
  [
    'counter',
    'apiserver_storage_transformation_operations_total',
    'resource,transformation_type,transformer_prefix,status',
  ],
  ['histogram', 'apiserver_storage_transformation_duration_seconds', 'transformation_type,transformer_prefix'],
] as const

function tableOf(...resources: Entry[]) {
  const document = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }
  const configuration = readEncryptionConfiguration(JSON.stringify(document), 'file', { reload: false, kmsV1: true })
  const set = new MetricSet(
    definitions.map(([type, name, labels]) => ({ type, name, help: '', labels: labels.split(',') })),
    { release: 33, showHidden: false },
  )
  const metrics = new EncryptionMetrics({ metrics: set, clock: systemClock, serverId: 'server' })
  const table = new ProviderTable(configuration, {
    clock: systemClock,
    logger: silentLogger(),
    metrics,
    onHealthy: () => undefined,
  })
  return { table, set }
}

const providers = (...list: object[]): Entry => ({ resources: ['secrets'], providers: list })
const secretsOf = (...list: object[]): Transformer =>
  tableOf(providers(...list)).table.transformerFor({ group: '', resource: 'secrets' })

const sealedText = (transformer: Transformer): string =>
  Buffer.from(transformer.seal(text, at) as Uint8Array).toString('latin1')

describe('what is written', () => {
  test.each([
    ['aescbc', 'k8s:enc:aescbc:v1:first:'],
    ['aesgcm', 'k8s:enc:aesgcm:v1:first:'],
    ['secretbox', 'k8s:enc:secretbox:v1:first:'],
  ])('%s begins with %s', (provider, prefix) => {
    const transformer = secretsOf({ [provider]: keys(['first', 1], ['second', 2]) }, { identity: {} })
    expect(sealedText(transformer).startsWith(prefix)).toBe(true)
  })

  test('identity leaves values as they are, the very bytes', () => {
    expect(secretsOf({ identity: {} }).seal(text, at)).toBe(text)
  })
})

describe('what is read', () => {
  const first = { aescbc: keys(['one', 1]) }
  const rotated = [{ aescbc: keys(['two', 2], ['one', 1]) }, { identity: {} }]

  test('of the first key of the first provider: as it should be', () => {
    const transformer = secretsOf(first)
    const opened = transformer.open(transformer.seal(text, at) as Uint8Array, at)
    expect(opened).toEqual({ value: text, stale: false })
  })

  test.each<[string, Uint8Array]>([
    ['of a later key', secretsOf(first).seal(text, at) as Uint8Array],
    ['of a later provider', text],
  ])('%s: to be written again', (_, sealed) => {
    expect(secretsOf(...rotated).open(sealed, at)).toEqual({ value: text, stale: true })
  })

  test('a provider that fails does not keep the next from trying, though it has the same name', () => {
    const sealed = secretsOf({ aesgcm: keys(['k', 1]) }).seal(text, at) as Uint8Array
    const both = secretsOf({ aesgcm: keys(['k', 2]) }, { aesgcm: keys(['k', 1]) })
    expect(both.open(sealed, at)).toEqual({ value: text, stale: true })
  })

  test('identity in front of a provider passes on what is encrypted', () => {
    const sealed = secretsOf(first).seal(text, at) as Uint8Array
    expect(secretsOf({ identity: {} }, first).open(sealed, at)).toEqual({ value: text, stale: true })
  })

  test.each<[string, Transformer, string | Uint8Array, string]>([
    ['no provider', secretsOf(first), text, 'no matching prefix found'],
    [
      'no key',
      secretsOf(first),
      'k8s:enc:aescbc:v1:other:rest',
      'no matching key was found for the provided AES transformer',
    ],
    [
      'no key of secretbox',
      secretsOf({ secretbox: keys(['one', 1]) }),
      'k8s:enc:secretbox:v1:other:rest',
      'no matching key was found for the provided Secretbox transformer',
    ],
    [
      'nothing that decrypts',
      tableOf(providers(first)).table.transformerFor({ group: '', resource: 'configmaps' }),
      'k8s:enc:aescbc:v1:one:rest',
      'identity transformer tried to read encrypted data',
    ],
    [
      'two wrong keys',
      secretsOf({ aescbc: keys(['k', 2]) }, { aescbc: keys(['k', 1]) }),
      'k8s:enc:aescbc:v1:k:short',
      'the stored data was shorter than the required size',
    ],
  ])('%s: says so', (_, transformer, value, message) => {
    expect(() => transformer.open(Buffer.from(value), at)).toThrow(message)
  })

  test('no error tells a key', () => {
    const transformer = secretsOf({ aesgcm: keys(['k', 1]) })
    const sealed = Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:k:'), randomBytes(60)])
    expect(() => transformer.open(sealed, at)).toThrow(/^cipher: message authentication failed$/)
  })
})

test('a value that another program sealed opens', () => {
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', key(1), nonce).setAAD(Buffer.from(at))
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  const value = Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:k:'), sealed])
  expect(secretsOf({ aesgcm: keys(['k', 1]) }).open(value, at)).toEqual({ value: text, stale: false })
})

describe('which resources', () => {
  const { table } = tableOf(
    { resources: ['secrets'], providers: [{ aesgcm: keys(['secrets', 1]) }] },
    { resources: ['*.'], providers: [{ aesgcm: keys(['core', 2]) }] },
    { resources: ['*.apps', 'widgets.example.com'], providers: [{ aesgcm: keys(['named', 3]) }] },
    { resources: ['*.*'], providers: [{ aesgcm: keys(['rest', 4]) }] },
  )
  test.each([
    ['', 'secrets', 'secrets'],
    ['', 'configmaps', 'core'],
    ['apps', 'deployments', 'named'],
    ['example.com', 'widgets', 'named'],
    ['example.com', 'gadgets', 'rest'],
    ['batch', 'jobs', 'rest'],
  ])('%s/%s has the key %s', (group, resource, name) => {
    expect(sealedText(table.transformerFor({ group, resource }))).toMatch(`k8s:enc:aesgcm:v1:${name}:`)
  })

  test('one that is named twice reads with the providers of both, and writes with the first', () => {
    const both = tableOf(
      { resources: ['secrets'], providers: [{ aesgcm: keys(['a', 1]) }] },
      { resources: ['secrets'], providers: [{ aesgcm: keys(['b', 2]) }, { identity: {} }] },
    ).table.transformerFor({ group: '', resource: 'secrets' })
    expect(sealedText(both)).toMatch('k8s:enc:aesgcm:v1:a:')
    expect(both.open(text, at)).toEqual({ value: text, stale: true })
  })
})

test('operations are counted by resource, direction, provider and outcome', async () => {
  const { table, set } = tableOf(providers({ aesgcm: keys(['k', 1]) }, { identity: {} }))
  const transformer = table.transformerFor({ group: '', resource: 'secrets' })
  await transformer.open(await transformer.seal(text, at), at)
  await transformer.open(text, at)
  expect(() => transformer.open(Buffer.from('k8s:enc:aesgcm:v1:k:xx'), at)).toThrow()
  const counted = (await set.collect()).flatMap((metric) =>
    [...metric.samples()]
      .filter(({ suffix }) => suffix === '')
      .map(({ labels, value }) => [...Object.values(labels), value].join(' ')),
  )
  expect(counted).toEqual(
    expect.arrayContaining([
      'secrets to_storage k8s:enc:aesgcm:v1: OK 1',
      'secrets from_storage k8s:enc:aesgcm:v1: OK 1',
      'secrets from_storage identity OK 1',
      'secrets from_storage k8s:enc:aesgcm:v1: unknown-non-grpc 1',
    ]),
  )
})

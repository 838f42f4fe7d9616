// CBOR over a real server: which answers know it, and what of custom objects is in etcd, byte by byte as kube-apiserver writes it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeCbor } from '../../src/codec/cbor.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openEtcdStore } from '../../src/store/etcd/etcd-store.ts'
import type { Store } from '../../src/store/store.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let etcd: EtcdCluster
let store: Store
let server: TestServer

beforeAll(async () => {
  etcd = await EtcdCluster.start()
  store = openEtcdStore({ servers: etcd.urls, clock: systemClock, compactionIntervalMs: 0 })
  const gate = '--feature-gates=CBORServingAndStorage=true'
  server = await startTestServer(['--store=etcd', `--etcd-servers=${etcd.urls.join(',')}`, gate])
})

afterAll(async () => {
  await server.close()
  await store.close()
  await etcd.stop()
})

describe('answers to who accepts nothing else', () => {
  // What the choice of a route refuses is reported in what documents above versions are reported in.
  it.each([
    ['GET', '/api', 406, 'application/json'],
    ['GET', '/apis', 406, 'application/json'],
    ['GET', '/apis/apps', 406, 'application/json'],
    ['GET', '/version', 406, 'application/json'],
    ['GET', '/api/v2', 404, 'application/json'],
    ['GET', '/api/v1/pods/x', 404, 'application/json'],
    ['GET', '/api/v1/nope', 404, 'application/json'],
    ['PUT', '/api/v1/namespaces/default/pods', 405, 'application/json'],
    ['DELETE', '/api/v1/namespaces/default/bindings', 405, 'application/json'],
    ['GET', '/apis/apps/v1', 200, 'application/cbor'],
    ['GET', '/api/v1/namespaces/default/pods', 200, 'application/cbor'],
    ['GET', '/api/v1/namespaces/default/pods/none', 404, 'application/cbor'],
    ['GET', '/api/v1/namespaces/default/pods?limit=x', 400, 'application/cbor'],
  ])('%s %s', async (method, path, status, contentType) => {
    const answer = await server.call(method, path, undefined, { accept: 'application/cbor' })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, contentType])
  })
})

it('bytes are byte strings, to be shown in base64', async () => {
  const path = '/api/v1/namespaces/default/secrets'
  const secret = { metadata: { name: 'bytes', labels: { only: 'this' } }, stringData: { a: '1' } }
  expect((await server.call('POST', path, secret)).status).toBe(201)
  const many = Array.from({ length: 70 }, (_, i) => ({ metadata: { name: `other-${i}` }, stringData: { a: '1' } }))
  for (const each of many) await server.call('POST', path, each)
  const queries = ['/bytes', '?labelSelector=only%3Dthis', '', '?watch=1&timeoutSeconds=1&labelSelector=only%3Dthis']
  for (const query of queries) {
    const { body } = await server.call('GET', `${path}${query}`, undefined, { accept: 'application/cbor' })
    expect(body.toString('hex'), query).toContain('4464617461a14161d64131')
    expect(body.toString('latin1'), query).not.toContain('MQ==')
  }
})

/** As kube-apiserver v1.33 stores the object below, but for its uid and times. */
const stored =
  'd9d9f7a4446b696e644653746f7265644473706563ab41611a000111704166f93e00416901416c83014161a14162a0416da0416ef6417343c3bc004174f5427a7afb3fb9' +
  '99999999999a436269671b0020000000000001436e65673901f3486d65746164617461a6437569645824UIDUID446e616d65456279746573496e616d657370616365476465' +
  '6661756c744a67656e65726174696f6e014d6d616e616765644669656c647381a64474696d6554TIME476d616e616765724474657374486669656c64735631a146663a73706563' +
  'ac412ea043663a61a043663a66a043663a69a043663a6ca043663a6da043663a6ea043663a73a043663a74a044663a7a7aa045663a626967a045663a6e6567a0496f706572' +
  '6174696f6e465570646174654a61706956657273696f6e4863622e696f2f76314a6669656c647354797065484669656c64735631516372656174696f6e54696d657374616d' +
  '7054TIME4a61706956657273696f6e4863622e696f2f7631'

it('custom objects are stored in the bytes of the reference', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'stored.cb.io' },
    spec: {
      group: 'cb.io',
      scope: 'Namespaced',
      names: { plural: 'stored', kind: 'Stored' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
  expect(
    (await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status,
  ).toBe(201)
  const path = '/apis/cb.io/v1/namespaces/default/stored'
  await until('the resource', async () => (await server.call('GET', path)).status === 200)
  const spec =
    '{"i":1,"big":9007199254740993,"neg":-500,"f":1.5,"t":true,"n":null,"s":"ü\\u0000","l":[1,"a",{"b":{}}],"m":{},"zz":0.1,"a":70000}'
  const body = `{"apiVersion":"cb.io/v1","kind":"Stored","metadata":{"name":"bytes"},"spec":${spec}}`
  const made = await server.call('POST', path, Buffer.from(body), {
    'content-type': 'application/json',
    'user-agent': 'test/1',
  })
  expect(made.status, made.body.toString()).toBe(201)
  const { uid, creationTimestamp } = made.json().metadata
  const hex = (text: string): string => Buffer.from(text).toString('hex')
  const expected = stored.replace('UIDUID', hex(uid)).replaceAll('TIME', hex(creationTimestamp))
  const found = await store.get('/registry/cb.io/stored/default/bytes')
  const value = found.status === 'ok' ? found.entry?.value : undefined
  expect(Buffer.from(value ?? []).toString('hex')).toBe(expected)
})

it('an apiVersion that cannot be parsed is none', async () => {
  const body = { apiVersion: 'https://example.com', kind: 'ConfigMap', metadata: { name: 'no-version' } }
  const send = (type: string, bytes: Buffer) =>
    server.call('POST', '/api/v1/namespaces/default/configmaps', bytes, { 'content-type': type })
  expect((await send('application/json', Buffer.from(JSON.stringify(body)))).status).toBe(400)
  const made = await send('application/cbor', Buffer.from(encodeCbor(body)))
  expect(made.status, made.body.toString()).toBe(201)
})

/** Flags whose effect only real components show: other etcds, workers of large deletions, clients that are too slow. */
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Listener, listen } from '../../src/http/listener.ts'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { openEtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: {} })
const authority = createCertificateAuthority('authority', Date.now())
const certificate = issueCertificate(authority, {
  commonName: 'flags',
  names: ['127.0.0.1'],
  usage: 'server',
  now: Date.now(),
})

describe('--etcd-servers-overrides', () => {
  let [main, other]: (EtcdCluster | undefined)[] = []
  let server: TestServer | undefined
  beforeAll(async () => {
    ;[main, other] = await Promise.all([EtcdCluster.start(), EtcdCluster.start()])
    server = await startTestServer([
      `--etcd-servers=${main.urls.join(',')}`,
      `--etcd-servers-overrides=/configmaps#${other.urls.join(';')},apps/deployments#${other.urls.join(';')}`,
    ])
  })
  afterAll(async () => {
    await server?.close()
    await Promise.all([main?.stop(), other?.stop()])
  })

  const keysIn = async (cluster: EtcdCluster | undefined, prefix: string): Promise<string[]> => {
    const store = openEtcdStore({ servers: cluster?.urls ?? [], compactionIntervalMs: 0 })
    const found = await store.range(prefix)
    await store.close()
    return found.status === 'ok' ? found.items.map(({ key }) => key) : []
  }

  it('keeps these resources there and nowhere else, and serves them like all others', async () => {
    if (server === undefined) throw new Error('no server')
    const watch = await server.watch(`${configMaps}?watch=1&fieldSelector=metadata.name=elsewhere`)
    expect((await server.call('POST', configMaps, configMap('elsewhere'))).status).toBe(201)
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'here' } }
    expect((await server.call('POST', '/api/v1/namespaces/default/secrets', secret)).status).toBe(201)
    expect(await keysIn(other, '/registry/configmaps/default/')).toContain('/registry/configmaps/default/elsewhere')
    expect(await keysIn(main, '/registry/configmaps/')).toEqual([])
    expect(await keysIn(main, '/registry/secrets/default/')).toEqual(['/registry/secrets/default/here'])
    expect(await keysIn(other, '/registry/secrets/')).toEqual([])
    const patch = { 'content-type': 'application/merge-patch+json' }
    const patched = await server.call('PATCH', `${configMaps}/elsewhere`, { data: { a: 'b' } }, patch)
    expect(patched.json().data).toEqual({ a: 'b' })
    const list = (await server.call('GET', configMaps)).json()
    expect(list.items.map(({ metadata }: Json) => metadata.name)).toContain('elsewhere')
    expect((await server.call('DELETE', `${configMaps}/elsewhere`)).status).toBe(200)
    const events = await watch.until((seen) => seen.some(({ type }) => type === 'DELETED'))
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    watch.close()
    expect((await server.call('GET', '/readyz', undefined, { accept: '*/*' })).status).toBe(200)
  })

  it('and --watch-cache=false: what another server has written is there, however old reads may be', async () => {
    if (server === undefined) throw new Error('no server')
    const reader = await startTestServer([`--etcd-servers=${main?.urls.join(',')}`, '--watch-cache=false'])
    const secrets = '/api/v1/namespaces/default/secrets'
    for (let i = 0; i < 20; i++) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s${i}` } }
      const { metadata } = (await server.call('POST', secrets, secret)).json()
      const got = await reader.call('GET', `${secrets}/s${i}?resourceVersion=0`)
      expect([got.status, got.json().metadata.uid]).toEqual([200, metadata.uid])
      const list = (await reader.call('GET', `${secrets}?resourceVersion=0`)).json()
      expect(list.items.map((item: Json) => item.metadata.name)).toContain(`s${i}`)
    }
    const future = await reader.call('GET', `${secrets}?resourceVersion=9007199254740991`)
    expect([future.status, future.json().reason]).toEqual([504, 'Timeout'])
    await reader.close()
  })
})

describe('--delete-collection-workers', () => {
  const held: { readonly name: string; readonly response: ServerResponse; readonly uid: string }[] = []
  let hook: Server
  beforeAll(async () => {
    hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { uid, oldObject } = (JSON.parse(Buffer.concat(chunks).toString()) as Json).request
      held.push({ name: oldObject.metadata.name, response, uid })
    })
    await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  })
  afterAll(() => {
    hook.closeAllConnections()
    hook.close()
  })

  const release = ({ response, uid }: (typeof held)[number]): void =>
    void response.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }),
    )

  it.each([1, 3])('deletes %i objects at a time', async (workers) => {
    const server = await startTestServer(['--store=memory', `--delete-collection-workers=${workers}`])
    const names = Array.from({ length: 6 }, (_, i) => `c${i}`)
    for (const name of names) await server.call('POST', configMaps, configMap(name))
    const webhook = {
      name: 'hold.example.com',
      clientConfig: {
        url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
        caBundle: Buffer.from(authority.certPem).toString('base64'),
      },
      rules: [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      sideEffects: 'None',
      timeoutSeconds: 30,
      admissionReviewVersions: ['v1'],
    }
    const made = await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hold' },
      webhooks: [webhook],
    })
    expect(made.status).toBe(201)
    const deleted = server.call('DELETE', `${configMaps}?fieldSelector=metadata.name!=kube-root-ca.crt`)
    for (let left = names.length; left > 0; ) {
      const expected = Math.min(workers, left)
      await until('as many reviews as there are workers', () => held.length >= expected)
      // Whoever would come as well has had the time of two more requests.
      for (let i = 0; i < 2; i++) await server.call('GET', '/version')
      expect(held).toHaveLength(expected)
      for (const each of held.splice(0)) release(each)
      left -= expected
    }
    expect((await deleted).status).toBe(200)
    const list = (await server.call('GET', configMaps)).json()
    expect(list.items.filter(({ metadata }: Json) => names.includes(metadata.name))).toEqual([])
    await server.close()
  })
})

describe('clients that send their headers too slowly', () => {
  let listener: Listener | undefined
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await listener?.finish(0)
  })

  it.each(['plain', 'secure'])('are told so and cut off, over a %s connection', async (sort) => {
    const tls = sort === 'plain' ? undefined : { key: certificate.keyPem, cert: certificate.certPem }
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      tls,
      http2: true,
      maxStreams: 0,
      headersTimeout: 100,
      handler: (exchange) => exchange.respond(200, {}, 'answered'),
    })
    const { port } = listener
    const open = (): Socket => {
      const socket =
        sort === 'plain'
          ? connectPlainly(port, '127.0.0.1')
          : connectSecurely({ host: '127.0.0.1', port, ca: authority.certPem, ALPNProtocols: ['http/1.1'] })
      sockets.push(socket)
      return socket
    }
    const answerTo = (socket: Socket, text: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = ''
        socket.on('data', (chunk: Buffer) => {
          answer += chunk.toString()
        })
        socket.on('error', () => {})
        socket.once('close', () => resolve(answer))
        socket.write(text)
      })
    expect(await answerTo(open(), 'GET / HTTP/1.1\r\nHost: a\r\nX-Never: ends')).toMatch(/^HTTP\/1\.1 408 /)
  })
})

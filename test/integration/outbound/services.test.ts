// Webhooks that are services: which address is called, by which path, and which certificate is trusted.
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../../src/pki/certificates.ts'
import { until } from '../../support/until.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const now = Date.now()
const names = ['hook.default.svc', '127.0.0.1']
const authority = createCertificateAuthority('hooks', now)
const serving = issueCertificate(authority, { commonName: 'hook', names, usage: 'server', now })
// Not the authority: the serving certificate itself.
const caBundle = Buffer.from(serving.certPem).toString('base64')
/** Endpoints may not be loopback addresses. */
const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

let hook: Server
let lines: string[] = []
const servers: TestServer[] = []

beforeAll(async () => {
  hook = createServer({ key: serving.keyPem, cert: serving.certPem }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    lines.push(`${request.method} ${request.url?.split('?')[0]} ${request.headers.host}`)
    if (request.url?.startsWith('/moved')) {
      response.writeHead(308, { location: '/a/b' }).end()
      return
    }
    const { uid } = (JSON.parse(body) as { request: { uid: string } }).request
    response.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }),
    )
  })
  await once(hook.listen(0, '0.0.0.0'), 'listening')
})
afterEach(async () => {
  lines = []
  for (const server of servers.splice(0)) await server.close()
})
afterAll(() => {
  hook.closeAllConnections()
  hook.close()
})

const port = (): number => (hook.address() as AddressInfo).port

async function start(...flags: string[]): Promise<TestServer> {
  const server = await startTestServer(['--store=memory', ...flags])
  servers.push(server)
  return server
}

async function made(server: TestServer, path: string, body: object): Promise<void> {
  const answer = await server.call('POST', path, body)
  expect([answer.status, answer.body.toString()]).toEqual([201, expect.anything()])
}

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } }
const metadata = { name: 'hook' }
const endpoints = (subsets: object[]) => ({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets })
const slice = (ready: boolean) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
  addressType: 'IPv4',
  ports: [{ name: '', port: port() }],
  endpoints: [{ addresses: [address], conditions: { ready } }],
})
const webhook = (clientConfig: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata,
  webhooks: [
    {
      name: 'hook.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 1,
      clientConfig: { caBundle, ...clientConfig },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    },
  ],
})
const core = '/api/v1/namespaces/default'

/** The answer to a create once the webhook counts. */
async function created(server: TestServer): Promise<string> {
  let message = ''
  let count = 0
  await until('the webhook to count', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${count++}` } }
    const answer = await server.call('POST', `${core}/configmaps`, body)
    message = answer.status === 201 ? 'fine' : answer.json().message
    return answer.status !== 201 || lines.length > 0
  })
  return message
}

describe.skipIf(address === undefined)('a webhook that is a service', () => {
  const ready = () => endpoints([{ addresses: [{ ip: address }], ports: [{ port: port() }] }])
  const waiting = () => endpoints([{ notReadyAddresses: [{ ip: address }], ports: [{ port: port() }] }])
  /** Nobody is there; how that shows depends on the network. */
  const clusterAddress = /Post "https:\/\/hook\.default\.svc:443\/\?timeout=1s": (?!no endpoints)/
  const nowhere = 'Post "https://hook.default.svc:443/?timeout=1s": no endpoints available for service "hook"'
  const routing = '--enable-aggregator-routing'

  it.each<[string, string[], () => object[], string | RegExp]>([
    ['is reached by its endpoints', [], () => [ready()], 'fine'],
    ['is reached by its slices', [], () => [slice(true)], 'fine'],
    ['is reached by its cluster address without endpoints', [], () => [], clusterAddress],
    ['is reached by its cluster address while nothing is ready', [], () => [waiting()], clusterAddress],
    ['is reached by endpoints when asked for', [routing], () => [ready()], 'fine'],
    ['is reached nowhere without endpoints when they are asked for', [routing], () => [waiting()], nowhere],
    ['is reached by its cluster address when asked for', [`${routing}=false`], () => [ready()], clusterAddress],
  ])('%s', async (_, flags, objects, expected) => {
    const server = await start(...flags)
    await made(server, `${core}/services`, service)
    for (const object of objects()) {
      const { kind } = object as { kind: string }
      const path =
        kind === 'Endpoints' ? `${core}/endpoints` : '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
      await made(server, path, object)
    }
    const clientConfig = { service: { namespace: 'default', name: 'hook' } }
    await made(server, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', webhook(clientConfig))
    expect(await created(server)).toMatch(expected)
    expect(lines[0]).toBe(expected === 'fine' ? 'POST / hook.default.svc:443' : undefined)
  })
})

describe('the path of a webhook', () => {
  it.each([
    ['//a', ['/a']],
    ['/a//b', ['/a/b']],
    ['/a/', ['/a']],
    ['/a%2Fb', ['/a/b']],
    ['', ['/']],
    ['/moved', ['/moved', '/a/b']],
  ])('%j', async (path, expected) => {
    const server = await start()
    const url = `https://127.0.0.1:${port()}${path}`
    await made(server, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', webhook({ url }))
    expect(await created(server)).toBe('fine')
    const called = expected.map((each) => `POST ${each} 127.0.0.1:${port()}`)
    expect(lines).toEqual(called)
  })
})

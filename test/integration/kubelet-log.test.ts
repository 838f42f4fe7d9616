// Logs come from a kubelet: a real HTTPS server here. What it refuses comes back as a Status of this server.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const now = Date.now()
const serving = issueCertificate(createCertificateAuthority('kubelets', now), {
  commonName: 'kubelet',
  usage: 'server',
  names: ['127.0.0.1'],
  now,
})
const answers: Record<string, readonly [status: number, text: string]> = {
  fine: [200, 'one line\nanother\n'],
  gone: [404, 'container not found'],
  bad: [400, 'container is waiting'],
  broken: [500, 'out of order'],
  busy: [503, 'later'],
}
const kubelet = createServer({ cert: serving.certPem, key: serving.keyPem }, (request, response) => {
  const [status, text] = answers[request.url?.split(/[/?]/)[4] ?? ''] ?? [418, '']
  response.writeHead(status, { 'content-type': 'text/html', 'x-own': 'kubelet' }).end(text)
})
let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve))
  server = await startTestServer(['--store', 'memory', '--disable-admission-plugins', 'ServiceAccount'])
  await addNode('near', (kubelet.address() as AddressInfo).port)
  await addNode('far', 1)
  await addPod('a', 'near', Object.keys(answers))
  await addPod('b', 'far', ['fine'])
})

afterAll(async () => {
  await server.close()
  kubelet.close()
})

async function addNode(name: string, port: number): Promise<void> {
  await server.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } })
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }]
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } }
  const type = { 'content-type': 'application/merge-patch+json' }
  const written = await server.call('PATCH', `/api/v1/nodes/${name}/status`, { status }, type)
  expect(written.status).toBe(200)
}

async function addPod(name: string, nodeName: string, containers: readonly string[]): Promise<void> {
  const spec = {
    nodeName,
    containers: containers.map((container) => ({ name: container, image: 'x' })),
  }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }
  const written = await server.call('POST', '/api/v1/namespaces/default/pods', pod)
  expect([written.status, written.body.toString()]).toEqual([201, expect.anything()])
}

const log = (pod: string, container: string) =>
  server.call('GET', `/api/v1/namespaces/default/pods/${pod}/log?container=${container}`)

it('sends the log on as plain text', async () => {
  const answer = await log('a', 'fine')
  expect([answer.status, answer.headers['content-type'], answer.headers['x-own']]).toEqual([
    200,
    'text/plain',
    undefined,
  ])
  expect(answer.body.toString()).toBe('one line\nanother\n')
})

it.each([
  ['bad', { code: 400, reason: 'BadRequest', message: 'container is waiting' }],
  [
    'gone',
    {
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource ( pods/log a)',
      details: { name: 'a', kind: 'pods/log' },
    },
  ],
  ['broken', { code: 500, reason: 'InternalError', message: 'Internal error occurred: out of order' }],
  [
    'busy',
    {
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'the server is currently unable to handle the request ( pods/log a)',
    },
  ],
])('tells of a kubelet that refuses: %s', async (container, expected) => {
  const answer = await log('a', container)
  expect(answer.status).toBe(expected.code)
  expect(answer.json()).toMatchObject({ kind: 'Status', ...expected })
})

it('tells of a kubelet that cannot be reached', async () => {
  const message =
    'Get "https://127.0.0.1:1/containerLogs/default/b/fine": dial tcp 127.0.0.1:1: connect: connection refused'
  const answer = await log('b', 'fine')
  expect(answer.json()).toMatchObject({ code: 500, message })
  expect(answer.json()).not.toHaveProperty('reason')
})

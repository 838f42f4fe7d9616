// A server whose own connections all go through proxies: to a kubelet, to webhooks, to an aggregated server and to etcd.
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { konnectivityDial } from '../../../src/outbound/konnectivity-dial.ts'
import { EtcdCluster } from '../../contract/store/etcd-process.ts'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { CertificateFolder } from './certificates.ts'
import { ConnectProxyServer } from './connect-proxy.ts'
import { KonnectivityServer } from './konnectivity-server.ts'

const folder = new CertificateFolder()
const authority = folder.authority('servers')
const serving = folder.issue(authority, '/CN=server', {
  extensions: ['subjectAltName=IP:127.0.0.1,DNS:hook.default.svc'],
})
const asked: string[] = []
/** A kubelet, a webhook, and everything else that the server wants to reach. */
const backend = createServer({ key: serving.key, cert: serving.certificate }, async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  asked.push(`${request.method} ${request.url?.split('?')[0]}`)
  if (request.url?.startsWith('/containerLogs')) return response.end('a line\n')
  if (request.method === 'GET') return response.end('{}')
  const review = JSON.parse(Buffer.concat(chunks).toString())
  if (review.kind === 'TokenReview') {
    return response.end(JSON.stringify({ ...review, status: { authenticated: true, user: { username: 'ann' } } }))
  }
  const answer = { uid: review.request.uid, allowed: true }
  return response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }))
})
const konnectivity = new KonnectivityServer()
const proxy = new ConnectProxyServer(serving)
const port = (): number => (backend.address() as AddressInfo).port
const target = (): string => `127.0.0.1:${port()}`
const egressFile = (selections: object): string =>
  folder.file(
    'egress.yaml',
    JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: Object.entries(selections).map(([name, connection]) => ({ name, connection })),
    }),
  )
const tls = () => ({
  caBundle: folder.file('ca.pem', authority.certificate),
  clientCert: folder.file('client.pem', serving.certificate),
  clientKey: folder.file('client.key', serving.key),
})
const socketPath = join(folder.folder, 'konnectivity.sock')

let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve))
  await konnectivity.start(socketPath)
  await proxy.start()
  const cluster = { server: `https://${target()}/review`, 'certificate-authority': tls().caBundle }
  const selections = {
    cluster: { proxyProtocol: 'GRPC', transport: { uds: { udsName: socketPath } } },
    controlplane: { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: proxy.url, tlsConfig: tls() } } },
  }
  server = await startTestServer([
    '--store=memory',
    `--egress-selector-config-file=${egressFile(selections)}`,
    `--kubelet-certificate-authority=${tls().caBundle}`,
    `--authentication-token-webhook-config-file=${folder.file('kubeconfig', kubeconfigFor(cluster))}`,
    '--disable-admission-plugins=ServiceAccount',
  ])
})
afterAll(async () => {
  await server.close()
  konnectivity.close()
  proxy.close()
  backend.closeAllConnections()
  backend.close()
  folder.close()
})

describe('konnectivityDial', () => {
  it('carries data both ways, large and small, and closes in good order', async () => {
    const echo = createTcpServer((socket) => socket.pipe(socket))
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const socket = await konnectivityDial(socketPath)('127.0.0.1', (echo.address() as AddressInfo).port)
    const sent = Buffer.alloc(1_000_000, 'pilot')
    const before = konnectivity.closed
    socket.write(sent)
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer])
      if (received.length === sent.length) break
    }
    expect(received.equals(sent)).toBe(true)
    await expect.poll(() => konnectivity.closed).toBe(before + 1)
    echo.close()
  })
  it('says what is not there', async () => {
    await expect(konnectivityDial(socketPath)('127.0.0.1', 1)).rejects.toThrow('ECONNREFUSED')
    await expect(konnectivityDial(`${socketPath}.none`)('127.0.0.1', 1)).rejects.toMatchObject({ stage: 'connect' })
  })
})

describe('the egress of a server', () => {
  it('goes to kubelets through the cluster network', async () => {
    const node = {
      metadata: { name: 'n' },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port() } },
      },
    }
    await server.call('POST', '/api/v1/nodes', node)
    await server.call(
      'PATCH',
      '/api/v1/nodes/n/status',
      { status: node.status },
      {
        'content-type': 'application/merge-patch+json',
      },
    )
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }
    expect((await server.call('POST', '/api/v1/namespaces/default/pods', pod)).status).toBe(201)
    const logs = await server.call('GET', '/api/v1/namespaces/default/pods/p/log', undefined, { accept: '*/*' })
    expect(logs.body.toString()).toBe('a line\n')
    expect(konnectivity.targets).toContain(target())
  })
  it.each<[string, () => readonly string[], (address: number) => object]>([
    ['URLs through the control plane', () => proxy.targets, (at) => ({ url: `https://127.0.0.1:${at}/hook` })],
    [
      'services through the cluster network',
      () => konnectivity.targets,
      () => ({ service: { namespace: 'default', name: 'hook', path: '/service' } }),
    ],
  ])('goes to webhooks at %s', async (_, targets, clientConfig) => {
    const ports = [{ port: 443, targetPort: port() }]
    const service = { metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName: '127.0.0.1', ports } }
    await server.call('POST', '/api/v1/namespaces/default/services', service)
    const caBundle = Buffer.from(authority.certificate).toString('base64')
    const webhook = {
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { caBundle, ...withPort(clientConfig(port())) },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    }
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    expect((await server.call('POST', path, webhook)).status).toBe(201)
    const before = targets().length
    const created = await server.call('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { generateName: 'c-' },
    })
    expect(created.status, created.body.toString()).toBe(201)
    expect(targets().slice(before)).toEqual([target()])
    await server.call('DELETE', `${path}/hook`)
  })
  it('goes to the token webhook through the control plane', async () => {
    const before = proxy.targets.length
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'some-token' } }
    const answer = await server.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)
    expect(answer.json().status).toMatchObject({ authenticated: true, user: { username: 'ann' } })
    expect(proxy.targets.slice(before)).toEqual([target()])
  })
  it('goes to aggregated servers through the cluster network', async () => {
    const service = {
      metadata: { name: 'v1.there.example.com' },
      spec: {
        group: 'there.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'hook', port: port() },
      },
    }
    const before = konnectivity.targets.length
    await server.call('POST', '/apis/apiregistration.k8s.io/v1/apiservices', service)
    await expect.poll(() => asked).toContain('GET /apis/there.example.com/v1')
    expect(konnectivity.targets.slice(before)).toContain(target())
    await server.call('DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1.there.example.com')
  })
  it('is counted', async () => {
    const page = (await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString()
    expect(page).toMatch(/apiserver_egress_dialer_dial_start_total\{protocol="grpc",transport="uds"\} [1-9]/)
    expect(page).toMatch(
      /apiserver_egress_dialer_dial_duration_seconds_count\{protocol="http_connect",transport="tcp"\} [1-9]/,
    )
  })
})

const withPort = (config: object): object =>
  'service' in config ? { service: { ...(config.service as object), port: port() } } : config

describe('the egress to etcd', () => {
  it('goes through a proxy on a unix socket, with TLS end to end', async () => {
    const relay = new ConnectProxyServer()
    const path = join(folder.folder, 'etcd-proxy.sock')
    await relay.start(path)
    const files = tls()
    const etcd = await EtcdCluster.start(1, { ca: files.caBundle, cert: files.clientCert, key: files.clientKey })
    const selections = { etcd: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: path } } } }
    try {
      const stored = await startTestServer([
        `--etcd-servers=${etcd.urls.join(',')}`,
        `--etcd-cafile=${files.caBundle}`,
        `--etcd-certfile=${files.clientCert}`,
        `--etcd-keyfile=${files.clientKey}`,
        `--egress-selector-config-file=${egressFile(selections)}`,
      ])
      const created = await stored.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'kept' } })
      expect(created.status).toBe(201)
      expect(relay.targets).toContain(new URL(etcd.urls[0] ?? '').host)
      await stored.close()
    } finally {
      await etcd.stop()
      relay.close()
    }
  })
})

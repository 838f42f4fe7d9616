// Connections that upgrade go through to other API servers: a watch over a WebSocket of a second Pilothouse, and any
// protocol of a server that speaks one of its own.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createServer, request as httpsRequest, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { until } from '../support/until.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'upgrades-'))
const authority = createCertificateAuthority('front proxies', Date.now())
const shown = issueCertificate(authority, { commonName: 'front', usage: 'client', now: Date.now() })
const token = 'ann-is-here'

const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

let near: TestServer

beforeAll(async () => {
  near = await startTestServer([
    '--store=memory',
    '--authorization-mode=AlwaysAllow',
    `--token-auth-file=${file('tokens.csv', `${token},ann,ann-uid,"makers"\n`)}`,
    `--proxy-client-cert-file=${file('front.crt', shown.certPem)}`,
    `--proxy-client-key-file=${file('front.key', shown.keyPem)}`,
  ])
})

afterAll(async () => {
  await near.close()
  rmSync(folder, { recursive: true })
})

/** Lets the near server pass a group on to a port of this machine. */
async function aggregate(group: string, port: number): Promise<void> {
  const name = group.split('.')[0]
  await near.call('POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { type: 'ExternalName', externalName: '127.0.0.1' },
  })
  await near.call('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { name, namespace: 'default', port },
    },
  })
  const service = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`
  await until(`${group} to be available`, async () =>
    (await near.call('GET', service))
      .json()
      .status?.conditions?.some((each: { status: string }) => each.status === 'True'),
  )
}

interface Outcome {
  readonly response: IncomingMessage
  /** Absent when the answer was not to upgrade. */
  readonly socket?: Duplex
  readonly head?: Buffer
}

/** Asks the near server, as ann, to upgrade. */
function upgrade(path: string, headers: Record<string, string>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(near.url)
    const all = { authorization: `Bearer ${token}`, connection: 'Upgrade', ...headers }
    const request = httpsRequest({ hostname, port, path, headers: all, agent: false, rejectUnauthorized: false })
    request.on('error', reject)
    request.on('response', (response) => resolve({ response }))
    request.on('upgrade', (response, socket, head) => resolve({ response, socket, head }))
    request.end()
  })
}

/** All that comes until the other side is done. */
async function everything(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('a second Pilothouse', () => {
  const group = 'far.example.com'
  let far: TestServer

  beforeAll(async () => {
    far = await startTestServer([
      '--store=memory',
      '--authorization-mode=AlwaysAllow',
      `--requestheader-client-ca-file=${file('ca.crt', authority.certPem)}`,
      '--requestheader-allowed-names=front',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
    ])
    await far.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    await until('the far resource', async () => (await far.call('GET', `/apis/${group}/v1/things`)).status === 200)
    await aggregate(group, Number(new URL(far.url).port))
  })

  afterAll(() => far.close())

  it('is watched over a WebSocket', async () => {
    const { response, socket, head } = await upgrade(`/apis/${group}/v1/things?watch=1`, {
      upgrade: 'websocket',
      origin: 'https://example.com',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.from('sixteen bytes ok').toString('base64'),
    })
    expect(response.statusCode).toBe(101)
    if (socket === undefined) throw new Error('the connection was not upgraded')
    let seen = head?.toString('latin1') ?? ''
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1')
    })
    const made = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'seen-from-afar' } }
    await near.call('POST', `/apis/${group}/v1/namespaces/default/things`, made)
    await until('the event', () => seen.includes('"type":"ADDED"') && seen.includes('seen-from-afar'))
    socket.destroy()
  })
})

describe('a server with a protocol of its own', () => {
  const group = 'echo.example.com'
  const certificate = issueCertificate(authority, {
    commonName: 'echo',
    names: ['127.0.0.1'],
    usage: 'server',
    now: Date.now(),
  })
  let server: Server
  let headers: IncomingHttpHeaders = {}
  let backend: Duplex | undefined

  const discovery = {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/v1`,
    resources: [{ name: 'rooms', singularName: 'room', namespaced: true, kind: 'Room', verbs: ['get'] }],
  }

  /** Says what it is reported; `refused` is refused, `kept` is refused on a connection that stays, and `farewell` gets a word and the end. */
  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    ;({ headers } = request)
    backend = socket
    socket.on('error', () => {})
    if (request.url?.includes('kept')) {
      socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret'))
      return
    }
    if (request.url?.includes('refused')) {
      const chunked = 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\nX-Why: because\r\n\r\n'
      socket.end(`${chunked}4\r\nnot \r\n4\r\nyou!\r\n0\r\n\r\n`)
      return
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
    if (request.url?.includes('farewell')) {
      socket.end('so long')
      return
    }
    socket.write(head)
    socket.pipe(socket)
  }

  beforeAll(async () => {
    server = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
      const isDiscovery = request.url === `/apis/${group}/v1`
      response.writeHead(isDiscovery ? 200 : 404, { 'content-type': 'application/json' })
      response.end(isDiscovery ? JSON.stringify(discovery) : '{}')
    })
    server.on('upgrade', onUpgrade)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    await aggregate(group, (server.address() as AddressInfo).port)
  })

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const room = (name: string): string => `/apis/${group}/v1/namespaces/default/rooms/${name}`

  it('is joined with the client, both ways, as who the client is', async () => {
    const { response, socket, head } = await upgrade(room('a/connect'), { upgrade: 'SPDY/3.1', 'x-stream': 'yes' })
    expect([response.statusCode, response.headers.upgrade]).toEqual([101, 'SPDY/3.1'])
    expect(headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream': 'yes', 'x-remote-user': 'ann' })
    expect(headers['x-remote-group']).toContain('makers')
    expect(headers.authorization).toBeUndefined()
    if (socket === undefined) throw new Error('the connection was not upgraded')
    const sent = Buffer.alloc(512 * 1024, 'there and back ')
    const received: Buffer[] = [head ?? Buffer.alloc(0)]
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.write(sent)
    const count = (): number => received.reduce((sum, each) => sum + each.length, 0)
    await until('all of it', () => count() >= sent.length)
    expect(Buffer.concat(received).equals(sent)).toBe(true)
    socket.destroy()
    await until('the other end to hear of it', () => backend?.destroyed)
  })

  it('has the connection on which it refused to itself', async () => {
    const { response } = await upgrade(room('c/kept'), { upgrade: 'SPDY/3.1' })
    response.resume()
    expect(response.statusCode).toBe(403)
    expect((await near.call('GET', room('c'))).body.toString()).toBe('{}')
  })

  it('ends the connection when it is done, and all that it said arrives', async () => {
    const { response, socket, head } = await upgrade(room('b/farewell'), { upgrade: 'SPDY/3.1' })
    expect(response.statusCode).toBe(101)
    if (socket === undefined) throw new Error('the connection was not upgraded')
    expect(`${head ?? ''}${await everything(socket)}`).toBe('so long')
  })

  it('may refuse', async () => {
    const { response, socket } = await upgrade(room('c/refused'), { upgrade: 'SPDY/3.1' })
    expect([response.statusCode, response.headers['x-why'], socket]).toEqual([403, 'because', undefined])
    expect(String(await everything(response))).toBe('not you!')
  })

  it('is missed when it has gone', async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const { response } = await upgrade(room('d/connect'), { upgrade: 'SPDY/3.1' })
    expect(response.statusCode).toBe(503)
    // Which of the two depends on whether this was noticed before anybody asked.
    expect(String(await everything(response))).toMatch(
      /^(error dialing backend: dial tcp 127\.0\.0\.1:\d+: connect: connection refused|service unavailable)\n$/,
    )
  })
})

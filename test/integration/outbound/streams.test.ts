// exec and port-forward over WebSockets, for a kubelet that speaks nothing but SPDY.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { constants, createInflate } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spdyDictionary } from '../../../src/outbound/spdy/spdy-dictionary.ts'
import { dataFrameHeader, SpdyFrameReader } from '../../../src/outbound/spdy/spdy-frames.ts'
import { createCertificateAuthority, issueCertificate } from '../../../src/pki/certificates.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const now = Date.now()
const serving = issueCertificate(createCertificateAuthority('kubelets', now), {
  commonName: 'kubelet',
  usage: 'server',
  names: ['127.0.0.1'],
  now,
})
const exitStatus = {
  metadata: {},
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: '3' }] },
}
let seen: string[] = []

/** Echoes stdin, then ends with an exit code; what is forwarded to ports is echoed as raw bytes. */
const kubelet = createServer({ cert: serving.certPem, key: serving.keyPem }, (_, response) =>
  response.writeHead(404).end('no such container'),
)
kubelet.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
  const offered = String(request.headers['x-stream-protocol-version'])
  const protocol = request.url?.startsWith('/portForward') ? 'portforward.k8s.io' : 'v4.channel.k8s.io'
  seen.push(`${request.method} ${request.headers.upgrade} ${offered}`)
  if (request.url?.includes('/refusing')) {
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nConnection: close\r\n\r\ngone\n')
    return
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  )
  if (request.url?.startsWith('/portForward')) socket.pipe(socket)
  else void serveExec(socket)
})

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const synReply = (id: number): Buffer => Buffer.concat([Buffer.from([0x80, 3, 0, 2, 0, 0, 0, 4]), uint32(id)])

async function serveExec(socket: Duplex): Promise<void> {
  const inflate = createInflate({ dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH })
  const streams = new Map<string, number>()
  const write = (name: string, text: string | Buffer, flags = 0): void => {
    const bytes = Buffer.from(text)
    socket.write(Buffer.concat([dataFrameHeader(streams.get(name) ?? 0, flags, bytes.length), bytes]))
  }
  const syns: { id: number; block: Buffer }[] = []
  let isReading = false
  const readHeaders = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    for (let syn = syns.shift(); syn !== undefined; syn = syns.shift()) {
      inflate.write(syn.block)
      const [headers] = (await once(inflate, 'data')) as [Buffer]
      streams.set(headers.toString('latin1').match(/(error|stdin|stdout|stderr|resize)$/)?.[1] ?? '', syn.id)
      socket.write(synReply(syn.id))
    }
    isReading = false
  }
  const reader = new SpdyFrameReader((frame) => {
    if (frame.kind === 'control') {
      if (frame.type === 1) {
        syns.push({ id: frame.payload.readUInt32BE(0), block: Buffer.from(frame.payload.subarray(10)) })
        void readHeaders()
      }
      return
    }
    if (frame.streamId === streams.get('resize')) seen.push(`resize ${frame.payload.toString().trim()}`)
    if (frame.streamId !== streams.get('stdin')) return
    if (frame.payload.length > 0) write('stdout', frame.payload)
    if (frame.flags !== 1) return
    if (streams.has('stderr')) write('stderr', 'over\n', 1)
    write('stdout', '', 1)
    write('error', JSON.stringify(exitStatus), 1)
  })
  socket.on('data', (chunk: Buffer) => reader.take(chunk))
  socket.on('error', () => socket.destroy())
}

const folder = mkdtempSync(join(tmpdir(), 'streams-'))
const token = 'ann-is-here'
let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve))
  const tokens = join(folder, 'tokens.csv')
  writeFileSync(tokens, `${token},ann,ann-uid\n`)
  server = await startTestServer([
    ...['--store', 'memory', '--disable-admission-plugins', 'ServiceAccount'],
    ...['--authorization-mode', 'AlwaysAllow', '--token-auth-file', tokens],
  ])
  await server.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
  }
  await server.call('PATCH', '/api/v1/nodes/n/status', { status }, { 'content-type': 'application/merge-patch+json' })
  for (const name of ['p', 'refusing']) {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'x' }] }
    await server.call('POST', '/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec,
    })
  }
})
afterAll(async () => {
  await server.close()
  kubelet.closeAllConnections()
  kubelet.close()
  rmSync(folder, { recursive: true })
})

interface Client {
  readonly response: IncomingMessage
  readonly socket: Duplex
  /** All messages until the server closes. */
  readonly messages: Promise<Buffer[]>
}

async function connect(path: string, protocol: string): Promise<Client> {
  const { hostname, port } = new URL(server.url)
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': protocol,
  }
  const request = httpsRequest({ host: hostname, port, path, headers, rejectUnauthorized: false, agent: false })
  request.end()
  const [response, socket, head] = (await Promise.race([
    once(request, 'upgrade'),
    once(request, 'response').then(([refused]) => {
      throw new Error(`status ${(refused as IncomingMessage).statusCode}`)
    }),
  ])) as [IncomingMessage, Duplex, Buffer]
  socket.unshift(head)
  return { response, socket, messages: messagesOf(socket) }
}

/** The server's frames are whole messages, without masks. */
async function messagesOf(socket: Duplex): Promise<Buffer[]> {
  const messages: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2) {
      const short = (rest[1] as number) & 0x7f
      const begin = short === 126 ? 4 : short === 127 ? 10 : 2
      const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short
      if (rest.length < begin + length) break
      if (((rest[0] as number) & 0x0f) === 2) messages.push(Buffer.from(rest.subarray(begin, begin + length)))
      rest = rest.subarray(begin + length)
    }
  }
  return messages
}

/** One masked message. */
function message(payload: Buffer): Buffer {
  const mask = randomBytes(4)
  const masked = Buffer.from(payload.map((byte, i) => byte ^ (mask[i & 3] as number)))
  const header =
    payload.length < 126
      ? Buffer.of(0x82, 0x80 | payload.length)
      : Buffer.concat([Buffer.of(0x82, 0xff), Buffer.alloc(4), uint32(payload.length)])
  return Buffer.concat([header, mask, masked])
}
const onChannel = (channel: number, text: string | Buffer): Buffer =>
  message(Buffer.concat([Buffer.of(channel), Buffer.from(text)]))
const closed = Buffer.of(0x88, 0x80, 0, 0, 0, 0)

const core = '/api/v1/namespaces/default/pods'
const textOf = (messages: Buffer[], channel: number): string =>
  messages
    .filter((each) => each[0] === channel)
    .map((each) => each.subarray(1).toString())
    .join('')

describe('exec over a WebSocket of version 5', () => {
  const path = (more = ''): string => `${core}/p/exec?command=cat&stdin=true&stdout=true${more}`

  it('reaches a kubelet that speaks SPDY', async () => {
    seen = []
    const { response, socket, messages } = await connect(path('&stderr=true'), 'v5.channel.k8s.io,v4.channel.k8s.io')
    expect(response.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io')
    const large = randomBytes(300_000).toString('base64')
    socket.write(onChannel(0, 'hello '))
    socket.write(onChannel(0, large))
    socket.write(message(Buffer.of(255, 0)))
    const all = await messages
    expect(all[0]).toEqual(Buffer.of(1))
    expect(textOf(all, 1)).toBe(`hello ${large}`)
    expect(textOf(all, 2)).toBe('over\n')
    expect(JSON.parse(textOf(all, 3))).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code: command terminated with exit code 3',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    })
    expect(seen).toEqual([
      'POST SPDY/3.1 v5.channel.k8s.io, v4.channel.k8s.io, v3.channel.k8s.io, v2.channel.k8s.io, channel.k8s.io',
    ])
  })

  it('passes sizes of the terminal on', async () => {
    seen = []
    const { socket, messages } = await connect(path('&tty=true'), 'v5.channel.k8s.io')
    socket.write(onChannel(4, '{"Width":80,"Height":24}'))
    socket.write(onChannel(0, 'x'))
    socket.write(message(Buffer.of(255, 0)))
    expect(textOf(await messages, 1)).toBe('x')
    expect(seen).toContain('resize {"Width":80,"Height":24}')
  })

  it('tells on the error channel what the kubelet refuses', async () => {
    const { messages } = await connect(`${core}/refusing/exec?command=cat&stdout=true`, 'v5.channel.k8s.io')
    expect(JSON.parse(textOf(await messages, 3))).toMatchObject({
      status: 'Failure',
      code: 500,
      message: 'Internal error occurred: unable to upgrade connection: gone',
    })
  })

  it('is counted', async () => {
    const text = (await server.call('GET', '/metrics')).body.toString()
    expect(text).toMatch(/^apiserver_stream_translator_requests_total\{code="200"\} 2$/m)
    expect(text).toMatch(/^apiserver_stream_translator_requests_total\{code="500"\} 1$/m)
  })
})

describe('port-forward through a WebSocket', () => {
  const protocol = 'SPDY/3.1+portforward.k8s.io'

  it('carries the bytes of a SPDY connection both ways', async () => {
    seen = []
    const { response, socket, messages } = await connect(`${core}/p/portforward`, protocol)
    expect(response.headers['sec-websocket-protocol']).toBe(protocol)
    const bytes = randomBytes(200_000)
    socket.write(message(bytes.subarray(0, 100)))
    socket.write(message(bytes.subarray(100)))
    socket.write(closed)
    const echoed = Buffer.concat(await messages)
    expect(bytes.subarray(0, echoed.length).equals(echoed)).toBe(true)
    expect(seen).toEqual(['POST SPDY/3.1 portforward.k8s.io'])
    const text = (await server.call('GET', '/metrics')).body.toString()
    expect(text).toMatch(/^apiserver_stream_tunnel_requests_total\{code="101"\} 1$/m)
  })

  it('passes on what the kubelet refuses', async () => {
    await expect(connect(`${core}/refusing/portforward`, protocol)).rejects.toThrow('status 404')
  })
})

// The client's credentials end at this server, whatever the destination is; everything else goes on.
import { once } from 'node:events'
import http, { type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Http1Exchange } from '../../http/http1-exchange.ts'
import { Transport } from '../../outbound/transport.ts'
import { type Forwarding, forward } from './forward.ts'

let seen: IncomingHttpHeaders = {}
const destination = http.createServer((request, response) => {
  seen = request.headers
  const { 'x-redirect': location, 'x-page': page, 'x-switch': protocol } = request.headers
  if (protocol !== undefined) {
    const upgrade = protocol === '' ? '' : `Connection: Upgrade\r\nUpgrade: ${String(protocol)}\r\n`
    response.socket?.end(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\n`)
    return
  }
  if (page !== undefined) {
    const html = '<a href="/x">x</a>'
    const packed = page === 'gzip' ? gzipSync(html) : Buffer.from(html)
    const encoding = page === '' ? {} : { 'content-encoding': String(page) }
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': packed.length, ...encoding }).end(packed)
    return
  }
  if (location !== undefined)
    response.writeHead(302, { location: String(location), 'access-control-allow-origin': '*' })
  response.end('there')
})
destination.on('upgrade', (request, socket: Duplex) => {
  seen = request.headers
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
})
const peer = { remoteAddress: '127.0.0.1', certificates: () => [] }
const to = (port: number): Forwarding => ({
  transport: new Transport(),
  destination: { scheme: 'http', host: '127.0.0.1', port, path: '/' },
})
let more: Partial<Forwarding> = {}
const pass = (exchange: Http1Exchange): void => {
  const { port } = destination.address() as AddressInfo
  void forward(exchange, { ...to(port), ...more })
}
const front = http.createServer((request, response) => pass(new Http1Exchange(request, response, peer)))
front.on('upgrade', (request, socket, head) => {
  pass(new Http1Exchange(request, new http.ServerResponse(request), peer, { socket, head }))
})

beforeAll(async () => {
  for (const server of [destination, front]) await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  for (const server of [front, destination]) server.close()
})

const ask = (headers: Record<string, string>): http.ClientRequest =>
  http.get({ port: (front.address() as AddressInfo).port, host: '127.0.0.1', headers, agent: false })

it('keeps tokens and impersonation back', async () => {
  const request = ask({
    authorization: 'Bearer secret',
    'impersonate-user': 'boss',
    'Impersonate-Extra-a': 'b',
    'x-a': '1',
  })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(response.statusCode).toBe(200)
  response.resume()
  expect(seen).toMatchObject({ 'x-a': '1' })
  expect(Object.keys(seen).filter((name) => /authorization|impersonate/.test(name))).toEqual([])
})

it.each([
  ['a=1; __Host-pilothouse-console-6443=secret; b=2', 'a=1; b=2'],
  ['pilothouse-console-6443=secret', undefined],
])('keeps the session of the console back: %s', async (cookie, left) => {
  const [response] = (await once(ask({ cookie }), 'response')) as [http.IncomingMessage]
  response.resume()
  expect(seen.cookie).toBe(left)
})

it('keeps headers of the connection back', async () => {
  const [response] = (await once(ask({ connection: 'close, X-Hop', 'x-hop': '1', 'x-a': '1' }), 'response')) as [
    http.IncomingMessage,
  ]
  response.resume()
  expect(seen).toMatchObject({ 'x-a': '1' })
  expect(seen['x-hop']).toBeUndefined()
})

it('keeps a token back that comes as a protocol', async () => {
  const protocols = 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v5.channel.k8s.io'
  const request = ask({ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': protocols })
  const [, socket] = (await once(request, 'upgrade')) as [http.IncomingMessage, Duplex]
  socket.destroy()
  expect(seen['sec-websocket-protocol']).toBe('v5.channel.k8s.io')
})

it('says so when nobody is there to upgrade', async () => {
  const nobody = http.createServer()
  await once(nobody.listen(0, '127.0.0.1'), 'listening')
  const { port } = nobody.address() as AddressInfo
  await once(nobody.close(), 'close')
  const request = new http.IncomingMessage(null as unknown as Socket)
  request.headers = { connection: 'keep-alive, Upgrade', upgrade: 'SPDY/3.1' }
  request.httpVersion = '1.1'
  const exchange = new Http1Exchange(request, new http.ServerResponse(request), peer)
  await expect(forward(exchange, to(port))).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining('error dialing backend'),
  })
})

const redirected = async (location: string, forwarding: Partial<Forwarding>): Promise<http.IncomingMessage> => {
  more = forwarding
  const [response] = (await once(ask({ 'x-redirect': location }), 'response')) as [http.IncomingMessage]
  response.resume()
  more = {}
  return response
}
const proxied = { prefix: '/api/v1/namespaces/a/pods/b/proxy', scheme: '', host: '' }

it('names the client, and where the destination seems to be', async () => {
  more = { front: proxied }
  const [response] = (await once(ask({ 'x-forwarded-for': '1.2.3.4', te: 'trailers' }), 'response')) as [
    http.IncomingMessage,
  ]
  response.resume()
  more = {}
  expect(seen).toMatchObject({
    'x-forwarded-for': '1.2.3.4, 127.0.0.1',
    'x-forwarded-uri': `${proxied.prefix}/`,
    te: 'trailers',
  })
  expect(seen).not.toHaveProperty('x-forwarded-host')
})

it.each([
  ['/x?y=1', `${proxied.prefix}/x?y=1`],
  ['/x/', `${proxied.prefix}/x/`],
  ['x', 'x'],
  ['https://example.com/x', 'https://example.com/x'],
  [`${proxied.prefix}/x`, `${proxied.prefix}/x`],
])('leads a redirect to %s through the proxy', async (location, expected) => {
  const { headers } = await redirected(location, { front: proxied })
  expect(headers.location).toBe(expected)
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})

it.each([
  ['', `<a href="${proxied.prefix}/x">x</a>`],
  ['gzip', `<a href="${proxied.prefix}/x">x</a>`],
  ['br', '<a href="/x">x</a>'],
])('leads the links of a page in %j through the proxy', async (encoding, expected) => {
  more = { front: proxied }
  const [response] = (await once(ask({ 'x-page': encoding }), 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  more = {}
  const body = Buffer.concat(chunks)
  expect((encoding === 'gzip' ? gunzipSync(body) : body).toString()).toBe(expected)
})

it.each([
  ['', 'internal error: 101 switching protocols response with non-writable body'],
  ['spdy', 'backend tried to switch protocol "spdy" when "" was requested'],
])('refuses to switch to %j unasked', async (protocol, why) => {
  const faults: string[] = []
  const fault = new Promise<void>((resolve) => {
    more = { onFault: (said) => void resolve(void faults.push(said)) }
  })
  const request = ask({ 'x-switch': protocol })
  request.on('error', () => {})
  await fault
  more = {}
  request.destroy()
  expect(faults).toEqual([why])
})

it('passes no redirect on where it may not', async () => {
  const response = await redirected('https://example.com/x', { refusesRedirects: true })
  expect([response.statusCode, response.headers.location]).toEqual([502, undefined])
})

// Redirects, limits and failures of a call, against real servers.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Call, type CallError, callOutbound } from './call.ts'
import { proxyFromEnvironment } from './environment-proxy.ts'
import { Transport } from './transport.ts'

interface Seen {
  readonly line: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const answers: Record<string, Answer> = {
  '/fine': (response) => void response.end('fine'),
  '/301': (response) => void response.writeHead(301, { location: '/fine?x=1' }).end('moved'),
  '/302': (response) => void response.writeHead(302, { location: 'fine' }).end(),
  '/303': (response) => void response.writeHead(303, { location: '/fine' }).end(),
  '/307': (response) => void response.writeHead(307, { location: '/fine' }).end(),
  '/308': (response) => void response.writeHead(308, { location: '/307' }).end(),
  '/303-307': (response) => void response.writeHead(303, { location: '/307' }).end(),
  '/300': (response) => void response.writeHead(300, { location: '/fine' }).end('choose'),
  '/nowhere': (response) => void response.writeHead(307).end('nowhere'),
  '/loop': (response) => void response.writeHead(307, { location: '/loop' }).end(),
  '/mail': (response) => void response.writeHead(307, { location: 'mailto:a' }).end(),
  '/elsewhere': (response) => void response.writeHead(307, { location: `http://localhost:${port()}/fine` }).end(),
  '/octal': (response) => void response.writeHead(307, { location: `http://0177.0.0.1:${port()}/fine` }).end(),
  '/large': (response) => void response.end('x'.repeat(2000)),
  '/silent': () => {},
  '/half': (response) => void response.writeHead(200, { 'content-length': '10' }).write('half'),
  '/broken': (response) =>
    void response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy()),
  '/rude': (response) => void response.destroy(),
}

let seen: Seen[] = []
let server: Server
const port = (): number => (server.address() as AddressInfo).port
const transport = new Transport()

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    seen.push({ line: `${request.method} ${request.url}`, body, headers: request.headers })
    answers[request.url?.split('?')[0] ?? '']?.(response, request)
  })
  await once(server.listen(0), 'listening')
})
afterAll(() => {
  transport.close()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen = []
})

const post = (path: string, more: Partial<Call> = {}) =>
  callOutbound(
    transport,
    { scheme: 'http', host: '127.0.0.1', port: port(), path },
    {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
      body: '{"a":1}',
      timeoutMs: 60_000,
      maxBytes: 1000,
      ...more,
    },
  )
const lines = (): string[] => seen.map(({ line, body }) => `${line} ${body}`.trim())

describe('redirects', () => {
  it.each([
    ['/301', ['POST /301 {"a":1}', 'GET /fine?x=1']],
    ['/302', ['POST /302 {"a":1}', 'GET /fine']],
    ['/303', ['POST /303 {"a":1}', 'GET /fine']],
    ['/307', ['POST /307 {"a":1}', 'POST /fine {"a":1}']],
    ['/308', ['POST /308 {"a":1}', 'POST /307 {"a":1}', 'POST /fine {"a":1}']],
    ['/303-307', ['POST /303-307 {"a":1}', 'GET /307', 'GET /fine']],
  ])('%s is followed', async (path, expected) => {
    expect((await post(path)).body.toString()).toBe('fine')
    expect(lines()).toEqual(expected)
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer x', referer: expect.any(String) })
  })

  it.each([
    ['/300', 300, {}],
    ['/nowhere', 307, {}],
    ['/307', 307, { redirects: false }],
  ])('%s is an answer', async (path, status, more) => {
    expect((await post(path, more)).status).toBe(status)
    expect(seen).toHaveLength(1)
  })

  it('ends after ten', async () => {
    await expect(post('/loop')).rejects.toThrow('Post "/loop": stopped after 10 redirects')
    expect(seen).toHaveLength(10)
  })

  it('keeps credentials from other hosts', async () => {
    expect((await post('/elsewhere')).body.toString()).toBe('fine')
    expect(seen[1]?.headers.authorization).toBeUndefined()
    expect(seen[1]?.headers.host).toBe(`localhost:${port()}`)
  })

  it('goes to no address that is written in another way, and to no other protocol', async () => {
    await expect(post('/octal')).rejects.toThrow(
      `Post "http://0177.0.0.1:${port()}/fine": dial tcp: lookup 0177.0.0.1: no such host`,
    )
    await expect(post('/elsewhere', { redirects: 'secure' })).rejects.toThrow('it is not an https address')
    await expect(post('/mail')).rejects.toThrow('failed to parse Location header "mailto:a"')
  })
})

describe('redirects of a stranger', () => {
  /** Whatever the address, this server answers: what is refused never got that far. */
  const dial = async (): Promise<Duplex> => connect(port(), '127.0.0.1')
  const led = (host: string, location: string): Promise<unknown> => {
    answers['/led'] = (response) => void response.writeHead(307, { location }).end()
    const destination = { scheme: 'http', host, port: 80, path: '/led' } as const
    const facts = { method: 'POST', headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 1000 }
    return callOutbound(new Transport({ dial, proxy: 'none', keepAlive: false }), destination, facts)
  }

  it.each([
    'http://127.0.0.1/fine',
    'http://127.9.9.9:6443/fine',
    'http://[::1]/fine',
    'http://[::ffff:127.0.0.1]/fine',
    'http://169.254.169.254/fine',
    'http://[fe80::1]/fine',
    'http://0.0.0.0/fine',
    'http://localhost/fine',
  ])('do not lead to %s', async (location) => {
    await expect(led('192.0.2.1', location)).rejects.toThrow('address not allowed')
    expect(lines()).toEqual(['POST /led {}'])
  })

  it.each([
    ['192.0.2.1', 'http://192.0.2.1/fine'],
    ['192.0.2.1', 'http://198.51.100.1:8080/fine'],
    ['127.0.0.1', 'http://127.0.0.2/fine'],
    ['webhook.localhost', 'http://127.0.0.1/fine'],
  ])('lead from %s to %s', async (host, location) => {
    await led(host, location)
    expect(lines()).toEqual(['POST /led {}', 'POST /fine {}'])
  })
})

describe('failures', () => {
  it.each([
    ['/large', {}, 'http: request body too large', { inBody: true, status: 200 }],
    ['/silent', { timeoutMs: 50 }, /^Post "http:.*\/silent": context deadline exceeded$/, { isTimeout: true }],
    [
      '/silent',
      { timeoutMs: 50, timeoutOf: 'client' as const },
      /context deadline exceeded \(Client.Timeout exceeded while awaiting headers\)$/,
      { isTimeout: true },
    ],
    ['/half', { timeoutMs: 1000 }, /^context deadline exceeded$/, { inBody: true, isTimeout: true }],
    ['/broken', {}, 'unexpected EOF', { inBody: true }],
    ['/rude', {}, /^Post "http:.*\/rude": EOF$/, { inBody: false }],
    ['/silent', { signal: AbortSignal.abort() }, /context canceled$/, { isTimeout: false }],
  ])('%s %j', async (path, more, message, facts) => {
    const error = await post(path, more).catch((failure: CallError) => failure)
    expect(error).toMatchObject({ ...facts, message: expect.stringMatching(message) })
  })

  it('tells where nobody is', async () => {
    const gone = createServer()
    await once(gone.listen(0, '127.0.0.1'), 'listening')
    const { port: closed } = gone.address() as AddressInfo
    await once(gone.close(), 'close')
    const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 1 }
    await expect(
      callOutbound(transport, { scheme: 'http', host: '127.0.0.1', port: closed, path: '/' }, facts),
    ).rejects.toThrow(`Get "http://127.0.0.1:${closed}/": dial tcp 127.0.0.1:${closed}: connect: connection refused`)
  })
})

describe('a proxy of the environment', () => {
  const far = { host: 'far.example', path: '/fine' }
  const proxied = (proxyPort: number) =>
    new Transport({
      proxy: proxyFromEnvironment({
        HTTP_PROXY: `me:pw@127.0.0.1:${proxyPort}`,
        HTTPS_PROXY: `127.0.0.1:${proxyPort}`,
      }),
    })
  const get = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 1000 }

  it('is asked for the whole URL of a plain request', async () => {
    const through = proxied(port())
    const asked = callOutbound(through, { scheme: 'http', port: 80, ...far }, { ...get, timeoutMs: 500 })
    await expect(asked).rejects.toThrow()
    through.close()
    expect(seen[0]?.line).toBe('GET http://far.example:80/fine')
    expect(seen[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa('me:pw')}`)
  })

  it('is asked to connect for TLS, and may refuse', async () => {
    const targets: (string | undefined)[] = []
    const refuse = (request: IncomingMessage, socket: Duplex): void => {
      targets.push(request.url)
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    }
    server.on('connect', refuse)
    const through = proxied(port())
    await expect(callOutbound(through, { scheme: 'https', port: 8443, ...far }, get)).rejects.toThrow('Forbidden')
    server.off('connect', refuse)
    through.close()
    expect(targets).toEqual(['far.example:8443'])
  })

  it('that is not there is told apart', async () => {
    const through = proxied(1)
    await expect(callOutbound(through, { scheme: 'https', port: 443, ...far }, get)).rejects.toThrow(
      'proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused',
    )
    through.close()
  })
})

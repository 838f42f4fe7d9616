/** A request that is refused before its body was read: the client sees the answer, never a broken connection. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './support/test-server.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const megabyte = Buffer.alloc(1024 * 1024, 'x')

const folder = mkdtempSync(join(tmpdir(), 'pilothouse-bodies-'))
const tokens = join(folder, 'tokens.csv')
let server: TestServer

beforeAll(async () => {
  writeFileSync(tokens, 'admintoken,admin,admin,"system:masters"\n')
  server = await startTestServer(['--store', 'memory', '--anonymous-auth=false', '--token-auth-file', tokens])
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Upload {
  readonly path: string
  readonly method: string
  readonly megabytes: number
  readonly headers: Record<string, string>
}

/** Sends all of it before it looks at the answer: a connection that was reset has lost it by then. */
async function overHttp1({ path, method, megabytes, headers }: Upload): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  const failed = new Promise<never>((_, reject) => socket.once('error', reject))
  const ended = new Promise<void>((resolve) => socket.once('end', resolve))
  await Promise.race([failed, new Promise<void>((resolve) => socket.once('secureConnect', resolve))])
  socket.pause()
  const isChunked = headers['content-length'] === undefined
  const framing: Record<string, string> = isChunked ? { 'transfer-encoding': 'chunked' } : {}
  const lines = Object.entries({ host: 'x', ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const chunk = isChunked ? [`${megabyte.length.toString(16)}\r\n`, megabyte, '\r\n'] : [megabyte]
  for (let i = 0; i < megabytes; i++) {
    for (const part of chunk) {
      await Promise.race([failed, new Promise<void>((resolve) => socket.write(part, () => resolve()))])
    }
  }
  if (isChunked) socket.write('0\r\n\r\n')
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  socket.resume()
  await Promise.race([failed, ended])
  socket.destroy()
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return `${head.split(' ')[1]} ${JSON.parse(body).reason}`
}

function overHttp2({ path, method, megabytes, headers }: Upload): Promise<string> {
  const session = http2.connect(server.url, { rejectUnauthorized: false })
  const { connection: _, ...others } = headers
  const request = session.request({ ':path': path, ':method': method, ...others })
  return new Promise<string>((resolve, reject) => {
    let status = 0
    let text = ''
    request.on('response', (head) => {
      status = Number(head[':status'])
    })
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => resolve(`${status} ${JSON.parse(text).reason}`))
    request.on('error', reject)
    void sendAll(request, megabytes)
  }).finally(() => session.destroy())
}

interface Sink {
  readonly destroyed: boolean
  write(chunk: Buffer): boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  end(): unknown
}

async function sendAll(sink: Sink, megabytes: number): Promise<void> {
  for (let i = 0; i < megabytes && !sink.destroyed; i++) {
    if (sink.write(megabyte)) continue
    await new Promise<void>((resolve) => {
      sink.once('drain', resolve)
      sink.once('close', resolve)
    })
  }
  if (!sink.destroyed) sink.end()
}

const authorized = { authorization: 'Bearer admintoken' }
const json = { 'content-type': 'application/json' }
const uploads = [
  {
    name: 'too long, of a known length',
    length: true,
    path: configMaps,
    headers: { ...authorized, ...json },
    answer: '413 RequestEntityTooLarge',
  },
  {
    name: 'too long, of an unknown length',
    path: configMaps,
    headers: { ...authorized, ...json },
    answer: '413 RequestEntityTooLarge',
  },
  { name: 'of nobody', path: configMaps, headers: json, answer: '401 Unauthorized' },
  {
    name: 'of nobody, on a connection that ends',
    path: configMaps,
    headers: { ...json, connection: 'close' },
    answer: '401 Unauthorized',
  },
  {
    name: 'of a type that is not known',
    path: configMaps,
    headers: { ...authorized, 'content-type': 'text/plain' },
    answer: '415 UnsupportedMediaType',
  },
  {
    name: 'for what may not be done',
    path: '/api/v1/namespaces',
    method: 'PUT',
    headers: { ...authorized, ...json },
    answer: '405 MethodNotAllowed',
  },
]

describe.each([
  { protocol: 'HTTP/1.1', send: overHttp1 },
  { protocol: 'HTTP/2', send: overHttp2 },
])('over $protocol', ({ send }) => {
  it.each(uploads)('a body $name', async ({ path, method = 'POST', headers, length, answer }) => {
    for (const megabytes of [4, 12]) {
      const size: Record<string, string> =
        length === true ? { 'content-length': String(megabytes * megabyte.length) } : {}
      for (let i = 0; i < 3; i++) {
        expect(await send({ path, method, megabytes, headers: { ...headers, ...size } })).toBe(answer)
      }
    }
  })
})

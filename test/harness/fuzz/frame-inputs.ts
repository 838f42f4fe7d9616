/**
 * HTTP/1.1 and HTTP/2 as bytes on a TLS connection: requests in pieces, headers that contradict each other, frames of every
 * type with every flag, on any stream, of wrong lengths. An input is one connection with some tens of frames; the server may
 * close it and must go on serving others.
 */
import tls from 'node:tls'
import type { Random } from '../random.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { FuzzInput, InputSource } from './input.ts'
import type { Target } from './target.ts'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const patience = 3000

export function frameInputs(random: Random, target: Target): InputSource {
  return {
    next(): FuzzInput {
      const isHttp2 = random.chance(0.6)
      const chunks = isHttp2 ? http2Chunks(random) : http1Chunks(random)
      const family = isHttp2 ? 'HTTP/2 frames' : 'HTTP/1.1 bytes'
      return {
        family,
        show: () => chunks.map((chunk) => JSON.stringify(chunk.subarray(0, 300).toString('latin1'))).join('\n'),
        run: async () => {
          const answer = await converse(target.port, isHttp2 ? 'h2' : 'http/1.1', chunks)
          await checkAlive(target)
          return isHttp2 ? '' : answer
        },
      }
    },
  }
}

/** Resolves when everything was written and the server had its say. */
function converse(port: number, protocol: string, chunks: readonly Buffer[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: [protocol] })
    const received: Buffer[] = []
    const done = (): void => {
      socket.destroy()
      resolve(Buffer.concat(received).toString('latin1'))
    }
    socket.setTimeout(patience, done)
    socket.on('secureConnect', () => {
      for (const chunk of chunks) socket.write(chunk)
      // What is not answered within a moment waits for more, which never comes.
      setTimeout(done, 30)
    })
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.on('error', done)
    socket.on('close', done)
  })
}

async function checkAlive({ send }: Target): Promise<void> {
  const { status } = await send({ method: 'GET', path: '/livez', headers: {}, body: undefined })
  if (status !== 200) throw new Error(`/livez answers ${status}`)
}

const lines = [
  'GET /livez HTTP/1.1',
  'GET /api HTTP/1.0',
  'POST /api/v1/namespaces HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET http://a/ HTTP/1.1',
  'CONNECT a:1 HTTP/1.1',
  'GET / HTTP/9.9',
  ' GET / HTTP/1.1',
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'GET /\u0000 HTTP/1.1',
  'PRI * HTTP/2.0',
  'get /livez http/1.1',
  'GET /livez',
]
const headers = [
  'Host: a',
  'Host: a\r\nHost: b',
  'Host: a b',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Transfer-Encoding: xchunked',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: close',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Connection: Upgrade\r\nUpgrade: SPDY/3.1',
  `X: ${'y'.repeat(30_000)}`,
  ' folded: x',
  'NoColon',
  ': empty',
  'A\u0000B: c',
  'Authorization: Bearer x',
  'Authorization: Basic !!!',
  'Accept: application/json',
  'Trailer: x',
  'Range: bytes=0-',
  'X-Forwarded-For: 1.2.3.4, ::1',
]
const bodies = [
  '',
  '5\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  '-1\r\n',
  '{"a":1}',
  'hello',
  '\u0000'.repeat(100),
]

function http1Chunks(random: Random): Buffer[] {
  return Array.from({ length: 1 + random.below(6) }, () => {
    const head = [random.pick(lines), ...Array.from({ length: random.below(5) }, () => random.pick(headers))].join(
      '\r\n',
    )
    const text = Buffer.from(`${head}\r\n\r\n${random.pick(bodies)}`, 'latin1')
    return random.chance(0.4) ? mutatedBytes(random, text) : text
  })
}

function http2Chunks(random: Random): Buffer[] {
  const start = random.chance(0.95) ? [preface] : []
  const settings = random.chance(0.9) ? [frame({ type: 4, flags: 0, stream: 0, payload: Buffer.alloc(0) })] : []
  return [...start, ...settings, ...Array.from({ length: 1 + random.below(60) }, () => randomFrame(random))]
}

interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
  /** In place of the true one. */
  readonly length?: number
}

function frame({ type, flags, stream, payload, length = payload.length }: Frame): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length & 0xffffff, 0, 3)
  head.writeUInt8(type & 255, 3)
  head.writeUInt8(flags & 255, 4)
  head.writeUInt32BE(stream >>> 0, 5)
  return Buffer.concat([head, payload])
}

/** HPACK: `:method GET`, `:scheme https`, `:path /`, literals with and without names, table updates, and nonsense. */
const headerBlocks = [
  Buffer.from([0x82, 0x87, 0x84]),
  Buffer.concat([Buffer.from([0x82, 0x87, 0x04, 0x06]), Buffer.from('/livez'), Buffer.from([0x41, 0x01, 0x61])]),
  Buffer.concat([Buffer.from([0x83, 0x87, 0x04, 0x12]), Buffer.from('/api/v1/namespaces')]),
  Buffer.from([0x3f, 0xe1, 0xff, 0x03]),
  Buffer.from([0x00, 0x01, 0x41, 0x01, 0x62]),
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0x82, 0x82, 0x87, 0x84]),
]

function randomFrame(random: Random): Buffer {
  const type = random.pick([0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 99, 255])
  const stream = random.pick([0, 1, 1, 3, 5, 7, 2, 0x7fffffff, 0x80000001])
  const payload = payloadOf(random, type)
  const damaged = random.chance(0.3) ? mutatedBytes(random, payload).subarray(0, 20_000) : payload
  const length = random.chance(0.1) ? { length: random.pick([0, 1, 5, 16_385, 0xffffff]) } : {}
  return frame({ type, flags: random.pick([0, 1, 4, 5, 8, 0x20, 0x2d, 255]), stream, payload: damaged, ...length })
}

function payloadOf(random: Random, type: number): Buffer {
  if (type === 1 || type === 9 || type === 5) return random.pick(headerBlocks)
  if (type === 4)
    return Buffer.concat(
      Array.from({ length: random.below(200) }, () =>
        Buffer.from([0, random.below(8), 0xff, 0xff, 0xff, random.below(256)]),
      ),
    )
  if (type === 3 || type === 8) return Buffer.from([random.below(256), 0xff, 0xff, random.below(256)])
  if (type === 6) return Buffer.alloc(8, random.below(256))
  if (type === 7) return Buffer.alloc(8 + random.below(100), random.below(256))
  return Buffer.alloc(random.pick([0, 1, 5, 100, 16_384]), random.below(256))
}

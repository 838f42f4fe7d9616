/**
 * Connections of HTTP/2 that send without end what costs the sender little: streams that are reset at once, headers that never end, settings,
 * pings. Each must be ended by the server before all of it was taken, and the server must go on to answer others.
 */
import { connect, type TLSSocket } from 'node:tls'
import { ask } from './ask.ts'
import type { Trial } from './attack.ts'
import { framesIn, http2Frame, literalHeader } from './http2-requests.ts'

interface Flood {
  /** What comes again and again; `i` counts. */
  readonly piece: (i: number) => Buffer
  readonly times: number
}

const empty = Buffer.alloc(0)
const request = Buffer.concat(
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/version'],
    [':authority', 'a'],
  ].map(([name = '', value = '']) => literalHeader([name, value])),
)
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
}
const endHeaders = 4
const endStream = 1

const floods: Readonly<Record<string, Flood>> = {
  'streams that are reset at once': {
    piece: (i) =>
      Buffer.concat([
        http2Frame(types.headers, endHeaders | endStream, 2 * i + 1, request),
        http2Frame(types.reset, 0, 2 * i + 1, uint32(8)),
      ]),
    times: 100_000,
  },
  'headers that never end': {
    piece: (i) =>
      i === 0
        ? http2Frame(types.headers, endStream, 1, request)
        : http2Frame(types.continuation, 0, 1, literalHeader([`x-${i}`, 'x'.repeat(8_000)])),
    times: 10_000,
  },
  'headers that never end, of no bytes': {
    piece: (i) =>
      i === 0 ? http2Frame(types.headers, endStream, 1, request) : http2Frame(types.continuation, 0, 1, empty),
    times: 2_000_000,
  },
  'settings of more than a frame': {
    piece: () => http2Frame(types.settings, 0, 0, Buffer.alloc(60_000)),
    times: 100,
  },
  'settings that are none': { piece: () => http2Frame(types.settings, 0, 0, Buffer.alloc(7)), times: 100 },
  'headers inside of headers': {
    piece: (i) => http2Frame(types.headers, endStream, 2 * i + 1, request),
    times: 100,
  },
  'a promise of a client': {
    piece: () => http2Frame(types.push, endHeaders, 1, Buffer.concat([uint32(2), request])),
    times: 100,
  },
  'a window beyond all numbers': {
    piece: () => http2Frame(types.window, 0, 0, uint32(0x7fffffff)),
    times: 100,
  },
  'a window of nothing': { piece: () => http2Frame(types.window, 0, 0, uint32(0)), times: 100 },
  'data of a stream that is not there': { piece: () => http2Frame(types.data, 0, 7, Buffer.alloc(100)), times: 100 },
  'streams of even numbers': {
    piece: (i) => http2Frame(types.headers, endHeaders | endStream, 2 * i + 2, request),
    times: 100,
  },
  'a header block that is none': {
    piece: (i) => http2Frame(types.headers, endHeaders | endStream, 2 * i + 1, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff)),
    times: 100,
  },
  'padding longer than its frame': {
    piece: (i) => http2Frame(types.headers, endHeaders | endStream | 8, 2 * i + 1, Buffer.of(200, 1, 2)),
    times: 100,
  },
  'a ping of another length': { piece: () => http2Frame(types.ping, 0, 0, Buffer.alloc(9)), times: 100 },
}

/** As long as that the server may take to end a connection that is at fault. */
const patienceMs = 20_000

/** Whether the server ended it. */
function isEnded(port: number, { piece, times }: Flood): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    let sent = 0
    const finish = (outcome: boolean) => (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(finish(false), patienceMs)
    const send = (): void => {
      // A stack of pieces at a time.
      while (sent < times && !socket.destroyed) {
        const pieces = Array.from({ length: Math.min(500, times - sent) }, (_, i) => piece(sent + i))
        sent += pieces.length
        if (!socket.write(Buffer.concat(pieces))) return
      }
    }
    socket.on('secureConnect', () => {
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      socket.write(http2Frame(types.settings, 0, 0, empty))
      send()
    })
    let received: Buffer = empty
    socket.on('drain', send).on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      // It says that it takes no more.
      if ([...framesIn(received)].some(({ type }) => type === types.goAway)) finish(true)()
    })
    socket.on('error', finish(true)).on('close', finish(true)).on('end', finish(true))
  })
}

export const http2Floods = (port: number): Trial[] =>
  Object.entries(floods).map(([name, flood]) => ({
    name: `HTTP/2, ${name}`,
    async attempt() {
      const ended = await isEnded(port, flood)
      const { status } = await ask(port, { path: '/version' })
      if (status !== 200) return `others are answered ${status} afterwards`
      return ended ? undefined : 'the connection is not ended'
    },
  }))

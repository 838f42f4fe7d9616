/**
 * One of the two sides: requests over one HTTP/2 connection to each of its servers, in turns; watches over it or over a
 * WebSocket.
 */
import { randomBytes } from 'node:crypto'
import http2 from 'node:http2'
import https from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly warnings: readonly string[]
  readonly body: Buffer
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

export interface OpenWatch {
  readonly status: number
  readonly contentType: string
  /** What came so far: the body, or the messages of a WebSocket. */
  received(): readonly Buffer[]
  /** When something came last, in milliseconds of `performance.now()`. */
  lastAt(): number
  readonly closed: Promise<void>
  close(): void
}

const requestTimeout = 60_000
const mostRetries = 5
/** How long a server that is started again may take. */
const restartTimeout = 60_000

/** The servers of one side share their store. */
export class Endpoint {
  readonly url: URL
  readonly count: number
  readonly #members: readonly Member[]
  #turn = 0

  constructor(urls: readonly string[], token: string) {
    this.#members = urls.map((url) => new Member(new URL(url), token))
    this.url = this.#next().url
    this.count = urls.length
  }

  /** A stream or a connection that was refused was not looked at, and may be sent again. */
  async send(request: Request): Promise<Answer> {
    const end = performance.now() + restartTimeout
    for (let tries = 0; ; tries++) {
      try {
        return await this.#next().send(request)
      } catch (error) {
        const { message } = error as Error
        const isStarting = message.includes('ECONNREFUSED') && performance.now() < end
        if (!isStarting && (tries === mostRetries || !message.includes('REFUSED_STREAM'))) throw error
        await delay(isStarting ? 1000 : 100)
      }
    }
  }

  /** Resolves once the headers are there. */
  watch(request: Request): Promise<OpenWatch> {
    return this.#next().watch(request)
  }

  /** The same over a WebSocket, of which only data frames are looked at. */
  watchByWebSocket(request: Request): Promise<OpenWatch> {
    return this.#next().watchByWebSocket(request)
  }

  close(): void {
    for (const member of this.#members) member.close()
  }

  #next(): Member {
    const member = this.#members[this.#turn++ % this.#members.length]
    if (member === undefined) throw new Error('a side without a server')
    return member
  }
}

class Member {
  readonly url: URL
  readonly #token: string
  #session: http2.ClientHttp2Session | undefined

  constructor(url: URL, token: string) {
    this.url = url
    this.#token = token
  }

  send(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(request)
      const chunks: Buffer[] = []
      let headers: http2.IncomingHttpHeaders = {}
      stream.setTimeout(requestTimeout, () => stream.destroy(new Error('no answer in time')))
      stream.on('response', (received) => {
        headers = received
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('close', () => resolve(answerOf(headers, Buffer.concat(chunks))))
    })
  }

  watch(request: Request): Promise<OpenWatch> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(request)
      const chunks: Buffer[] = []
      let last = performance.now()
      const closed = new Promise<void>((done) => stream.once('close', done))
      // Without a response there is nothing to wait for: what is resolved already stays so.
      stream.once('close', () => reject(new Error('closed without an answer')))
      const unanswered = setTimeout(() => stream.close(), requestTimeout)
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        last = performance.now()
      })
      stream.on('error', reject)
      stream.once('response', () => clearTimeout(unanswered))
      stream.once('response', (headers) =>
        resolve({
          status: Number(headers[':status']),
          contentType: headers['content-type'] ?? '',
          received: () => [Buffer.concat(chunks)],
          lastAt: () => last,
          closed,
          close: () => stream.close(),
        }),
      )
    })
  }

  watchByWebSocket({ path, headers }: Request): Promise<OpenWatch> {
    return new Promise((resolve, reject) => {
      const request = https.get({
        host: this.url.hostname,
        port: this.url.port,
        path,
        rejectUnauthorized: false,
        headers: {
          authorization: `Bearer ${this.#token}`,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
          ...headers,
        },
      })
      request.on('error', reject)
      request.setTimeout(requestTimeout, () => request.destroy(new Error('no answer in time')))
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        const closed = new Promise<void>((done) => response.once('close', done))
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          received: () => [Buffer.concat(chunks)],
          lastAt: () => 0,
          closed,
          close: () => request.destroy(),
        })
      })
      request.on('upgrade', (_response, socket: Socket, head) => resolve(framesOf(socket, head)))
    })
  }

  close(): void {
    this.#session?.destroy()
  }

  #open({ method, path, headers, body }: Request): http2.ClientHttp2Stream {
    const stream = this.#connection().request(
      {
        ':method': method,
        ':path': path,
        authorization: `Bearer ${this.#token}`,
        'user-agent': 'differential/1',
        ...(body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }),
        ...headers,
      },
      { endStream: body === undefined },
    )
    if (body !== undefined) stream.end(body)
    return stream
  }

  #connection(): http2.ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = http2.connect(this.url.origin, { rejectUnauthorized: false })
      this.#session.setMaxListeners(0)
      this.#session.on('error', () => {})
    }
    return this.#session
  }
}

function answerOf(headers: http2.IncomingHttpHeaders, body: Buffer): Answer {
  const warning = headers['warning']
  return {
    status: Number(headers[':status'] ?? 0),
    contentType: headers['content-type'] ?? '',
    headers,
    warnings: warning === undefined ? [] : [warning].flat(),
    body,
  }
}

/** Frames from a server are not masked; each is taken for a message, as neither server splits one. */
function framesOf(socket: Socket, head: Buffer): OpenWatch {
  let buffered = head
  const payloads: Buffer[] = []
  let last = performance.now()
  const take = (): void => {
    for (;;) {
      const frame = frameAt(buffered)
      if (frame === undefined) return
      if (frame.opcode <= 2) payloads.push(frame.payload)
      buffered = buffered.subarray(frame.size)
    }
  }
  take()
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    last = performance.now()
    take()
  })
  socket.on('error', () => {})
  return {
    status: 101,
    contentType: '',
    received: () => payloads,
    lastAt: () => last,
    closed: new Promise<void>((done) => socket.once('close', () => done())),
    close: () => socket.destroy(),
  }
}

function frameAt(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] as number) & 0x7f
  const header = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < header) return undefined
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < header + length) return undefined
  return {
    opcode: (bytes[0] as number) & 0x0f,
    payload: bytes.subarray(header, header + length),
    size: header + length,
  }
}

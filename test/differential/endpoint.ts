/** One of the two servers: requests over one HTTP/2 connection, watches over it or over a WebSocket. */
import { randomBytes } from 'node:crypto'
import http2 from 'node:http2'
import https from 'node:https'
import type { Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly contentType: string
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
  /** What came so far: the body, or the frames of a WebSocket one after the other. */
  received(): Buffer
  /** When something came last, in milliseconds of `performance.now()`. */
  lastAt(): number
  readonly closed: Promise<void>
  close(): void
}

const requestTimeout = 30_000

export class Endpoint {
  readonly url: URL
  readonly #token: string
  #session: http2.ClientHttp2Session | undefined

  constructor(url: string, token: string) {
    this.url = new URL(url)
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

  /** Resolves once the headers are there. */
  watch(request: Request): Promise<OpenWatch> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(request)
      const chunks: Buffer[] = []
      let last = performance.now()
      const closed = new Promise<void>((done) => stream.once('close', done))
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        last = performance.now()
      })
      stream.on('error', reject)
      stream.once('response', (headers) =>
        resolve({
          status: Number(headers[':status']),
          received: () => Buffer.concat(chunks),
          lastAt: () => last,
          closed,
          close: () => stream.close(),
        }),
      )
    })
  }

  /** The same over a WebSocket, of which only data frames are looked at. */
  watchByWebSocket({ path, headers }: Request): Promise<OpenWatch> {
    return new Promise((resolve, reject) => {
      const request = https.get({
        host: this.url.hostname,
        port: this.url.port,
        path,
        rejectUnauthorized: false,
        headers: {
          ...headers,
          authorization: `Bearer ${this.#token}`,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        const closed = new Promise<void>((done) => response.once('close', done))
        resolve({
          status: response.statusCode ?? 0,
          received: () => Buffer.concat(chunks),
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
    warnings: warning === undefined ? [] : [warning].flat(),
    body,
  }
}

/** Frames from a server are not masked; a message of several frames is joined by its bytes. */
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
    received: () => Buffer.concat(payloads),
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

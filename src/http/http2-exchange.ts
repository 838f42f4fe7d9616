/** An exchange over one HTTP/2 stream, on the core stream interface: the compatibility layer costs too much. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AnswerStream, Exchange, HeaderValues, Peer, UpgradedConnection, WriteCallback } from '../api/exchange.ts'
import { defaultCacheControl } from './cache-header.ts'
import { dateHeader } from './date-header.ts'
import { combineEndListeners, type EndListener } from './end-listener.ts'
import { readHttp2Body, refuseRest } from './http2-body.ts'
import type { Http2Connection } from './http2-connection.ts'
import { wireStatus } from './wire-status.ts'

export class Http2Exchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: HeaderValues
  readonly rawHeaders: readonly string[]
  readonly httpVersion = '2.0'
  readonly #stream: ServerHttp2Stream
  readonly #connection: Http2Connection
  /** Headers of the answer, names and values in turn. */
  #extra: string[] | undefined
  #abort: AbortController | undefined
  #answered = false
  #complete = false
  #bodyRead = false
  #started: ((status: number) => void) | undefined
  #ended: EndListener | undefined

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    connection: Http2Connection,
  ) {
    this.#stream = stream
    this.#connection = connection
    this.headers = headers as HeaderValues
    this.rawHeaders = rawHeaders
    this.method = headers[':method'] as string
    const target = headers[':path'] as string
    const mark = target.indexOf('?')
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    connection.requestBegan()
  }

  get peer(): Peer {
    return this.#connection.peer
  }

  get answered(): boolean {
    return this.#answered
  }

  get complete(): boolean {
    return this.#complete
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      if (this.#stream.destroyed) abort.abort()
      else this.#stream.once('close', () => this.#stream.writableFinished || abort.abort())
    }
    return this.#abort.signal
  }

  async readBody(limit: number): Promise<Buffer> {
    const body = await readHttp2Body(this.#stream, limit, this.headers['content-length'] as string | undefined)
    this.#bodyRead = true
    return body
  }

  bodyStream(): NodeJS.ReadableStream {
    return this.#stream
  }

  addHeader(name: string, value: string): void {
    const key = inLowerCase(name)
    if (key === 'connection') {
      // There is no such header here: the client is asked to take its next requests elsewhere.
      this.#stream.session?.close()
      return
    }
    if (this.#extra === undefined) this.#extra = [key, value]
    else this.#extra.push(key, value)
  }

  removeHeader(name: string): void {
    const key = inLowerCase(name)
    this.#extra = this.#extra?.filter((_, i, all) => all[i - (i % 2)] !== key)
  }

  respond(code: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#answered) return
    this.#answered = true
    const status = wireStatus(code)
    const stream = this.#stream
    if (stream.destroyed || stream.closed) {
      this.#finish(0, 0)
      return
    }
    this.#started?.(status)
    const head = this.#head(status, headers)
    if (this.method === 'HEAD') stream.respond(head, { endStream: true })
    else {
      stream.respond(head)
      stream.end(body)
    }
    if (!this.#bodyRead) refuseRest(stream)
    this.#finish(status, Buffer.byteLength(body))
  }

  stream(code: number, headers: Readonly<Record<string, string>>): AnswerStream {
    const status = wireStatus(code)
    if (!this.#answered) {
      this.#answered = true
      this.#started?.(status)
      if (!this.#stream.destroyed && !this.#stream.closed) this.#stream.respond(this.#head(status, headers))
    }
    const answer = new Http2Answer(this.#stream)
    answer.onClose(() => this.#finish(status, answer.bytes))
    return answer
  }

  onStart(listener: (status: number) => void): void {
    this.#started = listener
  }

  onEnd(listener: EndListener): void {
    this.#ended = combineEndListeners(this.#ended, listener)
  }

  #finish(status: number, bytes: number): void {
    if (this.#complete) return
    this.#complete = true
    this.#connection.requestEnded(this.#stream.aborted)
    this.#ended?.(status, bytes)
  }

  cut(): void {
    this.#stream.close(2 /* INTERNAL_ERROR */)
    if (!this.#answered || !this.#stream.headersSent) this.#finish(0, 0)
    this.#answered = true
  }

  upgrade(): UpgradedConnection | undefined {
    return undefined
  }

  #head(status: number, headers: Readonly<Record<string, string>>): OutgoingHttpHeaders {
    const head: OutgoingHttpHeaders = { ':status': status, date: dateHeader(), 'cache-control': defaultCacheControl }
    // Not a copy that is added to: each of those would have a hidden class of its own.
    for (const name in headers) head[name] = headers[name]
    if (this.#extra !== undefined) addTo(head, this.#extra)
    return head
  }
}

/** What was added takes the place of what is there; what was added twice has both values. */
function addTo(head: OutgoingHttpHeaders, extra: readonly string[]): void {
  for (let i = 0; i < extra.length; i += 2) {
    const name = extra[i] as string
    const value = extra[i + 1] as string
    let isRepeated = false
    for (let j = 0; j < i && !isRepeated; j += 2) isRepeated = extra[j] === name
    head[name] = isRepeated ? [head[name] as string | string[], value].flat() : value
  }
}

/** The names of headers that are added are the program's own words: there are few. */
const lowerCase = new Map<string, string>()
const maxNames = 100

function inLowerCase(name: string): string {
  const known = lowerCase.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCase.size < maxNames) lowerCase.set(name, lower)
  return lower
}

class Http2Answer implements AnswerStream {
  readonly #stream: ServerHttp2Stream
  bytes = 0

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream
    // A client that resets the stream without an error would otherwise have it wait for writes that never end.
    stream.once('aborted', () => {
      if (stream.rstCode === 0 /* NO_ERROR */) stream.destroy()
    })
  }

  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.writableEnded
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength
  }

  write(chunk: Buffer | string, sent?: WriteCallback): boolean {
    if (this.closed) return false
    this.bytes += chunk.length
    return sent === undefined ? this.#stream.write(chunk) : this.#stream.write(chunk, sent)
  }

  end(chunk?: Buffer | string): void {
    if (this.closed) return
    if (chunk === undefined) this.#stream.end()
    else {
      this.bytes += chunk.length
      this.#stream.end(chunk)
    }
  }

  destroy(): void {
    this.#stream.close(2 /* INTERNAL_ERROR */)
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener)
  }

  onClose(listener: () => void): void {
    if (this.#stream.destroyed) queueMicrotask(listener)
    else this.#stream.once('close', listener)
  }
}

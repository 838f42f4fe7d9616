/** An exchange over one HTTP/2 stream, on the core stream interface: the compatibility layer costs too much. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AnswerStream, Exchange, HeaderValues, Peer, UpgradedConnection } from '../api/exchange.ts'
import { readBody } from './body.ts'
import { dateHeader } from './date-header.ts'
import { bothEndListeners, type EndListener } from './end-listener.ts'

/** Answers that may come before the request is whole. */
const unreadStatuses: ReadonlySet<number> = new Set([413, 504])

export class Http2Exchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: HeaderValues
  readonly rawHeaders: readonly string[]
  readonly httpVersion = '2.0'
  readonly peer: Peer
  readonly #stream: ServerHttp2Stream
  #extra: OutgoingHttpHeaders | undefined
  #abort: AbortController | undefined
  #answered = false
  #complete = false
  #started: ((status: number) => void) | undefined
  #ended: EndListener | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[], peer: Peer) {
    this.#stream = stream
    this.headers = headers as HeaderValues
    this.rawHeaders = rawHeaders
    this.method = headers[':method'] as string
    const target = headers[':path'] as string
    const mark = target.indexOf('?')
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    this.peer = peer
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

  readBody(limit: number): Promise<Buffer> {
    return readBody(this.#stream, limit, this.headers['content-length'] as string | undefined)
  }

  bodyStream(): NodeJS.ReadableStream {
    return this.#stream
  }

  addHeader(name: string, value: string): void {
    const key = name.toLowerCase()
    if (key === 'connection') {
      // There is no such header here: the client is asked to take its next requests elsewhere.
      this.#stream.session?.close()
      return
    }
    this.#extra ??= {}
    const known = this.#extra[key]
    if (known === undefined) this.#extra[key] = value
    else if (Array.isArray(known)) known.push(value)
    else this.#extra[key] = [String(known), value]
  }

  respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#answered) return
    this.#answered = true
    if (this.#stream.destroyed || this.#stream.closed) {
      this.#finish(0, 0)
      return
    }
    this.#started?.(status)
    const bodiless = this.method === 'HEAD'
    this.#stream.respond(this.#head(status, headers), { endStream: bodiless })
    if (!bodiless) this.#stream.end(body)
    if (unreadStatuses.has(status)) this.#refuseRest()
    this.#finish(status, Buffer.byteLength(body))
  }

  stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
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
    this.#ended = bothEndListeners(this.#ended, listener)
  }

  #finish(status: number, bytes: number): void {
    if (this.#complete) return
    this.#complete = true
    this.#ended?.(status, bytes)
  }

  cut(): void {
    this.#stream.close(2 /* INTERNAL_ERROR */)
    if (!this.#answered) this.#finish(0, 0)
    this.#answered = true
  }

  upgrade(): UpgradedConnection | undefined {
    return undefined
  }

  /** What is left of the request's body is not wanted. */
  #refuseRest(): void {
    const stream = this.#stream
    if (stream.readableEnded) return
    stream.once('finish', () => stream.close(0 /* NO_ERROR */))
  }

  #head(status: number, headers: Readonly<Record<string, string>>): OutgoingHttpHeaders {
    return { ':status': status, ...headers, ...this.#extra, date: dateHeader() }
  }
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

  write(chunk: Buffer | string, sent?: () => void): boolean {
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

/** An exchange over HTTP/1.1 (or 1.0). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnswerStream, Exchange, HeaderValues, Peer, UpgradedConnection, WriteCallback } from '../api/exchange.ts'
import { readBody } from './body.ts'
import { defaultCacheControl } from './cache-header.ts'
import { drain, hasUnreadBody, isWorthDraining } from './drain.ts'
import { combineEndListeners, type EndListener } from './end-listener.ts'
import { wireStatus } from './wire-status.ts'

export class Http1Exchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: HeaderValues
  readonly httpVersion: '1.0' | '1.1'
  readonly peer: Peer
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upgrade: UpgradedConnection | undefined
  #abort: AbortController | undefined
  #answered = false
  #complete = false
  #upgraded = false
  #started: ((status: number) => void) | undefined
  #ended: EndListener | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    peer: Peer,
    upgrade?: { socket: Duplex; head: Buffer },
  ) {
    this.#request = request
    this.#response = response
    this.#upgrade = upgrade
    this.method = request.method ?? 'GET'
    const target = withoutOrigin(request.url ?? '/')
    const mark = target.indexOf('?')
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    this.headers = request.headers as HeaderValues
    this.httpVersion = request.httpVersion === '1.0' ? '1.0' : '1.1'
    this.peer = peer
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }

  get answered(): boolean {
    return this.#answered
  }

  get complete(): boolean {
    return this.#complete
  }

  get upgraded(): boolean {
    return this.#upgraded
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      if (this.#response.destroyed) abort.abort()
      else this.#response.once('close', () => this.#response.writableFinished || abort.abort())
    }
    return this.#abort.signal
  }

  readBody(limit: number): Promise<Buffer> {
    return readBody(this.#request, limit, this.headers['content-length'] as string | undefined)
  }

  bodyStream(): NodeJS.ReadableStream {
    return this.#request
  }

  addHeader(name: string, value: string): void {
    this.#response.appendHeader(name, value)
  }

  removeHeader(name: string): void {
    this.#response.removeHeader(name)
  }

  respond(code: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#answered) return
    this.#answered = true
    const status = wireStatus(code)
    this.#started?.(status)
    const response = this.#response
    const isEarly = hasUnreadBody(this.#request)
    // Not all of what is left is read: nothing else can come on this connection.
    if (status === 413 || (isEarly && !isWorthDraining(this.#request))) response.setHeader('connection', 'close')
    response.writeHead(status, {
      'content-length': Buffer.byteLength(body),
      'cache-control': defaultCacheControl,
      ...headers,
    })
    const shown = this.method === 'HEAD' ? '' : body
    if (isEarly) {
      if (shown.length > 0) response.write(shown)
      drain(this.#request, () => response.end())
    } else response.end(shown)
    this.#finish(status, Buffer.byteLength(body))
  }

  stream(code: number, headers: Readonly<Record<string, string>>): AnswerStream {
    const status = wireStatus(code)
    if (!this.#answered) {
      this.#answered = true
      this.#started?.(status)
      this.#response.writeHead(status, { 'cache-control': defaultCacheControl, ...headers })
      this.#response.flushHeaders()
    }
    const answer = new Http1Answer(this.#response)
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
    this.#ended?.(status, bytes)
  }

  cut(): void {
    this.#request.socket.destroy()
    if (!this.#answered || !this.#response.headersSent) this.#finish(0, 0)
    this.#answered = true
  }

  upgrade(): UpgradedConnection | undefined {
    if (this.#upgrade !== undefined) {
      this.#answered = true
      this.#upgraded = true
      this.#started?.(101)
      this.#upgrade.socket.once('close', () => this.#finish(101, 0))
    }
    return this.#upgrade
  }
}

/** A client may say the whole address, as to a proxy. */
const withoutOrigin = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*\/?/i, '/')

class Http1Answer implements AnswerStream {
  readonly #response: ServerResponse
  bytes = 0

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  get bufferedBytes(): number {
    return this.#response.writableLength
  }

  write(chunk: Buffer | string, sent?: WriteCallback): boolean {
    if (this.closed) return false
    this.bytes += chunk.length
    return sent === undefined ? this.#response.write(chunk) : this.#response.write(chunk, sent)
  }

  end(chunk?: Buffer | string): void {
    if (this.closed) return
    if (chunk === undefined) this.#response.end()
    else {
      this.bytes += chunk.length
      this.#response.end(chunk)
    }
  }

  destroy(): void {
    this.#response.destroy()
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener)
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) queueMicrotask(listener)
    else this.#response.once('close', listener)
  }
}

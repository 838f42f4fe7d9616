/** A request that comes from this process: the whole pipeline, without a network. */
import { Readable } from 'node:stream'
import type { AnswerStream, Exchange, HeaderValues, Peer, WriteCallback } from '../api/exchange.ts'
import { requestEntityTooLarge } from '../api/status-error.ts'
import { AnnotationTrail } from './annotation-trail.ts'
import { AnswerHeaders } from './answer-headers.ts'

export interface LocalRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export interface LocalAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** What the server warns of, in words. */
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
  readonly body: Buffer
}

const peer: Peer = { remoteAddress: '127.0.0.1', certificates: () => [] }

/** Resolves with the answer, once it is complete. */
export function callLocally(request: LocalRequest, handle: (exchange: Exchange) => void): Promise<LocalAnswer> {
  return new Promise((resolve, reject) => handle(new LocalExchange(request, resolve, reject)))
}

export class LocalExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: HeaderValues
  readonly httpVersion = '1.1'
  readonly peer = peer
  readonly signal = new AbortController().signal
  answered = false
  complete = false
  readonly #body: Buffer
  readonly trail = new AnnotationTrail()
  readonly #headers = new AnswerHeaders()
  readonly #done: (answer: LocalAnswer) => void
  readonly #failed: (error: Error) => void
  #started: ((status: number) => void) | undefined
  readonly #ended: ((status: number, bytes: number) => void)[] = []

  constructor(request: LocalRequest, done: (answer: LocalAnswer) => void, failed: (error: Error) => void) {
    const { method, path, headers, body } = request
    const mark = path.indexOf('?')
    this.method = method
    this.path = mark < 0 ? path : path.slice(0, mark)
    this.query = mark < 0 ? '' : path.slice(mark + 1)
    this.headers = headers
    this.#body = body ?? Buffer.alloc(0)
    this.#done = done
    this.#failed = failed
  }

  async readBody(limit: number): Promise<Buffer> {
    if (this.#body.length > limit) throw requestEntityTooLarge(`limit is ${limit}`)
    return this.#body
  }

  bodyStream(): NodeJS.ReadableStream {
    return Readable.from([this.#body])
  }

  addHeader(name: string, value: string): void {
    this.#headers.add(name, value)
  }

  removeHeader(name: string): void {
    this.#headers.remove(name)
  }

  respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    this.answered = true
    this.#headers.addAll(headers)
    this.#started?.(status)
    this.#finish(status, Buffer.from(body))
  }

  stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    this.answered = true
    this.#headers.addAll(headers)
    this.#started?.(status)
    const chunks: Buffer[] = []
    const closed: (() => void)[] = []
    const close = (end: () => void): void => {
      if (answer.closed) return
      answer.closed = true
      end()
      for (const listener of closed) listener()
    }
    const answer = {
      closed: false,
      write: (chunk: Buffer | string, sent?: WriteCallback) => {
        // The chunk may be used again as soon as it was taken.
        chunks.push(Buffer.from(chunk))
        if (sent !== undefined) queueMicrotask(() => sent())
        return true
      },
      end: (chunk?: Buffer | string) => {
        if (chunk !== undefined) chunks.push(Buffer.from(chunk))
        close(() => this.#finish(status, Buffer.concat(chunks)))
      },
      destroy: () => close(() => this.cut()),
      onDrain: () => {},
      onClose: (listener: () => void) => void closed.push(listener),
    }
    return answer
  }

  #finish(status: number, body: Buffer): void {
    this.complete = true
    for (const listener of this.#ended) listener(status, body.length)
    const { all, warnings } = this.#headers
    this.#done({ status, headers: all, warnings, auditAnnotations: this.trail.annotations, body })
  }

  onStart(listener: (status: number) => void): void {
    this.#started = listener
  }

  onEnd(listener: (status: number, bytes: number) => void): void {
    this.#ended.push(listener)
  }

  cut(): void {
    this.complete = true
    for (const listener of this.#ended) listener(0, 0)
    this.#failed(new Error(`${this.method} ${this.path}: the connection was cut`))
  }

  upgrade(): undefined {
    return undefined
  }
}

/** A request that came over the network, with a tap: what it brings is remembered, and its answer can be kept from it. */
import type { AnswerStream, Exchange, HeaderValues, Peer, UpgradedConnection } from '../api/exchange.ts'

/** Bodies beyond this are not remembered. */
const maxBodyBytes = 4 * 1024 * 1024

export class TappedExchange implements Exchange {
  readonly #inner: Exchange
  #isCutAtAnswer = false
  /** What the client sent, as far as anybody has read it. */
  body: Buffer | undefined

  constructor(inner: Exchange) {
    this.#inner = inner
  }

  get method(): string {
    return this.#inner.method
  }
  get path(): string {
    return this.#inner.path
  }
  get query(): string {
    return this.#inner.query
  }
  get headers(): HeaderValues {
    return this.#inner.headers
  }
  get rawHeaders(): readonly string[] {
    return this.#inner.rawHeaders ?? []
  }
  get httpVersion(): Exchange['httpVersion'] {
    return this.#inner.httpVersion
  }
  get peer(): Peer {
    return this.#inner.peer
  }
  get signal(): AbortSignal {
    return this.#inner.signal
  }
  get answered(): boolean {
    return this.#inner.answered
  }
  get complete(): boolean {
    return this.#inner.complete
  }

  get upgraded(): boolean {
    return this.#inner.upgraded === true
  }

  async readBody(limit: number): Promise<Buffer> {
    const body = await this.#inner.readBody(limit)
    if (body.length <= maxBodyBytes) this.body = body
    return body
  }

  bodyStream(): NodeJS.ReadableStream {
    return this.#inner.bodyStream()
  }

  addHeader(name: string, value: string): void {
    this.#inner.addHeader(name, value)
  }

  /** Lets the request be carried out, and breaks the connection in place of the answer. */
  cutAtAnswer(): void {
    this.#isCutAtAnswer = true
  }

  respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#isCutAtAnswer) this.cut()
    else this.#inner.respond(status, headers, body)
  }

  stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    const stream = this.#inner.stream(status, headers)
    if (this.#isCutAtAnswer) stream.destroy()
    return stream
  }

  onStart(listener: (status: number) => void): void {
    this.#inner.onStart(listener)
  }

  onEnd(listener: (status: number, bytes: number) => void): void {
    this.#inner.onEnd(listener)
  }

  cut(): void {
    this.#inner.cut()
  }

  upgrade(): UpgradedConnection | undefined {
    return this.#inner.upgrade()
  }
}

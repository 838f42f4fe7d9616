/** The base of decorators of an exchange: delegates everything; a subclass overrides what it changes. */
import type { AnswerStream, Exchange, HeaderValues, Peer, UpgradedConnection } from './exchange.ts'

export class WrappedExchange implements Exchange {
  protected readonly inner: Exchange

  constructor(inner: Exchange) {
    this.inner = inner
  }

  get method(): string {
    return this.inner.method
  }

  get path(): string {
    return this.inner.path
  }

  get query(): string {
    return this.inner.query
  }

  get headers(): HeaderValues {
    return this.inner.headers
  }

  get rawHeaders(): readonly string[] | undefined {
    return this.inner.rawHeaders
  }

  get httpVersion(): Exchange['httpVersion'] {
    return this.inner.httpVersion
  }

  get peer(): Peer {
    return this.inner.peer
  }

  get signal(): AbortSignal {
    return this.inner.signal
  }

  get answered(): boolean {
    return this.inner.answered
  }

  get complete(): boolean {
    return this.inner.complete
  }

  get upgraded(): boolean {
    return this.inner.upgraded === true
  }

  readBody(limit: number): Promise<Buffer> {
    return this.inner.readBody(limit)
  }

  bodyStream(): NodeJS.ReadableStream {
    return this.inner.bodyStream()
  }

  addHeader(name: string, value: string): void {
    this.inner.addHeader(name, value)
  }

  removeHeader(name: string): void {
    this.inner.removeHeader(name)
  }

  respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    this.inner.respond(status, headers, body)
  }

  stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    return this.inner.stream(status, headers)
  }

  onStart(listener: (status: number) => void): void {
    this.inner.onStart(listener)
  }

  onEnd(listener: (status: number, bytes: number) => void): void {
    this.inner.onEnd(listener)
  }

  cut(): void {
    this.inner.cut()
  }

  upgrade(): UpgradedConnection | undefined {
    return this.inner.upgrade()
  }
}

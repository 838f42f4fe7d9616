/** A request that came over the network, with a tap: what it brings and what it is answered is remembered, and its answer can be kept from it. */
import { Readable } from 'node:stream'
import type { AnswerStream } from '../api/exchange.ts'
import { WrappedExchange } from '../api/wrapped-exchange.ts'
import { AnswerHeaders } from '../http/answer-headers.ts'

/** Larger bodies and answers are not remembered. */
const maxBodyBytes = 4 * 1024 * 1024
const maxAnswerBytes = 256 * 1024

export class TappedExchange extends WrappedExchange {
  readonly answerHeaders = new AnswerHeaders()
  /** What the client sent, as far as anybody has read it. */
  body: Buffer | undefined
  /** What it was answered, if that was not a stream. */
  answer: Buffer | undefined
  #isCutAtAnswer = false
  /** The body, when it was read before anybody asked for it. */
  #read: Promise<Buffer> | undefined

  override readBody(limit: number): Promise<Buffer> {
    return this.#read ?? this.#readNow(limit)
  }

  async #readNow(limit: number): Promise<Buffer> {
    const body = await this.inner.readBody(limit)
    if (body.length <= maxBodyBytes) this.body = body
    return body
  }

  /** Reads the body for a test to look at; later readers get the same, or the same error. */
  async prefetch(limit: number): Promise<void> {
    this.#read ??= this.#readNow(limit)
    await this.#read.catch(() => undefined)
  }

  override bodyStream(): NodeJS.ReadableStream {
    return this.body === undefined || this.#read === undefined ? this.inner.bodyStream() : Readable.from([this.body])
  }

  /** Lets the request be carried out, and breaks the connection in place of the answer. */
  cutAtAnswer(): void {
    this.#isCutAtAnswer = true
  }

  override addHeader(name: string, value: string): void {
    this.answerHeaders.add(name, value)
    this.inner.addHeader(name, value)
  }

  override removeHeader(name: string): void {
    this.answerHeaders.remove(name)
    this.inner.removeHeader(name)
  }

  override respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#isCutAtAnswer) {
      this.cut()
      return
    }
    this.answerHeaders.addAll(headers)
    const bytes = Buffer.from(body)
    if (bytes.length <= maxAnswerBytes) this.answer = bytes
    this.inner.respond(status, headers, body)
  }

  override stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    this.answerHeaders.addAll(headers)
    const stream = this.inner.stream(status, headers)
    if (this.#isCutAtAnswer) stream.destroy()
    return stream
  }

  /** Returns how many bytes it no longer holds. */
  forgetBodies(): number {
    const bytes = this.heldBytes
    this.body = undefined
    this.answer = undefined
    this.#read = undefined
    return bytes
  }

  get heldBytes(): number {
    return (this.body?.length ?? 0) + (this.answer?.length ?? 0)
  }
}

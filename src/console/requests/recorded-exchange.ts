/** An exchange that keeps what a request brings and what it is answered, within bounds. */
import type { AnswerStream, WriteCallback } from '../../api/exchange.ts'
import { WrappedExchange } from '../../api/wrapped-exchange.ts'
import { AnswerHeaders } from '../../http/answer-headers.ts'

/** A larger body is not kept. */
export const maxBodyBytes = 64 * 1024

export interface KeptBody {
  readonly bytes: number
  /** Undefined: it was too large, or was dropped since. */
  readonly content: Buffer | undefined
}

export class RecordedExchange extends WrappedExchange {
  readonly answerHeaders = new AnswerHeaders()
  /** In milliseconds, waiting for the client to send. */
  bodyMs = 0
  request: KeptBody | undefined
  #answer: Buffer[] | undefined = []
  #answerBytes = 0
  /** A stream that lasts is not kept. */
  keepsAnswer = true

  override async readBody(limit: number): Promise<Buffer> {
    const begin = performance.now()
    try {
      const body = await this.inner.readBody(limit)
      this.request = { bytes: body.length, content: body.length <= maxBodyBytes ? Buffer.from(body) : undefined }
      return body
    } finally {
      this.bodyMs += performance.now() - begin
    }
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
    this.answerHeaders.addAll(headers)
    this.#keep(body)
    this.inner.respond(status, headers, body)
  }

  override stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    this.answerHeaders.addAll(headers)
    const stream = this.inner.stream(status, headers)
    if (!this.keepsAnswer) {
      this.#answer = undefined
      return stream
    }
    return {
      write: (chunk: Buffer | string, sent?: WriteCallback) => {
        this.#keep(chunk)
        return stream.write(chunk, sent)
      },
      end: (chunk?: Buffer | string) => {
        if (chunk !== undefined) this.#keep(chunk)
        stream.end(chunk)
      },
      destroy: () => stream.destroy(),
      onDrain: (listener) => stream.onDrain(listener),
      onClose: (listener) => stream.onClose(listener),
      get closed() {
        return stream.closed
      },
      get bufferedBytes() {
        return stream.bufferedBytes ?? 0
      },
    }
  }

  get response(): KeptBody {
    return { bytes: this.#answerBytes, content: this.#answer && Buffer.concat(this.#answer) }
  }

  get heldBytes(): number {
    return (this.request?.content?.length ?? 0) + (this.#answer === undefined ? 0 : this.#answerBytes)
  }

  /** Returns how many bytes it no longer holds. */
  forgetBodies(): number {
    const held = this.heldBytes
    if (this.request !== undefined) this.request = { bytes: this.request.bytes, content: undefined }
    this.#answer = undefined
    return held
  }

  #keep(chunk: Buffer | string): void {
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length
    this.#answerBytes += size
    if (this.#answerBytes > maxBodyBytes) this.#answer = undefined
    // A chunk may be used again as soon as it was sent.
    else this.#answer?.push(Buffer.from(chunk))
  }
}

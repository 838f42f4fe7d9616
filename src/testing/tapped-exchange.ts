/** A request that came over the network, with a tap: what it brings is remembered, and its answer can be kept from it. */
import type { AnswerStream } from '../api/exchange.ts'
import { WrappedExchange } from '../api/wrapped-exchange.ts'

/** Bodies beyond this are not remembered. */
const maxBodyBytes = 4 * 1024 * 1024

export class TappedExchange extends WrappedExchange {
  #isCutAtAnswer = false
  /** What the client sent, as far as anybody has read it. */
  body: Buffer | undefined

  override async readBody(limit: number): Promise<Buffer> {
    const body = await this.inner.readBody(limit)
    if (body.length <= maxBodyBytes) this.body = body
    return body
  }

  /** Lets the request be carried out, and breaks the connection in place of the answer. */
  cutAtAnswer(): void {
    this.#isCutAtAnswer = true
  }

  override respond(status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): void {
    if (this.#isCutAtAnswer) this.cut()
    else this.inner.respond(status, headers, body)
  }

  override stream(status: number, headers: Readonly<Record<string, string>>): AnswerStream {
    const stream = this.inner.stream(status, headers)
    if (this.#isCutAtAnswer) stream.destroy()
    return stream
  }
}

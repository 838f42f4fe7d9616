/** A stream whose content is compressed on its way out, no faster than the client reads it. */
import { createGzip, type Gzip } from 'node:zlib'
import type { AnswerStream, WriteCallback } from '../api/exchange.ts'

export class GzipAnswer implements AnswerStream {
  readonly #answer: AnswerStream
  readonly #gzip: Gzip

  constructor(answer: AnswerStream) {
    this.#answer = answer
    const gzip = createGzip({ level: 4 })
    this.#gzip = gzip
    gzip.on('data', (chunk: Buffer) => {
      if (!answer.write(chunk)) gzip.pause()
    })
    gzip.on('end', () => answer.end())
    gzip.on('error', () => answer.destroy())
    answer.onDrain(() => gzip.resume())
    answer.onClose(() => gzip.destroy())
  }

  get closed(): boolean {
    return this.#answer.closed || this.#gzip.writableEnded
  }

  write(chunk: Buffer, sent?: WriteCallback): boolean {
    return this.closed ? false : this.#gzip.write(chunk, sent === undefined ? undefined : (error) => sent(error))
  }

  end(chunk?: Buffer): void {
    if (this.closed) return
    if (chunk === undefined) this.#gzip.end()
    else this.#gzip.end(chunk)
  }

  destroy(): void {
    this.#answer.destroy()
  }

  onDrain(listener: () => void): void {
    this.#gzip.on('drain', listener)
  }

  onClose(listener: () => void): void {
    this.#answer.onClose(listener)
  }
}

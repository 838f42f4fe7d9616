/**
 * A connection that a dial opens, as a stream that is there at once: an agent counts its connections when it is given
 * them, so that its bound holds also while they are dialled.
 */
import { Duplex } from 'node:stream'

interface SocketControls {
  setKeepAlive?(enable?: boolean, delay?: number): unknown
  setNoDelay?(enable?: boolean): unknown
  setTimeout?(ms: number, listener?: () => void): unknown
  ref?(): unknown
  unref?(): unknown
}

export class DialledSocket extends Duplex {
  readonly #open: () => Promise<Duplex>
  #inner: (Duplex & SocketControls) | undefined

  constructor(open: () => Promise<Duplex>) {
    super({ allowHalfOpen: true })
    this.#open = open
  }

  override _construct(done: (error?: Error | null) => void): void {
    this.#open().then(
      (inner) => {
        this.#inner = inner
        if (this.destroyed) inner.destroy()
        inner.on('data', (chunk: Buffer) => {
          if (!this.push(chunk)) inner.pause()
        })
        inner.on('end', () => this.push(null))
        inner.on('error', (error) => this.destroy(error))
        inner.on('close', () => this.destroy())
        done()
        this.emit('connect')
      },
      (error: Error) => done(error),
    )
  }

  override _read(): void {
    this.#inner?.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner?.write(chunk, encoding, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inner?.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner?.destroy()
    done(error)
  }

  // What Node's agents ask of a socket.
  setKeepAlive(enable?: boolean, delay?: number): this {
    this.#inner?.setKeepAlive?.(enable, delay)
    return this
  }

  setNoDelay(enable?: boolean): this {
    this.#inner?.setNoDelay?.(enable)
    return this
  }

  setTimeout(ms: number, listener?: () => void): this {
    this.#inner?.setTimeout?.(ms, listener)
    return this
  }

  ref(): this {
    this.#inner?.ref?.()
    return this
  }

  unref(): this {
    this.#inner?.unref?.()
    return this
  }
}

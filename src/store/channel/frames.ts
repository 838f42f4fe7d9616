// How messages cross a stream: a frame is a header, which is JSON, and bytes, the lengths of which are in the header.
//
//   u32  length of what follows      u32  length of the header      header in UTF-8      bytes
//
// Frames leave once a turn of the loop, in one system call.
import type { Duplex } from 'node:stream'

export type Header = readonly unknown[]

export interface Frame {
  readonly header: Header
  /** Shares the memory of the chunk that came: what is kept must be copied. */
  readonly bytes: Buffer
}

const prefixBytes = 8
/** More than this is not copied into the frame but follows it. */
const copiedBytes = 16 * 1024
/** A peer that does not read is given up when this much waits for it. */
const maxWaitingBytes = 512 * 1024 * 1024
/** Nothing that is sent comes near this: whatever claims to is not a frame. */
const maxFrameBytes = 1024 * 1024 * 1024

/** The pieces of one frame. */
export function encodeFrame(header: Header, pieces: readonly Uint8Array[] = []): Buffer[] {
  const text = JSON.stringify(header)
  const headerBytes = Buffer.byteLength(text)
  let following = 0
  for (const { byteLength } of pieces) following += byteLength
  const isCopied = following <= copiedBytes
  const head = Buffer.allocUnsafe(prefixBytes + headerBytes + (isCopied ? following : 0))
  head.writeUInt32LE(4 + headerBytes + following, 0)
  head.writeUInt32LE(headerBytes, 4)
  let at = prefixBytes + head.write(text, prefixBytes, 'utf8')
  if (!isCopied) return [head, ...pieces.map(asBuffer)]
  for (const piece of pieces) {
    head.set(piece, at)
    at += piece.byteLength
  }
  return [head]
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Cuts a stream of chunks into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0
  /** How many bytes must be there before it is worth looking. */
  #needed = prefixBytes

  /** Throws on what is no frame. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length)
    let at = 0
    this.#needed = prefixBytes
    while (all.length - at >= prefixBytes) {
      const end = at + 4 + all.readUInt32LE(at)
      if (end - at > maxFrameBytes) throw new Error('a frame is longer than any that is sent')
      if (end > all.length) {
        this.#needed = end - at
        break
      }
      const bytesAt = at + prefixBytes + all.readUInt32LE(at + 4)
      const header = JSON.parse(all.toString('utf8', at + prefixBytes, bytesAt)) as Header
      take({ header, bytes: all.subarray(bytesAt, end) })
      at = end
    }
    this.#chunks = at === all.length ? [] : [at === 0 ? all : all.subarray(at)]
    this.#length = all.length - at
  }
}

/** One end of a stream of frames. */
export class FramePort {
  readonly #stream: Duplex
  readonly #onLost: () => void
  #waiting: Buffer[] = []
  #isScheduled = false
  #isOpen = true

  constructor(stream: Duplex, handlers: { readonly onFrame: (frame: Frame) => void; readonly onLost: () => void }) {
    this.#stream = stream
    this.#onLost = handlers.onLost
    const reader = new FrameReader()
    stream.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk, handlers.onFrame)
      } catch {
        this.#lose()
      }
    })
    stream.once('error', () => this.#lose())
    stream.once('close', () => this.#lose())
    stream.once('end', () => this.#lose())
  }

  send(header: Header, pieces?: readonly Uint8Array[]): void {
    if (!this.#isOpen) return
    const frame = encodeFrame(header, pieces)
    for (let i = 0; i < frame.length; i++) this.#waiting.push(frame[i] as Buffer)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    const frames = this.#waiting
    this.#waiting = []
    if (!this.#isOpen || frames.length === 0) return
    this.#stream.cork()
    for (const frame of frames) this.#stream.write(frame)
    this.#stream.uncork()
    if (this.#stream.writableLength > maxWaitingBytes) this.#lose()
  }

  #lose(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#stream.destroy()
    this.#onLost()
  }

  /** Sends what waits and ends the stream. */
  close(): void {
    if (!this.#isOpen) return
    this.#flush()
    this.#isOpen = false
    this.#stream.end()
  }
}

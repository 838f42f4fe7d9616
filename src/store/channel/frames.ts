// How messages cross a stream: as frames, which leave together once a turn of the loop.
//
//   u32  length of what follows      u8  kind      body
//
// What the bodies are, see wire.ts. Frames are written one after another into blocks of memory, which go to the stream as they are: a frame has
// no buffer of its own.
import type { Duplex } from 'node:stream'

const headBytes = 5
const blockBytes = 64 * 1024
/** More than this is not copied into a block but follows it. */
const copiedBytes = 16 * 1024
/** A peer that does not read is given up when this much waits for it. */
const maxWaitingBytes = 512 * 1024 * 1024
/** Nothing that is sent comes near this: whatever claims to is not a frame. */
const maxFrameBytes = 1024 * 1024 * 1024

/** Frames that wait to be sent. */
export class FrameBuffer {
  /** Where the body of the frame that was begun last goes. */
  block = Buffer.alloc(0)
  #from = 0
  #end = 0
  #chunks: Buffer[] = []

  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#end === this.#from
  }

  /** Begins a frame whose body has so many bytes: those that are written to `block` from the offset returned, and those that `append` adds. */
  begin(kind: number, inBlock: number, appended = 0): number {
    const at = this.#reserve(headBytes + inBlock)
    this.block.writeUInt32LE(1 + inBlock + appended, at)
    this.block[at + 4] = kind
    return at + headBytes
  }

  /** Bytes that are not changed until they are sent. */
  append(bytes: Uint8Array): void {
    if (bytes.byteLength <= copiedBytes) {
      const at = this.#reserve(bytes.byteLength)
      this.block.set(bytes, at)
      return
    }
    this.#seal()
    this.#chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  #reserve(bytes: number): number {
    if (this.#end + bytes > this.block.length) {
      this.#seal()
      this.block = Buffer.allocUnsafeSlow(Math.max(bytes, blockBytes))
      this.#from = 0
      this.#end = 0
    }
    const at = this.#end
    this.#end += bytes
    return at
  }

  #seal(): void {
    if (this.#end > this.#from) this.#chunks.push(this.block.subarray(this.#from, this.#end))
    this.#from = this.#end
  }

  /** All that was written since it was last taken. */
  take(): Buffer[] {
    this.#seal()
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}

/** Takes one frame: its body lies between two offsets of a block, of which nothing may be kept. */
export type TakeFrame = (kind: number, block: Buffer, from: number, to: number) => void

/** Cuts a stream of chunks into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0
  /** How many bytes must be there before it is worth looking. */
  #needed = headBytes

  /** Throws on what is no frame. */
  push(chunk: Buffer, take: TakeFrame): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length)
    let at = 0
    this.#needed = headBytes
    while (all.length - at >= headBytes) {
      const end = at + 4 + all.readUInt32LE(at)
      if (end - at > maxFrameBytes) throw new Error('a frame is longer than any that is sent')
      if (end > all.length) {
        this.#needed = end - at
        break
      }
      take(all[at + 4] as number, all, at + headBytes, end)
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
  readonly #frames = new FrameBuffer()
  #isScheduled = false
  #isOpen = true

  constructor(stream: Duplex, handlers: { readonly onFrame: TakeFrame; readonly onLost: () => void }) {
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

  /** What `write` adds to the frames leaves at the end of this turn of the loop. */
  send(write: (frames: FrameBuffer) => void): void {
    if (!this.#isOpen) return
    write(this.#frames)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    if (!this.#isOpen || this.#frames.isEmpty) return
    this.#stream.cork()
    for (const chunk of this.#frames.take()) this.#stream.write(chunk)
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

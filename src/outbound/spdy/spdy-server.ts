/**
 * The server's side of a SPDY/3.1 connection, as a kubelet speaks it for exec, attach and port-forward: streams that the other
 * side opens, each with headers that say what it is for.
 */
import type { Duplex } from 'node:stream'
import { constants, createInflate, type Inflate } from 'node:zlib'
import { spdyDictionary } from './spdy-dictionary.ts'
import {
  dataFrameHeader,
  finFlag,
  frameTypes,
  goAwayFrame,
  pingFrame,
  readFrames,
  resetFrame,
  type SpdyFrame,
  SpdyHeaderWriter,
} from './spdy-frames.ts'

/** One stream that the other side opened. */
export interface SpdyServerStream {
  readonly headers: Readonly<Record<string, string>>
  /** Called with what comes; before the first call it waits. */
  onData(listener: (chunk: Buffer) => void): void
  /** Called once: the other side writes nothing more. */
  onEnd(listener: () => void): void
  write(chunk: Buffer): boolean
  /** Nothing more is written. Idempotent. */
  end(): void
}

export interface SpdyServerListener {
  stream(stream: SpdyServerStream): void
  /** Called once. */
  close(): void
}

interface StreamState {
  readonly stream: SpdyServerStream
  take(chunk: Buffer): void
  ended(): void
}

const streamMask = 0x7fff_ffff
const synHeaderBytes = 10
const protocolError = 1
/** What one connection may have open, and the sizes of what is kept for it. */
const maxStreams = 1000
const maxHeaderBytes = 64 * 1024
const maxWaitingBytes = 1 << 20

export class SpdyServerConnection {
  readonly #socket: Duplex
  readonly #listener: SpdyServerListener
  readonly #inflate: Inflate
  readonly #streams = new Map<number, StreamState>()
  readonly #replies = new SpdyHeaderWriter()
  /** Headers are one compressed text over all streams: they are read one after the other. */
  #headers: Promise<void> = Promise.resolve()

  constructor(socket: Duplex, head: Buffer, listener: SpdyServerListener) {
    this.#socket = socket
    this.#listener = listener
    this.#inflate = createInflate({ dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH })
    this.#inflate.on('error', () => socket.destroy())
    socket.once('close', () => {
      for (const state of this.#streams.values()) state.ended()
      this.#streams.clear()
      this.#inflate.close()
      listener.close()
    })
    readFrames(socket, head, (frame) => this.#take(frame))
    socket.resume()
  }

  close(): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    this.#socket.end(goAwayFrame(0), () => this.#socket.destroy())
  }

  #take(frame: SpdyFrame): void {
    // Data of a stream comes after its headers, which may be read later.
    const copy = { ...frame, payload: Buffer.from(frame.payload) }
    if (frame.kind === 'control' && frame.type === frameTypes.ping) {
      this.#socket.write(pingFrame(frame.payload.readUInt32BE(0)))
      return
    }
    this.#headers = this.#headers.then(() => this.#handle(copy)).catch(() => void this.#socket.destroy())
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (frame.kind === 'data') {
      const state = this.#streams.get(frame.streamId & streamMask)
      if (frame.payload.length > 0) state?.take(frame.payload)
      if ((frame.flags & finFlag) !== 0) state?.ended()
      return
    }
    if (frame.payload.length < 4) return
    const id = frame.payload.readUInt32BE(0) & streamMask
    if (frame.type === frameTypes.synStream) await this.#open(id, frame)
    else if (frame.type === frameTypes.rstStream) {
      this.#streams.get(id)?.ended()
      this.#streams.delete(id)
    }
  }

  async #open(id: number, { payload, flags }: { payload: Buffer; flags: number }): Promise<void> {
    const headers = readHeaders(await this.#inflated(payload.subarray(synHeaderBytes)))
    if (this.#streams.size >= maxStreams || this.#streams.has(id)) {
      this.#socket.write(resetFrame(id, protocolError))
      return
    }
    const state = this.#state(id, headers)
    this.#streams.set(id, state)
    this.#socket.write(this.#replies.synReply(id))
    this.#listener.stream(state.stream)
    if ((flags & finFlag) !== 0) state.ended()
  }

  #inflated(block: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      const take = (chunk: Buffer): void => {
        chunks.push(chunk)
        length += chunk.length
        if (length > maxHeaderBytes) reject(new Error('SPDY headers too large'))
      }
      this.#inflate.on('data', take)
      this.#inflate.write(block, () => {
        this.#inflate.off('data', take)
        resolve(Buffer.concat(chunks))
      })
    })
  }

  #state(id: number, headers: Readonly<Record<string, string>>): StreamState {
    let onData: ((chunk: Buffer) => void) | undefined
    let onEnd: (() => void) | undefined
    let waiting: Buffer[] = []
    let waitingBytes = 0
    let hasEnded = false
    let isDone = false
    const stream: SpdyServerStream = {
      headers,
      onData(listener) {
        onData = listener
        for (const chunk of waiting) listener(chunk)
        waiting = []
      },
      onEnd(listener) {
        onEnd = listener
        if (hasEnded) listener()
      },
      write: (chunk) => {
        if (isDone || this.#socket.destroyed) return true
        this.#socket.write(dataFrameHeader(id, 0, chunk.length))
        return this.#socket.write(chunk)
      },
      end: () => {
        if (isDone || this.#socket.destroyed) return
        isDone = true
        this.#socket.write(dataFrameHeader(id, finFlag, 0))
        if (hasEnded) this.#streams.delete(id)
      },
    }
    return {
      stream,
      take: (chunk) => {
        if (onData !== undefined) {
          onData(chunk)
          return
        }
        waitingBytes += chunk.length
        if (waitingBytes > maxWaitingBytes) this.#socket.destroy()
        else waiting.push(chunk)
      },
      ended: () => {
        if (hasEnded) return
        hasEnded = true
        if (isDone) this.#streams.delete(id)
        onEnd?.()
      },
    }
  }
}

/** Names and values, each with its length in front. Throws an Error for what is cut off. */
function readHeaders(block: Buffer): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  let at = 0
  const number = (): number => {
    const value = block.readUInt32BE(at)
    at += 4
    return value
  }
  const text = (): string => {
    const length = number()
    if (at + length > block.length) throw new Error('SPDY headers are cut off')
    const value = block.toString('latin1', at, at + length)
    at += length
    return value
  }
  for (let left = number(); left > 0; left--) {
    const name = text()
    headers[name.toLowerCase()] = text()
  }
  return headers
}

/**
 * The client's side of a SPDY/3.1 connection, as kubelets speak it for exec, attach and port-forward: a few streams that
 * this side opens. Kubelets use no flow control of their own: a reader that is slow holds the whole connection back, and
 * nothing is kept here beyond what the socket holds.
 */
import type { Duplex } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
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

/** Called in turn: any number of `data`, then `end` once, whether the stream ended well or was reset. */
export interface SpdyStreamListener {
  data(chunk: Buffer): void
  end(): void
}

export interface SpdyStream {
  /** False: wait for the connection to drain. */
  write(chunk: Buffer): boolean
  /** Nothing more is written. Idempotent. */
  end(): void
}

export interface SpdyConnectionOptions {
  readonly clock: Pick<Clock, 'setTimeout'>
  /** Called once. */
  readonly onClose: () => void
}

interface StreamState {
  readonly listener: SpdyStreamListener
  isEnded: boolean
  /** Settled by the reply. */
  readonly replied: (error?: Error) => void
}

const replyTimeoutMs = 30_000
const pingMs = 5000
const refusedStream = 3
const cancelled = 5
const maxDataBytes = 32 * 1024
/** The bit in front of stream numbers is reserved. */
const streamMask = 0x7fff_ffff

export class SpdyConnection {
  readonly #socket: Duplex
  readonly #clock: Pick<Clock, 'setTimeout'>
  readonly #headers = new SpdyHeaderWriter()
  readonly #streams = new Map<number, StreamState>()
  #nextStream = 1
  #nextPing = 1
  #cancelPing: () => void = () => {}

  constructor(socket: Duplex, head: Buffer, { clock, onClose }: SpdyConnectionOptions) {
    this.#socket = socket
    this.#clock = clock
    socket.once('close', () => {
      this.#cancelPing()
      for (const id of [...this.#streams.keys()]) this.#endStream(id, new Error('connection closed'))
      onClose()
    })
    readFrames(socket, head, (frame) => this.#take(frame))
    this.#pingLater()
  }

  /** Resolves when the other side has taken the stream. */
  open(headers: Readonly<Record<string, string>>, listener: SpdyStreamListener): Promise<SpdyStream> {
    const id = this.#nextStream
    this.#nextStream += 2
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('connection closed'))
        return
      }
      const cancel = this.#clock.setTimeout(() => {
        this.#reset(id)
        this.#endStream(id, new Error('timeout exceeded'))
      }, replyTimeoutMs)
      const replied = (error?: Error): void => {
        cancel()
        if (error === undefined) resolve(this.#stream(id))
        else reject(error)
      }
      this.#streams.set(id, { listener, isEnded: false, replied })
      this.#socket.write(this.#headers.synStream(id, headers))
    })
  }

  /** Takes nothing more from the other side until it is resumed. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener)
  }

  /** Resets what is still open. */
  close(): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    for (const id of this.#streams.keys()) this.#reset(id)
    this.#socket.end(goAwayFrame(0), () => this.#socket.destroy())
  }

  #stream(id: number): SpdyStream {
    let isEnded = false
    return {
      write: (chunk) => {
        if (isEnded || this.#socket.destroyed) return true
        let isTaken = true
        for (let at = 0; at < chunk.length; at += maxDataBytes) {
          const piece = chunk.subarray(at, at + maxDataBytes)
          this.#socket.write(dataFrameHeader(id, 0, piece.length))
          isTaken = this.#socket.write(piece)
        }
        return isTaken
      },
      end: () => {
        if (isEnded || this.#socket.destroyed) return
        isEnded = true
        this.#socket.write(dataFrameHeader(id, finFlag, 0))
      },
    }
  }

  #take(frame: SpdyFrame): void {
    if (frame.kind === 'data') this.#takeData(frame.streamId & streamMask, frame.flags, frame.payload)
    else this.#takeControl(frame.type, frame.flags, frame.payload)
  }

  #takeData(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    if (payload.length > 0) stream.listener.data(payload)
    if ((flags & finFlag) !== 0) this.#endStream(id)
  }

  #takeControl(type: number, flags: number, payload: Buffer): void {
    if (payload.length < 4) return
    const first = payload.readUInt32BE(0)
    const id = first & streamMask
    switch (type) {
      case frameTypes.synReply:
        this.#streams.get(id)?.replied()
        if ((flags & finFlag) !== 0) this.#endStream(id)
        return
      case frameTypes.rstStream:
        this.#endStream(id, new Error('Stream reset'))
        return
      case frameTypes.synStream:
        this.#reset(id, refusedStream)
        return
      case frameTypes.headers:
        if ((flags & finFlag) !== 0) this.#endStream(id)
        return
      case frameTypes.ping:
        // The other side's pings have even numbers; odd ones are answers.
        if (first % 2 === 0) this.#socket.write(pingFrame(first))
        return
      default:
        return
    }
  }

  #endStream(id: number, error?: Error): void {
    const stream = this.#streams.get(id)
    if (stream === undefined || stream.isEnded) return
    stream.isEnded = true
    this.#streams.delete(id)
    stream.replied(error ?? new Error('stream closed'))
    stream.listener.end()
  }

  #reset(id: number, status = cancelled): void {
    this.#socket.write(resetFrame(id, status))
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.setTimeout(() => {
      if (this.#socket.destroyed || this.#socket.writableEnded) return
      this.#socket.write(pingFrame(this.#nextPing))
      this.#nextPing += 2
      this.#pingLater()
    }, pingMs)
  }
}

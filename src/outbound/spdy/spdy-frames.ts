/**
 * Frames of SPDY/3.1, as far as kubelets and their clients need them: streams, data, pings, resets. Headers are
 * written in stored blocks of one zlib stream, so that neither a compressor nor its dictionary is needed; headers that
 * come back are not looked at.
 */
import type { Duplex } from 'node:stream'

/** Type, flags and payload of a control frame, or the stream, flags and payload of a data frame. */
export type SpdyFrame =
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer }
  | { readonly kind: 'data'; readonly streamId: number; readonly flags: number; readonly payload: Buffer }

export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

export const finFlag = 1
const version = 3
const controlBit = 0x80
const headerBytes = 8
/** A larger control frame ends the connection; data frames are passed on in pieces as they come. */
const maxControlBytes = 1 << 20

/** A data frame of which more is to come. */
interface OpenData {
  readonly streamId: number
  readonly flags: number
  left: number
}

/** Reads the frames of a connection, which ends with its peer's side, an error, or what is no frame. `head` came with the upgrade. */
export function readFrames(socket: Duplex, head: Buffer, onFrame: (frame: SpdyFrame) => void): void {
  const reader = new SpdyFrameReader(onFrame)
  const take = (chunk: Buffer): void => {
    try {
      reader.take(chunk)
    } catch {
      socket.destroy()
    }
  }
  socket.on('data', take)
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.destroy())
  if (head.length > 0) take(head)
}

/** Splits what comes into frames. Data frames may come in pieces: only the last has the flags. */
export class SpdyFrameReader {
  readonly #onFrame: (frame: SpdyFrame) => void
  #buffered: Buffer = Buffer.alloc(0)
  #data: OpenData | undefined

  constructor(onFrame: (frame: SpdyFrame) => void) {
    this.#onFrame = onFrame
  }

  /** Throws an Error for what is no frame. */
  take(chunk: Buffer): void {
    let rest = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    this.#buffered = Buffer.alloc(0)
    for (;;) {
      const used = this.#data === undefined ? this.#frame(rest) : this.#piece(rest, this.#data)
      if (used === 0) break
      rest = rest.subarray(used)
    }
    // A copy: the chunk is not held for a few bytes of it.
    if (rest.length > 0) this.#buffered = Buffer.from(rest)
  }

  /** The bytes that it took; 0: there are not enough yet. */
  #frame(bytes: Buffer): number {
    if (bytes.length < headerBytes) return 0
    const flags = bytes.readUInt8(4)
    const length = bytes.readUIntBE(5, 3)
    if ((bytes.readUInt8(0) & controlBit) === 0) {
      this.#data = { streamId: bytes.readUInt32BE(0), flags, left: length }
      // An empty one may be all that ends a stream.
      if (length === 0) this.#emitData(Buffer.alloc(0), this.#data)
      return headerBytes
    }
    if ((bytes.readUInt16BE(0) & 0x7fff) !== version) throw new Error('unsupported SPDY version')
    if (length > maxControlBytes) throw new Error('SPDY control frame too large')
    const end = headerBytes + length
    if (bytes.length < end) return 0
    this.#onFrame({ kind: 'control', type: bytes.readUInt16BE(2), flags, payload: bytes.subarray(headerBytes, end) })
    return end
  }

  #piece(bytes: Buffer, data: OpenData): number {
    const taken = Math.min(bytes.length, data.left)
    if (taken === 0) return 0
    data.left -= taken
    this.#emitData(bytes.subarray(0, taken), data)
    return taken
  }

  #emitData(payload: Buffer, data: OpenData): void {
    const isLast = data.left === 0
    if (isLast) this.#data = undefined
    this.#onFrame({ kind: 'data', streamId: data.streamId, flags: isLast ? data.flags : 0, payload })
  }
}

function controlFrame(type: number, flags: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(0x8000 | version, 0)
  header.writeUInt16BE(type, 2)
  header.writeUInt8(flags, 4)
  header.writeUIntBE(payload.length, 5, 3)
  return Buffer.concat([header, payload])
}

/** The header of a data frame; the payload follows as it is. */
export function dataFrameHeader(streamId: number, flags: number, length: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(streamId, 0)
  header.writeUInt8(flags, 4)
  header.writeUIntBE(length, 5, 3)
  return header
}

const uint32s = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => void bytes.writeUInt32BE(value, i * 4))
  return bytes
}

export const pingFrame = (id: number): Buffer => controlFrame(frameTypes.ping, 0, uint32s(id))
export const resetFrame = (streamId: number, status: number): Buffer =>
  controlFrame(frameTypes.rstStream, 0, uint32s(streamId, status))
export const goAwayFrame = (lastStreamId: number): Buffer =>
  controlFrame(frameTypes.goAway, 0, uint32s(lastStreamId, 0))

/** CMF, FLG with the bit for a dictionary, and the checksum of SPDY/3's dictionary. */
const zlibHeader = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2])
/** An empty stored block: readers hand out what came before it. */
const syncFlush = Buffer.from([0, 0, 0, 0xff, 0xff])
const maxStoredBytes = 0xffff

/** Writes the header blocks of one connection: they are one zlib stream together. */
export class SpdyHeaderWriter {
  #isBegun = false

  synStream(streamId: number, headers: Readonly<Record<string, string>>): Buffer {
    const fixed = Buffer.alloc(10)
    fixed.writeUInt32BE(streamId, 0)
    return controlFrame(frameTypes.synStream, 0, Buffer.concat([fixed, this.#block(headers)]))
  }

  /** The answer to a stream that the other side opened. */
  synReply(streamId: number): Buffer {
    return controlFrame(frameTypes.synReply, 0, Buffer.concat([uint32s(streamId), this.#block({})]))
  }

  #block(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers).flatMap(([name, value]) => [lengthPrefixed(name), lengthPrefixed(value)])
    const text = Buffer.concat([uint32s(entries.length / 2), ...entries])
    if (text.length > maxStoredBytes) throw new Error('SPDY headers too large')
    const stored = Buffer.alloc(5)
    stored.writeUInt16LE(text.length, 1)
    stored.writeUInt16LE(~text.length & 0xffff, 3)
    const begin = this.#isBegun ? [] : [zlibHeader]
    this.#isBegun = true
    return Buffer.concat([...begin, stored, text, syncFlush])
  }
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([uint32s(bytes.length), bytes])
}

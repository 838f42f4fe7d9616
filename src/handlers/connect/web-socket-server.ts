/**
 * The server's side of a WebSocket whose messages matter: they come in pieces as they arrive, so that nothing is held, and
 * are taken no faster than they are passed on. Control frames are answered here.
 */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Exchange } from '../../api/exchange.ts'
import { messageFrame } from '../web-socket.ts'

export interface WebSocketListener {
  /** A part of a message. */
  part(chunk: Buffer): void
  /** A message is whole. */
  messageEnd(): void
  /** Called once: the client has gone, or closed. */
  close(): void
}

const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const opcodes = { close: 8, ping: 9 } as const
const maxControlBytes = 125
const normalClosure = Buffer.from([0x03, 0xe8])

/** Why the handshake cannot be; undefined when it can. Mirrors x/net/websocket: hybiServerHandshaker. */
export function handshakeProblem({
  headers,
}: Exchange): { readonly status: number; readonly text: string } | undefined {
  if (!headers['sec-websocket-key']) return { status: 400, text: 'mismatch challenge/response' }
  if (headers['sec-websocket-version'] !== '13') return { status: 400, text: 'missing or bad WebSocket Version' }
  return undefined
}

export class WebSocketServer {
  readonly #socket: Duplex
  readonly #frames: FrameReader

  /** Takes the connection over. Undefined when there is none to take. */
  static accept(
    exchange: Exchange,
    protocol: string | undefined,
    listener: WebSocketListener,
  ): WebSocketServer | undefined {
    const connection = exchange.upgrade()
    if (connection === undefined) return undefined
    const key = String(exchange.headers['sec-websocket-key'] ?? '')
    const accept = createHash('sha1').update(`${key}${acceptSuffix}`).digest('base64')
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ]
    connection.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return new WebSocketServer(connection.socket, connection.head, listener)
  }

  private constructor(socket: Duplex, head: Buffer, listener: WebSocketListener) {
    this.#socket = socket
    this.#frames = new FrameReader({
      part: (chunk) => listener.part(chunk),
      messageEnd: () => listener.messageEnd(),
      ping: (payload) => void this.#write(messageFrame(payload, 'pong')),
      closed: () => this.close(),
      broken: () => socket.destroy(),
    })
    socket.on('data', (chunk: Buffer) => this.#frames.take(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.once('close', () => listener.close())
    if (head.length > 0) queueMicrotask(() => this.#frames.take(head))
    socket.resume()
  }

  /** False: wait for the drain. */
  send(payload: Buffer): boolean {
    return this.#write(messageFrame(payload, 'binary'))
  }

  #write(frame: Buffer): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded ? true : this.#socket.write(frame)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener)
  }

  close(): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    this.#socket.end(messageFrame(normalClosure, 'close'), () => this.#socket.destroy())
  }
}

interface FrameListener {
  part(chunk: Buffer): void
  messageEnd(): void
  ping(payload: Buffer): void
  closed(): void
  broken(): void
}

interface OpenFrame {
  readonly mask: Buffer
  readonly isLast: boolean
  left: number
  /** Bytes that were unmasked. */
  at: number
}

/** Holds at most a header and a control frame's payload. */
class FrameReader {
  readonly #listener: FrameListener
  #buffered: Buffer = Buffer.alloc(0)
  #open: OpenFrame | undefined
  #isDone = false

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  take(chunk: Buffer): void {
    let rest = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    this.#buffered = Buffer.alloc(0)
    while (!this.#isDone) {
      const used = this.#open === undefined ? this.#header(rest) : this.#payload(rest, this.#open)
      if (used === 0) break
      rest = rest.subarray(used)
    }
    if (rest.length > 0 && !this.#isDone) this.#buffered = Buffer.from(rest)
  }

  #header(bytes: Buffer): number {
    if (bytes.length < 2) return 0
    const [first = 0, second = 0] = bytes
    const opcode = first & 0x0f
    const short = second & 0x7f
    const lengthEnd = short === 126 ? 4 : short === 127 ? 10 : 2
    const end = lengthEnd + 4
    if ((second & 0x80) === 0 || (opcode >= opcodes.close && short > maxControlBytes)) return this.#broken()
    if (bytes.length < end) return 0
    const mask = Buffer.from(bytes.subarray(lengthEnd, end))
    if (opcode >= opcodes.close) return this.#control(opcode, bytes, { end, short, mask })
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
    if (!Number.isSafeInteger(length)) return this.#broken()
    const isLast = (first & 0x80) !== 0
    this.#open = { mask, isLast, left: length, at: 0 }
    if (length === 0) this.#frameEnd(this.#open)
    return end
  }

  #control(opcode: number, bytes: Buffer, { end, short, mask }: { end: number; short: number; mask: Buffer }): number {
    if (bytes.length < end + short) return 0
    if (opcode === opcodes.close) {
      this.#isDone = true
      this.#listener.closed()
    } else if (opcode === opcodes.ping) {
      this.#listener.ping(unmasked(bytes.subarray(end, end + short), mask, 0))
    }
    return end + short
  }

  #payload(bytes: Buffer, open: OpenFrame): number {
    const taken = Math.min(bytes.length, open.left)
    if (taken === 0) return 0
    this.#listener.part(unmasked(bytes.subarray(0, taken), open.mask, open.at))
    open.at += taken
    open.left -= taken
    if (open.left === 0) this.#frameEnd(open)
    return taken
  }

  #frameEnd({ isLast }: OpenFrame): void {
    this.#open = undefined
    if (isLast) this.#listener.messageEnd()
  }

  #broken(): number {
    this.#isDone = true
    this.#listener.broken()
    return 0
  }
}

/** `at`: how many bytes of the frame came before. */
function unmasked(payload: Buffer, mask: Buffer, at: number): Buffer {
  const out = Buffer.allocUnsafe(payload.length)
  for (let i = 0; i < payload.length; i++) out[i] = (payload[i] as number) ^ (mask[(at + i) & 3] as number)
  return out
}

/**
 * The server's side of RFC 6455, as far as a watch needs it: the handshake, messages out, and of what comes in only the
 * control frames: pings are answered, a close ends the connection, messages are passed over without being kept.
 */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { AnswerStream, UpgradedConnection, WriteCallback } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'

export const isWebSocketRequest = (context: RequestContext): boolean =>
  context.header('upgrade')?.toLowerCase() === 'websocket' &&
  /(^|,)\s*upgrade\s*($|,)/i.test(context.header('connection') ?? '')

/** Browsers that cannot set headers pass their token as a protocol; it is none. */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.'
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Takes the connection over, or answers the request with why not and returns undefined. */
export function acceptWebSocket(context: RequestContext): AnswerStream | undefined {
  const refusal = handshakeRefusal(context)
  if (refusal !== undefined) {
    const version: Record<string, string> = refusal.version ? { 'sec-websocket-version': '13' } : {}
    context.exchange.respond(refusal.status, version, refusal.text)
    return undefined
  }
  const connection = context.exchange.upgrade()
  if (connection === undefined) {
    context.exchange.respond(400, {}, 'not websocket protocol')
    return undefined
  }
  const [protocol] = protocolsOf(context)
  const accept = createHash('sha1')
    .update((context.header('sec-websocket-key') ?? '') + acceptSuffix)
    .digest('base64')
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ]
  connection.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return new WebSocketAnswer(connection)
}

interface Refusal {
  readonly status: number
  readonly text: string
  readonly version?: boolean
}

function handshakeRefusal(context: RequestContext): Refusal | undefined {
  if (!context.header('sec-websocket-key')) return { status: 400, text: 'mismatch challenge/response' }
  if (context.header('sec-websocket-version') !== '13') {
    return { status: 400, text: 'missing or bad WebSocket Version', version: true }
  }
  // Only browsers must say where they come from, but the reference asks everybody.
  if (!isOrigin(context.header('origin'))) return { status: 403, text: '' }
  if (protocolsOf(context).length > 1) return { status: 400, text: 'bad protocol' }
  return undefined
}

function isOrigin(text: string | undefined): boolean {
  return text !== undefined && (text.startsWith('/') || URL.canParse(text))
}

const protocolsOf = (context: RequestContext): string[] =>
  webSocketProtocols(context.header('sec-websocket-protocol') ?? '')

/** The protocols of the header, without the token that may be among them. */
export function webSocketProtocols(header: string): string[] {
  return header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(tokenProtocol))
}

const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const lastFragment = 0x80

/** One unmasked frame that is a whole message. */
export function messageFrame(payload: Buffer, type: 'text' | 'binary' | 'close' | 'pong'): Buffer {
  const { length } = payload
  const header = length < 126 ? 2 : length < 0x10000 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = lastFragment | opcodes[type]
  if (header === 2) {
    frame[1] = length
  } else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  payload.copy(frame, header)
  return frame
}

const normalClosure = Buffer.from([0x03, 0xe8])

/** An upgraded connection as the stream of a watch. What is written must be whole frames. */
class WebSocketAnswer implements AnswerStream {
  readonly #socket: Duplex

  constructor({ socket, head }: UpgradedConnection) {
    this.#socket = socket
    const reader = new ControlReader({
      ping: (payload) => this.write(messageFrame(payload, 'pong')),
      close: () => this.end(),
      broken: () => this.destroy(),
    })
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.end())
    socket.on('data', (chunk: Buffer) => reader.take(chunk))
    if (head.length > 0) reader.take(head)
    socket.resume()
  }

  get closed(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded
  }

  write(chunk: Buffer, sent?: WriteCallback): boolean {
    return this.closed ? false : this.#socket.write(chunk, sent === undefined ? undefined : (error) => sent(error))
  }

  end(chunk?: Buffer): void {
    if (this.closed) return
    if (chunk !== undefined) this.#socket.write(chunk)
    this.#socket.end(messageFrame(normalClosure, 'close'))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener)
  }

  onClose(listener: () => void): void {
    if (this.#socket.destroyed) queueMicrotask(listener)
    else this.#socket.once('close', listener)
  }
}

interface ControlListener {
  ping(payload: Buffer): void
  close(): void
  broken(): void
}

/** Follows the frames of a client. Holds at most one header and one control frame's payload. */
class ControlReader {
  readonly #listener: ControlListener
  #buffered: Buffer = Buffer.alloc(0)
  /** Bytes of a message's payload that are still to be passed over. */
  #skip = 0

  constructor(listener: ControlListener) {
    this.#listener = listener
  }

  take(chunk: Buffer): void {
    let rest = chunk
    for (;;) {
      const skipped = Math.min(this.#skip, rest.length)
      this.#skip -= skipped
      rest = rest.subarray(skipped)
      if (this.#buffered.length > 0) {
        rest = Buffer.concat([this.#buffered, rest])
        this.#buffered = Buffer.alloc(0)
      }
      const used = this.#frame(rest)
      if (used === undefined) return
      if (used === 0) {
        this.#buffered = Buffer.from(rest)
        return
      }
      rest = rest.subarray(used)
    }
  }

  /** The bytes that it took; 0 when there are not enough yet; undefined when the connection is over. */
  #frame(data: Buffer): number | undefined {
    if (data.length < 2) return 0
    const [first = 0, second = 0] = data
    const opcode = first & 0x0f
    const short = second & 0x7f
    const lengthEnd = short === 126 ? 4 : short === 127 ? 10 : 2
    const headerEnd = lengthEnd + 4
    if ((second & 0x80) === 0 || (opcode >= 8 && short > 125)) return this.#give('broken')
    if (data.length < headerEnd) return 0
    if (opcode < 8) {
      const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short
      this.#skip = length
      return headerEnd
    }
    const end = headerEnd + short
    if (data.length < end) return 0
    if (opcode === opcodes.close) return this.#give('close')
    if (opcode === opcodes.ping) this.#listener.ping(unmasked(data.subarray(headerEnd, end), data.subarray(lengthEnd)))
    return end
  }

  #give(how: 'close' | 'broken'): undefined {
    this.#listener[how]()
    return undefined
  }
}

function unmasked(payload: Buffer, mask: Buffer): Buffer {
  const out = Buffer.from(payload)
  for (let i = 0; i < out.length; i++) out[i] = (out[i] as number) ^ (mask[i & 3] as number)
  return out
}

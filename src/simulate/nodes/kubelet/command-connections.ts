/** The two ways in which the streams of a command come to a kubelet: SPDY with a stream each, and WebSockets with a channel each. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from '../../../handlers/connect/web-socket-server.ts'
import { SpdyServerConnection, type SpdyServerStream } from '../../../outbound/spdy/spdy-server.ts'
import { type CommandStreams, exitStatus } from './command-session.ts'

export interface StreamWishes {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

export interface Upgrading {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

const spdyProtocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io']
const socketProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io']

/** Begins when all streams that the query asks for are open. */
export function spdyCommand(
  upgrading: Upgrading,
  wishes: StreamWishes,
  begin: (streams: CommandStreams) => void,
): void {
  const { request, socket, head } = upgrading
  const offered = String(request.headers['x-stream-protocol-version'] ?? '').split(/,\s*/)
  const protocol = spdyProtocols.find((each) => offered.includes(each))
  if (protocol === undefined) {
    refuse(socket, 403, `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}]`)
    return
  }
  switchToSpdy(socket, protocol)
  const wanted = ['error', ...namesOf(wishes), ...(wishes.tty && protocol !== 'v2.channel.k8s.io' ? ['resize'] : [])]
  const open = new Map<string, SpdyServerStream>()
  const gone: (() => void)[] = []
  let hasBegun = false
  const connection = new SpdyServerConnection(socket, head, {
    stream(stream) {
      open.set(stream.headers['streamtype'] ?? '', stream)
      if (hasBegun || !wanted.every((name) => open.has(name))) return
      hasBegun = true
      open.get('resize')?.onData(() => {})
      begin(spdyStreams(open, connection, gone))
    },
    close() {
      for (const each of gone) each()
    },
  })
}

export function switchToSpdy(socket: Duplex, protocol: string): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  )
}

export function refuse(socket: Duplex, status: number, text: string): void {
  const length = Buffer.byteLength(text)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${text}`,
  )
}

const namesOf = ({ stdin, stdout, stderr, tty }: StreamWishes): string[] => [
  ...(stdin ? ['stdin'] : []),
  ...(stdout ? ['stdout'] : []),
  ...(stderr && !tty ? ['stderr'] : []),
]

function spdyStreams(
  open: ReadonlyMap<string, SpdyServerStream>,
  connection: SpdyServerConnection,
  gone: (() => void)[],
): CommandStreams {
  return {
    stdout: (chunk) => void open.get('stdout')?.write(chunk),
    stderr: (chunk) => void (open.get('stderr') ?? open.get('stdout'))?.write(chunk),
    onInput(listener) {
      const input = open.get('stdin')
      input?.onData(listener)
      if (input === undefined) listener(undefined)
      else input.onEnd(() => listener(undefined))
    },
    onGone: (listener) => void gone.push(listener),
    exit(exitCode) {
      open.get('error')?.write(Buffer.from(JSON.stringify(exitStatus(exitCode))))
      for (const stream of open.values()) stream.end()
      connection.close()
    },
  }
}

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

/** Channels by the first byte of a message. Mirrors k8s.io/apiserver/pkg/util/wsstream. */
export function socketCommand(
  upgrading: Upgrading,
  wishes: StreamWishes,
  begin: (streams: CommandStreams) => void,
): void {
  const { request, socket, head } = upgrading
  const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/)
  const protocol = socketProtocols.find((each) => offered.includes(each))
  const gone: (() => void)[] = []
  const inputs: ((chunk: Buffer | undefined) => void)[] = []
  let channel: number | undefined
  const take = (chunk: Buffer): void => {
    const rest = channel === undefined ? chunk.subarray(1) : chunk
    channel ??= chunk[0]
    if (channel === channels.close && rest[0] === channels.stdin) for (const input of inputs) input(undefined)
    else if (channel === channels.stdin && rest.length > 0) for (const input of inputs) input(rest)
  }
  const exchange = { headers: request.headers, upgrade: () => ({ socket, head }) }
  const client = WebSocketServer.accept(exchange as never, protocol, {
    part: take,
    messageEnd: () => {
      channel = undefined
    },
    close() {
      for (const each of gone) each()
    },
  })
  const send = (to: number, chunk: Buffer): void => void client?.send(Buffer.concat([Buffer.of(to), chunk]))
  begin({
    stdout: (chunk) => wishes.stdout && send(channels.stdout, chunk),
    stderr: (chunk) => wishes.stderr && send(wishes.tty ? channels.stdout : channels.stderr, chunk),
    onInput(listener) {
      if (wishes.stdin) inputs.push(listener)
      else listener(undefined)
    },
    onGone: (listener) => void gone.push(listener),
    exit(exitCode) {
      const status = exitStatus(exitCode)
      const text = protocol === 'channel.k8s.io' ? (status.message ?? '') : JSON.stringify(status)
      send(channels.error, Buffer.from(text))
      client?.close()
    },
  })
}

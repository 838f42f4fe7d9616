/**
 * port-forward through a WebSocket: its messages carry the bytes of a SPDY connection, which ends at the kubelet. Mirrors
 * apiserver/pkg/util/proxy: TunnelingHandler.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Exchange } from '../../api/exchange.ts'
import { unknownError } from '../../api/status-error.ts'
import { goDialError } from '../../outbound/dial-error.ts'
import { spdyProtocol, upgradeHeaders } from '../../outbound/spdy/upgrade-to-spdy.ts'
import { webSocketProtocols } from '../web-socket.ts'
import { type Forwarding, relayAnswer } from './forward.ts'
import { handshakeProblem, WebSocketServer } from './web-socket-server.ts'

export interface TunnelOptions extends Pick<Forwarding, 'transport' | 'destination'> {
  /** Called for every request, with the status of its answer. */
  readonly onEnd: (code: number) => void
}

const prefix = `${spdyProtocol}+`
const suffix = '.k8s.io'

/** The protocols that a client wants to speak through the tunnel. */
export const tunnelledProtocols = ({ headers }: Exchange): string[] =>
  String(headers['upgrade'] ?? '').toLowerCase() === 'websocket'
    ? webSocketProtocols(String(headers['sec-websocket-protocol'] ?? ''))
        .filter((protocol) => protocol.startsWith(prefix) && protocol.endsWith(suffix))
        .map((protocol) => protocol.slice(prefix.length))
    : []

/** Resolves when the connection is joined, or was answered otherwise. */
export function tunnelStreams(exchange: Exchange, options: TunnelOptions): Promise<void> {
  const { transport, destination, onEnd } = options
  const problem = handshakeProblem(exchange)
  if (problem !== undefined) {
    onEnd(problem.status)
    exchange.respond(problem.status, {}, problem.text)
    return Promise.resolve()
  }
  const headers = upgradeHeaders(tunnelledProtocols(exchange))
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void =>
      reject(unknownError(`error dialing backend: ${goDialError(error, destination)}`))
    let request: ClientRequest
    try {
      request = transport.request(destination, { method: 'POST', headers, fresh: true })
    } catch (error) {
      failed(error)
      return
    }
    exchange.signal.addEventListener('abort', () => request.destroy(), { once: true })
    request.on('error', failed)
    request.on('response', (response) => {
      onEnd(response.statusCode ?? 502)
      relayAnswer(exchange, response, resolve)
    })
    request.on('upgrade', (response, socket, head) => {
      join(exchange, { response, socket, head }, onEnd)
      resolve()
    })
    request.end()
  })
}

interface Upgraded {
  readonly response: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

function join(exchange: Exchange, { response, socket, head }: Upgraded, onEnd: (code: number) => void): void {
  if (!String(response.headers.upgrade).toLowerCase().includes(spdyProtocol.toLowerCase())) {
    socket.destroy()
    onEnd(500)
    exchange.respond(500, {}, 'unable to upgrade: missing upgrade headers in response')
    return
  }
  const chosen = String(response.headers['x-stream-protocol-version'] ?? '').trim()
  const client = WebSocketServer.accept(exchange, chosen === '' ? undefined : `${prefix}${chosen}`, {
    part: (chunk) => {
      if (!socket.destroyed && !socket.write(chunk)) client?.pause()
    },
    messageEnd: () => {},
    close: () => socket.destroy(),
  })
  onEnd(101)
  if (client === undefined) {
    socket.destroy()
    return
  }
  const send = (chunk: Buffer): void => {
    if (!client.send(chunk)) socket.pause()
  }
  client.onDrain(() => socket.resume())
  socket.on('drain', () => client.resume())
  socket.on('data', send)
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.destroy())
  socket.once('close', () => client.close())
  if (head.length > 0) send(head)
}

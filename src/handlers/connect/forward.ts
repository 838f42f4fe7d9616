/**
 * Passes a request on to another HTTP server and its answer back, as it comes: bodies stream both ways, and connections
 * that upgrade (SPDY, WebSocket) are joined end to end.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnswerStream, Exchange, HeaderValues } from '../../api/exchange.ts'
import { quote } from '../../api/golang/quote.ts'
import { isSessionCookie } from '../../api/session-cookie.ts'
import { badRequest, serviceUnavailable, unknownError } from '../../api/status-error.ts'
import { goDialError } from '../../outbound/dial-error.ts'
import { AddressNotAllowedError } from '../../outbound/host-lookup.ts'
import type { Destination, Transport } from '../../outbound/transport.ts'
import { webSocketProtocols } from '../web-socket.ts'
import {
  forwardedFor,
  forwardedHeaders,
  hostHeader,
  isCrossOriginHeader,
  type ProxiedAnswer,
  type ProxyFront,
  rewrittenLink,
  rewrittenLocation,
} from './proxy-front.ts'
import { relayChunks } from './relay-chunks.ts'
import { isPage, relayPage } from './relay-page.ts'

export interface Forwarding {
  readonly transport: Transport
  readonly destination: Destination
  /** Headers of the request instead of those that the client sent under these names; undefined: none. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Where the destination seems to be for the client; absent for streams, of which nothing is rewritten. */
  readonly front?: ProxyFront
  /** A redirect is not passed on: it would lead the client, with its credentials, wherever the destination wants. */
  readonly refusesRedirects?: boolean
  /** What is answered when the destination cannot be reached. */
  readonly onUnreachable?: (error: Error) => void
  /** What is answered when the destination's answer cannot be passed on. */
  readonly onFault?: (why: string) => void
}

/** Headers that belong to one connection, or to the client's own credentials. */
const notPassedOn: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'http2-settings',
  'authorization',
])

/** `again`: a connection that was kept open had been closed meanwhile, and this takes a new one. */
export function forward(exchange: Exchange, forwarding: Forwarding, again = false): Promise<void> {
  const upgrades = wantsUpgrade(exchange)
  const { destination, onUnreachable } = forwarding
  const request = open(exchange, forwarding, again)
  const abort = (): unknown => request.destroy()
  exchange.signal.addEventListener('abort', abort, { once: true })
  return new Promise((resolve, reject) => {
    request.on('error', (error) => {
      const isStale = request.reusedSocket && !again && !exchange.answered && hasNoBody(exchange)
      if (isStale) {
        resolve(forward(exchange, forwarding, true))
        return
      }
      if (!exchange.answered && onUnreachable !== undefined) onUnreachable(error)
      else if (!exchange.answered) reject(unreachable(error, destination, upgrades))
      resolve()
    })
    // A destination that does not want to upgrade answers as any other.
    request.on('response', (response) => {
      if (response.statusCode !== 101) return answerWith(exchange, forwarding, { response, done: resolve })
      response.destroy()
      refuseSwitch(response.headers, forwarding, reject)
      resolve()
    })
    request.on('upgrade', (response, socket, head) => {
      const connection = upgrades ? exchange.upgrade() : undefined
      exchange.signal.removeEventListener('abort', abort)
      if (connection !== undefined) join(connection, { response, socket, head })
      else {
        socket.destroy()
        refuseSwitch(response.headers, forwarding, reject)
      }
      resolve()
    })
    if (upgrades || again) request.end()
    else exchange.bodyStream().pipe(request)
  })
}

/**
 * A destination that switches to another protocol unasked. Mirrors net/http/httputil: ReverseProxy, handleUpgradeResponse.
 */
function refuseSwitch(
  { upgrade = '' }: IncomingHttpHeaders,
  { onFault }: Forwarding,
  reject: (error: Error) => void,
): void {
  const why =
    upgrade === ''
      ? 'internal error: 101 switching protocols response with non-writable body'
      : `backend tried to switch protocol ${quote(upgrade)} when "" was requested`
  if (onFault === undefined) reject(unknownError(why))
  else onFault(why)
}

interface Reply {
  readonly response: IncomingMessage
  readonly done: () => void
}

function answerWith(exchange: Exchange, { front, refusesRedirects, destination }: Forwarding, reply: Reply): void {
  const { response, done } = reply
  const { statusCode = 502, headers } = response
  const { location } = headers
  if (refusesRedirects && statusCode >= 300 && statusCode <= 399 && location !== undefined && location !== '') {
    response.destroy()
    exchange.respond(502, { 'content-type': 'text/plain; charset=utf-8' }, redirectRefusal)
    done()
    return
  }
  if (front === undefined) {
    relayAnswer(exchange, response, done)
    return
  }
  const page: ProxiedAnswer = { destination, requestHost: hostHeader(exchange.headers) }
  if (location !== undefined && location !== '') {
    relayAnswer(exchange, response, done, { location: rewrittenLocation(location, front, page) })
    return
  }
  const pass = isPage(response)
    ? (answer: AnswerStream) =>
        relayPage(response, answer, { done, rewrite: (link) => rewrittenLink(link, front, page) })
    : undefined
  relayAnswer(exchange, response, done, {}, pass)
}

const redirectRefusal = 'the backend attempted to redirect this request, which is not permitted'

function open(exchange: Exchange, forwarding: Forwarding, fresh: boolean): ClientRequest {
  const { transport, destination, front, headers: own } = forwarding
  const headers = passedHeaders(exchange)
  headers['x-forwarded-for'] = forwardedFor(exchange)
  if (front !== undefined) Object.assign(headers, forwardedHeaders(front, destination.path))
  if (/\btrailers\b/.test(String(exchange.headers['te'] ?? ''))) headers['te'] = 'trailers'
  for (const [name, value] of Object.entries(own ?? {})) {
    if (value === undefined) delete headers[name]
    else headers[name] = typeof value === 'string' ? value : [...value]
  }
  const upgrades = wantsUpgrade(exchange)
  if (upgrades) Object.assign(headers, { connection: 'Upgrade', upgrade: exchange.headers['upgrade'] })
  try {
    // What comes back after an upgrade was asked for may be of another protocol: that connection is not reused.
    return transport.request(destination, { method: exchange.method, headers, fresh: fresh || upgrades })
  } catch (error) {
    throw unreachable(error as Error, destination, upgrades)
  }
}

/** Whether the client asks for another protocol on its connection. */
export const wantsUpgrade = ({ headers, httpVersion }: Exchange): boolean =>
  httpVersion === '1.1' &&
  (headers['upgrade'] ?? '') !== '' &&
  String(headers['connection'] ?? '')
    .split(',')
    .some((token) => token.trim().toLowerCase() === 'upgrade')

function unreachable(error: Error, destination: Destination, upgrades: boolean): Error {
  if (error instanceof AddressNotAllowedError) return badRequest(error.message)
  const why = goDialError(error, destination)
  return upgrades
    ? unknownError(`error dialing backend: ${why}`)
    : serviceUnavailable(`error trying to reach service: ${why}`)
}

const hasNoBody = ({ method }: Exchange): boolean => method === 'GET' || method === 'HEAD'

const isPassedOn = (name: string): boolean =>
  !name.startsWith(':') && !name.startsWith('impersonate-') && !notPassedOn.has(name)

/** Hop-by-hop headers, those listed in `Connection` included. Mirrors net/http/httputil: removeHopByHopHeaders. */
const ofConnection = ({ connection }: HeaderValues): ReadonlySet<string> =>
  new Set([connection ?? []].flat().flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())))

/** What the destination may see: whom the client says to be, and by which token, is between it and this server. */
function passedHeaders({ headers }: Exchange): Record<string, string | string[]> {
  const forwarded: Record<string, string | string[]> = {}
  const hop = ofConnection(headers)
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && isPassedOn(name) && !hop.has(name)) forwarded[name] = value
  const cookies = withoutSession(String(forwarded['cookie'] ?? ''))
  if (cookies === '') delete forwarded['cookie']
  else forwarded['cookie'] = cookies
  const protocols = webSocketProtocols(String(forwarded['sec-websocket-protocol'] ?? ''))
  if (protocols.length > 0) forwarded['sec-websocket-protocol'] = protocols.join(', ')
  else delete forwarded['sec-websocket-protocol']
  return forwarded
}

/** A browser sends the session of the console along with everything: what pods and services run must not have it. */
const withoutSession = (cookies: string): string =>
  cookies
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !isSessionCookie(pair))
    .join('; ')

/** `rewritten`: headers in place of the destination's own. Without it the answer is passed back as it is. `pass`: how its body is. */
export function relayAnswer(
  exchange: Exchange,
  response: IncomingMessage,
  done: () => void,
  rewritten?: Readonly<Record<string, string>>,
  pass?: (answer: AnswerStream) => void,
): void {
  const headers: Record<string, string> = {}
  const hop = ofConnection(response.headers)
  for (const [name, value] of Object.entries(response.headers)) {
    if (value === undefined || notPassedOn.has(name) || hop.has(name)) continue
    if (rewritten !== undefined && isCrossOriginHeader(name)) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  Object.assign(headers, rewritten)
  // What this server says of its answers comes first.
  const { 'cache-control': caching } = headers
  if (caching !== undefined) headers['cache-control'] = `no-cache, private, ${caching}`
  const status = response.statusCode ?? 502
  if (pass === undefined) {
    relayChunks(response, exchange.stream(status, headers), done)
    return
  }
  delete headers['content-length']
  pass(exchange.stream(status, headers))
}

interface Upgraded {
  readonly response: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Joins the two until one of them is done; what it sent before that still goes through. */
function join(client: { readonly socket: Duplex; readonly head: Buffer }, server: Upgraded): void {
  client.socket.write(statusLine(server.response))
  if (server.head.length > 0) client.socket.write(server.head)
  if (client.head.length > 0) server.socket.write(client.head)
  for (const [from, to] of [
    [client.socket, server.socket],
    [server.socket, client.socket],
  ] as const) {
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => to.end(() => to.destroy()))
  }
}

function statusLine({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let text = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  return `${text}\r\n`
}

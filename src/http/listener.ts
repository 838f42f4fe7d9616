/**
 * The sockets: TLS with HTTP/2 and HTTP/1.1 on one port (ALPN), and plain HTTP/1.1 on loopback when asked for. Each
 * request becomes an Exchange for the one handler.
 */
import { X509Certificate } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls, { type SecureVersion, type TLSSocket } from 'node:tls'
import type { Exchange, Peer } from '../api/exchange.ts'
import { refusalOf, refuseBadRequest } from './bad-requests.ts'
import { Http1Exchange } from './http1-exchange.ts'
import { Http2Connection, idleMs } from './http2-connection.ts'
import { Http2Exchange } from './http2-exchange.ts'
import { serializePipelined } from './pipelined-requests.ts'

export interface TlsOptions {
  readonly key: string
  readonly cert: string
  /**
   * Client certificates are asked for and passed on; who trusts them is the authenticator's business. PEM: the
   * authorities that the handshake names, by which clients choose among their certificates.
   */
  readonly clientAuthorities?: string
  readonly minVersion?: SecureVersion
  readonly ciphers?: string
  readonly curves?: string
  /** What sessions are resumed with; made by Node if absent. */
  readonly ticketKeys?: Buffer | undefined
  /** Certificates by server name, tried before the default one. */
  readonly byName?: (name: string) => tls.SecureContext | undefined
}

/** Where connections come from, if not from a port that the listener opens itself. */
export interface ConnectionSource {
  /** Begins to hand in connections of which nothing was read. Resolves with where they come from. */
  open(take: (socket: Socket) => void): Promise<{ readonly host: string; readonly port: number }>
  /** Hands in no more. */
  close(): void
}

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  readonly source?: ConnectionSource | undefined
  /** Absent: plain HTTP. */
  readonly tls: TlsOptions | undefined
  /** Lets other processes listen on the same port. */
  readonly sharePort?: boolean
  /** Whether TLS connections may use HTTP/2. */
  readonly http2: boolean
  /** 0: the protocol's default. */
  readonly maxStreams: number
  /** Connections beyond this many are closed at once. Absent: there is no bound. */
  readonly maxConnections?: number
  /** Neither the listener nor its connections keep the process alive. */
  readonly isBackground?: boolean
  /** How long a client may take to send the headers of a request, in milliseconds. */
  readonly headersTimeout?: number
  readonly handler: (exchange: Exchange) => void
  /** Called for every connection that fails before its first request. */
  readonly onHandshakeError?: () => void
}

export interface Listener {
  readonly host: string
  readonly port: number
  /** Uses another certificate and names other authorities to new connections. */
  replaceCertificate(given: Pick<TlsOptions, 'key' | 'cert' | 'clientAuthorities'>): void
  /** Takes no new connection and asks HTTP/2 clients to go elsewhere; what runs goes on. */
  drain(): void
  /** Asks the client of the busiest HTTP/2 connection to open another for what follows. */
  shed(): void
  /** Takes nothing more, waits until connections have ended, at most this long, and ends those that are left. */
  finish(ms: number): Promise<void>
}

/** The reference's limit on request headers. */
const maxHeaderBytes = 1 << 20
/** The reference's time for the headers of a request. */
const headersMs = 32_000

/** Whether this version of Node.js can share a port: since 22.12, and 23.1. */
export function canSharePorts(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
}

export function listen(options: ListenerOptions): Promise<Listener> {
  const sessions: Sessions = new Map()
  const sockets = new Set<Socket>()
  const { headersTimeout = headersMs } = options
  const plain = http.createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout,
    // Bodies have the time of their request: the pipeline sees to it.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headersTimeout, 10_000),
  })
  plain.keepAliveTimeout = idleMs
  plain.on('clientError', refuseBadRequest)
  const handle = (request: IncomingMessage, response: http.ServerResponse): void => {
    const refusal = refusalOf(request)
    if (refusal === undefined) options.handler(new Http1Exchange(request, response, peerOf(request.socket)))
    else
      response
        .writeHead(refusal.status, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' })
        .end(refusal.text)
  }
  const queue = serializePipelined(handle)
  plain.on('request', queue.request)
  const takeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      const reason = http.STATUS_CODES[refusal.status]
      socket.end(`HTTP/1.1 ${refusal.status} ${reason}\r\nConnection: close\r\n\r\n${refusal.text}`)
      return
    }
    const response = new http.ServerResponse(request)
    if (!takesSocket(response, socket as Socket)) {
      socket.destroy()
      return
    }
    // Requests are no longer parsed on this connection: it ends with a raw answer.
    response.shouldKeepAlive = false
    response.once('finish', () => socket.end())
    options.handler(new Http1Exchange(request, response, peerOf(request.socket), { socket, head }))
  }
  plain.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has taken its own listener away.
    socket.on('error', () => socket.destroy())
    queue.upgrade(request.socket, () => takeUpgrade(request, socket, head))
  })
  const secure = options.tls === undefined ? undefined : secureServer(options, options.tls, plain, sessions)
  const server = secure === undefined ? plain : pacedServer(secure)
  const { source } = options
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  // A server that does not listen itself would not look after the time-outs of its connections.
  if (secure !== undefined) plain.emit('listening')
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    if (options.isBackground) socket.unref()
    socket.setNoDelay(true)
    // The reference's time after which a silent connection is probed: a client that is gone does not keep its watches.
    socket.setKeepAlive(true, keepAliveMs)
    socket.once('close', () => sockets.delete(socket))
  })
  const closed = new Promise<void>((resolve) => {
    if (source === undefined) server.once('close', () => resolve())
    else resolve()
  })
  const drain = (): void => {
    if (source === undefined) server.close()
    else source.close()
    if (secure !== undefined) plain.close()
    for (const session of sessions.keys()) session.close()
    plain.closeIdleConnections()
  }
  const listener = ({ host, port }: { readonly host: string; readonly port: number }): Listener => ({
    host,
    port,
    replaceCertificate: (given) => {
      if (options.tls !== undefined) secure?.setSecureContext(contextOptions({ ...options.tls, ...given }))
    },
    drain,
    shed: () => shedBusiest(sessions),
    async finish(ms) {
      drain()
      await clientsGone(sockets, plain, ms)
      for (const session of sessions.keys()) session.destroy()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  })
  if (source !== undefined) {
    const take = (socket: Socket): void => {
      server.emit('connection', socket)
      // TLS reads by itself; plain HTTP waits for a socket that flows.
      if (secure === undefined) socket.resume()
    }
    return source.open(take).then(listener)
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const shared = options.sharePort ? { reusePort: true } : {}
    server.listen({ host: options.host, port: options.port, backlog: 4096, ...shared }, () => {
      server.off('error', reject)
      server.on('error', () => {})
      if (options.isBackground) server.unref()
      const { address, port } = server.address() as AddressInfo
      resolve(listener({ host: address, port }))
    })
  })
}

type Sessions = Map<ServerHttp2Session, Http2Connection>

/** A client's only connection is spared where there are no others: its requests would come back to the same place. */
function shedBusiest(sessions: Sessions): void {
  let busiest: ServerHttp2Session | undefined
  let most = 0
  for (const [session, connection] of sessions) {
    const begun = connection.begunSince()
    if (session.closed || session.destroyed || begun <= most) continue
    most = begun
    busiest = session
  }
  if (sessions.size > 1 && busiest !== undefined) sendAway(busiest)
}

/** The greatest number of a stream: all that the client has sent meanwhile is still taken. */
const anyStream = 2 ** 31 - 1
/** By then the client has heard of it. */
const noticeMs = 1000

/** As Go's HTTP/2 server does: first a notice, and only when it has surely arrived the end, so that no request is refused. */
function sendAway(session: ServerHttp2Session): void {
  session.goaway(http2.constants.NGHTTP2_NO_ERROR, anyStream)
  const timer = setTimeout(() => session.close(), noticeMs).unref()
  session.once('close', () => clearTimeout(timer))
}

const keepAliveMs = 180_000
/** Handshakes that begin in one turn of the event loop: each takes up to a millisecond. */
const handshakesAtOnce = 4

/** Takes connections for the TLS server, a few in each turn: requests are served in between, however many come at once. */
function pacedServer(secure: tls.Server): net.Server {
  const waiting: Socket[] = []
  const begin = (): void => {
    for (const socket of waiting.splice(0, handshakesAtOnce)) if (!socket.destroyed) secure.emit('connection', socket)
    if (waiting.length > 0) setImmediate(begin)
  }
  return net.createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', ignore)
    if (waiting.push(socket) === 1) setImmediate(begin)
  })
}

/** All of it each time: a context that is replaced keeps nothing of the one before. */
function contextOptions(options: TlsOptions): tls.SecureContextOptions {
  const { key, cert, minVersion, ciphers, curves, clientAuthorities } = options
  return {
    key,
    cert,
    ...(clientAuthorities ? { ca: clientAuthorities } : {}),
    ...(minVersion ? { minVersion } : {}),
    ...(ciphers ? { ciphers } : {}),
    ...(curves ? { ecdhCurve: curves } : {}),
  }
}

/** False while an answer that Node gives by itself (no Host, an unknown Expect) is on its way: it throws then. */
function takesSocket(response: http.ServerResponse, socket: Socket): boolean {
  try {
    response.assignSocket(socket)
    return true
  } catch {
    return false
  }
}

function secureServer(
  options: ListenerOptions,
  tlsOptions: TlsOptions,
  plain: http.Server,
  sessions: Sessions,
): tls.Server {
  const { byName } = tlsOptions
  const server = tls.createServer({
    ...contextOptions(tlsOptions),
    ...(byName
      ? {
          SNICallback: (name: string, done: (error: Error | null, context?: tls.SecureContext) => void) =>
            done(null, byName(name)),
        }
      : {}),
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: options.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    handshakeTimeout: 10_000,
    ...(tlsOptions.ticketKeys ? { ticketKeys: tlsOptions.ticketKeys } : {}),
  })
  server.on('tlsClientError', (_, socket) => {
    options.onHandshakeError?.()
    socket.destroy()
  })
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol !== 'h2') {
      plain.emit('connection', socket)
      return
    }
    const session = http2.performServerHandshake(socket, {
      maxSessionMemory: 200,
      maxHeaderListPairs: 2000,
      maxSendHeaderBlockLength: maxHeaderBytes,
      settings: {
        maxConcurrentStreams: options.maxStreams || 250,
        initialWindowSize: 1 << 20,
        maxHeaderListSize: maxHeaderBytes,
      },
    } as http2.ServerOptions) as unknown as ServerHttp2Session
    serveSession(session, socket, { handler: options.handler, sessions })
  })
  return server
}

interface Serving {
  readonly handler: (exchange: Exchange) => void
  readonly sessions: Sessions
}

function serveSession(session: ServerHttp2Session, socket: TLSSocket, { handler, sessions }: Serving): void {
  const connection = new Http2Connection(session, socket, peerOf(session.socket as TLSSocket))
  sessions.set(session, connection)
  session.once('close', () => sessions.delete(session))
  session.on('error', () => session.destroy())
  session.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      stream.on('error', ignore)
      // A CONNECT has no path: nothing is reached through this server.
      if (headers[':path'] === undefined) {
        stream.respond({ ':status': 405 }, { endStream: true })
        return
      }
      handler(new Http2Exchange(stream, headers, rawHeaders, connection))
    },
  )
}

/** A stream that fails ends; its handler notices. */
const ignore = (): void => {}

function peerOf(socket: Socket): Peer {
  let chain: readonly X509Certificate[] | undefined
  return {
    remoteAddress: socket.remoteAddress ?? '',
    isSecure: (socket as Partial<TLSSocket>).encrypted === true,
    certificates: () => {
      chain ??= certificateChain(socket)
      return chain
    },
  }
}

function certificateChain(socket: Socket): readonly X509Certificate[] {
  // Read, not asked for with `in`: the socket of an HTTP/2 session is a proxy that only answers reads.
  if (typeof (socket as Partial<TLSSocket>).getPeerCertificate !== 'function') return []
  const chain: X509Certificate[] = []
  let certificate: tls.DetailedPeerCertificate | undefined = (socket as TLSSocket).getPeerCertificate(true)
  while (certificate?.raw !== undefined && chain.length < 10) {
    chain.push(new X509Certificate(certificate.raw))
    const issuer: tls.DetailedPeerCertificate | undefined = certificate.issuerCertificate
    certificate = issuer === certificate ? undefined : issuer
  }
  return chain
}

/** How often connections are looked at that should end by themselves. */
const lookMs = 10

async function clientsGone(sockets: ReadonlySet<Socket>, plain: http.Server, ms: number): Promise<void> {
  for (let waited = 0; sockets.size > 0 && waited < ms; waited += lookMs) {
    plain.closeIdleConnections()
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

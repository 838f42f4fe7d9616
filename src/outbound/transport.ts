/**
 * Every HTTP connection that the server opens itself comes from a transport: it says whom to trust, which addresses are
 * allowed and which way the connections take, keeps idle ones for a while and bounds their number.
 */

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, connect as tcpConnect } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, type PeerCertificate, type SecureContext, connect as tlsConnect } from 'node:tls'
import { inTurns } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { type Dial, hostPort } from './dial.ts'
import { DialledSocket } from './dialled-socket.ts'
import { type ChooseProxy, type ProxyServer, proxyFromEnvironment } from './environment-proxy.ts'
import { type AddressPolicy, assertAllowed, hostLookup, resolveHost } from './host-lookup.ts'
import { openTunnel, proxyAuthorization, type Tunnel } from './proxy-tunnel.ts'
import { secureContextInSteps, type TlsTrust, verifyHostname } from './trust.ts'

export interface TransportOptions {
  /** For destinations that speak TLS. */
  readonly tls?: TlsTrust | undefined
  /** Another way there. */
  readonly dial?: Dial | undefined
  /** Any by default. */
  readonly addresses?: AddressPolicy
  /** Connections to one host at a time. */
  readonly maxSockets?: number
  /** Whether connections are kept for further requests; true by default. */
  readonly keepAlive?: boolean
  /** By default the one that the environment names. */
  readonly proxy?: ChooseProxy | 'none'
}

/**
 * To the own listener of this server, with its own credentials: by no way on which another process could answer. Its
 * certificate may be for any name.
 */
export const loopbackOptions: TransportOptions = { tls: { insecure: true }, dial: undefined, proxy: 'none' }

/** Where a request goes. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  /** An address or a name, without brackets. */
  readonly host: string
  readonly port: number
  /** With the query, percent-encoded. */
  readonly path: string
  /** The Host header and the URL in messages; absent: host and port. */
  readonly authority?: string | undefined
  /** What the certificate must be for; absent: the trust's server name, or the host. */
  readonly serverName?: string | undefined
  /** Where a stranger leads (a redirect): stricter than the transport's own, and over no connection that is kept. */
  readonly addresses?: AddressPolicy | undefined
}

export interface RequestFacts {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly signal?: AbortSignal | undefined
  /** Not over a connection that was used before. */
  readonly fresh?: boolean
}

/** As Go's default transport and dialer. */
const connectTimeoutMs = 30_000
const handshakeTimeoutMs = 10_000
const idleMs = 90_000
const tcpKeepAliveMs = 30_000
const defaultMaxSockets = 100

export class Transport {
  readonly #options: TransportOptions
  #plain: HttpAgent | undefined
  #secure: HttpsAgent | undefined
  #context: SecureContext | undefined
  #preparing: Promise<SecureContext> | undefined

  constructor(options: TransportOptions = {}) {
    this.#options = options
  }

  /** Throws when the address is not allowed; certificates that cannot be used are an error of the request. Ends nothing: that is the caller's. */
  request(destination: Destination, { method, headers, signal, fresh: asked = false }: RequestFacts): ClientRequest {
    const { scheme, host, port, path, authority = hostPort(host, port) } = destination
    const addresses = destination.addresses ?? this.#options.addresses ?? 'any'
    const fresh = asked || destination.addresses !== undefined
    assertAllowed(host, addresses)
    const proxy = this.#proxyOf(destination, headers, addresses)
    const options: RequestOptions & { tunnel?: Tunnel; addresses: AddressPolicy } = {
      addresses,
      host,
      port,
      path,
      method,
      headers: { host: authority, ...headers },
      ...(signal === undefined ? {} : { signal }),
    }
    if (proxy !== undefined && (scheme === 'https' || proxy.scheme === 'https')) {
      const target = /:\d+$/.test(authority) ? authority : `${authority}:${port}`
      options.tunnel = { proxy, target }
    }
    if (scheme === 'http') {
      const agent = fresh ? this.#plainAgent(false) : this.#plainKept()
      if (proxy === undefined || options.tunnel !== undefined) return httpRequest({ ...options, agent })
      return httpRequest({
        ...options,
        agent,
        host: proxy.host,
        port: proxy.port,
        path: `http://${authority}${path}`,
        headers: { host: authority, ...headers, ...proxyAuthorization(proxy) },
      })
    }
    const agent = fresh ? this.#secureAgent(false) : this.#secureKept()
    // Part of the name under which the agent keeps connections, and always given: Node would take the Host header.
    const servername = destination.serverName ?? this.#options.tls?.serverName ?? host
    return httpsRequest({ ...options, agent, servername })
  }

  /** Connections that change their protocol, or whose addresses are checked here, go straight. */
  #proxyOf(
    { scheme, host, port, authority }: Destination,
    headers: RequestFacts['headers'],
    addresses: AddressPolicy,
  ): ProxyServer | undefined {
    const { proxy = fromEnvironment } = this.#options
    if (proxy === 'none' || headers['upgrade'] !== undefined || (addresses !== 'any' && isIP(host) === 0))
      return undefined
    return proxy({ scheme, authority: authority ?? hostPort(host, port) })
  }

  close(): void {
    this.#plain?.destroy()
    this.#secure?.destroy()
    this.#plain = undefined
    this.#secure = undefined
  }

  #plainKept(): HttpAgent {
    this.#plain ??= this.#plainAgent(this.#options.keepAlive ?? true)
    return this.#plain
  }

  #secureKept(): HttpsAgent {
    this.#secure ??= this.#secureAgent(this.#options.keepAlive ?? true)
    return this.#secure
  }

  #agentOptions(keepAlive: boolean) {
    const { maxSockets = defaultMaxSockets } = this.#options
    return { keepAlive, maxSockets, ...(keepAlive ? { timeout: idleMs } : {}) }
  }

  #plainAgent(keepAlive: boolean): HttpAgent {
    const agent = new HttpAgent(this.#agentOptions(keepAlive))
    agent.createConnection = (target) => this.#connect(target as Target)
    return agent
  }

  #secureAgent(keepAlive: boolean): HttpsAgent {
    const agent = new HttpsAgent(this.#agentOptions(keepAlive))
    agent.createConnection = (target, onMade) => {
      if (this.#context !== undefined) return this.#connectTls(target as Target, this.#context)
      this.#prepared().then(
        (context) => onMade?.(null, this.#connectTls(target as Target, context)),
        (error: Error) => onMade?.(error, undefined as never),
      )
      return undefined
    }
    return agent
  }

  /** Single-flight, and memoized unless it fails. */
  #prepared(): Promise<SecureContext> {
    this.#preparing ??= this.#prepare().finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  async #prepare(): Promise<SecureContext> {
    this.#context = await inTurns(secureContextInSteps(this.#options.tls ?? {}))
    return this.#context
  }

  #connect(target: Target): Duplex {
    const dial = this.#dialOf(target)
    const socket: Duplex = dial === undefined ? tcpConnect(this.#tcp(target)) : this.#dialled(target, dial)
    limit(socket, { event: 'connect', ms: connectTimeoutMs, error: () => dialTimeout(target) })
    return socket
  }

  #connectTls(target: Target, context: SecureContext): Duplex {
    const { tls } = this.#options
    const dial = this.#dialOf(target)
    const name = target.servername ?? target.host
    const options: ConnectionOptions = {
      secureContext: context,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: tls?.insecure !== true,
      checkServerIdentity: (_, certificate) => verifyHostname(name, certificate),
    }
    if (dial !== undefined) {
      const socket = tlsConnect({ ...options, socket: this.#dialled(target, dial) })
      limit(socket, { event: 'secureConnect', ms: connectTimeoutMs, error: handshakeTimeout })
      return rememberingCertificate(socket)
    }
    const socket = tlsConnect({ ...options, ...this.#tcp(target) })
    limit(socket, { event: 'connect', ms: connectTimeoutMs, error: () => dialTimeout(target) })
    socket.once('connect', () =>
      limit(socket, { event: 'secureConnect', ms: handshakeTimeoutMs, error: handshakeTimeout }),
    )
    return rememberingCertificate(socket)
  }

  #dialOf({ tunnel }: Target): Dial | undefined {
    if (tunnel === undefined) return this.#options.dial
    return () => openTunnel({ ...tunnel, secureContext: this.#context })
  }

  #tcp({ host, port, addresses }: Target) {
    const lookup = hostLookup(addresses)
    return { host, port: Number(port), lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs }
  }

  /** A dial resolves names where it leads to; only an address that must be checked is resolved here. */
  #dialled({ host, port, addresses }: Target, dial: Dial): DialledSocket {
    return new DialledSocket(async () =>
      dial(addresses === 'any' ? host : await resolveHost(host, addresses), Number(port)),
    )
  }
}

interface Target {
  readonly host: string
  readonly port: number | string
  readonly servername?: string
  readonly tunnel?: Tunnel
  readonly addresses: AddressPolicy
}

/** Read once, as Go does. */
let environment: ChooseProxy | undefined
const fromEnvironment: ChooseProxy = (request) => {
  environment ??= proxyFromEnvironment(process.env)
  return environment(request)
}

const dialTimeout = ({ host, port }: Target): Error =>
  Object.assign(new Error(`dial tcp ${hostPort(host, port)}: i/o timeout`), { code: 'ETIMEDOUT', address: host, port })

const handshakeTimeout = (): Error => new Error('net/http: TLS handshake timeout')

interface Limit {
  readonly event: string
  readonly ms: number
  readonly error: () => Error
}

/** Ends the connection unless the event comes in time. */
function limit(socket: Duplex, { event, ms, error }: Limit): void {
  const timer = setTimeout(() => socket.destroy(error()), ms)
  timer.unref()
  const cancel = (): void => clearTimeout(timer)
  socket.once(event, cancel)
  socket.once('close', cancel)
}

/** The certificate of a server that is not trusted, by the error that says so: the error text is derived from it. */
export const untrustedCertificates = new SideTable<object, PeerCertificate>()

function rememberingCertificate(socket: ReturnType<typeof tlsConnect>): ReturnType<typeof tlsConnect> {
  let certificate: PeerCertificate | undefined
  // Before Node's own listener, which ends the connection when the certificate is no good.
  socket.prependOnceListener('secure', () => {
    certificate = socket.getPeerCertificate()
  })
  socket.once('secureConnect', () => {
    certificate = undefined
  })
  socket.once('error', (error) => {
    if (certificate !== undefined) untrustedCertificates.set(error, certificate)
  })
  return socket
}

/** A kept connection was closed by the other side just when it was used again: the request can go over another one. */
export const isStaleConnectionReset = (
  { reusedSocket, res }: ClientRequest & { res?: unknown },
  error: unknown,
): boolean => reusedSocket && res == null && (error as NodeJS.ErrnoException).code === 'ECONNRESET'

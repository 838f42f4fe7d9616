// The connections to the members of an etcd cluster. One member is used until it fails; then the next is tried, with growing pauses once all
// have failed in a row. A read is repeated until its time is up; a write only when it surely did not reach etcd.
import { isIP } from 'node:net'
import type { PeerCertificate } from 'node:tls'
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import type { Clock } from '../../lib/clock.ts'
import { hostPort } from '../../outbound/dial.ts'
import { secureContext, verifyHostname } from '../../outbound/trust.ts'
import { StoreError } from '../store.ts'
import { parseServer } from './etcd-address.ts'
import type { Method } from './messages.ts'

export interface EtcdTls {
  /** PEM. Without a CA the system's are trusted. */
  readonly ca?: Buffer | undefined
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
}

export interface EndpointsOptions {
  readonly servers: readonly string[]
  readonly tls?: EtcdTls | undefined
  readonly clock: Clock
  /** Another gRPC target for the address of a server. */
  readonly target?: ((server: string) => string | undefined) | undefined
}

export interface CallOptions {
  /** Whether sending it twice does harm. */
  readonly repeatable: boolean
  readonly signal?: AbortSignal | undefined
}

const callTimeoutMs = 10_000
/** How long one member may take before the next is tried, for what may be repeated. */
const attemptTimeoutMs = 3000
const minPauseMs = 50
const maxPauseMs = 1000

const channelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.use_local_subchannel_pool': 1,
}

export class EtcdEndpoints {
  readonly #clients: readonly Client[]
  readonly #clock: Clock
  #current = 0
  #closed = false

  constructor({ servers, tls, clock, target }: EndpointsOptions) {
    if (servers.length === 0) throw new StoreError('invalid', 'no etcd server was given')
    this.#clients = servers.map((server) => connect(server, tls, target?.(server)))
    this.#clock = clock
  }

  /** Calls until it is answered or the time is up. Errors that etcd itself gives (see `etcdError`) are passed on. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: CallOptions,
  ): Promise<Response> {
    const deadline = this.#clock.now() + callTimeoutMs
    let lastFailure: ServiceError | undefined
    for (let failures = 0; ; failures++) {
      if (this.#closed) throw new StoreError('closed', 'the store is closed')
      if (options.signal?.aborted) throw timedOut(lastFailure)
      const used = this.#current
      try {
        return await this.#attempt(method, request, { ...options, deadline: this.#attemptDeadline(deadline, options) })
      } catch (error) {
        const failure = error as ServiceError
        if (options.signal?.aborted) throw timedOut(lastFailure ?? failure)
        lastFailure = failure
        if (!isMemberFailure(failure)) throw failure
        this.leave(used)
        const pause = this.pauseAfter(failures + 1)
        const mayRepeat = options.repeatable || surelyNotSent(failure)
        if (!mayRepeat || this.#clock.now() + pause >= deadline) throw unavailable(failure, !mayRepeat)
        await this.sleep(pause)
      }
    }
  }

  #attemptDeadline(deadline: number, { repeatable }: CallOptions): number {
    const isOnlyChance = !repeatable || this.#clients.length === 1
    return isOnlyChance ? deadline : Math.min(deadline, this.#clock.now() + attemptTimeoutMs)
  }

  #attempt<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: CallOptions & { deadline: number },
  ): Promise<Response> {
    const client = this.#clients[this.#current]!
    return new Promise<Response>((resolve, reject) => {
      const cancel = (): void => call.cancel()
      const done = (error: ServiceError | null, response: Response | undefined): void => {
        options.signal?.removeEventListener('abort', cancel)
        if (error === null) resolve(response as Response)
        else reject(error)
      }
      const { path, encode, decode } = method
      const call = client.makeUnaryRequest(path, encode, decode, request, { deadline: options.deadline }, done)
      options.signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** A stream to the current member, which ends when that member loses its cluster. `member` is for `leave`. */
  stream<Request, Response>(
    method: Method<Request, Response>,
  ): { stream: ClientDuplexStream<Request, Response>; member: number } {
    const metadata = new Metadata()
    metadata.set('hasleader', 'true')
    const stream = this.#clients[this.#current]!.makeBidiStreamRequest(
      method.path,
      method.encode,
      method.decode,
      metadata,
    )
    return { stream, member: this.#current }
  }

  /** Uses the next member from now on, unless someone else has already left this one. */
  leave(member: number): void {
    if (this.#current === member) this.#current = (member + 1) % this.#clients.length
  }

  /** How long to wait after that many failures in a row: not at all until every member has failed. */
  pauseAfter(failures: number): number {
    const rounds = Math.floor(failures / this.#clients.length)
    if (rounds === 0) return 0
    const pause = Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(rounds - 1, 10))
    return pause * (0.5 + this.#clock.random() / 2)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.setTimeout(resolve, ms)
    })
  }

  close(): void {
    this.#closed = true
    for (const client of this.#clients) client.close()
  }
}

/** `target`: another way there. The server's certificate is still that of its own address. */
function connect(server: string, tls: EtcdTls | undefined, target: string | undefined): Client {
  const { host, port, secure } = parseServer(server)
  const address = hostPort(host, port)
  const channelCredentials = secure ? secureCredentials(tls, host) : credentials.createInsecure()
  if (target === undefined) return new Client(address, channelCredentials, channelOptions)
  const options = { ...channelOptions, 'grpc.ssl_target_name_override': host, 'grpc.default_authority': address }
  return new Client(target, channelCredentials, options)
}

function secureCredentials(tls: EtcdTls | undefined, host: string): ChannelCredentials {
  const text = (pem: Buffer | undefined): string | undefined => pem?.toString('utf8')
  const context = secureContext({ ca: text(tls?.ca), cert: text(tls?.cert), key: text(tls?.key) })
  const verify = { checkServerIdentity: (_: string, certificate: PeerCertificate) => verifyHostname(host, certificate) }
  return withoutIpNames(credentials.createFromSecureContext(context, verify))
}

/** gRPC names an IP address in the TLS handshake, too, where only host names belong: Node warns of it, and Go never does. */
function withoutIpNames(secure: ChannelCredentials): ChannelCredentials {
  const connectorOf = secure._createSecureConnector.bind(secure)
  secure._createSecureConnector = (...args) => {
    const connector = connectorOf(...args)
    const { connectionOptions } = connector as unknown as { connectionOptions: { servername?: string | undefined } }
    if (isIP(connectionOptions.servername ?? '') !== 0) connectionOptions.servername = undefined
    return connector
  }
  return secure
}

/** The member is gone, cut off or has no leader; another one may do better. */
function isMemberFailure(error: ServiceError): boolean {
  return [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.INTERNAL, status.UNKNOWN].includes(
    error.code,
  )
}

/** The request never left, or etcd refused it before it was proposed to the cluster. */
function surelyNotSent(error: ServiceError): boolean {
  return /No connection established|Waiting for LB pick|etcdserver: no leader|etcdserver: not healthy/.test(
    error.details,
  )
}

function unavailable(error: ServiceError, maybeApplied: boolean): StoreError {
  const code = error.code === status.DEADLINE_EXCEEDED ? 'timeout' : 'unavailable'
  return new StoreError(code, `etcd does not answer: ${error.details}`, { cause: error, maybeApplied })
}

function timedOut(failure: ServiceError | undefined): StoreError {
  return new StoreError('timeout', `etcd did not answer in time${failure ? `: ${failure.details}` : ''}`, {
    cause: failure,
  })
}

/** What etcd says about a request that it has understood. */
export type EtcdErrorKind = 'compacted' | 'future' | 'too-large' | 'no-lease' | 'other'

export function etcdErrorKind(error: unknown): EtcdErrorKind {
  const { code, details = '' } = error as Partial<ServiceError>
  if (code === status.OUT_OF_RANGE && details.includes('compacted')) return 'compacted'
  if (code === status.OUT_OF_RANGE && details.includes('future revision')) return 'future'
  if (details.includes('request is too large') || details.includes('message larger than max')) return 'too-large'
  if (code === status.NOT_FOUND && details.includes('lease not found')) return 'no-lease'
  return 'other'
}

export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const message = error instanceof Error ? ((error as Partial<ServiceError>).details ?? error.message) : String(error)
  if (etcdErrorKind(error) === 'too-large')
    return new StoreError('too-large', `the value is larger than etcd takes: ${message}`, { cause: error })
  return new StoreError('unavailable', `etcd refuses: ${message}`, { cause: error })
}

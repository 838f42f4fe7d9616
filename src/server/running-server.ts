/** How a server is started and held by the command line and by tests. */

import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { UserInfo } from '../api/user.ts'
import type { Loopback } from '../auth/authentication/loopback.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { ConsoleLink } from '../console/session-authenticator.ts'
import type { Encryption } from '../encryption/encryption.ts'
import type { ConnectionSource, Listener } from '../http/listener.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Metric, MetricSet } from '../lib/metrics.ts'
import type { Tracer } from '../lib/tracer.ts'
import type { Egress } from '../outbound/egress.ts'
import type { AuditSink } from '../pipeline/audit/sink.ts'
import type { SeatShares } from '../pipeline/seat-shares.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import type { TokenAuthority } from '../pki/token-authority.ts'
import type { Store } from '../store/store.ts'
import type { ConsoleSlot } from './console-slot.ts'
import type { ServerLayers, TestSeams } from './test-seams.ts'

export interface ServerDependencies {
  readonly logger: Logger
  readonly credentials: ServerCredentials
  readonly clock: Clock
  /** Only test servers have them. */
  readonly seams?: TestSeams | undefined
  /** Only servers of several processes have it. */
  readonly role?: ProcessRole | undefined
  /** Only servers that are embedded in another program have it. */
  readonly embedding?: Embedding | undefined
}

/** What a program adds to a server in its own process. */
export interface Embedding {
  readonly plugins: readonly AdmissionPlugin[]
  readonly authenticators: readonly Authenticator[]
  readonly authorizers: readonly Authorizer[]
  readonly isBackground: boolean
  /** Called once, when the server listens. */
  started(layers: ServerLayers): void
}

/** What is different for a server that is one of several processes (see "Request workers" in ARCHITECTURE.md). */
export interface ProcessRole {
  readonly isPrimary: boolean
  /** What calls of the server to itself prove themselves with, to whichever process they reach. */
  readonly loopbackToken: string
  /** Sessions of TLS can be resumed in any of the processes. */
  readonly ticketKeys: Buffer
  /** Seats are those of the whole server. */
  readonly seats: SeatShares
  /** Of a worker: the store by channel. Absent: the options say which. */
  readonly openStore?: (() => Promise<Store>) | undefined
  /** Of a worker: where audit events go. */
  readonly auditSink?: AuditSink | undefined
  /** Of the primary: called with its store before anything is written. */
  storeOpened(store: Store): Promise<void>
  /** Where connections to one of the ports come from. */
  connections(port: PortName, at: PortAddress): ConnectionSource
  /** What the metrics of all processes say together. */
  gather(page: MetricPage): Promise<readonly Metric[]>
  /** Called once, when the server listens. */
  started(parts: RoleParts): void
  /** How much all processes log from now on. */
  setVerbosity(verbosity: number): void
  /** Of the primary: begins to stop the workers; resolves when they have ended. */
  stopWorkers(): Promise<void>
}

export type PortName = 'secure' | 'insecure'
export type MetricPage = 'metrics' | 'slis'

export interface PortAddress {
  readonly host: string
  readonly port: number
  readonly sharePort: boolean
  readonly maxConnections: number | undefined
}

/** What the other processes may ask of this one. */
export interface RoleParts {
  readonly metrics: Readonly<Record<MetricPage, MetricSet>>
  /** Absent: nothing is audited. */
  readonly auditSink: AuditSink | undefined
  readonly listeners: readonly Listener[]
}

/** What all layers of a server share. */
export interface ServerParts extends ServerDependencies {
  readonly egress: Egress
  /** Absent: nothing is traced. */
  readonly tracer: Tracer | undefined
  /** Absent: values are stored as they are. */
  readonly encryption: Encryption | undefined
  readonly tokenAuthority: TokenAuthority
  readonly loopback: Loopback
  /** Absent: the server can have no console. */
  readonly console: ConsoleSlot | undefined
}

/** Resolves when the server listens; `ready` follows. Throws a `ConfigError` for what only shows once things are put together. */
export type StartServer = (options: ServerOptions, dependencies: ServerDependencies) => Promise<RunningServer>

export interface RunningServer {
  /** The base URLs that it listens on, HTTPS first. */
  readonly addresses: readonly string[]
  /** Settles when `/readyz` answers ok. */
  readonly ready: Promise<void>
  /** A link that signs a user in to the console. Absent: there is none. */
  readonly consoleLink?: ((user: UserInfo, base?: string) => Promise<ConsoleLink>) | undefined
  /** Stops taking requests, lets those that run finish, ends watches, and closes the store after its last sync. */
  close(): Promise<void>
}

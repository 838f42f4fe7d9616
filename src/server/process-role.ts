/** What is different for a server that is one of several processes (see "Request workers" in ARCHITECTURE.md). */
import type { ConnectionSource, Listener } from '../http/listener.ts'
import type { Metric, MetricSet } from '../lib/metrics.ts'
import type { AuditSink } from '../pipeline/audit/sink.ts'
import type { SeatShares } from '../pipeline/seat-shares.ts'
import type { Store } from '../store/store.ts'

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
  /** Of a worker: settles when the server as a whole is ready. */
  readonly serverReady?: Promise<void> | undefined
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

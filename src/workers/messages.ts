/** The messages between the processes of a server, by kind. */
import type { Sample } from '../lib/metrics.ts'
import type { EventParts } from '../pipeline/audit/event.ts'
import type { CredentialPairs } from '../pki/data-folder.ts'
import type { MetricPage, PortName } from '../server/running-server.ts'

export const kinds = {
  /** To a worker: all that it needs to begin. `WorkerStart`. */
  begin: 'begin',
  /** To a worker, with a socket: a connection that is its own from now on. `HandedConnection`. */
  connection: 'connection',
  /** To a worker: one of its clients should connect anew. */
  shed: 'shed',
  /** To a worker: finish and end. */
  stop: 'stop',
  /** Asked of a worker: what it has counted. `MetricPage`, answered by `CountedMetric[]`. */
  counted: 'counted',
  /** To a worker, and to the primary, which broadcasts it: how much is logged. A number. */
  verbosity: 'verbosity',
  /** To a worker: how many seats of pools it holds. `[pool, seats][]`. */
  seats: 'seats',
  /** Asked of a worker: to give back seats that it does not use. `ReleaseRequest`, answered by how many. */
  release: 'release',

  /** To the primary: takes connections. */
  ready: 'ready',
  /** To the primary: so many connections have ended. */
  closed: 'closed',
  /** To the primary: how busy it was of late, and its use of seats. `WorkerLoad`. */
  load: 'load',
  /** Asked of the primary: the key that signs tokens, as PEM. */
  signingKey: 'signing-key',
  /** Asked of the primary: what all processes have counted. `MetricPage`, answered by `CountedMetric[]`. */
  gather: 'gather',
  /** Asked of the primary: to keep audit events. `EventParts[]`, answered by whether they are. */
  audit: 'audit',
  /** Asked of the primary: more seats. `SeatRequest`, answered by how many it holds now. */
  want: 'want',
  /** To the primary: seats that were asked back are free now. `SeatRequest`. */
  freed: 'freed',
} as const

export interface WorkerStart {
  readonly credentials: CredentialPairs
  readonly loopbackToken: string
  readonly ticketKeys: Uint8Array
  readonly ports: Readonly<Partial<Record<PortName, { readonly host: string; readonly port: number }>>>
}

export interface HandedConnection {
  readonly port: PortName
}

export interface WorkerLoad {
  /** The part of the time in which its loop was busy. */
  readonly utilization: number
  /** The most seats of each pool that were used or waited for. */
  readonly demand: readonly (readonly [pool: string, seats: number])[]
}

export interface CountedMetric {
  readonly name: string
  readonly samples: readonly Sample[]
}

export interface SeatRequest {
  readonly pool: string
  readonly seats: number
}

export interface ReleaseRequest extends SeatRequest {
  /** It may keep this many, even if others wait. */
  readonly keep: number
}

export type { EventParts, MetricPage, PortName }

/** What a queue set is made with and configured by. */
import type { TimerOptions } from '../../lib/clock.ts'
import type { FlowRequest } from './flow-request.ts'
import type { LevelUsage } from './level-usage.ts'
import type { DemandIntegrator } from './seat-demand.ts'

export interface Queuing {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/** Monotonic milliseconds, with fractions. */
export interface FlowClock {
  now(): number
  setTimeout(fn: () => void, ms: number, options?: TimerOptions): () => void
}

export interface QueueSetOptions {
  readonly clock: FlowClock
  readonly demand: DemandIntegrator
  /** Called when the first request of the queue that is next needs more seats than are free. */
  readonly onNoRoom?: (request: FlowRequest) => void
  /** Absent: utilization is not measured. */
  readonly usage?: LevelUsage | undefined
  /** Called when requests wait for seats, and how many are missing. */
  readonly onWant?: ((seats: number) => void) | undefined
  /** Called when seats were given back. */
  readonly onFreed?: (() => void) | undefined
}

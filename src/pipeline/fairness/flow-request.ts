/** A request on its way through the queues of a priority level, what it costs, and one of the queues. */
import type { FlowPlacement, RequestContext, Seats } from '../../api/request-context.ts'

/** What a request costs. */
export interface FlowWork {
  /** Seats while it runs. */
  readonly seats: number
  /** Seats after it has ended, for what it causes: watch events. */
  readonly finalSeats: number
  readonly lingerMs: number
}

/** Whose turn a request is. */
export interface QueuedFlow extends Readonly<FlowPlacement['flow']> {
  /** The queues that its requests may wait in; empty when there are none. */
  readonly hand: readonly number[]
}

export type RequestState = 'new' | 'waiting' | 'executing' | 'paused' | 'lingering' | 'ended' | 'refused'

/** How long a request is taken to run until it has: 3 ms, as in the reference. */
export const estimatedMs = 3

/** A request on its way through the queues. The waiter sets `onDispatch`. */
export class FlowRequest implements Seats, FlowPlacement {
  readonly flow: QueuedFlow
  readonly work: FlowWork
  /** For those who look inside. */
  readonly context: RequestContext
  readonly maxSeats: number
  /** What it is charged when it is dispatched, in seat-milliseconds. */
  readonly cost: number
  state: RequestState = 'new'
  queue: FlowQueue | undefined
  arrivedAt = 0
  arrivedR = 0
  startedAt = 0
  /** Its place among those that run. */
  place = 0
  /** How long it ran, once it has ended; the time of the runs before this one while it goes on. */
  executionMs = 0
  onDispatch: (() => void) | undefined
  /** Its seats were taken for another flow, or were given back after that. */
  onPause: ((request: FlowRequest, paused: boolean) => void) | undefined
  /** Whether other flows may take its seats. */
  isLent = false
  /** Where its seats are. */
  owner: { lent(): void } | undefined
  #resumed: (() => void)[] = []

  constructor(flow: QueuedFlow, work: FlowWork, context: RequestContext) {
    this.flow = flow
    this.work = work
    this.context = context
    this.maxSeats = Math.max(work.seats, work.finalSeats)
    this.cost = work.seats * estimatedMs + work.finalSeats * work.lingerMs
  }

  lend(): void {
    this.isLent = true
    this.owner?.lent()
  }

  regain(): Promise<void> | undefined {
    if (this.state !== 'paused') return undefined
    return new Promise((resolve) => this.#resumed.push(resolve))
  }

  keep(): Promise<void> | undefined {
    this.isLent = false
    return this.regain()
  }

  /** It has its seats again, or needs none any more. */
  resume(): void {
    for (const wake of this.#resumed.splice(0)) wake()
  }
}

export class FlowQueue {
  readonly index: number
  /** In the order of arrival. */
  readonly waiting = new Set<FlowRequest>()
  /** Preempted, in the order in which they were: they go before those that wait. */
  readonly paused = new Set<FlowRequest>()
  waitingCost = 0
  executing = 0
  seatsInUse = 0
  nextR = 0

  constructor(index: number) {
    this.index = index
  }

  get first(): FlowRequest | undefined {
    return (this.paused.size > 0 ? this.paused : this.waiting).values().next().value
  }

  get idle(): boolean {
    return this.executing === 0 && this.waiting.size === 0 && this.paused.size === 0
  }
}

/** Nothing is served before it has come, in virtual time either: a queue cannot save up service. */
export function boundNextR(queue: FlowQueue): void {
  const { first } = queue
  if (first !== undefined && queue.nextR < first.arrivedR) queue.nextR = first.arrivedR
}

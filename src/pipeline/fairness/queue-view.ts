/** A queue as people see it who look inside: in dumps and metrics. */
import type { FlowQueue, FlowRequest } from './flow-request.ts'

export function queueView(queue: FlowQueue): QueueView {
  const waiting = [...queue.paused, ...queue.waiting]
  return {
    waiting,
    executing: queue.executing,
    seatsInUse: queue.seatsInUse,
    nextR: queue.nextR / 1000,
    seatsSum: total(waiting, ({ work }) => work.seats),
    maxSeatsSum: total(waiting, ({ maxSeats }) => maxSeats),
    workSum: queue.waitingCost / 1000,
  }
}

/** Times of R and sums of work are in seat-seconds. */
export interface QueueView {
  readonly waiting: readonly FlowRequest[]
  readonly executing: number
  readonly seatsInUse: number
  readonly nextR: number
  readonly seatsSum: number
  readonly maxSeatsSum: number
  readonly workSum: number
}

const total = (requests: readonly FlowRequest[], of: (request: FlowRequest) => number): number =>
  requests.reduce((sum, request) => sum + of(request), 0)

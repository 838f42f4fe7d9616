/** The virtual times at which requests could have begun when one of them was chosen, for metrics. */
import { estimatedMs, type FlowQueue } from './flow-request.ts'

/** Times are in seat-seconds. */
export interface QueueChoice {
  readonly r: number
  /** Of the request that was chosen. */
  readonly start: number
  /** Of all that could have been. */
  readonly starts: StartTimes
}

/** The virtual times at which the first requests of the queues would begin, with and without what runs already. */
export class StartTimes {
  least = Infinity
  most = -Infinity
  leastDiscounted = Infinity
  mostDiscounted = -Infinity

  note({ nextR, seatsInUse }: FlowQueue): void {
    const start = nextR / 1000
    const discounted = (nextR - seatsInUse * estimatedMs) / 1000
    this.least = Math.min(this.least, start)
    this.most = Math.max(this.most, start)
    this.leastDiscounted = Math.min(this.leastDiscounted, discounted)
    this.mostDiscounted = Math.max(this.mostDiscounted, discounted)
  }
}

/** How full a priority level is over time: requests and seats as parts of their limits, running and waiting. */
import type { TimedRatio } from '../../lib/timed-ratio.ts'
import type { Queuing } from './queue-set-options.ts'

export interface LevelRatios {
  readonly waiting: TimedRatio
  readonly executing: TimedRatio
  readonly seats: TimedRatio
  readonly demand: TimedRatio
}

/** What a level holds now. */
export interface LevelState {
  readonly waiting: number
  readonly executing: number
  readonly seatsInUse: number
  readonly seatsWaiting: number
}

export class LevelUsage {
  readonly #ratios: LevelRatios

  constructor(ratios: LevelRatios) {
    this.#ratios = ratios
  }

  /** Requests that wait count as a part of what all queues hold, everything else as a part of the level's seats. */
  setLimits(seats: number, queuing: Queuing | undefined): void {
    const { waiting, executing, seats: inUse, demand } = this.#ratios
    for (const ratio of [executing, inUse, demand]) ratio.setLimit(seats)
    waiting.setLimit(queuing === undefined ? 1 : queuing.queues * queuing.queueLengthLimit)
  }

  note({ waiting, executing, seatsInUse, seatsWaiting }: LevelState, now: number): void {
    this.#ratios.waiting.set(waiting, now)
    this.#ratios.executing.set(executing, now)
    this.#ratios.seats.set(seatsInUse, now)
    this.#ratios.demand.set(seatsInUse + seatsWaiting, now)
  }
}

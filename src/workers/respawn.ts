/** Restart with exponential backoff: a process that died is started again at once, and after growing pauses while it keeps dying. */
import type { Clock } from '../lib/clock.ts'

const firstPauseMs = 100
const longestPauseMs = 10_000
/** One that has lived for so long is not one that keeps dying. */
const soundMs = 30_000

export class Respawn {
  readonly #clock: Pick<Clock, 'now' | 'setTimeout'>
  #pauseMs = firstPauseMs
  #startedAt = 0

  constructor(clock: Pick<Clock, 'now' | 'setTimeout'>) {
    this.#clock = clock
  }

  started(): void {
    this.#startedAt = this.#clock.now()
  }

  again(start: () => void): void {
    const lived = this.#clock.now() - this.#startedAt
    this.#pauseMs = lived >= soundMs ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs)
    this.#clock.setTimeout(start, this.#pauseMs)
  }
}

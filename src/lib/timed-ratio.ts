/**
 * A number as a part of its limit, over time: the histogram says for how many nanoseconds it was in which range. A
 * change costs an addition; while nothing changes, nothing is done.
 */
import type { HistogramSeries } from './metrics.ts'

export class TimedRatio {
  readonly #series: HistogramSeries
  #value = 0
  #limit = 1
  #since: number

  /** Times are in milliseconds, with fractions. */
  constructor(series: HistogramSeries, now: number) {
    this.#series = series
    this.#since = now
  }

  set(value: number, now: number): void {
    if (value !== this.#value) {
      this.settle(now)
      this.#value = value
    }
  }

  /** Holds for the time since the last change as well: limits change seldom. */
  setLimit(limit: number): void {
    this.#limit = Math.max(limit, 1)
  }

  /** Brings the histogram up to date. */
  settle(now: number): void {
    const nanoseconds = Math.round((now - this.#since) * 1e6)
    if (nanoseconds > 0) this.#series.observe(this.#value / this.#limit, nanoseconds)
    this.#since = now
  }
}

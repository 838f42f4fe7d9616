/**
 * A whole number as a part of its limit, over time: the histogram says for how many nanoseconds it was in which range.
 * A change costs an addition: times are kept by number, and become parts of the limit on collection.
 */
import type { HistogramSeries } from './metrics.ts'

/** Times of larger numbers go to the histogram at once. */
const keptNumbers = 128

export class TimedRatio {
  readonly #series: HistogramSeries
  readonly #times = new Float64Array(keptNumbers)
  #value = 0
  #limit = 1
  #since: number

  /** Times are in milliseconds, with fractions. */
  constructor(series: HistogramSeries, now: number) {
    this.#series = series
    this.#since = now
  }

  set(value: number, now: number): void {
    if (value === this.#value) return
    this.#keepTime(now)
    this.#value = value
  }

  setLimit(limit: number): void {
    this.#showTimes()
    this.#limit = Math.max(limit, 1)
  }

  /** Brings the histogram up to date. */
  settle(now: number): void {
    this.#keepTime(now)
    this.#showTimes()
  }

  #keepTime(now: number): void {
    const elapsed = now - this.#since
    this.#since = now
    if (this.#value < keptNumbers) this.#times[this.#value] = (this.#times[this.#value] as number) + elapsed
    else this.#show(this.#value, elapsed)
  }

  #showTimes(): void {
    for (let value = 0; value < keptNumbers; value++) this.#show(value, this.#times[value] as number)
    this.#times.fill(0)
  }

  #show(value: number, ms: number): void {
    const nanoseconds = Math.round(ms * 1e6)
    if (nanoseconds > 0) this.#series.observe(value / this.#limit, nanoseconds)
  }
}

/** A gauge that reports the maximum of the last second. */
export class PeakGauge {
  #now = 0
  #second = 0
  #peak = 0
  #lastPeak = 0

  add(by: number): void {
    this.#turn()
    this.#now += by
    if (this.#now > this.#peak) this.#peak = this.#now
  }

  peak(): number {
    this.#turn()
    return Math.max(this.#peak, this.#lastPeak)
  }

  #turn(): void {
    const second = Math.floor(performance.now() / 1000)
    if (second === this.#second) return
    this.#lastPeak = second === this.#second + 1 ? this.#peak : this.#now
    this.#peak = this.#now
    this.#second = second
  }
}

/**
 * How long refused clients are asked to wait: longer while many are refused second after second, shorter again when few
 * are, between one and 32 seconds.
 */
const longest = 32

export class RetryAfter {
  /** How many were refused in each of the last seconds that had any. */
  #history: { readonly second: number; readonly refused: number }[] = []
  #second = 0
  #refused = 0
  #raisedAt = 0
  seconds = 1

  /** `now` is in milliseconds. */
  refused(now: number): void {
    const second = Math.floor(now / 1000)
    if (second === this.#second) {
      this.#refused++
      return
    }
    this.#history.push({ second: this.#second, refused: this.#refused })
    const oldest = this.#second - Math.min(2 * this.seconds, longest)
    this.#history = this.#history.filter((entry) => entry.second >= oldest)
    this.#second = second
    this.#refused = 1
    this.#adjust(second)
  }

  #adjust(second: number): void {
    const recent = this.#history
      .filter((entry) => second - entry.second <= this.seconds)
      .reduce((sum, { refused }) => sum + refused, 0)
    if (second - this.#raisedAt >= this.seconds && recent >= 3 * this.seconds) {
      this.seconds = Math.min(2 * this.seconds, longest)
      this.#raisedAt = second
    } else if (recent < this.seconds && this.seconds > 1) {
      this.seconds--
    }
  }
}

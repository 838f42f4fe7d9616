/** Answers with a time to live, at most so many of them: the oldest goes first when it is full. */
import type { Clock } from '../lib/clock.ts'

export class BoundedCache<T> {
  readonly #capacity: number
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly value: T; readonly expires: number }>()

  constructor(capacity: number, clock: Clock) {
    this.#capacity = capacity
    this.#clock = clock
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expires > this.#clock.now()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: T, ttlMs: number): void {
    if (ttlMs <= 0) return
    this.#entries.delete(key)
    if (this.#entries.size >= this.#capacity) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, { value, expires: this.#clock.now() + ttlMs })
  }
}

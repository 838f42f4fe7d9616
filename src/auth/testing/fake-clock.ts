/** A clock that stands still until it is moved, for tests. */
import type { Clock } from '../../lib/clock.ts'

export class FakeClock implements Clock {
  #now: number
  #uuids = 0
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>()

  constructor(now = Date.parse('2025-01-01T00:00:00Z')) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  random(): number {
    return 0.5
  }

  uuid(): string {
    this.#uuids++
    return `00000000-0000-4000-8000-${String(this.#uuids).padStart(12, '0')}`
  }

  setTimeout(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, fn }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  advance(ms: number): void {
    this.#now += ms
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.#now) continue
      this.#timers.delete(timer)
      timer.fn()
    }
  }
}

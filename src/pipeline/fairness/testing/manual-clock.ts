/** A clock that a test moves: timers run in order when their time has come. */
import type { FlowClock } from '../queue-set-options.ts'

export class ManualClock implements FlowClock {
  #now = 0
  #timers: { readonly at: number; readonly fn: () => void }[] = []

  now(): number {
    return this.#now
  }

  setTimeout(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, fn }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#now = next.at
      this.#timers = this.#timers.filter((other) => other !== next)
      next.fn()
    }
    this.#now = end
  }
}

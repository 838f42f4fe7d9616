import type { Clock } from '../../lib/clock.ts'

const nextTurn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

/** Time that passes when a test says so; timers that are due run one turn of the loop each. */
export class ManualClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<{ at: number; fn: () => void }>()

  now(): number {
    return this.#now
  }
  setTimeout(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, fn }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }
  random(): number {
    return 0.5
  }
  uuid(): string {
    return '00000000-0000-4000-8000-000000000000'
  }
  /** `settle` waits for what a timer began. */
  async advance(ms: number, settle: () => Promise<unknown> = nextTurn): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > end) break
      this.#timers.delete(next)
      this.#now = next.at
      next.fn()
      await settle()
    }
    this.#now = end
  }
  get pending(): number {
    return this.#timers.size
  }
}

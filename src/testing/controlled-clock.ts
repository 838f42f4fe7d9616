/**
 * The clock of a test server: real time, and as much later as the test wants. A timer keeps its distance: whoever set it
 * for a minute waits for a minute of this clock, however that passes.
 */
import { type Clock, type Pausable, systemClock } from '../lib/clock.ts'
import type { TestClock } from './api.ts'

interface Timer {
  at: number
  readonly fn: () => void
  disarm: () => void
}

/** Longer timers would fire at once. */
const maxTimerMs = 2 ** 31 - 1
/** Timers that set themselves again and again at the same moment must not keep `advance` for ever. */
const maxFirings = 1_000_000

export class ControlledClock implements Clock, TestClock {
  readonly queues = new Set<Pausable>()
  readonly #timers = new Set<Timer>()
  #offset: number

  /** Begins at the present, or at another time. */
  constructor(now?: number) {
    this.#offset = now === undefined ? 0 : now - systemClock.now()
  }

  now(): number {
    return systemClock.now() + this.#offset
  }

  setTimeout(fn: () => void, ms: number): () => void {
    const timer: Timer = { at: this.now() + Math.max(ms, 0), fn, disarm: () => undefined }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => this.#drop(timer)
  }

  random(): number {
    return systemClock.random()
  }

  uuid(): string {
    return systemClock.uuid()
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`time passes forwards: ${ms} is no time to advance by`)
    const end = this.now() + ms
    for (let firings = 0; firings < maxFirings; firings++) {
      const next = this.#nextBy(end)
      if (next === undefined) break
      this.#offset += Math.max(next.at - this.now(), 0)
      this.#drop(next)
      next.fn()
      // What it set off comes before what is due later.
      await turn()
    }
    this.#offset += Math.max(end - this.now(), 0)
    for (const timer of this.#timers) this.#arm(timer)
    await turn()
  }

  /** Back to real time. Timers keep their distance. */
  reset(): void {
    for (const timer of this.#timers) timer.at -= this.#offset
    this.#offset = 0
  }

  /** Cancels everything: nobody waits any more. */
  close(): void {
    for (const timer of this.#timers) this.#drop(timer)
  }

  #nextBy(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer
    }
    return first
  }

  #arm(timer: Timer): void {
    timer.disarm()
    const wait = Math.min(Math.max(timer.at - this.now(), 0), maxTimerMs)
    timer.disarm = systemClock.setTimeout(() => {
      if (timer.at > this.now()) {
        this.#arm(timer)
        return
      }
      this.#drop(timer)
      timer.fn()
    }, wait)
  }

  #drop(timer: Timer): void {
    timer.disarm()
    this.#timers.delete(timer)
  }
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

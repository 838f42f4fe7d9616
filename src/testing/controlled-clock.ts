/**
 * The clock of a test server: real time, and as much later as the test wants. A timer keeps its distance: one of a
 * minute fires after a minute of this clock, however that passes.
 *
 * While it is advanced, time stands still between one timer and the next, and the next fires only when all queues have
 * come to rest: what a run comes to does not depend on how fast the machine is.
 */
import { type Clock, type Pausable, systemClock, type TimerOptions } from '../lib/clock.ts'
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { TestClock } from './api/server.ts'
import { type HeapTimer, TimerHeap } from './timer-heap.ts'

/** Longer timers would fire at once. */
const maxTimerMs = 2 ** 31 - 1
/** Timers that set themselves again and again at the same moment must not keep `advance` for ever. */
const maxFirings = 1_000_000
/** Turns of the event loop that queues may take to come to rest after one moment's timers. */
const maxTurns = 1_000_000
/** Turns without work after which nothing is left: what is idle may begin something in the next turn. */
const quietTurns = 2
const never = Number.POSITIVE_INFINITY

export class ControlledClock implements Clock, TestClock {
  readonly queues = new Set<Pausable>()
  readonly #timers = new TimerHeap()
  /** Those that run once in the end, however much time is let pass. */
  readonly #background = new TimerHeap()
  /** Called before time is let pass. */
  onAdvance: ((ms: number) => void) | undefined
  #offset: number
  /** The time at which it stands while it is advanced. */
  #standing: number | undefined
  #horizon: number | undefined
  #disarm: () => void = () => undefined
  #advancing: Promise<void> = Promise.resolve()

  /** Begins at the present, or at another time. */
  constructor(now?: number) {
    this.#offset = now === undefined ? 0 : now - systemClock.now()
  }

  now(): number {
    return this.#standing ?? systemClock.now() + this.#offset
  }

  get horizon(): number | undefined {
    return this.#horizon
  }

  setTimeout(fn: () => void, ms: number, { background = false }: TimerOptions = {}): () => void {
    const timer: HeapTimer = { at: this.now() + Math.max(ms, 0), fn }
    const timers = background ? this.#background : this.#timers
    timers.add(timer)
    if (timers.first() === timer) this.#arm()
    return () => timers.delete(timer)
  }

  random(): number {
    return systemClock.random()
  }

  uuid(): string {
    return systemClock.uuid()
  }

  advance(ms: number): Promise<void> {
    if (!(ms >= 0)) return Promise.reject(new RangeError(`time passes forwards: ${ms} is no time to advance by`))
    this.onAdvance?.(ms)
    const advanced = this.#advancing.then(() => this.#advance(ms))
    this.#advancing = advanced.catch(() => undefined)
    return advanced
  }

  async #advance(ms: number): Promise<void> {
    const end = this.now() + ms
    this.#standing = this.now()
    this.#horizon = end
    this.#disarm()
    try {
      await this.#rest()
      for (let next = this.#timers.first(); next !== undefined && next.at <= end; next = this.#timers.first()) {
        this.#standing = Math.max(next.at, this.#standing)
        fireDue(this.#timers, this.#standing)
        // What they set off comes before what is due later.
        await this.#rest()
      }
      this.#standing = end
      fireDue(this.#background, end)
      await this.#rest()
    } finally {
      this.#offset = (this.#standing ?? end) - systemClock.now()
      this.#standing = undefined
      this.#horizon = undefined
      this.#arm()
    }
    await turnOfLoop()
  }

  /** Back to real time. Timers keep their distance. */
  reset(): void {
    for (const timers of [this.#timers, this.#background]) timers.shift(-this.#offset)
    this.#offset = 0
    this.#arm()
  }

  /** Cancels every timer. */
  close(): void {
    for (const timers of [this.#timers, this.#background]) timers.clear()
    this.#disarm()
  }

  /** Resolves when no queue has work that can be done without time passing. */
  async #rest(): Promise<void> {
    await turnOfLoop()
    if (!this.#isBusy()) return
    for (let turns = 0, quiet = 0; quiet < quietTurns; turns++, quiet++) {
      await turnOfLoop()
      if (this.#isBusy()) quiet = -1
      if (turns > maxTurns) throw new Error('the controllers of the server do not come to rest')
    }
  }

  #isBusy(): boolean {
    for (const queue of this.queues) if (queue.isBusy ?? !queue.isIdle) return true
    return false
  }

  #fireNow(): void {
    const now = this.now()
    fireDue(this.#timers, now)
    fireDue(this.#background, now)
  }

  /** One real timer, for what is due first. While time stands still there is none. */
  #arm(): void {
    this.#disarm()
    const due = Math.min(this.#timers.first()?.at ?? never, this.#background.first()?.at ?? never)
    if (due === never || this.#standing !== undefined) return
    const wait = Math.min(Math.max(due - this.now(), 0), maxTimerMs)
    this.#disarm = systemClock.setTimeout(() => {
      try {
        if (this.#standing === undefined) this.#fireNow()
      } finally {
        this.#arm()
      }
    }, wait)
  }
}

mapErrorsOf(ControlledClock.prototype, ['advance'])

function fireDue(timers: TimerHeap, now: number): void {
  let firings = 0
  for (let next = timers.first(); next !== undefined && next.at <= now; next = timers.first()) {
    if (++firings > maxFirings) throw new Error('timers set themselves again and again at the same moment')
    timers.delete(next)
    next.fn()
  }
}

export const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

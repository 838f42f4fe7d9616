/**
 * Work by key, as controllers do it: a key that is added twice before its turn is worked on once, a key that is added
 * while it is being worked on is worked on again afterwards, never twice at the same time. What fails is tried again
 * after a while that doubles with every failure.
 *
 * Bounds: at most `concurrency` keys at a time; each key waits at most once, so what waits is bounded by what exists.
 */
import type { Clock, Pausable, QueueMeter, TimerOptions } from './clock.ts'
import { yieldToEventLoop } from './in-turns.ts'
import { HistogramSeries } from './metrics.ts'

export interface WorkQueueOptions<K> {
  /** Under which its work is counted; absent: it is not. */
  readonly name?: string
  readonly clock: Clock
  readonly concurrency: number
  /** Throws to be called again for this key later. */
  process(key: K): Promise<void>
  /** Called for every failure. */
  onError(key: K, error: unknown): void
}

const firstDelayMs = 20
const longestDelayMs = 60_000
/** What failed so few times most likely lost a race: it counts as work that is not done. */
const soonFailures = 3
/** Seconds; with the reference's rounding, since bounds are compared as texts. */
export const workBuckets: readonly number[] = [
  1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 1e-3, 0.01, 0.1, 1, 10,
]

export class WorkQueue<K> implements Pausable {
  readonly #options: WorkQueueOptions<K>
  readonly meter: QueueMeter | undefined
  /** Since when. */
  readonly #waiting = new Map<K, number>()
  readonly #active = new Map<K, Promise<void>>()
  /** When work on what is active began. */
  readonly #began = new Map<K, number>()
  readonly #again = new Set<K>()
  readonly #later = new Map<K, { readonly at: number; readonly cancel: () => void }>()
  readonly #failures = new Map<K, number>()
  /** Of what comes later, that which is about to be tried again. */
  readonly #soon = new Set<K>()
  #stopped = false
  #paused = false

  constructor(options: WorkQueueOptions<K>) {
    this.#options = options
    const waiting = this.#waiting
    const began = this.#began
    this.meter =
      options.name === undefined
        ? undefined
        : {
            name: options.name,
            adds: 0,
            retries: 0,
            get depth() {
              return waiting.size
            },
            get running() {
              return began.values()
            },
            waited: new HistogramSeries(workBuckets),
            worked: new HistogramSeries(workBuckets),
          }
    options.clock.queues?.add(this)
  }

  get isIdle(): boolean {
    return this.#active.size === 0 && this.#waiting.size === 0 && this.#soon.size === 0
  }

  get isBusy(): boolean {
    return this.#active.size > 0 || this.#waiting.size > 0
  }

  async pause(): Promise<void> {
    this.#paused = true
    await Promise.all(this.#active.values())
  }

  resume(): void {
    this.#paused = false
    this.#start()
  }

  add(key: K): void {
    if (this.#stopped) return
    if (this.#active.has(key)) {
      this.#again.add(key)
      return
    }
    this.#cancelLater(key)
    if (!this.#waiting.has(key)) {
      this.#waiting.set(key, performance.now())
      if (this.meter !== undefined) this.meter.adds++
    }
    this.#start()
  }

  /** Adds the key after a while, unless it is added before; of several such times the first counts. */
  addAfter(key: K, ms: number, options?: TimerOptions): void {
    if (this.#stopped || this.#waiting.has(key)) return
    const at = this.#options.clock.now() + ms
    if ((this.#later.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return
    this.#cancelLater(key)
    const due = (): void => {
      this.#later.delete(key)
      this.add(key)
    }
    const cancel = this.#options.clock.setTimeout(due, ms, options)
    this.#later.set(key, { at, cancel })
  }

  /** There is nothing to do for a key any more. What is being worked on is not stopped. */
  drop(key: K): void {
    this.#waiting.delete(key)
    this.#again.delete(key)
    this.#failures.delete(key)
    this.#cancelLater(key)
  }

  /** Takes no more work and waits for what is being worked on. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const { cancel } of this.#later.values()) cancel()
    this.#later.clear()
    this.#soon.clear()
    this.#waiting.clear()
    this.#options.clock.queues?.delete(this)
    await Promise.all(this.#active.values())
  }

  #cancelLater(key: K): void {
    this.#later.get(key)?.cancel()
    this.#later.delete(key)
    this.#soon.delete(key)
  }

  #start(): void {
    if (this.#paused) return
    for (const [key, since] of this.#waiting) {
      if (this.#active.size >= this.#options.concurrency) return
      this.#waiting.delete(key)
      this.meter?.waited.observe((performance.now() - since) / 1000)
      this.#active.set(key, this.#work(key))
    }
  }

  async #work(key: K): Promise<void> {
    // The caller is not kept waiting, `#active` has the key by the time that work begins, and keys without number do not
    // keep others from their turn.
    await yieldToEventLoop()
    const begin = performance.now()
    this.#began.set(key, begin)
    try {
      await this.#options.process(key)
      this.#failures.delete(key)
    } catch (error) {
      if (!this.#stopped) this.#retry(key, error)
    } finally {
      this.meter?.worked.observe((performance.now() - begin) / 1000)
      this.#active.delete(key)
      this.#began.delete(key)
      if (this.#again.delete(key)) this.add(key)
      if (!this.#stopped) this.#start()
    }
  }

  #retry(key: K, error: unknown): void {
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    if (this.meter !== undefined) this.meter.retries++
    this.addAfter(key, Math.min(firstDelayMs * 2 ** failures, longestDelayMs))
    if (failures < soonFailures && this.#later.has(key)) this.#soon.add(key)
    this.#options.onError(key, error)
  }
}

/**
 * The revision up to which events have arrived from the store, and the readers that wait for a later one.
 *
 * Invariant: `revision` is monotonic; everything up to it has arrived.
 */
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'

export interface ProgressOptions {
  readonly store: Store
  readonly clock: Clock
  /** Asks the store for a progress notification. */
  readonly ask: () => void
}

/** Interval of progress requests while one is unanswered. */
const askAgainMs = 250
/** Where the newest revision is known without asking, its events are on their way: only if they are not is the store asked. */
const patienceMs = 10

export class Progress {
  readonly #options: ProgressOptions
  readonly #waiters: { readonly revision: number; readonly wake: () => void }[] = []
  #revision = 0
  #closed = false
  #cancelAsking: (() => void) | undefined
  #freshCheck: { promise: Promise<number>; next: Promise<number> | undefined } | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
  }

  get revision(): number {
    return this.#revision
  }

  /** Everything up to a revision has arrived. False: that is no news. */
  reach(revision: number): boolean {
    if (revision <= this.#revision) return false
    this.#revision = revision
    for (let i = this.#waiters.length - 1; i >= 0; i--) {
      const waiter = this.#waiters[i]
      if (waiter === undefined || waiter.revision > revision) continue
      this.#waiters.splice(i, 1)
      waiter.wake()
    }
    return true
  }

  close(): void {
    this.#closed = true
    this.#cancelAsking?.()
  }

  /** Resolves to true when everything up to a revision has arrived, to false when that takes too long. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> | true {
    if (revision <= this.#revision) return true
    return new Promise((resolve) => {
      const waiter = {
        revision,
        wake: () => {
          cancel()
          resolve(true)
        },
      }
      const cancel = this.#options.clock.setTimeout(() => {
        const index = this.#waiters.indexOf(waiter)
        if (index >= 0) this.#waiters.splice(index, 1)
        resolve(false)
      }, timeoutMs)
      this.#waiters.push(waiter)
      this.#ask()
    })
  }

  /** A progress request is lost with its connection: it is repeated while readers wait. */
  #ask(): void {
    const { store, ask } = this.#options
    if (store.watermark === undefined) ask()
    this.#askLater(store.watermark === undefined ? askAgainMs : patienceMs)
  }

  #askLater(ms: number): void {
    if (this.#cancelAsking !== undefined) return
    this.#cancelAsking = this.#options.clock.setTimeout(() => {
      this.#cancelAsking = undefined
      if (this.#waiters.length === 0 || this.#closed) return
      this.#options.ask()
      this.#askLater(askAgainMs)
    }, ms)
  }

  /**
   * Resolves when everything has arrived that was written before this call. A no-op when all writes come from this
   * process; with a shared store one request serves all readers that wait (single-flight).
   */
  fresh(timeoutMs: number): Promise<boolean> | true {
    const { store } = this.#options
    if (store.readsOwnWrites && !store.shared) return true
    if (store.watermark !== undefined) return this.waitFor(store.watermark(), timeoutMs)
    return this.#newest().then((revision) => this.waitFor(revision, timeoutMs))
  }

  #newest(): Promise<number> {
    const running = this.#freshCheck
    if (running === undefined) {
      const check: { promise: Promise<number>; next: Promise<number> | undefined } = {
        promise: this.#options.store.currentRevision().finally(() => {
          if (this.#freshCheck === check) this.#freshCheck = undefined
        }),
        next: undefined,
      }
      this.#freshCheck = check
      return check.promise
    }
    running.next ??= running.promise.catch(() => 0).then(() => this.#newest())
    return running.next
  }
}

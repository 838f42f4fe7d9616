/**
 * Batches of events, processed in order. Decoding may be asynchronous: later batches wait behind it, within a bound, past which all that
 * wait are dropped and `onOverflow` has everything relisted.
 */
import type { EventBatch } from '../store/store.ts'

const maxPendingBatches = 10_000

export interface BatchQueueOptions {
  /** A promise when the batch takes time. */
  readonly process: (batch: EventBatch) => Promise<void> | undefined
  readonly onOverflow: () => void
}

export class BatchQueue {
  readonly #options: BatchQueueOptions
  /** Those that wait for an asynchronous decode; undefined while there is none. */
  #pending: EventBatch[] | undefined

  constructor(options: BatchQueueOptions) {
    this.#options = options
  }

  get isWaiting(): boolean {
    return this.#pending !== undefined
  }

  push(batch: EventBatch): void {
    if (this.#pending !== undefined) {
      this.#wait(this.#pending, batch)
      return
    }
    const waiting = this.#options.process(batch)
    if (waiting === undefined) return
    this.#pending = []
    void this.#catchUp(waiting, this.#pending)
  }

  #wait(pending: EventBatch[], batch: EventBatch): void {
    if (pending.length < maxPendingBatches) {
      pending.push(batch)
      return
    }
    pending.length = 0
    this.#options.onOverflow()
  }

  async #catchUp(first: Promise<void>, pending: EventBatch[]): Promise<void> {
    await first
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) await this.#options.process(next)
    this.#pending = undefined
  }
}

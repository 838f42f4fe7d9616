/** A change as watchers see it. */
import type { Entry, StoreEvent } from '../store.ts'
import type { Change } from './change.ts'

export class ChangeEvent {
  readonly type: StoreEvent['type']
  readonly key: string
  readonly revision: number
  readonly entry: Entry | undefined
  readonly #change: Change
  readonly #previousOf: (change: Change) => Entry | undefined

  constructor(change: Change, entry: Entry | undefined, previousOf: (change: Change) => Entry | undefined) {
    this.type = change.deleted ? 'delete' : 'put'
    this.key = change.key
    this.revision = change.revision
    this.entry = entry
    this.#change = change
    this.#previousOf = previousOf
  }

  /** Read from the log lazily. */
  get previous(): Entry | undefined {
    return this.#previousOf(this.#change)
  }
}

/** What is known of stored values before a server reads them: those of its start state, and while it is reverted those of the snapshot. */
import { type KnownEntries, type RecallValue, recallFrom } from '../cache/resource-reader.ts'
import type { ValueFacts } from './start-state.ts'

export class ValueRecall {
  readonly #ofStart: RecallValue
  #current: RecallValue

  constructor(facts: ValueFacts | undefined) {
    this.#ofStart = (_prefix, _key, value) => facts?.get(value)
    this.#current = this.#ofStart
  }

  readonly find: RecallValue = (prefix, key, value) => this.#current(prefix, key, value)

  /** While `change` runs, values that the caches held in the snapshot are recalled, too. */
  async recalling(known: KnownEntries, change: () => Promise<void>): Promise<void> {
    this.#current = recallFrom(known, this.#ofStart)
    try {
      await change()
    } finally {
      this.#current = this.#ofStart
    }
  }
}

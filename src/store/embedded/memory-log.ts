// The values of a memory store by revision: durable at once, as far as memory is. A large value that was replaced is kept as its delta from
// the next one; chains of deltas are bounded.
import { orderedMap } from '../../lib/ordered-map.ts'
import { TextDelta } from '../../lib/text-delta.ts'
import type { Change } from './change.ts'
import type { Scrubbed } from './history.ts'
import type { Addition, ValueLog } from './value-log.ts'

/** A large value that a newer one has taken the place of, kept as how the two differ. */
interface RetiredValue {
  readonly rest: TextDelta
  /** The revision of the newer one. */
  readonly by: number
}

/** Where old values lean on newer ones, a whole one comes at least this often. */
const longestChain = 8

export class MemoryLog implements ValueLog {
  readonly immediate = true
  #values = orderedMap<number, Uint8Array | RetiredValue>()
  /** How many old values lean on a whole one, each on the next, where there are any. */
  #leaning = orderedMap<number, number>()
  #bytes = 0

  /** An independent copy that shares both trees, copy-on-write. */
  clone(): MemoryLog {
    const copy = new MemoryLog()
    copy.#values = this.#values.clone()
    copy.#leaning = this.#leaning.clone()
    copy.#bytes = this.#bytes
    return copy
  }

  append(additions: readonly Addition[]): undefined {
    for (const { change, value } of additions) {
      if (value === undefined) continue
      this.#values.set(change.revision, value)
      this.#bytes += value.byteLength
      if (change.previousRevision !== 0) this.#retire(change.previousRevision, change.revision, value)
    }
  }

  #retire(revision: number, by: number, value: Uint8Array): void {
    const old = this.#values.get(revision)
    if (!(old instanceof Uint8Array)) return
    const leaning = this.#leaning.get(revision) ?? 0
    const rest = leaning < longestChain ? TextDelta.of(old, value) : undefined
    if (leaning > 0) this.#leaning.delete(revision)
    if (rest === undefined) return
    this.#values.set(revision, { rest, by })
    this.#leaning.set(by, leaning + 1)
  }

  refusal(): undefined {
    return undefined
  }

  read(change: Change): Uint8Array {
    return this.#read(change.revision)
  }

  #read(revision: number): Uint8Array {
    const value = this.#values.get(revision)!
    return value instanceof Uint8Array ? value : value.rest.restore(this.#read(value.by))
  }

  remove({ removed }: Scrubbed): undefined {
    for (const { revision } of removed) {
      const value = this.#values.get(revision)
      if (value === undefined) continue
      this.#bytes -= value instanceof Uint8Array ? value.byteLength : value.rest.length
      this.#values.delete(revision)
      this.#leaning.delete(revision)
    }
  }

  size(): number {
    return this.#bytes
  }

  async close(): Promise<void> {
    this.#values.clear()
    this.#leaning.clear()
  }
}

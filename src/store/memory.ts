// The store that keeps everything in memory: for tests, and for servers whose state may go with the process. Opening one is cheap.
import { type Clock, systemClock } from '../lib/clock.ts'
import { orderedMap } from '../lib/ordered-map.ts'
import type { Change } from './embedded/change.ts'
import { EmbeddedStore } from './embedded/embedded-store.ts'
import { History, type Scrubbed } from './embedded/history.ts'
import type { Addition, ValueLog } from './embedded/value-log.ts'
import type { Store } from './store.ts'

const defaultHistoryMs = 5 * 60 * 1000
const defaultMaxHistory = 200_000

export interface MemoryStoreOptions {
  readonly clock?: Clock | undefined
  /** How long old states stay readable. */
  readonly historyMs?: number | undefined
  /** The greatest number of changes kept for history. */
  readonly maxHistory?: number | undefined
}

export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock = systemClock, historyMs = defaultHistoryMs, maxHistory = defaultMaxHistory } = options
  const history = new History({ revision: 1, compactRevision: 1, scrubbed: 1 })
  return new EmbeddedStore({ log: new MemoryLog(), history }, { name: 'memory', clock, historyMs, maxHistory })
}

class MemoryLog implements ValueLog {
  readonly immediate = true
  readonly #values = orderedMap<number, Uint8Array>()
  #bytes = 0

  append(additions: readonly Addition[]): undefined {
    for (const { change, value } of additions) {
      if (value === undefined) continue
      this.#values.set(change.revision, value)
      this.#bytes += value.byteLength
    }
  }

  refusal(): undefined {
    return undefined
  }

  read(change: Change): Uint8Array {
    return this.#values.get(change.revision)!
  }

  remove({ removed }: Scrubbed): undefined {
    for (const { revision } of removed) {
      this.#bytes -= this.#values.get(revision)?.byteLength ?? 0
      this.#values.delete(revision)
    }
  }

  size(): number {
    return this.#bytes
  }

  async close(): Promise<void> {
    this.#values.clear()
  }
}

// The store that keeps everything in memory: for tests, and for servers whose state may go with the process. Opening one is cheap.
import { type Clock, systemClock } from '../lib/clock.ts'
import { orderedMap } from '../lib/ordered-map.ts'
import type { Change } from './embedded/change.ts'
import { EmbeddedStore, type Overwrite } from './embedded/embedded-store.ts'
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

export const openMemoryStore = (options: MemoryStoreOptions = {}): Store => openMemory(options).store

/** All that a memory store held at one time. Taking one, and opening a store from one, copies nothing. */
export interface MemorySnapshot {
  readonly history: History
  readonly log: MemoryLog
}

/** A memory store that can be copied and put back. */
export interface RestorableStore {
  readonly store: Store
  snapshot(): MemorySnapshot
  /**
   * Makes every key what it was in the snapshot, by new writes in one step: revisions go on, watches see what changes, and
   * older states are forgotten. Takes as long as there are keys that differ.
   */
  restore(snapshot: MemorySnapshot): void
  /** Writes many keys in one step, whatever they were. */
  fill(entries: readonly Overwrite[]): void
}

/** A store that is empty, or begins as an independent copy of a snapshot. */
export function openMemory(options: MemoryStoreOptions = {}, from?: MemorySnapshot): RestorableStore {
  const { clock = systemClock, historyMs = defaultHistoryMs, maxHistory = defaultMaxHistory } = options
  const history = from?.history.clone() ?? new History({ revision: 1, compactRevision: 1, scrubbed: 1 })
  const log = from?.log.clone() ?? new MemoryLog()
  const store = new EmbeddedStore({ log, history }, { name: 'memory', clock, historyMs, maxHistory })
  return {
    store,
    snapshot: () => ({ history: history.clone(), log: log.clone() }),
    fill: (entries) => store.overwrite(entries),
    restore: (then) => {
      const { wanted, kept } = differences({ history, log }, then)
      store.replace(wanted, (additions, revision) => {
        const all = [...kept, ...additions]
        history.become(
          then.history,
          all.map(({ change }) => change),
          revision,
        )
        log.become(then.log)
        log.append(all)
      })
    },
  }
}

/**
 * What must change for `now` to be what `then` was, and the changes that may stay although they are others than then: they
 * left the same value. Removals come first, as what a new object needs (a name, an address) may have to be free before; then
 * the rest in the order of old.
 */
function differences(now: MemorySnapshot, then: MemorySnapshot): { wanted: Overwrite[]; kept: Addition[] } {
  const removals: Overwrite[] = []
  const additions: (Overwrite & { readonly order: number })[] = []
  const kept: Addition[] = []
  for (const { own, other } of now.history.differences(then.history)) {
    const there = own === undefined || own.deleted ? undefined : own
    const wanted = other === undefined || other.deleted ? undefined : other
    if (wanted === undefined) {
      if (there !== undefined) removals.push({ key: there.key, value: undefined, expiresAt: 0, there })
      continue
    }
    const { key, expiresAt, revision } = wanted
    const value = then.log.read(wanted)
    const isSame = there !== undefined && there.expiresAt === expiresAt && now.log.read(there) === value
    if (isSame) kept.push({ change: there, value })
    else additions.push({ key, value, expiresAt, there, order: revision })
  }
  return { wanted: [...removals, ...additions.sort((a, b) => a.order - b.order)], kept }
}

class MemoryLog implements ValueLog {
  readonly immediate = true
  #values = orderedMap<number, Uint8Array>()
  #bytes = 0

  clone(): MemoryLog {
    const copy = new MemoryLog()
    copy.#values = this.#values.clone()
    copy.#bytes = this.#bytes
    return copy
  }

  become(other: MemoryLog): void {
    this.#values = other.#values.clone()
    this.#bytes = other.#bytes
  }

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

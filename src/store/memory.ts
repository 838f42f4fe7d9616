// The store that keeps everything in memory: for tests, and for servers whose state may go with the process. Opening one is cheap.
import { type Clock, systemClock } from '../lib/clock.ts'
import { orderedMap } from '../lib/ordered-map.ts'
import { TextDelta } from '../lib/text-delta.ts'
import type { Change } from './embedded/change.ts'
import { EmbeddedStore, type Overwrite } from './embedded/embedded-store.ts'
import { ExpiryQueue } from './embedded/expiry.ts'
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
  /** Other processes watch it, too. */
  readonly takesHints?: boolean | undefined
}

export const openMemoryStore = (options: MemoryStoreOptions = {}): Store => openMemory(options).store

/** All that a memory store held at one time. Taking one, and opening a store from one, copies nothing. */
export interface MemorySnapshot {
  readonly history: History
  readonly log: MemoryLog
  readonly expiry: ExpiryQueue
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
  /**
   * Becomes what it was in the snapshot, in no time and without telling watches. Every key has the revision that it had then;
   * the store's own goes on, and older states are forgotten.
   */
  become(snapshot: MemorySnapshot): void
  /** Writes many keys in one step, whatever they were. */
  fill(entries: readonly Overwrite[]): void
}

/** A store that is empty, or begins as an independent copy of a snapshot. */
export function openMemory(options: MemoryStoreOptions = {}, from?: MemorySnapshot): RestorableStore {
  const { clock = systemClock, historyMs = defaultHistoryMs, maxHistory = defaultMaxHistory } = options
  const history = from?.history.clone() ?? new History({ revision: 1, compactRevision: 1, scrubbed: 1 })
  const log = from?.log.clone() ?? new MemoryLog()
  const store = new EmbeddedStore(
    { log, history },
    { name: 'memory', clock, historyMs, maxHistory, takesHints: options.takesHints },
    from?.expiry ?? ExpiryQueue.empty(),
  )
  return {
    store,
    snapshot: () => ({ history: history.clone(), log: log.clone(), expiry: store.expiry }),
    become: (then) =>
      store.become(then.expiry, (revision) => {
        history.become(then.history, [], revision)
        log.become(then.log)
      }),
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
function differences(now: HistoryAndLog, then: HistoryAndLog): { wanted: Overwrite[]; kept: Addition[] } {
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

type HistoryAndLog = Pick<MemorySnapshot, 'history' | 'log'>

/** A large value that a newer one has taken the place of, kept as how the two differ. */
interface RetiredValue {
  readonly rest: TextDelta
  /** The revision of the newer one. */
  readonly by: number
}

/** Where old values lean on newer ones, a whole one comes at least this often. */
const longestChain = 8

class MemoryLog implements ValueLog {
  readonly immediate = true
  #values = orderedMap<number, Uint8Array | RetiredValue>()
  /** How many old values lean on a whole one, each on the next, where there are any. */
  #leaning = orderedMap<number, number>()
  #bytes = 0

  clone(): MemoryLog {
    const copy = new MemoryLog()
    copy.#values = this.#values.clone()
    copy.#leaning = this.#leaning.clone()
    copy.#bytes = this.#bytes
    return copy
  }

  become(other: MemoryLog): void {
    this.#values = other.#values.clone()
    this.#leaning = other.#leaning.clone()
    this.#bytes = other.#bytes
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

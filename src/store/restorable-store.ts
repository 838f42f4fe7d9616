// A memory store with snapshots: a decorator that is a `Store` to everybody else. Taking a snapshot, opening a store from one and restoring one
// copy nothing: the trees of a memory store are copy-on-write.
//
// Kept true: revisions never go back; watches stay open over a restore and a revert; nothing older than either can be read afterwards.
import { systemClock } from '../lib/clock.ts'
import type { Change } from './embedded/change.ts'
import { emptyMemory, type MemoryState, type MemoryStoreOptions, openMemoryStore } from './memory.ts'
import {
  type CompactResult,
  type GetOptions,
  type GetResult,
  type RangeOptions,
  type RangeResult,
  type Store,
  StoreError,
  type StoreName,
  type Watch,
  type WatchOptions,
  type WriteOperation,
  type WriteResult,
} from './store.ts'

/** All that a store held at one time. */
export type MemorySnapshot = MemoryState

interface OpenWatch {
  readonly prefix: string
  readonly options: WatchOptions
  inner: Watch
}

export class RestorableStore implements Store {
  readonly name: StoreName = 'memory'
  readonly readsOwnWrites = true
  readonly shared = false
  readonly maxValueBytes: number
  readonly takesHints: boolean
  readonly #options: MemoryStoreOptions
  readonly #watches = new Set<OpenWatch>()
  #state: MemoryState
  #store: Store

  /** Begins empty, or as an independent copy of a snapshot. */
  constructor(options: MemoryStoreOptions = {}, from?: MemorySnapshot) {
    this.#options = options
    this.#state = from === undefined ? emptyMemory() : cloneOf(from)
    this.#store = openMemoryStore(options, this.#state)
    this.maxValueBytes = this.#store.maxValueBytes
    this.takesHints = this.#store.takesHints ?? false
  }

  snapshot(): MemorySnapshot {
    return cloneOf(this.#state)
  }

  /**
   * Puts the snapshot in the place of the present state, at the next revision. Every key has the revision that it had in the
   * snapshot, and watches get no events.
   */
  restore({ history, log, expiry }: MemorySnapshot): void {
    const revision = this.#state.history.revision + 1
    const replaced = this.#store
    this.#state = { history: history.restartedAt(revision), log: log.clone(), expiry: expiry.clone() }
    this.#store = openMemoryStore(this.#options, this.#state)
    for (const watch of this.#watches) {
      const { inner } = watch
      watch.inner = this.#open(watch, revision)
      inner.close()
    }
    void replaced.close()
  }

  /**
   * Makes every key what it was in the snapshot by writes of its own, which watches see: removals first, as what a new object needs
   * (a name, an address) may have to be free before, then the rest in the order of their revisions.
   */
  async revert(to: MemorySnapshot): Promise<void> {
    const results = revertingWrites(this.#state, to, this.#now()).map((operation) => this.#store.write(operation))
    await this.#awaitWrites(results)
    await this.#store.compact(this.#state.history.revision)
  }

  /** Creates many keys in one turn. */
  async fill(entries: readonly { readonly key: string; readonly value: Uint8Array }[]): Promise<void> {
    await this.#awaitWrites(entries.map(({ key, value }) => this.#store.write({ type: 'create', key, value })))
  }

  async #awaitWrites(results: readonly Promise<WriteResult>[]): Promise<void> {
    for (const result of await Promise.all(results)) {
      if (!result.ok) throw new StoreError('invalid', 'the store was written to meanwhile')
    }
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now()
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision()
  }

  get(key: string, options?: GetOptions): Promise<GetResult> {
    return this.#store.get(key, options)
  }

  range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    return this.#store.range(prefix, options)
  }

  write(operation: WriteOperation): Promise<WriteResult> {
    return this.#store.write(operation)
  }

  watch(prefix: string, options: WatchOptions): Watch {
    const watch = { prefix, options } as OpenWatch
    watch.inner = this.#open(watch, options.afterRevision)
    this.#watches.add(watch)
    return { close: () => watch.inner.close(), requestProgress: () => watch.inner.requestProgress() }
  }

  #open(watch: OpenWatch, afterRevision: number | undefined): Watch {
    const inner: Watch = this.#store.watch(watch.prefix, {
      ...watch.options,
      afterRevision,
      onEnd: (end) => {
        // A restore has opened it on another state.
        if (watch.inner !== inner) return
        this.#watches.delete(watch)
        watch.options.onEnd(end)
      },
    })
    return inner
  }

  compact(revision: number): Promise<CompactResult> {
    return this.#store.compact(revision)
  }

  health(signal: AbortSignal, need?: 'read' | 'write'): Promise<void> {
    return this.#store.health(signal, need)
  }

  size(): Promise<number> {
    return this.#store.size()
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

const cloneOf = ({ history, log, expiry }: MemoryState): MemoryState => ({
  history: history.clone(),
  log: log.clone(),
  expiry: expiry.clone(),
})

const present = (change: Change | undefined): Change | undefined => (change?.deleted === true ? undefined : change)

/** The writes after which `now` holds what `then` held. A key that has the same value already is left as it is. */
function revertingWrites(now: MemoryState, then: MemorySnapshot, time: number): WriteOperation[] {
  const removals: WriteOperation[] = []
  const others: { readonly order: number; readonly operation: WriteOperation }[] = []
  for (const { own, other } of now.history.differences(then.history)) {
    const [there, wanted] = [present(own), present(other)]
    if (wanted === undefined) {
      if (there !== undefined) removals.push({ type: 'delete', key: there.key, expectedRevision: there.revision })
      continue
    }
    const { key, expiresAt, revision: order } = wanted
    const value = then.log.read(wanted)
    if (there !== undefined && there.expiresAt === expiresAt && now.log.read(there) === value) continue
    const ttlSeconds = expiresAt === 0 ? undefined : Math.max(expiresAt - time, 1) / 1000
    const operation: WriteOperation =
      there === undefined
        ? { type: 'create', key, value, ttlSeconds }
        : { type: 'replace', key, value, ttlSeconds, expectedRevision: there.revision }
    others.push({ order, operation })
  }
  return [...removals, ...others.sort((a, b) => a.order - b.order).map(({ operation }) => operation)]
}

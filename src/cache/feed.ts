/**
 * The one stream of changes from the store to all caches of a server. It knows the revision up to which everything has
 * arrived, lets readers wait for a revision, and loads a resource's cache when it is first asked for.
 *
 * Kept true: a cache sees every change of its resource once, in order; `revision` never goes back; when a write to an
 * embedded store has resolved, its change is in the cache.
 */
import type { Clock } from '../lib/clock.ts'
import type { EventBatch, Store, StoreEvent, Watch } from '../store/store.ts'
import type { CacheEntry } from './cache-entry.ts'
import { type CacheChange, type CacheOptions, ResourceCache } from './resource-cache.ts'

/** How the store's keys and values of one resource become entries. */
export interface ResourceReader {
  /** `/registry/pods/`, with the slash. */
  readonly prefix: string
  readonly options: CacheOptions
  /** The entry of a stored value. Must not throw: a value that cannot be read becomes an entry that says so. */
  read(key: string, value: Uint8Array, revision: number): CacheEntry
}

export interface FeedOptions {
  readonly store: Store
  readonly clock: Clock
  /** `/registry/`: where all resources live. */
  readonly prefix: string
  /** The stream cannot go on (its revision was compacted, or an error): the server must start anew. */
  readonly onLost: (why: string) => void
}

interface Loading {
  readonly reader: ResourceReader
  readonly promise: Promise<ResourceCache>
  readonly missed: StoreEvent[]
}

export class Feed {
  readonly #options: FeedOptions
  readonly #caches = new Map<string, { readonly reader: ResourceReader; readonly cache: ResourceCache }>()
  readonly #loading = new Map<string, Loading>()
  readonly #waiters: { readonly revision: number; readonly wake: () => void }[] = []
  #dirty = new Set<ResourceCache>()
  #flushScheduled = false
  #watch: Watch | undefined
  #revision = 0
  /** Unloaded resources have had no change since this revision. */
  #start = 0
  readonly #touched = new Map<string, number>()
  readonly #activity = new Set<(key: string) => void>()
  #freshCheck: { promise: Promise<number>; next: Promise<number> | undefined } | undefined

  constructor(options: FeedOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { store, prefix, onLost } = this.#options
    this.#revision = await store.currentRevision()
    // Revision 1 is the empty beginning: it counts as forgotten.
    this.#start = Math.max(this.#revision, 2)
    this.#watch = store.watch(prefix, {
      afterRevision: this.#revision,
      onEvents: (batch) => this.#onEvents(batch),
      onProgress: (revision) => this.#progress(revision),
      onEnd: (end) => {
        if (end.reason !== 'closed') onLost(end.reason === 'error' ? end.error.message : 'compacted')
      },
    })
  }

  close(): void {
    this.#watch?.close()
  }

  get revision(): number {
    return this.#revision
  }

  /**
   * Tells of resources that come to life: with the key of a change to one that has no cache, and with the prefix of one
   * whose cache was loaded. What is neither has not changed since the start. The result ends it.
   */
  onActivity(listener: (key: string) => void): () => void {
    this.#activity.add(listener)
    return () => this.#activity.delete(listener)
  }

  /** The cache of a resource if it is loaded. */
  loaded(prefix: string): ResourceCache | undefined {
    return this.#caches.get(prefix)?.cache
  }

  /** The cache of a resource, loaded from the store on first use. */
  load(reader: ResourceReader): Promise<ResourceCache> | ResourceCache {
    const known = this.#caches.get(reader.prefix)
    if (known !== undefined) return known.cache
    const loading = this.#loading.get(reader.prefix)
    if (loading !== undefined) return loading.promise
    const missed: StoreEvent[] = []
    const promise = this.#loadNow(reader, missed)
    this.#loading.set(reader.prefix, { reader, promise, missed })
    return promise
  }

  async #loadNow(reader: ResourceReader, missed: StoreEvent[]): Promise<ResourceCache> {
    try {
      const found = await this.#options.store.range(reader.prefix)
      if (found.status !== 'ok') throw new Error(`the store answered ${found.status} to a read of its newest state`)
      const entries = found.items.map((item) => reader.read(item.key, item.value, item.revision))
      const untouchedSince =
        (this.#touched.get(reader.prefix) ?? this.#start) > this.#start ? found.revision : this.#start
      const cache = new ResourceCache(entries, Math.min(untouchedSince, found.revision), reader.options)
      cache.apply(
        this.#changes(
          reader,
          missed.filter((event) => event.revision > found.revision),
        ),
        found.revision,
      )
      cache.advance(this.#revision)
      this.#caches.set(reader.prefix, { reader, cache })
      for (const listener of this.#activity) listener(reader.prefix)
      return cache
    } finally {
      this.#loading.delete(reader.prefix)
    }
  }

  /** Forgets a resource that is no longer served. */
  unload(prefix: string): void {
    this.#caches.delete(prefix)
  }

  #onEvents({ events, revision }: EventBatch): void {
    for (let i = 0; i < events.length; ) {
      const prefix = this.#resourcePrefix((events[i] as StoreEvent).key)
      let end = i + 1
      while (end < events.length && (events[end] as StoreEvent).key.startsWith(prefix)) end++
      this.#dispatch(prefix, events.slice(i, end))
      i = end
    }
    this.#progress(revision)
  }

  #dispatch(prefix: string, events: readonly StoreEvent[]): void {
    const last = events.at(-1) as StoreEvent
    const known = this.#caches.get(prefix)
    if (known !== undefined) {
      known.cache.apply(this.#changes(known.reader, events), last.revision)
      this.#markDirty(known.cache)
      return
    }
    for (const possible of this.#possiblePrefixes(last.key)) this.#touched.set(possible, last.revision)
    this.#loading.get(prefix)?.missed.push(...events)
    for (const listener of this.#activity) listener(last.key)
  }

  #changes(reader: ResourceReader, events: readonly StoreEvent[]): CacheChange[] {
    const skip = reader.prefix.length
    return events.map(({ key, revision, entry }) => ({
      key: key.slice(skip),
      revision,
      entry: entry === undefined ? undefined : reader.read(key, entry.value, revision),
    }))
  }

  /** Resources lie under one or two path segments; what is loaded tells which. */
  #resourcePrefix(key: string): string {
    const [one, two] = this.#possiblePrefixes(key)
    return this.#caches.has(two) || this.#loading.has(two) ? two : one
  }

  #possiblePrefixes(key: string): readonly [string, string] {
    const one = key.indexOf('/', this.#options.prefix.length) + 1
    return [key.slice(0, one), key.slice(0, key.indexOf('/', one) + 1)]
  }

  #progress(revision: number): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    for (const { cache } of this.#caches.values()) cache.advance(revision)
    for (let i = this.#waiters.length - 1; i >= 0; i--) {
      const waiter = this.#waiters[i]
      if (waiter === undefined || waiter.revision > revision) continue
      this.#waiters.splice(i, 1)
      waiter.wake()
    }
  }

  /** Watchers are told once per turn of the event loop, so that what happens together is sent together. */
  #markDirty(cache: ResourceCache): void {
    this.#dirty.add(cache)
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      const dirty = this.#dirty
      this.#dirty = new Set()
      for (const each of dirty) each.notify()
    })
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
      this.#watch?.requestProgress()
    })
  }

  /**
   * Makes sure that the caches hold everything written before this call. Nothing to do when all writes come from this
   * process; with a shared store one question serves every reader that was waiting when it was asked.
   */
  fresh(timeoutMs: number): Promise<boolean> | true {
    const { store } = this.#options
    if (store.readsOwnWrites && !store.shared) return true
    return this.#newestRevision().then((revision) => this.waitFor(revision, timeoutMs))
  }

  #newestRevision(): Promise<number> {
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
    running.next ??= running.promise.catch(() => 0).then(() => this.#newestRevision())
    return running.next
  }
}

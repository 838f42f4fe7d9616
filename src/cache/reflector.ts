/**
 * Reflects the store into the watch caches of all resources: one watch on the whole store, whose events go to the cache of their
 * resource. Tracks the revision up to which events have arrived, lets readers wait for one, and loads a cache on first use.
 *
 * Invariants: a cache sees every event of its resource exactly once, in order; `revision` is monotonic; when a write to an embedded
 * store has resolved, its event is in the cache. When the watch is lost (compaction, an error), every cache is relisted and its
 * watchers are ended; until then consistent reads wait.
 *
 * Decoding may be asynchronous (a KMS plugin is asked): later events of the resource wait behind it, in order and within a bound, past
 * which everything is relisted. Values of this process's own writes are never decoded.
 */

import type { Awaitable } from '../lib/awaitable.ts'
import { SideTable } from '../lib/memo.ts'
import { pushAll } from '../lib/push-all.ts'
import type { EventBatch, StoreEvent, Watch } from '../store/store.ts'
import { BatchQueue } from './batch-queue.ts'
import { EntryTree } from './entry-tree.ts'
import { FlushQueue } from './flush-queue.ts'
import {
  type LoadedCache,
  type Loading,
  readChanges,
  readEarlierEvents,
  readState,
  redecodeEntries,
  relist,
} from './loaded-cache.ts'
import { Progress } from './progress.ts'
import type { ReflectorOptions } from './reflector-options.ts'
import { catchUpMs, retryMs } from './reflector-options.ts'
import { type CacheChange, ResourceCache } from './resource-cache.ts'
import {
  type KnownEntries,
  loadEntries,
  possiblePrefixes,
  type ResourceReader,
  recallFrom,
  recallingReader,
} from './resource-reader.ts'
import type { Snapshot } from './snapshot.ts'

export class Reflector {
  readonly #options: ReflectorOptions
  readonly #caches = new Map<string, LoadedCache>()
  readonly #loading = new Map<string, Loading>()
  readonly #retired = new SideTable<ResourceReader, true>()
  readonly #progress: Progress
  readonly #flushes = new FlushQueue()
  #watch: Watch | undefined
  /** Unloaded resources have had no change since this revision. */
  #start = 0
  readonly #touched = new Map<string, number>()
  readonly #activity = new Set<(key: string) => void>()
  /** Batches that arrive during a relist. */
  #backlog: EventBatch[] | undefined
  readonly #batches: BatchQueue
  #closed = false
  readonly #known: Map<string, Snapshot>
  /** History before this revision is not dispatched again. */
  #forgotten = 0
  /** Caches whose history is being read from the store, by prefix. */
  readonly #backfills = new Map<string, Promise<void>>()

  constructor(options: ReflectorOptions) {
    this.#options = options
    this.#known = new Map(options.known)
    this.#batches = new BatchQueue({
      process: (batch) => this.#take(batch, 0),
      onOverflow: () => {
        this.#watch?.close()
        options.onLost('values of the store take too long to read')
        void this.#recover()
      },
    })
    this.#progress = new Progress({ ...options, ask: () => this.#watch?.requestProgress() })
  }

  async start(): Promise<void> {
    const revision = await this.#options.store.currentRevision()
    this.#progress.reach(revision)
    // Revision 1 is the empty beginning: it counts as forgotten.
    this.#start = Math.max(revision, 2)
    this.#watch = this.#openWatch(revision)
  }

  #openWatch(afterRevision: number): Watch {
    const { store, prefix, onLost } = this.#options
    return store.watch(prefix, {
      afterRevision,
      withPrevious: false,
      onEvents: (batch) => this.#onEvents(batch),
      onProgress: (revision) => this.#onEvents({ events: [], revision }),
      onEnd: (end) => {
        if (end.reason === 'closed') return
        onLost(end.reason === 'error' ? end.error.message : 'compacted')
        void this.#recover()
      },
    })
  }

  async #recover(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#readAnew()
        if (!this.#closed) this.#options.onRecovered?.()
        return
      } catch {
        this.#watch?.close()
        await new Promise<void>((resolve) => {
          this.#options.clock.setTimeout(resolve, retryMs)
        })
      }
    }
  }

  /** Opens a new watch, buffers its events, relists every cache, and then applies what was buffered. */
  async #readAnew(): Promise<void> {
    const { store } = this.#options
    const revision = await store.currentRevision()
    if (this.#closed) return
    this.#backlog = []
    this.#watch = this.#openWatch(revision)
    for (const loaded of this.#caches.values()) {
      await relist(store, loaded)
      this.#flushes.add(loaded.cache)
    }
    // What happened to resources that are not loaded is unknown, too.
    this.#start = revision
    this.#forgotten = revision
    this.#touched.clear()
    const backlog = this.#backlog
    this.#backlog = undefined
    for (const batch of backlog) this.#onEvents(batch)
    this.#onEvents({ events: [], revision })
  }

  close(): void {
    this.#closed = true
    this.#progress.close()
    this.#watch?.close()
  }

  get revision(): number {
    return this.#progress.revision
  }

  /** Nothing is being loaded or decoded, and everything that arrived is dispatched. */
  get isQuiet(): boolean {
    if (this.#loading.size > 0 || this.#flushes.isScheduled) return false
    if (this.#backlog !== undefined || this.#batches.isWaiting) return false
    for (const { cache } of this.#caches.values()) if (cache.isDispatching) return false
    return true
  }

  /** Events have arrived that are dispatched to watchers, the server's own among them, at the end of this turn of the loop. */
  get isDispatching(): boolean {
    return this.#flushes.isScheduled
  }

  /** Whether something may be in the store that the caches do not have yet. */
  get mayLag(): boolean {
    const { store } = this.#options
    return store.shared || !store.readsOwnWrites || this.#batches.isWaiting || this.#backlog !== undefined
  }

  get alwaysNewest(): boolean {
    return this.#options.alwaysNewest ?? false
  }

  /**
   * Notifies of resources that get their first objects: with the key of a change to one that has no cache, and with the prefix of one
   * whose cache was loaded. What is neither has not changed since the start. The result ends it.
   */
  onActivity(listener: (key: string) => void): () => void {
    this.#activity.add(listener)
    return () => this.#activity.delete(listener)
  }

  /** The cache of a resource if it is loaded. */
  loaded(reader: ResourceReader): ResourceCache | undefined {
    return this.#retired.has(reader) ? undefined : this.#caches.get(reader.prefix)?.cache
  }

  /** The cache of a resource, loaded from the store on first use. */
  load(reader: ResourceReader): Promise<ResourceCache> | ResourceCache {
    if (this.#retired.has(reader)) return this.#loadNow(reader, [])
    const known = this.#caches.get(reader.prefix)
    if (known !== undefined) return known.cache
    const loading = this.#loading.get(reader.prefix)
    if (loading !== undefined) return loading.promise
    const recalled = this.#recall(reader)
    if (recalled !== undefined) return recalled
    const missed: StoreEvent[] = []
    const promise = this.#loadNow(reader, missed)
    this.#loading.set(reader.prefix, { reader, promise, missed })
    return promise
  }

  /** The cache of a resource that is as it was when it was known. It shares the entries of who knew it. */
  #recall(reader: ResourceReader): ResourceCache | undefined {
    const snapshot = this.#known.get(reader.prefix)
    if (snapshot === undefined || (this.#touched.get(reader.prefix) ?? 0) > this.#start) return undefined
    this.#known.delete(reader.prefix)
    const cache = new ResourceCache(snapshot.tree(), this.#start, reader.options)
    this.#add({ reader, cache, floor: this.#start })
    return cache
  }

  #add(loaded: LoadedCache): void {
    const { prefix } = loaded.reader
    this.#caches.set(prefix, loaded)
    loaded.cache.follow(this.#progress)
    for (const listener of this.#activity) listener(prefix)
  }

  async #loadNow(reader: ResourceReader, missed: StoreEvent[]): Promise<ResourceCache> {
    try {
      const found = await loadEntries(this.#options.store, this.#loadingReader(reader))
      // Only a stream that has come as far as the read can know whether the resource has changed since the start.
      const caughtUp = await this.waitFor(found.revision, catchUpMs)
      const untouched = caughtUp && (this.#touched.get(reader.prefix) ?? 0) <= this.#start
      const historyStart = untouched ? Math.min(this.#start, found.revision) : found.revision
      this.#known.delete(reader.prefix)
      const cache = new ResourceCache(EntryTree.of(found.entries), historyStart, reader.options)
      // More may come while these are read; after the last of them nothing waits until the cache is known.
      for (let next = missed.splice(0); next.length > 0; next = missed.splice(0)) {
        const changes = this.#changes(
          reader,
          next.filter((event) => event.revision > found.revision),
        )
        cache.apply(changes instanceof Promise ? await changes : changes, found.revision)
      }
      if (!this.#retired.has(reader)) this.#add({ reader, cache, floor: found.revision })
      return cache
    } finally {
      if (this.#loading.get(reader.prefix)?.reader === reader) this.#loading.delete(reader.prefix)
    }
  }

  #loadingReader(reader: ResourceReader): Pick<ResourceReader, 'prefix' | 'read'> {
    const { recall } = this.#options
    return recallingReader(reader, this.#known.has(reader.prefix) ? recallFrom(this.#known, recall) : recall)
  }

  /**
   * Fills the history of a loaded cache from the store, so that it begins at a revision of before it was loaded; the
   * cache stays as it is when the store has not kept all events since.
   */
  async backfill(prefix: string, revision: number): Promise<void> {
    for (;;) {
      const cache = this.#caches.get(prefix)?.cache
      if (cache === undefined || revision >= cache.historyStart || revision < this.#forgotten) return
      const underway = this.#backfills.get(prefix)
      if (underway === undefined) break
      await underway
    }
    const loaded = this.#caches.get(prefix) as LoadedCache
    const filled = this.#backfillNow(loaded, revision).finally(() => this.#backfills.delete(prefix))
    this.#backfills.set(prefix, filled)
    await filled
  }

  async #backfillNow(loaded: LoadedCache, after: number): Promise<void> {
    const { cache } = loaded
    const upTo = cache.historyStart
    const made = await readEarlierEvents(loaded, after, { ...this.#options, timeoutMs: catchUpMs })
    if (made !== undefined && after >= this.#forgotten) cache.prepend(made, after, upTo)
  }

  /**
   * Drops the cache of a resource that is no longer served, or is read in another way from now on. A load of it that is under way, or
   * that a request of before asks for, is that request's alone: others must not get what was read in the old way.
   */
  unload(reader: ResourceReader): void {
    const { prefix } = reader
    this.#retired.set(reader, true)
    this.#touched.set(prefix, this.revision)
    if (this.#loading.get(prefix)?.reader === reader) this.#loading.delete(prefix)
    if (this.#caches.get(prefix)?.reader === reader) this.#caches.delete(prefix)
  }

  /** What all caches hold now, shared copy-on-write. */
  snapshot(): KnownEntries {
    return new Map([...this.#caches].map(([prefix, { cache }]) => [prefix, cache.snapshot()]))
  }

  /**
   * `restoreStore` puts the store back as a whole to what it was when the caches held what is known: they are restored to that, and
   * history restarts. Linear in the objects that differ.
   */
  async restore(known: KnownEntries, restoreStore: () => void): Promise<void> {
    // What is being loaded has read the state before.
    await Promise.allSettled([...this.#loading.values()].map(({ promise }) => promise))
    restoreStore()
    const { store } = this.#options
    const revision = await store.currentRevision()
    this.#start = revision
    this.#forgotten = revision
    this.#touched.clear()
    this.#known.clear()
    for (const [prefix, snapshot] of known) if (!this.#caches.has(prefix)) this.#known.set(prefix, snapshot)
    const others: LoadedCache[] = []
    for (const loaded of this.#caches.values()) {
      const snapshot = known.get(loaded.reader.prefix)
      loaded.floor = revision
      if (snapshot === undefined) others.push(loaded)
      else loaded.cache.restore(snapshot, revision)
    }
    this.#arrived(revision)
    for (const loaded of others) loaded.cache.restore(await readState(store, loaded), revision)
  }

  #onEvents(batch: EventBatch): void {
    if (this.#backlog === undefined) this.#batches.push(batch)
    else this.#backlog.push(batch)
  }

  /** Passes on the events of a batch from one on. A promise when one takes time to read. */
  #take(batch: EventBatch, first: number): Promise<void> | undefined {
    const { events, revision } = batch
    for (let i = first; i < events.length; ) {
      const prefix = this.#resourcePrefix((events[i] as StoreEvent).key)
      let end = i + 1
      while (end < events.length && (events[end] as StoreEvent).key.startsWith(prefix)) end++
      const waiting = this.#dispatch(prefix, events.slice(i, end))
      i = end
      if (waiting !== undefined) return waiting.then(() => this.#take(batch, i))
    }
    this.#arrived(revision)
    return undefined
  }

  #dispatch(prefix: string, events: readonly StoreEvent[]): Promise<void> | undefined {
    const last = events.at(-1) as StoreEvent
    const known = this.#caches.get(prefix)
    if (known !== undefined) {
      const { cache, reader, floor } = known
      const news = last.revision > floor ? events.filter(({ revision }) => revision > floor) : []
      if (news.length === 0) return undefined
      const changes = this.#changes(reader, news)
      if (changes instanceof Promise) return changes.then((read) => this.#applyDecoded(known, read))
      cache.apply(changes, last.revision)
      this.#flushes.add(cache)
      return undefined
    }
    for (const possible of possiblePrefixes(last.key, this.#options.prefix)) this.#touched.set(possible, last.revision)
    const loading = this.#loading.get(prefix)
    if (loading !== undefined) pushAll(loading.missed, events)
    for (const listener of this.#activity) listener(last.key)
    return undefined
  }

  /** The cache may have been relisted in the meantime: then these changes are stale. */
  #applyDecoded({ cache, floor }: LoadedCache, changes: readonly CacheChange[]): void {
    const news = changes.filter(({ revision }) => revision > floor)
    const last = news.at(-1)
    if (last === undefined) return
    cache.apply(news, last.revision)
    this.#flushes.add(cache)
  }

  #changes(reader: ResourceReader, events: readonly StoreEvent[]): Awaitable<CacheChange[]> {
    return readChanges(recallingReader(reader, this.#options.recall), events, reader.prefix.length)
  }

  /** Decodes again what could not be decoded, of all loaded resources or of one. True when something succeeded. */
  async redecode(prefix?: string): Promise<boolean> {
    let found = false
    for (const loaded of [...this.#caches.values()]) {
      if (prefix !== undefined && loaded.reader.prefix !== prefix) continue
      if (!(await redecodeEntries(loaded))) continue
      this.#flushes.add(loaded.cache)
      found = true
    }
    return found
  }

  /** Resources lie under one or two path segments; loaded prefixes decide which. */
  #resourcePrefix(key: string): string {
    const [one, two] = possiblePrefixes(key, this.#options.prefix)
    return this.#caches.has(two) || this.#loading.has(two) ? two : one
  }

  #arrived(revision: number): void {
    if (this.#backlog === undefined) this.#progress.reach(revision)
  }

  /** Resolves to true when everything up to a revision has arrived, to false when that takes too long. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> | true {
    return this.#progress.waitFor(revision, timeoutMs)
  }

  /** Makes sure that the caches hold everything written before this call. */
  fresh(timeoutMs: number): Promise<boolean> | true {
    return this.#progress.fresh(timeoutMs)
  }
}

/**
 * The watch cache of one resource: its objects in key order, its recent history, and its watchers. Fed by the reflector, it is exactly the
 * state of the store at `revision`.
 *
 * Reads are synchronous. A revision before its history is reported as unknown, and the caller asks the store.
 */
import type { Clock } from '../lib/clock.ts'
import { HistogramSeries } from '../lib/metrics.ts'
import { type CacheEntry, lastReadable } from './cache-entry.ts'
import { Dispatcher } from './dispatcher.ts'
import { EntryIndexes, type IndexedFields, pageOf } from './entry-indexes.ts'
import { EntryTree } from './entry-tree.ts'
import { type CacheEvent, EventRing, type RingBounds } from './event-ring.ts'
import { KeptSnapshots } from './kept-snapshots.ts'
import type { Selection } from './selection.ts'
import { isWholeRange } from './selection.ts'
import { type Page, type PageOptions, Snapshot } from './snapshot.ts'
import { Watcher, type WatchSink } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

export interface CacheOptions {
  readonly clock: Clock
  readonly bounds: RingBounds
  /** How long the snapshot behind a continue token is kept. */
  readonly snapshotMs: number
  readonly indexes: IndexedFields
}

export interface CacheChange {
  readonly key: string
  readonly revision: number
  /** Undefined: the object is gone. */
  readonly entry: CacheEntry | undefined
  /** Nothing was written: the object can be decoded by now. */
  readonly isRedecoded?: boolean
}

export type WatchStart =
  /** Everything after this revision. */
  | { readonly type: 'after'; readonly revision: number }
  /** The present state first, or (if history has it still) that of a revision. */
  | { readonly type: 'state'; readonly at?: number | undefined }

export type WatchOpening =
  | { readonly ok: true; readonly watcher: Watcher }
  | { readonly ok: false; readonly oldest: number }

export class ResourceCache {
  readonly #options: CacheOptions
  #tree: EntryTree
  readonly #ring: EventRing
  readonly #watchers: WatcherIndex
  readonly #dispatcher: Dispatcher
  readonly #snapshots: KeptSnapshots
  readonly #indexes: EntryIndexes
  /** What was applied last. */
  #applied: number
  /** How far the store's stream has come: everything of it that is about this resource was applied. */
  #progress: { readonly revision: number } | undefined
  /** The history holds every change after this revision. */
  #historyStart: number
  #bytes = 0
  /** Entries that cannot be read, by key. */
  readonly #unreadable = new Map<string, CacheEntry>()
  #sawUnreadable = false
  #unreadableSince = 0
  #initializations = 1
  #generation = 0
  readonly lists: Readonly<Record<'byIndex' | 'byKey', ListCounts>> = { byIndex: noLists(), byKey: noLists() }
  /** Consistent reads: those that were served, those that timed out, and how long they waited. */
  readonly newestReads = { fresh: 0, timedOut: 0, waits: new HistogramSeries(readWaitBuckets) }

  /** The tree is its own from now on. */
  constructor(tree: EntryTree, revision: number, options: CacheOptions) {
    this.#options = options
    this.#tree = tree
    this.#ring = new EventRing(options.bounds)
    this.#watchers = new WatcherIndex(options.indexes)
    this.#dispatcher = new Dispatcher(this.#ring, this.#watchers)
    this.#snapshots = new KeptSnapshots(options.clock, options.snapshotMs)
    this.#indexes = new EntryIndexes(options.indexes)
    this.#applied = revision
    this.#historyStart = revision
    for (const entry of this.#tree.values()) {
      this.#bytes += entry.size
      if (entry.unreadable !== undefined) this.#note(entry.key, entry, undefined)
    }
  }

  get revision(): number {
    return Math.max(this.#applied, this.#progress?.revision ?? 0)
  }

  get size(): number {
    return this.#tree.size
  }

  /** The bytes of all objects. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many events it was fed. */
  get changes(): number {
    return this.#ring.end
  }

  /** Incremented by every change of the state. */
  get generation(): number {
    return this.#generation
  }

  /** How often it was relisted. */
  get initializations(): number {
    return this.#initializations
  }

  /** The changes that its history may hold. */
  get capacity(): number {
    return this.#options.bounds.maxEvents
  }

  get bounds(): RingBounds {
    return this.#options.bounds
  }

  /** Entries that cannot be decoded. */
  get unreadable(): ReadonlyMap<string, CacheEntry> {
    return this.#unreadable
  }

  /** For how long there have been such entries. */
  get unreadableMs(): number {
    return this.#unreadable.size === 0 ? 0 : this.#options.clock.now() - this.#unreadableSince
  }

  /** Whether there ever was an entry that could not be decoded: history may still hold it. */
  get sawUnreadable(): boolean {
    return this.#sawUnreadable
  }

  /** History up to this revision is dropped. */
  get historyStart(): number {
    return this.#historyStart
  }

  get(key: string): CacheEntry | undefined {
    return this.#tree.get(key)
  }

  /** The changes of one object that history still holds, newest first. */
  *changesOf(key: string): Generator<CacheEvent> {
    for (let position = this.#ring.end - 1; position >= this.#ring.first; position--) {
      const event = this.#ring.at(position)
      if (event !== undefined && (event.entry ?? event.previous)?.key === key) yield event
    }
  }

  snapshot(): Snapshot {
    return new Snapshot(this.#tree.clone(), this.revision)
  }

  /** A page of the present state, from an index where one helps. */
  page(options: PageOptions): Page {
    const candidates = this.#indexes.candidates(this.#tree, options.selection)
    if (candidates === undefined) {
      const page = new Snapshot(this.#tree, this.revision).page(options)
      return counted(this.lists.byKey, page, isWholeRange(options.selection) ? page.entries.length : this.#tree.size)
    }
    const { selection } = options
    const isMore =
      selection.indexed === undefined
        ? (key: string): boolean => new Snapshot(this.#tree, this.revision).hasMore(selection, key, options.startKey)
        : (key: string): boolean => candidates.some((entry) => entry.key > key && isInNamespace(selection, entry))
    return counted(this.lists.byIndex, pageOf(candidates, options, isMore), candidates.length)
  }

  /** Keeps the present state for the pages that will follow. */
  keepSnapshot(): Snapshot {
    const known = this.#snapshots.peek(this.revision)
    if (known !== undefined) return known
    const snapshot = this.snapshot()
    this.#snapshots.add(snapshot)
    return snapshot
  }

  /** The state at a revision: a kept snapshot, or the present with the history undone. Undefined when it is too old. */
  snapshotAt(revision: number): Snapshot | undefined {
    const kept = this.#snapshots.get(revision)
    if (kept !== undefined) return kept
    if (revision < this.#historyStart) return undefined
    const snapshot = new Snapshot(this.#treeAt(revision), revision)
    this.#snapshots.add(snapshot)
    return snapshot
  }

  #treeAt(revision: number): EntryTree {
    const tree = this.#tree.clone()
    const first = this.#ring.positionAfter(revision)
    for (let position = this.#ring.end - 1; position >= first; position--) {
      const event = this.#ring.at(position)
      if (event === undefined) break
      const key = (event.entry ?? event.previous)?.key
      if (key === undefined) continue
      if (event.previous === undefined) tree.delete(key)
      else tree.set(event.previous)
    }
    return tree
  }

  /** Takes the history from a revision up to where its own begins. Changes nothing when that is not where it ends. */
  prepend(events: readonly CacheEvent[], after: number, upTo: number): void {
    if (upTo === this.#historyStart && this.#ring.prepend(events)) this.#historyStart = after
  }

  /** Applies changes in revision order; watchers see them at the next `notify`. */
  apply(changes: readonly CacheChange[], revision: number): void {
    const now = this.#options.clock.now()
    for (const change of changes) this.#applyOne(change, now)
    this.#applied = Math.max(this.#applied, revision)
    const dropped = this.#ring.trim(now)
    if (dropped !== undefined) this.#historyStart = dropped
  }

  #applyOne({ key, entry, revision, isRedecoded = false }: CacheChange, now: number): void {
    const previous = entry === undefined ? this.#tree.delete(key) : this.#tree.set(entry)
    if (entry === undefined && previous === undefined) return
    this.#account(entry, previous)
    if (entry !== undefined) previous?.retire(entry)
    this.#applied = revision
    this.#ring.push({ revision, entry, previous, time: now, isRedecoded, frames: undefined })
  }

  /** Updates what is derived from the tree: indexes and sizes. */
  #account(entry: CacheEntry | undefined, previous: CacheEntry | undefined): void {
    this.#generation++
    if (entry?.unreadable !== undefined || previous?.unreadable !== undefined) {
      this.#note((entry ?? previous)?.key as string, entry, previous)
    }
    this.#bytes += (entry?.size ?? 0) - (previous?.size ?? 0)
    this.#indexes.replace(previous, entry)
  }

  #note(key: string, entry: CacheEntry | undefined, previous: CacheEntry | undefined): void {
    if (entry?.unreadable === undefined) {
      this.#unreadable.delete(key)
      return
    }
    if (this.#unreadable.size === 0) this.#unreadableSince = this.#options.clock.now()
    this.#unreadable.set(key, entry)
    this.#sawUnreadable = true
    const last = lastReadable(previous)
    if (last !== undefined) entry.unreadable.last = last
  }

  /** Replaces entries that could not be decoded with those that can be by now. */
  replaceUnreadable(entries: readonly CacheEntry[]): void {
    const changes = entries
      .filter(({ key, revision }) => this.#unreadable.get(key)?.revision === revision)
      .map((entry) => ({ key: entry.key, revision: this.revision, entry, isRedecoded: true }))
    if (changes.length === 0) return
    for (const watcher of [...this.#watchers.all()]) watcher.lost()
    this.#snapshots.clear()
    this.apply(changes, this.revision)
  }

  /**
   * Replaces the state after a relist. History restarts with it; watchers that accept the difference are sent it at the next `notify`, the
   * others are ended.
   */
  resync(entries: Iterable<CacheEntry>, revision: number): void {
    const next = EntryTree.of(entries)
    const changes: CacheChange[] = []
    for (const entry of next.values()) {
      const known = this.#tree.get(entry.key)
      const isRedecoded = known?.unreadable !== undefined && entry.unreadable === undefined
      if (known?.revision === entry.revision && !isRedecoded) continue
      changes.push({ key: entry.key, revision: entry.revision, entry })
    }
    changes.sort((a, b) => a.revision - b.revision)
    for (const { key } of this.#tree.values()) {
      if (next.get(key) === undefined) changes.push({ key, revision, entry: undefined })
    }
    for (const watcher of [...this.#watchers.all()]) watcher.lost()
    this.#snapshots.clear()
    this.#initializations++
    this.apply(changes, revision)
    this.#historyStart = revision
  }

  /**
   * Restores an earlier state as a whole, at a new revision. History restarts with it; watchers are sent the difference at once,
   * deletions first.
   */
  restore(snapshot: Snapshot, revision: number): void {
    this.#dropHistory()
    const time = this.#options.clock.now()
    const gone: CacheEvent[] = []
    const others: CacheEvent[] = []
    const next = snapshot.tree()
    this.#tree.differences(next, (previous, entry) => {
      entry?.revive()
      this.#account(entry, previous)
      const events = entry === undefined ? gone : others
      events.push({ revision, entry, previous, time, isRedecoded: false, frames: undefined })
    })
    this.#tree = next
    this.#applied = revision
    this.#historyStart = revision
    for (const changes of [gone, others]) {
      if (changes.length > 0) for (const watcher of [...this.#watchers.all()]) watcher.take(changes)
    }
  }

  /** Dispatches new events, then drops all history: only the present state can be read and watched from. */
  #dropHistory(): void {
    this.#dispatcher.clear()
    this.#snapshots.clear()
    this.#historyStart = this.revision
  }

  /** From now on it is fed by the reflector: its revision is that of the stream. */
  follow(progress: { readonly revision: number }): void {
    this.#progress = progress
  }

  /** Dispatches new events to the watchers, in one go. */
  notify(): void {
    this.#dispatcher.notify()
  }

  /** As `notify`, to a batch of watchers in each turn of the event loop. */
  notifyInTurns(): void {
    this.#dispatcher.notifyInTurns()
  }

  get isDispatching(): boolean {
    return this.#dispatcher.isDispatching
  }

  get watcherCount(): number {
    return this.#watchers.size
  }

  /** Opens a watch; the caller pumps it once its sink is ready. */
  watch(start: WatchStart, selection: Selection, sink: WatchSink): WatchOpening {
    if (start.type === 'after' && start.revision < this.#historyStart) return { ok: false, oldest: this.#historyStart }
    const state = start.type === 'after' ? start : this.#stateAt(start.at)
    const position = state.revision < this.revision ? this.#ring.positionAfter(state.revision) : this.#ring.end
    const watcher = new Watcher(this.#ring, { selection, sink, position, revision: state.revision })
    if (state instanceof Snapshot) watcher.begin(state)
    this.#watchers.add(watcher, selection)
    return { ok: true, watcher }
  }

  #stateAt(revision = this.revision): Snapshot {
    return (revision < this.revision ? this.snapshotAt(revision) : undefined) ?? this.snapshot()
  }

  unwatch(watcher: Watcher): void {
    watcher.end()
    this.#watchers.delete(watcher)
  }
}

/** Seconds. */
const readWaitBuckets: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]

/** What lists of the present state cost. */
export interface ListCounts {
  lists: number
  /** Entries that were looked at. */
  fetched: number
  returned: number
}

const noLists = (): ListCounts => ({ lists: 0, fetched: 0, returned: 0 })

function counted(counts: ListCounts, page: Page, fetched: number): Page {
  counts.lists++
  counts.fetched += fetched
  counts.returned += page.entries.length
  return page
}

const isInNamespace = ({ namespace }: Selection, entry: CacheEntry): boolean =>
  namespace === undefined || entry.namespace === namespace

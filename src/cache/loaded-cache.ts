/** A loaded cache with what reads its values: events decoded to changes, a state read anew, history read from before it was loaded. */
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store, StoreEvent } from '../store/store.ts'
import { readHistory, ringEvents } from './backfill.ts'
import { EntryTree } from './entry-tree.ts'
import type { CacheChange, ResourceCache } from './resource-cache.ts'
import { loadEntries, type ResourceReader, readEntries } from './resource-reader.ts'
import { Snapshot } from './snapshot.ts'

export interface LoadedCache {
  readonly reader: ResourceReader
  readonly cache: ResourceCache
  /** The revision of its list: events up to it are stale, though they may arrive later. */
  floor: number
}

/** Store events as changes; a promise when decoding one is asynchronous. `skip` is the length of the resource's prefix. */
export function readChanges(
  reader: Pick<ResourceReader, 'read'>,
  events: readonly StoreEvent[],
  skip: number,
): Awaitable<CacheChange[]> {
  let takesTime = false
  const changes = events.map(({ key, revision, entry }) => {
    const made = entry === undefined ? undefined : reader.read(key, entry.value, revision, entry.hint)
    takesTime ||= made instanceof Promise
    return { key: key.slice(skip), revision, entry: made }
  })
  if (!takesTime) return changes as CacheChange[]
  return Promise.all(changes.map(async (change) => ({ ...change, entry: await change.entry })))
}

/** The state of a resource in the store, of which only what its cache does not hold is decoded. */
export async function readState(store: Store, { reader, cache }: LoadedCache): Promise<Snapshot> {
  const { prefix } = reader
  const { entries, revision } = await loadEntries(store, {
    prefix,
    read: (key, value, at, hint) => {
      const held = cache.get(key.slice(prefix.length))
      return held?.revision === at ? held : reader.read(key, value, at, hint)
    },
  })
  return new Snapshot(EntryTree.of(entries), revision)
}

/** Decodes again what could not be decoded. Whether something succeeded is the result. */
export async function redecodeEntries({ reader, cache }: LoadedCache): Promise<boolean> {
  if (cache.unreadable.size === 0) return false
  const values = [...cache.unreadable.values()].map(({ key, revision, unreadable }) => ({
    key: reader.prefix + key,
    value: unreadable?.value ?? new Uint8Array(),
    revision,
  }))
  const entries = await readEntries(reader, values)
  const good = entries.filter(({ unreadable }) => unreadable === undefined)
  if (good.length === 0) return false
  cache.replaceUnreadable(good)
  return true
}

export interface HistorySource {
  readonly store: Store
  readonly clock: Clock
  readonly timeoutMs: number
}

/** The events of a resource from a revision up to where the history of its cache begins; undefined when the store has not kept all of them. */
export async function readEarlierEvents({ cache, reader }: LoadedCache, after: number, source: HistorySource) {
  const { store, clock, timeoutMs } = source
  const { historyStart: upTo, bounds } = cache
  const abort = new AbortController()
  const cancel = clock.setTimeout(() => abort.abort(), timeoutMs)
  const { prefix } = reader
  const events = await readHistory(store, { prefix, after, upTo, bounds, signal: abort.signal })
  cancel()
  const read: ResourceReader['read'] = (key, value, revision) => {
    const present = cache.get(key.slice(prefix.length))
    return present?.revision === revision ? present : reader.read(key, value, revision)
  }
  return events && (await ringEvents(events, read, clock.now()))
}

export interface Loading {
  readonly reader: ResourceReader
  readonly promise: Promise<ResourceCache>
  readonly missed: StoreEvent[]
}

/** Takes the state of a resource as the store has it now, and ends the watches of before. */
export async function relist(store: Store, loaded: LoadedCache): Promise<void> {
  const { entries, revision } = await loadEntries(store, loaded.reader)
  loaded.floor = revision
  loaded.cache.resync(entries, revision)
}

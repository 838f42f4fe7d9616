/** How stored keys and values of one resource become cache entries: one by one, or a whole list in turns with other work. */
import type { Awaitable } from '../lib/awaitable.ts'
import { nextTurn, TimeSlice } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'
import type { Store } from '../store/store.ts'
import type { CacheEntry, EntryFacts } from './cache-entry.ts'
import { packTexts } from './pack-texts.ts'
import type { CacheOptions } from './resource-cache.ts'
import type { Snapshot } from './snapshot.ts'

/** How the store's keys and values of one resource become entries. */
export interface ResourceReader {
  /** `/registry/pods/`, with the slash. */
  readonly prefix: string
  readonly options: CacheOptions
  /**
   * The entry of a stored value. Must not fail: a value that cannot be read becomes an entry that says so. `hint`: what another
   * process knew of it when it wrote it.
   */
  read(key: string, value: Uint8Array, revision: number, hint?: string): Awaitable<CacheEntry>
  /** The entry of a value that was read before, if only by another server. */
  adopt(known: EntryFacts, revision: number): CacheEntry
}

/** What is known of a stored value from before, if only by another server: then it need not be decoded. */
export type RecallValue = (prefix: string, key: string, value: Uint8Array) => EntryFacts | undefined

/** What caches held at one time, by the prefixes of their resources. */
export type KnownEntries = ReadonlyMap<string, Snapshot>

/** Recalls the very values that caches held, and else what `next` knows. */
export function recallFrom(known: KnownEntries, next: RecallValue | undefined): RecallValue {
  return (prefix, key, value) => {
    const entry = known.get(prefix)?.get(key.slice(prefix.length))
    return entry?.bytes === value ? entry : next?.(prefix, key, value)
  }
}

/** Bound on concurrent asynchronous decodes. */
const readsAtOnce = 16
/** Values of one page of a list: as many are in memory beside what becomes of them. */
const pageSize = 1_000

/** A reader that decodes only what is not known. */
export function recallingReader(
  reader: ResourceReader,
  recall: RecallValue | undefined,
): Pick<ResourceReader, 'prefix' | 'read'> {
  if (recall === undefined) return reader
  return {
    prefix: reader.prefix,
    read(key, value, revision, hint) {
      const known = recall(reader.prefix, key, value)
      return known === undefined ? reader.read(key, value, revision, hint) : reader.adopt(known, revision)
    },
  }
}

export interface StoredValue {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: number
}

export interface LoadedEntries {
  readonly entries: CacheEntry[]
  readonly revision: number
}

/**
 * The entries of a resource at one revision, page by page: one range of a very large resource would hold the loop, and the values of all
 * beside their entries twice the memory. Begins anew if the revision is compacted meanwhile.
 */
export async function loadEntries(
  store: Store,
  reader: Pick<ResourceReader, 'prefix' | 'read'>,
): Promise<LoadedEntries> {
  const { prefix } = reader
  const entries: CacheEntry[] = []
  let page = await store.range(prefix, { limit: pageSize })
  for (;;) {
    if (page.status === 'compacted' && entries.length > 0) {
      entries.length = 0
      page = await store.range(prefix, { limit: pageSize })
      continue
    }
    if (page.status !== 'ok') throw new Error(`the store answered ${page.status} to a read of its newest state`)
    const { items, revision, more } = page
    const read = await readEntries(reader, items)
    packTexts(read, items)
    pushAll(entries, read)
    const last = items.at(-1)
    if (!more || last === undefined) return { entries, revision }
    await nextTurn()
    page = await store.range(prefix, { limit: pageSize, startKey: `${last.key}\0`, revision })
  }
}

/** The entries of stored values, in order, in turns with other work; few at a time where a decode is asynchronous. */
export async function readEntries(
  reader: Pick<ResourceReader, 'read'>,
  values: readonly StoredValue[],
): Promise<CacheEntry[]> {
  const entries: CacheEntry[] = new Array(values.length)
  let underway: Promise<void>[] = []
  const slice = new TimeSlice()
  for (let i = 0; i < values.length; i++) {
    if (slice.isOver) await slice.yieldToEventLoop()
    const { key, value, revision } = values[i] as StoredValue
    const entry = reader.read(key, value, revision)
    if (!(entry instanceof Promise)) {
      entries[i] = entry
      continue
    }
    underway.push(
      entry.then((read) => {
        entries[i] = read
      }),
    )
    if (underway.length < readsAtOnce) continue
    await Promise.all(underway)
    underway = []
  }
  await Promise.all(underway)
  return entries
}

/** Those that a key under `root` may have: its first path segment, or its first two. */
export function possiblePrefixes(key: string, root: string): readonly [string, string] {
  const one = key.indexOf('/', root.length) + 1
  return [key.slice(0, one), key.slice(0, key.indexOf('/', one) + 1)]
}

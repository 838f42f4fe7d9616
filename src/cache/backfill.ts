/**
 * Reads the history of a resource from before its cache was loaded out of the store, for a watch that resumes from a version of before
 * a restart. Bounded as the event ring is; undefined when the store has compacted it, when it exceeds the ring, or when a value of it
 * cannot be decoded.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import { TimeSlice } from '../lib/in-turns.ts'
import type { Store, StoreEvent } from '../store/store.ts'
import type { CacheEntry } from './cache-entry.ts'
import type { CacheEvent, RingBounds } from './event-ring.ts'

export interface HistoryRange {
  /** `/registry/pods/`, with the slash. */
  readonly prefix: string
  /** Changes after this revision … */
  readonly after: number
  /** … up to and with this one. */
  readonly upTo: number
  readonly bounds: RingBounds
  readonly signal: AbortSignal
}

export function readHistory(store: Store, range: HistoryRange): Promise<readonly StoreEvent[] | undefined> {
  const { prefix, after, upTo, bounds, signal } = range
  return new Promise((resolve) => {
    const found: StoreEvent[] = []
    let bytes = 0
    const take = (event: StoreEvent): boolean => {
      if (event.revision > upTo) return true
      found.push(event)
      bytes += event.entry?.value.byteLength ?? 0
      return found.length <= bounds.maxEvents && bytes <= bounds.maxRetiredBytes
    }
    const settle = (result: readonly StoreEvent[] | undefined): void => {
      resolve(result)
      watch.close()
    }
    const watch = store.watch(prefix, {
      afterRevision: after,
      signal,
      onEvents: ({ events, revision }) => {
        if (!events.every(take)) settle(undefined)
        else if (revision >= upTo) settle(found)
      },
      onProgress: (revision) => {
        if (revision >= upTo) settle(found)
      },
      onEnd: () => resolve(undefined),
    })
    watch.requestProgress()
  })
}

type ReadValue = (key: string, value: Uint8Array, revision: number) => Awaitable<CacheEntry>

/** Store events as the ring holds them: each state of an object is one entry, shared by the change from it and to it. */
export async function ringEvents(
  events: readonly StoreEvent[],
  read: ReadValue,
  time: number,
): Promise<CacheEvent[] | undefined> {
  const latest = new Map<string, CacheEntry | undefined>()
  const made: CacheEvent[] = []
  const slice = new TimeSlice()
  for (const { key, revision, entry: stored, previous: before } of events) {
    if (!latest.has(key) && before !== undefined) latest.set(key, await read(key, before.value, before.revision))
    const previous = latest.get(key)
    const entry = stored === undefined ? undefined : await read(key, stored.value, revision)
    if (previous?.unreadable !== undefined || entry?.unreadable !== undefined) return undefined
    latest.set(key, entry)
    if (entry === undefined && previous === undefined) continue
    if (entry !== undefined) previous?.retire(entry)
    made.push({ revision, entry, previous, time, isRedecoded: false, frames: undefined })
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  return made
}

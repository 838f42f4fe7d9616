// The contract of the revisioned key-value stores. `memory`, `lmdb` and `etcd` keep it alike, and one contract suite checks all three.
//
// Every write gets the next number of one global order, its revision; the state of the store "at revision 7" is what the writes up to 7 left.
// Old states stay readable until they are compacted. A worked example on a fresh store (revision 1, no keys):
//
//   create /a        → revision 2      range at 2: /a@2
//   create /b        → revision 3      range at 3: /a@2 /b@3
//   replace /a at 2  → revision 4      range at 3: /a@2 /b@3      range now: /a@4 /b@3
//   replace /a at 2  → lost the race, current: /a@4
//   compact 3                          range at 3 still answers; range at 2: compacted; watch after 3 answers; watch after 2: compacted
//
// Kept true by every store:
// - Keys are ordered by their UTF-8 bytes. Values are bytes, which neither the store nor its caller changes afterwards.
// - Revisions are safe integers and never go back, not even over a crash. The first write of a fresh store gets revision 2.
// - Revision 1, the empty beginning, counts as compacted as soon as something was written.
// - An acknowledged write survives the end of the process and, except in `memory`, of the machine.
// - What a read or a watch shows is as durable as an acknowledged write.
// - Lost races, compacted and future revisions are results. Failures are a StoreError, thrown as a rejected promise.

/** One key as it was at some revision. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  /** The revision of the write that left this value. */
  readonly revision: number
  /** The revision of the write that created the key (since it was last absent). */
  readonly createRevision: number
  /** The hint of the write, in events that are delivered as it happens. Absent where it is not at hand. */
  readonly hint?: string | undefined
}

/** The revision asked for is older than what the store keeps. */
export interface Compacted {
  readonly status: 'compacted'
}

/** The revision asked for was not written yet. */
export interface Future {
  readonly status: 'future'
  readonly currentRevision: number
}

export interface GetOptions {
  /** Read the state at this revision; without it the newest. */
  readonly revision?: number | undefined
}

interface GetFound {
  readonly status: 'ok'
  /** The revision of the state that was read: the one asked for, or the store's current one. */
  readonly revision: number
  /** Undefined when the key is absent at that revision. */
  readonly entry: Entry | undefined
}

export type GetResult = GetFound | Compacted | Future

export interface RangeOptions extends GetOptions {
  /** The first key to return: this one or the next after it. Must begin with the prefix. */
  readonly startKey?: string | undefined
  /** At most this many entries; without it (or with 0) all. */
  readonly limit?: number | undefined
  /** Count the entries after the last one returned, too. */
  readonly withRemaining?: boolean | undefined
}

export interface RangeFound {
  readonly status: 'ok'
  /** As in GetFound. Asking for the next page at this revision continues the same state. */
  readonly revision: number
  readonly items: readonly Entry[]
  /** The limit cut the range short. */
  readonly more: boolean
  /** How many entries follow the last of `items`; only with `withRemaining`. */
  readonly remaining?: number
}

export type RangeResult = RangeFound | Compacted | Future

/**
 * A write that happens only if the key is as the writer believes.
 * `create`: it is absent. `replace` and `delete`: it is there and its revision is `expectedRevision`.
 * With `ttlSeconds` the store deletes the key by itself when that time has passed (at the earliest; usually within a few seconds, on etcd up
 * to a minute or a twentieth of the time later, whichever is less). A replace without it makes the key permanent.
 * `hint` is what the writer knows of the value, for watches of other processes (`Store.takesHints`). It is never stored.
 */
export type WriteOperation =
  | {
      readonly type: 'create'
      readonly key: string
      readonly value: Uint8Array
      readonly ttlSeconds?: number | undefined
      readonly hint?: string | undefined
    }
  | {
      readonly type: 'replace'
      readonly key: string
      readonly value: Uint8Array
      readonly expectedRevision: number
      readonly ttlSeconds?: number | undefined
      readonly hint?: string | undefined
    }
  | { readonly type: 'delete'; readonly key: string; readonly expectedRevision: number }

export type WriteResult =
  | {
      readonly ok: true
      /** The revision of this write. */
      readonly revision: number
      /** What a delete removed. */
      readonly previous?: Entry
    }
  | {
      readonly ok: false
      /** What is there instead; undefined when the key is absent. */
      readonly current: Entry | undefined
    }

/** One change of one key. */
export type StoreEvent =
  | {
      readonly type: 'put'
      readonly key: string
      readonly revision: number
      readonly entry: Entry
      /** The value that was replaced; undefined when the key was created. */
      readonly previous: Entry | undefined
    }
  | {
      readonly type: 'delete'
      readonly key: string
      readonly revision: number
      readonly entry: undefined
      /** The last value. Undefined only when the store no longer keeps it (a watch that began just after the compacted revision). */
      readonly previous: Entry | undefined
    }

export interface EventBatch {
  /** In revision order, never empty. Keys that expire together may share a revision; a batch never ends within a revision. */
  readonly events: readonly StoreEvent[]
  /** Every event up to this revision has been delivered. */
  readonly revision: number
}

/**
 * Why a watch ended. `compacted`: the revision it must go on from is no longer kept; read the state anew. `closed`: its signal was aborted,
 * its `close` was called or the store was closed. `error`: it cannot go on (see the error); lost connections are not among these.
 */
export type WatchEnd =
  | { readonly reason: 'compacted' }
  | { readonly reason: 'closed' }
  | { readonly reason: 'error'; readonly error: StoreError }

export interface WatchOptions {
  /** Deliver the events after this revision; without it those after the current one. */
  readonly afterRevision?: number | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
  /** False: `previous` of an event is never read, which may be undefined then. */
  readonly withPrevious?: boolean | undefined
  /** Takes the next events. Must not throw, and must take them as fast as they come: the store does not wait. */
  readonly onEvents: (batch: EventBatch) => void
  /** Every event up to this revision has been delivered, although there may have been none of late. */
  readonly onProgress?: ((revision: number) => void) | undefined
  /** Called once, as the last of the callbacks. */
  readonly onEnd: (end: WatchEnd) => void
}

export interface Watch {
  /**
   * Asks for a prompt `onProgress` with a revision that is no older than the store's at the time of the call. Dropped silently while a broken
   * connection is being restored, so ask again if no answer comes.
   */
  requestProgress(): void
  /** Ends the watch with `closed`. Does nothing when it has ended. */
  close(): void
}

export type CompactResult = { readonly status: 'ok' } | Compacted | Future

export type StoreName = 'memory' | 'lmdb' | 'etcd'

export interface Store {
  readonly name: StoreName

  /**
   * True when the events of a write reach every watch that has caught up before the promise of the write resolves: readers of a cache fed
   * by such a watch see their own writes. True for the embedded stores. Otherwise compare `currentRevision` with the progress of the watch.
   */
  readonly readsOwnWrites: boolean

  /** True when other processes may write to the same store. */
  readonly shared: boolean

  /** The largest value that `write` takes, in bytes. */
  readonly maxValueBytes: number

  /** Hints of writes reach other processes: making them pays. */
  readonly takesHints?: boolean

  /** As `currentRevision`, without waiting, where the store knows it. Throws a StoreError. */
  readonly watermark?: (() => number) | undefined

  /** The revision of the newest durable write. On etcd it is a linearizable read, so it takes a round trip and fails when there is no leader. */
  currentRevision(): Promise<number>

  /** Reads one key. */
  get(key: string, options?: GetOptions): Promise<GetResult>

  /**
   * Reads the keys that begin with `prefix` (all keys for the empty one) in key order, from one state of the store. Compacted and future
   * revisions are only answered when a revision was asked for.
   */
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>

  /**
   * Compares and writes in one atomic step. Resolves when the write is durable, or with the value that made it lose. When it rejects, the
   * write may have happened if the error says so (`StoreError.maybeApplied`).
   */
  write(operation: WriteOperation): Promise<WriteResult>

  /**
   * Delivers every change of a key that begins with `prefix`, in revision order, each exactly once, in batches, until it ends. Survives lost
   * connections. No callback is made before this method has returned.
   */
  watch(prefix: string, options: WatchOptions): Watch

  /** Forgets the states before `revision`. The space comes back in the background. The stores also do it by themselves, as time passes. */
  compact(revision: number): Promise<CompactResult>

  /**
   * Resolves when the store can read and write; rejects with the reason if not, or when the signal is aborted. `read`: a disk that is almost
   * full, where only reads and deletes are served, will do.
   */
  health(signal: AbortSignal, need?: 'read' | 'write'): Promise<void>

  /** The bytes that the store takes on disk (in memory for `memory`). */
  size(): Promise<number>

  /** Ends the watches, waits for the writes under way and lets go of everything. Calls after it fail with `closed`. */
  close(): Promise<void>
}

/**
 * `unavailable`: no answer from etcd, or the disk refuses writes. `timeout`: no answer in time. `closed`: the store was closed. `too-large`:
 * the value is larger than the store takes. `locked`: another process (or another store of this one) has the files. `newer-format`: written
 * by a newer version. `corrupt`: the files are damaged. `invalid`: the call makes no sense (a bad key or option).
 */
export type StoreErrorCode =
  | 'unavailable'
  | 'timeout'
  | 'closed'
  | 'too-large'
  | 'locked'
  | 'newer-format'
  | 'corrupt'
  | 'invalid'

export class StoreError extends Error {
  readonly code: StoreErrorCode
  /** The write that failed may nevertheless have happened, or still happen. */
  readonly maybeApplied: boolean

  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; maybeApplied?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StoreError'
    this.code = code
    this.maybeApplied = options.maybeApplied ?? false
  }
}

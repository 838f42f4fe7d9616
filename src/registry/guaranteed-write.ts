/**
 * The retry loop of every write that is made from the object as it is: update, patch, apply, delete.
 *
 * The cache suggests the state to begin with. Where it may lag behind the store (etcd, other servers), a suggestion is
 * good enough for a write, which compares revisions, but not for an answer without one: a refusal or a no-op that was
 * found on it is only believed once the store has been read and still has the same revision. So there is never a
 * conflict, a 404 or a failed precondition without a concurrent writer. A write whose outcome is unknown is not
 * retried: it would lose to itself, and an applied write would be answered with a conflict.
 *
 * Mirrors apiserver/pkg/storage/etcd3: GuaranteedUpdate, with its cached existing object.
 */
import { checkKeyName } from '../api/object-key.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { ObjectStorage } from './object-storage.ts'
import { mayBeApplied } from './store-failure.ts'
import type { WriteRequest } from './write-request.ts'

export type Attempt<T> =
  /** Done. `wrote`: the store has compared revisions; otherwise the result is only as good as the state it is from. */
  | { readonly result: T; readonly wrote: boolean }
  /** Another writer was faster; what is there now. */
  | { readonly lostTo: CacheEntry | undefined }

export interface GuaranteedWrite<T> {
  readonly storage: ObjectStorage
  readonly request: Pick<WriteRequest, 'namespace' | 'name' | 'dryRun'>
  /** One attempt, from the state that is there (undefined: none). Runs again when the write loses a race. */
  readonly attempt: (current: CacheEntry | undefined) => Promise<Attempt<T>>
  /** The error after races lost without end. */
  readonly exhausted: () => Error
}

/** Races lost in a row before giving up: more than there can be requests in flight, as each round has a winner. */
const maxAttempts = 1000

export async function guaranteedWrite<T>({ storage, request, attempt, exhausted }: GuaranteedWrite<T>): Promise<T> {
  const key = entryKey(request.namespace, request.name)
  const loading = storage.cache()
  const cache = loading instanceof Promise ? await loading : loading
  // The compare-and-write of a dry run never happens: nothing but a live read would show that the state is stale.
  let isLive = !storage.mayLag
  let current = request.dryRun && !isLive ? await storage.newest(key) : cache.get(key)
  if (request.dryRun) isLive = true
  if (current === undefined) checkKeyName(request.name)
  for (let count = 0; count < maxAttempts; count++) {
    let failure: unknown
    let outcome: Attempt<T> | undefined
    try {
      outcome = await attempt(current)
    } catch (error) {
      if (isLive || mayBeApplied(error)) throw error
      failure = error
    }
    if (outcome !== undefined && 'lostTo' in outcome) current = outcome.lostTo
    else if (outcome !== undefined && (outcome.wrote || isLive)) return outcome.result
    else {
      const newest = await storage.newest(key)
      if (newest?.revision === current?.revision) {
        if (outcome === undefined) throw failure
        return outcome.result
      }
      current = newest
    }
    isLive = true
  }
  throw exhausted()
}

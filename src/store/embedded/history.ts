// The index of an embedded store: which change of which key counts at which revision. Holds no values.
//
//   index   key → its newest change (deletions stay until they are compacted)
//   log     revision → change: every change after `scrubbed`, and the one that each of them replaced
//
// A state at revision R is read by going back from the newest change of a key along `previousRevision` to the first that is not after R.
// Compaction is in two steps: `compactRevision` says what may be read from now on; `scrub` later frees the compacted changes, a few
// at a time. Both trees are copy-on-write.
import { diffOrdered, orderedMap } from '../../lib/ordered-map.ts'
import { type Change, orderedKey, prefixEnd } from './change.ts'

/** What `scrub` removed: changes that are gone altogether. */
export interface Scrubbed {
  readonly removed: readonly Change[]
  /** Everything up to this revision has been scrubbed. */
  readonly upTo: number
}

export interface Scan {
  readonly prefix: string
  readonly startKey: string | undefined
  readonly revision: number
  readonly limit: number
  readonly count: boolean
}

export class History {
  #index = orderedMap<string, Change>()
  #log = orderedMap<number, Change>()
  #revision: number
  #compactRevision: number
  #scrubbed: number

  constructor(start: { revision: number; compactRevision: number; scrubbed: number }) {
    this.#revision = start.revision
    this.#compactRevision = start.compactRevision
    this.#scrubbed = start.scrubbed
  }

  /** An independent copy that shares both trees, copy-on-write. */
  clone(): History {
    const copy = new History({
      revision: this.#revision,
      compactRevision: this.#compactRevision,
      scrubbed: this.#scrubbed,
    })
    copy.#index = this.#index.clone()
    copy.#log = this.#log.clone()
    return copy
  }

  /** The keys whose newest change is another one than in `other`: this one's change and the other's, where there is one. */
  differences(other: History): { readonly own: Change | undefined; readonly other: Change | undefined }[] {
    const found: { own: Change | undefined; other: Change | undefined }[] = []
    diffOrdered(this.#index, other.#index, (own, theirs) => void found.push({ own, other: theirs }))
    return found
  }

  /** The newest state alone, as the history of a store that goes on at a revision. Shares the index, copy-on-write. */
  restartedAt(revision: number): History {
    const copy = new History({ revision, compactRevision: revision, scrubbed: revision })
    copy.#index = this.#index.clone()
    return copy
  }

  get revision(): number {
    return this.#revision
  }

  get compactRevision(): number {
    return this.#compactRevision
  }

  get scrubbed(): number {
    return this.#scrubbed
  }

  /** Takes the next change, or (when a store is opened) one of those kept, in revision order. */
  apply(change: Change): void {
    const key = orderedKey(change.key)
    // A key that was never written is not looked for.
    const previous = change.previousRevision === 0 ? undefined : this.#index.get(key)
    if (previous !== undefined) this.#log.set(previous.revision, previous)
    this.#index.set(key, change)
    if (change.revision > this.#scrubbed) this.#log.set(change.revision, change)
    if (change.revision > this.#revision) this.#revision = change.revision
  }

  /** The newest change of the key, even when it is a deletion. */
  latest(key: string): Change | undefined {
    return this.#index.get(orderedKey(key))
  }

  /** The change with this revision, if it is still kept for history's sake. */
  logged(revision: number): Change | undefined {
    return revision === 0 ? undefined : this.#log.get(revision)
  }

  /** The change that says what the key was at the revision; undefined when it was absent. */
  at(key: string, revision: number): Change | undefined {
    return this.#asOf(this.latest(key), revision)
  }

  #asOf(newest: Change | undefined, revision: number): Change | undefined {
    let change = newest
    while (change !== undefined && change.revision > revision) change = this.logged(change.previousRevision)
    return change === undefined || change.deleted ? undefined : change
  }

  /** The changes that make up a range, in key order, and how many there are after the limit (1 for "some" unless they are counted). */
  scan({ prefix, startKey, revision, limit, count }: Scan): { changes: Change[]; after: number } {
    const changes: Change[] = []
    let after = 0
    const from = orderedKey(prefix)
    this.#index.forRange(
      startKey === undefined ? from : orderedKey(startKey),
      prefixEnd(from),
      false,
      (_key, newest) => {
        const change = this.#asOf(newest, revision)
        if (change === undefined) return undefined
        if (changes.length < limit) {
          changes.push(change)
          return undefined
        }
        after++
        return count ? undefined : { break: 0 }
      },
    )
    return { changes, after }
  }

  /** The changes after `revision`, at most `limit` of them looked at, that are of keys with the prefix. */
  since(revision: number, prefix: string, limit: number): { changes: Change[]; upTo: number } {
    const changes: Change[] = []
    let upTo = revision
    let seen = 0
    this.#log.forRange(revision + 1, Number.MAX_SAFE_INTEGER, true, (_revision, change) => {
      if (seen++ === limit) return { break: 0 }
      if (change.key.startsWith(prefix)) changes.push(change)
      upTo = change.revision
      return undefined
    })
    return { changes, upTo }
  }

  /** Refuses, from now on, what is older than `revision`. */
  compact(revision: number): void {
    this.#compactRevision = revision
  }

  /** Forgets at most `limit` changes' worth of what was compacted. */
  scrub(limit: number): Scrubbed {
    const removed: Change[] = []
    const end = Math.min(this.#compactRevision, this.#scrubbed + limit)
    for (let revision = this.#scrubbed + 1; revision <= end; revision++) {
      const change = this.#log.get(revision)
      if (change === undefined) continue
      const previous = this.logged(change.previousRevision)
      if (previous !== undefined) {
        this.#log.delete(previous.revision)
        removed.push(previous)
      }
      const isLatest = this.latest(change.key) === change
      if (change.deleted) {
        if (isLatest) this.#index.delete(orderedKey(change.key))
        removed.push(change)
      }
      if (change.deleted || isLatest) this.#log.delete(revision)
    }
    this.#scrubbed = Math.max(this.#scrubbed, end)
    return { removed, upTo: this.#scrubbed }
  }

  /** Every key's newest change, in key order. */
  forEachLatest(visit: (change: Change) => void): void {
    this.#index.forEachPair((_key, change) => visit(change))
  }
}

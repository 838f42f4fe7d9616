/** The state of one resource at one revision. Taking one copies nothing: the tree is shared until it is written to. */
import type { CacheEntry } from './cache-entry.ts'
import type { EntryTree, TreeCursor } from './entry-tree.ts'
import { isWholeRange, type Selection, selects } from './selection.ts'

export interface PageOptions {
  readonly selection: Selection
  /** Begin with this key, or the next after it. */
  readonly startKey: string | undefined
  /** 0: no limit. */
  readonly limit: number
}

export interface Page {
  readonly entries: readonly CacheEntry[]
  /** There is more in the range after the last entry. */
  readonly more: boolean
  /** How much more; undefined when a selector hides it. */
  readonly remaining: number | undefined
}

export class Snapshot {
  readonly revision: number
  readonly #tree: EntryTree

  constructor(tree: EntryTree, revision: number) {
    this.#tree = tree
    this.revision = revision
  }

  /** A tree of one's own with the same entries. */
  tree(): EntryTree {
    return this.#tree.clone()
  }

  get(key: string): CacheEntry | undefined {
    return this.#tree.get(key)
  }

  /** The entries of a selection in key order, looked for as they are asked for. */
  cursor(selection: Selection, startKey?: string): SelectionCursor {
    const { low, high } = keyRange(selection, startKey)
    return new SelectionCursor(this.#tree.from(low), high, selection)
  }

  *entries(selection: Selection): Generator<CacheEntry, void> {
    const cursor = this.cursor(selection)
    for (let entry = cursor.next(); entry !== undefined; entry = cursor.next()) yield entry
  }

  page({ selection, startKey, limit }: PageOptions): Page {
    const isWhole = isWholeRange(selection)
    if (isWhole && selection.shard === undefined) return this.#wholePage(selection, startKey, limit)
    const entries: CacheEntry[] = []
    const cursor = this.cursor(selection, startKey)
    for (let entry = cursor.next(); entry !== undefined; entry = cursor.next()) {
      entries.push(entry)
      if (entries.length === limit) {
        const more = this.hasMore(selection, entry.key, startKey)
        return { entries, more, remaining: more && isWhole ? this.#count(selection, startKey) - limit : undefined }
      }
    }
    return { entries, more: false, remaining: undefined }
  }

  /**
   * Whether the range of a selection has anything after a key, selected or not. Lazy. One object that is asked for by its name is
   * alone in its range, unless a list goes on with it. Mirrors k8s.io/apiserver/pkg/storage: SelectionPredicate.MatchesSingle.
   */
  hasMore(selection: Selection, key: string, startKey: string | undefined): boolean {
    if (selection.name !== undefined && selection.namespace !== undefined && startKey === undefined) return false
    const { high } = keyRange({ ...selection, name: undefined }, undefined)
    const next = this.#tree.from(`${key}\0`).next()
    return next !== undefined && (high === undefined || next.key < high)
  }

  /** By rank alone. */
  #wholePage(selection: Selection, startKey: string | undefined, limit: number): Page {
    const { low } = keyRange(selection, startKey)
    const there = this.#count(selection, startKey)
    const more = limit > 0 && there > limit
    const entries = this.#tree.slice(low, more ? limit : there)
    return { entries, more, remaining: more ? there - limit : undefined }
  }

  /** The length of a range, by rank alone. */
  #count(selection: Selection, startKey: string | undefined): number {
    const { low, high } = keyRange(selection, startKey)
    const first = low === '' ? 0 : this.#tree.rankOf(low)
    const end = high === undefined ? this.#tree.size : this.#tree.rankOf(high)
    return Math.max(end - first, 0)
  }
}

export class SelectionCursor {
  readonly #cursor: TreeCursor
  readonly #high: string | undefined
  readonly #selection: Selection

  constructor(cursor: TreeCursor, high: string | undefined, selection: Selection) {
    this.#cursor = cursor
    this.#high = high
    this.#selection = selection
  }

  next(): CacheEntry | undefined {
    for (;;) {
      const entry = this.#cursor.next()
      if (entry === undefined || (this.#high !== undefined && entry.key >= this.#high)) return undefined
      if (selects(this.#selection, entry)) return entry
    }
  }
}

/** `ns/name`, or `name` for a cluster-scoped object: the order of the store's keys. */
export const entryKey = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`)

function keyRange(
  { namespace, name }: Selection,
  startKey: string | undefined,
): { low: string; high: string | undefined } {
  if (name !== undefined && namespace !== undefined) {
    const key = entryKey(namespace, name)
    return { low: startKey !== undefined && startKey > key ? startKey : key, high: `${key}\0` }
  }
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`
  const low = startKey !== undefined && startKey > prefix ? startKey : prefix
  // '0' follows '/' in key order, so it ends the range of a namespace.
  return { low, high: prefix === '' ? undefined : `${namespace}0` }
}

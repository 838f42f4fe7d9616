/** The state of one resource at one revision. Taking one copies nothing: the tree is shared until it is written to. */
import type { OrderedMap } from '../lib/ordered-map.ts'
import type { CacheEntry } from './cache-entry.ts'
import { isWholeRange, type Selection, selects } from './selection.ts'

export type EntryTree = OrderedMap<string, CacheEntry>

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

  get(key: string): CacheEntry | undefined {
    return this.#tree.get(key)
  }

  /** The entries of a selection in key order, made as they are asked for. */
  *entries(selection: Selection, startKey?: string): Generator<CacheEntry, void> {
    if (selection.name !== undefined && selection.namespace !== undefined) {
      const entry = this.#tree.get(entryKey(selection.namespace, selection.name))
      if (entry !== undefined && (startKey === undefined || entry.key >= startKey) && selects(selection, entry))
        yield entry
      return
    }
    const { low, high } = keyRange(selection, startKey)
    for (const [key, entry] of this.#tree.entries(low)) {
      if (high !== undefined && key >= high) return
      if (selects(selection, entry)) yield entry
    }
  }

  page({ selection, startKey, limit }: PageOptions): Page {
    const entries: CacheEntry[] = []
    const rest = this.entries(selection, startKey)
    for (const entry of rest) {
      if (limit > 0 && entries.length === limit) {
        return { entries, more: true, remaining: isWholeRange(selection) ? 1 + count(rest) : undefined }
      }
      entries.push(entry)
    }
    return { entries, more: false, remaining: undefined }
  }
}

function count(items: Iterator<CacheEntry>): number {
  let n = 0
  while (items.next().done !== true) n++
  return n
}

/** `ns/name`, or `name` for a cluster-scoped object: the order of the store's keys. */
export const entryKey = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`)

function keyRange({ namespace }: Selection, startKey: string | undefined): { low: string; high: string | undefined } {
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`
  const low = startKey !== undefined && startKey > prefix ? startKey : prefix
  // '0' follows '/' in key order, so it ends the range of a namespace.
  return { low, high: prefix === '' ? undefined : `${namespace}0` }
}

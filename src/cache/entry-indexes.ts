/** The indexes of a cache, by label and by field, each made when it is first used, and lists that are served from them. */
import type { CacheEntry } from './cache-entry.ts'
import { EntryIndex, labelTerm, labelTerms, type TermsOf } from './entry-index.ts'
import type { EntryTree } from './entry-tree.ts'
import type { Selection } from './selection.ts'
import { selects } from './selection.ts'
import type { Page, PageOptions } from './snapshot.ts'

/** Fields with an index: name to the value of an entry. */
export type IndexedFields = ReadonlyMap<string, (entry: CacheEntry) => string>

export class EntryIndexes {
  readonly #fieldsOf: IndexedFields
  #labels: EntryIndex | undefined
  readonly #fields = new Map<string, EntryIndex>()

  constructor(fieldsOf: IndexedFields) {
    this.#fieldsOf = fieldsOf
  }

  /** The entries of the tree among which all that are selected are; undefined where no index helps. */
  candidates(tree: EntryTree, { labels, indexed }: Selection): readonly CacheEntry[] | undefined {
    if (indexed !== undefined) return this.#fieldIndex(tree, indexed.index)?.find(indexed.value)
    if (labels === undefined || labels.equalities.length === 0) return undefined
    this.#labels ??= new EntryIndex(labelTerms, tree.values())
    let best: { term: string; count: number } | undefined
    for (const { key, value } of labels.equalities) {
      const term = labelTerm(key, value)
      const count = this.#labels.count(term)
      if (best === undefined || count < best.count) best = { term, count }
    }
    return best === undefined ? undefined : this.#labels.find(best.term)
  }

  #fieldIndex(tree: EntryTree, name: string): EntryIndex | undefined {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const fieldOf = this.#fieldsOf.get(name)
    if (fieldOf === undefined) return undefined
    const termsOf: TermsOf = (entry) => [fieldOf(entry)]
    const index = new EntryIndex(termsOf, tree.values())
    this.#fields.set(name, index)
    return index
  }

  /** An entry took the place of another in the tree. */
  replace(previous: CacheEntry | undefined, entry: CacheEntry | undefined): void {
    if (this.#labels !== undefined) replaceIn(this.#labels, previous, entry)
    if (this.#fields.size > 0) for (const index of this.#fields.values()) replaceIn(index, previous, entry)
  }
}

function replaceIn(index: EntryIndex, previous: CacheEntry | undefined, entry: CacheEntry | undefined): void {
  if (previous !== undefined) index.remove(previous)
  if (entry !== undefined) index.add(entry)
}

/** A page of entries that are in key order already. `isMore`: is there anything after a key, selected or not? */
export function pageOf(
  candidates: readonly CacheEntry[],
  { selection, startKey, limit }: PageOptions,
  isMore: (key: string) => boolean,
): Page {
  const entries: CacheEntry[] = []
  for (const entry of candidates) {
    if ((startKey !== undefined && entry.key < startKey) || !selects(selection, entry)) continue
    entries.push(entry)
    if (entries.length === limit) return { entries, more: isMore(entry.key), remaining: undefined }
  }
  return { entries, more: false, remaining: undefined }
}

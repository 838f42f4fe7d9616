/**
 * Lookups beside the key order: all entries with one label value, or one value of an indexed field. An index is built
 * on first use and maintained from then on; resources without selectors pay nothing.
 */
import type { CacheEntry } from './cache-entry.ts'

/** The index terms of an entry, such as `app=web`. */
export type TermsOf = (entry: CacheEntry) => readonly string[]

/** The entries of one term, by key; sorted on demand, until the next change. */
interface Bucket {
  readonly byKey: Map<string, CacheEntry>
  sorted: readonly CacheEntry[] | undefined
}

export class EntryIndex {
  readonly #termsOf: TermsOf
  readonly #buckets = new Map<string, Bucket>()

  constructor(termsOf: TermsOf, entries: Iterable<CacheEntry>) {
    this.#termsOf = termsOf
    for (const entry of entries) this.add(entry)
  }

  add(entry: CacheEntry): void {
    for (const term of this.#termsOf(entry)) {
      let bucket = this.#buckets.get(term)
      if (bucket === undefined) {
        bucket = { byKey: new Map(), sorted: undefined }
        this.#buckets.set(term, bucket)
      }
      bucket.byKey.set(entry.key, entry)
      bucket.sorted = undefined
    }
  }

  remove(entry: CacheEntry): void {
    for (const term of this.#termsOf(entry)) {
      const bucket = this.#buckets.get(term)
      if (bucket === undefined) continue
      bucket.byKey.delete(entry.key)
      bucket.sorted = undefined
      if (bucket.byKey.size === 0) this.#buckets.delete(term)
    }
  }

  count(term: string): number {
    return this.#buckets.get(term)?.byKey.size ?? 0
  }

  /** In key order. */
  find(term: string): readonly CacheEntry[] {
    const bucket = this.#buckets.get(term)
    if (bucket === undefined) return []
    bucket.sorted ??= [...bucket.byKey.values()].sort(byKey)
    return bucket.sorted
  }
}

const byKey = (a: CacheEntry, b: CacheEntry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

export const labelTerm = (key: string, value: string): string => `${key}=${value}`

export const labelTerms: TermsOf = ({ labels }) =>
  labels === undefined ? [] : Object.keys(labels).map((key) => labelTerm(key, labels[key] as string))

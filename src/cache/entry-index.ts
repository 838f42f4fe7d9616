/**
 * Lookups beside the key order: all entries with one label value, or one value of an indexed field. An index is built
 * when it is first asked for and kept up to date afterwards; resources that nobody selects from pay nothing.
 */
import type { CacheEntry } from './cache-entry.ts'

/** The index terms of an entry, such as `app=web`. */
export type TermsOf = (entry: CacheEntry) => readonly string[]

export class EntryIndex {
  readonly #termsOf: TermsOf
  readonly #entries = new Map<string, Map<string, CacheEntry>>()

  constructor(termsOf: TermsOf, entries: Iterable<CacheEntry>) {
    this.#termsOf = termsOf
    for (const entry of entries) this.add(entry)
  }

  add(entry: CacheEntry): void {
    for (const term of this.#termsOf(entry)) {
      let bucket = this.#entries.get(term)
      if (bucket === undefined) {
        bucket = new Map()
        this.#entries.set(term, bucket)
      }
      bucket.set(entry.key, entry)
    }
  }

  remove(entry: CacheEntry): void {
    for (const term of this.#termsOf(entry)) {
      const bucket = this.#entries.get(term)
      if (bucket === undefined) continue
      bucket.delete(entry.key)
      if (bucket.size === 0) this.#entries.delete(term)
    }
  }

  count(term: string): number {
    return this.#entries.get(term)?.size ?? 0
  }

  /** In key order. */
  find(term: string): CacheEntry[] {
    const bucket = this.#entries.get(term)
    return bucket === undefined ? [] : [...bucket.values()].sort(byKey)
  }
}

const byKey = (a: CacheEntry, b: CacheEntry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

export const labelTerm = (key: string, value: string): string => `${key}=${value}`

export const labelTerms: TermsOf = ({ labels }) =>
  labels === undefined ? [] : Object.keys(labels).map((key) => labelTerm(key, labels[key] as string))

/** The entries of a resource by values of their objects. */
import type { CacheEntry } from '../../cache/cache-entry.ts'

const none: ReadonlyMap<string, CacheEntry> = new Map()

export class KeyedEntries {
  readonly #keysOf: (entry: CacheEntry) => readonly (string | undefined)[]
  readonly #entries = new Map<string, Map<string, CacheEntry>>()
  /** The values that each entry, by its key, is found under. */
  readonly #values = new Map<string, readonly string[]>()

  constructor(keysOf: (entry: CacheEntry) => readonly (string | undefined)[]) {
    this.#keysOf = keysOf
  }

  find(value: string): Iterable<CacheEntry> {
    return (this.#entries.get(value) ?? none).values()
  }

  counts(): Map<string, number> {
    return new Map([...this.#entries].map(([value, entries]) => [value, entries.size]))
  }

  set(entry: CacheEntry): void {
    const values = this.#keysOf(entry).filter((value) => value !== undefined)
    const before = this.#values.get(entry.key)
    if (before !== undefined && !isSame(before, values)) this.delete(entry)
    if (values.length === 0) return
    if (this.#values.get(entry.key) === undefined) this.#values.set(entry.key, values)
    for (const value of values) this.#under(value).set(entry.key, entry)
  }

  delete({ key }: CacheEntry): void {
    for (const value of this.#values.get(key) ?? []) {
      const entries = this.#entries.get(value)
      entries?.delete(key)
      if (entries?.size === 0) this.#entries.delete(value)
    }
    this.#values.delete(key)
  }

  #under(value: string): Map<string, CacheEntry> {
    const known = this.#entries.get(value)
    if (known !== undefined) return known
    const made = new Map<string, CacheEntry>()
    this.#entries.set(value, made)
    return made
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i])

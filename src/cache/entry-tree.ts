/**
 * Entries in key order, with counts, as two levels of sorted arrays: leaves of entries, and a row of leaves.
 *
 *   leaves   [ a b c d ] [ f g h ] [ k m ]      rankOf(g) = 4 + 1
 *
 * `clone` is cheap: the copy and the original share every leaf until one of them writes to it. A leaf belongs to the
 * tree whose token it carries; cloning gives both trees a new token, so that neither owns what they share.
 */
import type { CacheEntry } from './cache-entry.ts'

interface Leaf {
  readonly owner: object
  /** Never empty. */
  readonly entries: CacheEntry[]
}

/** A leaf that is full is split; two neighbours that fit into half of one are merged. */
const maxLeaf = 128

export class EntryTree {
  #leaves: Leaf[]
  #size: number
  #owner: object = {}
  #ownsRow = true

  private constructor(leaves: Leaf[], size: number) {
    this.#leaves = leaves
    this.#size = size
  }

  static of(entries: Iterable<CacheEntry>): EntryTree {
    const tree = new EntryTree([], 0)
    for (const entry of entries) tree.set(entry)
    return tree
  }

  get size(): number {
    return this.#size
  }

  clone(): EntryTree {
    const copy = new EntryTree(this.#leaves, this.#size)
    copy.#ownsRow = false
    this.#ownsRow = false
    this.#owner = {}
    return copy
  }

  get(key: string): CacheEntry | undefined {
    const leaf = this.#leaves[this.#leafOf(key)]
    if (leaf === undefined) return undefined
    const entry = leaf.entries[lowerBound(leaf.entries, key)]
    return entry !== undefined && entry.key === key ? entry : undefined
  }

  /** Returns the entry that made way. */
  set(entry: CacheEntry): CacheEntry | undefined {
    const { key } = entry
    const at = this.#leafOf(key)
    const known = this.#leaves[at]
    if (known === undefined) {
      this.#row().push({ owner: this.#owner, entries: [entry] })
      this.#size++
      return undefined
    }
    const position = lowerBound(known.entries, key)
    const { entries } = this.#own(at)
    const replaced = entries[position]
    if (replaced?.key === key) {
      entries[position] = entry
      return replaced
    }
    this.#size++
    if (entries.length < maxLeaf) {
      insertAt(entries, position, entry)
      return undefined
    }
    // What comes in key order fills its leaves; what comes in between halves them.
    const cut = position === entries.length && at === this.#leaves.length - 1 ? entries.length : entries.length >> 1
    const right = entries.splice(cut)
    if (position > entries.length || right.length === 0) insertAt(right, position - cut, entry)
    else insertAt(entries, position, entry)
    this.#row().splice(at + 1, 0, { owner: this.#owner, entries: right })
    return undefined
  }

  /** Returns the entry that was there. */
  delete(key: string): CacheEntry | undefined {
    const at = this.#leafOf(key)
    const known = this.#leaves[at]
    if (known === undefined) return undefined
    const position = lowerBound(known.entries, key)
    const removed = known.entries[position]
    if (removed?.key !== key) return undefined
    this.#size--
    if (known.entries.length === 1) {
      this.#row().splice(at, 1)
      return removed
    }
    const { entries } = this.#own(at)
    entries.splice(position, 1)
    const next = this.#leaves[at + 1]
    if (next === undefined || entries.length + next.entries.length > maxLeaf / 2) return removed
    for (const entry of next.entries) entries.push(entry)
    this.#row().splice(at + 1, 1)
    return removed
  }

  /** How many entries come before a key. */
  rankOf(key: string): number {
    const at = this.#leafOf(key)
    let rank = 0
    for (let i = 0; i < at; i++) rank += (this.#leaves[i] as Leaf).entries.length
    const leaf = this.#leaves[at]
    return leaf === undefined ? rank : rank + lowerBound(leaf.entries, key)
  }

  /** At most `count` entries in order, from the first whose key is not less than `low`. */
  slice(low: string, count: number): CacheEntry[] {
    const cursor = this.from(low)
    const out: CacheEntry[] = []
    for (let entry = count > 0 ? cursor.next() : undefined; entry !== undefined; entry = cursor.next()) {
      out.push(entry)
      if (out.length === count) break
    }
    return out
  }

  /** A cursor before the first entry whose key is not less than `low`. The tree must not change under it. */
  from(low: string): TreeCursor {
    const at = this.#leafOf(low)
    const leaf = this.#leaves[at]
    return new TreeCursor(this.#leaves, at, leaf === undefined ? 0 : lowerBound(leaf.entries, low))
  }

  *values(): Generator<CacheEntry, void> {
    for (const { entries } of this.#leaves) yield* entries
  }

  /** Visits every key whose entry differs in `next`. Shared leaves are skipped. */
  differences(next: EntryTree, differs: (own: CacheEntry | undefined, other: CacheEntry | undefined) => void): void {
    const [ours, theirs] = unshared(this.#leaves, next.#leaves)
    let i = 0
    for (const own of ours) {
      let other = theirs[i]
      for (; other !== undefined && other.key < own.key; other = theirs[++i]) differs(undefined, other)
      const isSameKey = other?.key === own.key
      if (isSameKey) i++
      if (own !== other) differs(own, isSameKey ? other : undefined)
    }
    for (let other = theirs[i]; other !== undefined; other = theirs[++i]) differs(undefined, other)
  }

  /** The last leaf that begins at or before a key, or the first. */
  #leafOf(key: string): number {
    let low = 0
    let high = this.#leaves.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (((this.#leaves[middle] as Leaf).entries[0] as CacheEntry).key <= key) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : low - 1
  }

  #row(): Leaf[] {
    if (!this.#ownsRow) {
      this.#leaves = this.#leaves.slice()
      this.#ownsRow = true
    }
    return this.#leaves
  }

  #own(at: number): Leaf {
    const leaf = this.#leaves[at] as Leaf
    if (leaf.owner === this.#owner) return leaf
    const copy = { owner: this.#owner, entries: leaf.entries.slice() }
    this.#row()[at] = copy
    return copy
  }
}

/** Goes over entries without making anything per entry. */
export class TreeCursor {
  readonly #leaves: readonly Leaf[]
  #leaf: number
  #position: number

  constructor(leaves: readonly Leaf[], leaf: number, position: number) {
    this.#leaves = leaves
    this.#leaf = leaf
    this.#position = position
  }

  next(): CacheEntry | undefined {
    for (;;) {
      const leaf = this.#leaves[this.#leaf]
      if (leaf === undefined) return undefined
      const entry = leaf.entries[this.#position]
      if (entry !== undefined) {
        this.#position++
        return entry
      }
      this.#leaf++
      this.#position = 0
    }
  }
}

/** The entries of the leaves that two rows do not share. */
function unshared(a: readonly Leaf[], b: readonly Leaf[]): [CacheEntry[], CacheEntry[]] {
  if (a === b) return [[], []]
  return [entriesWithout(a, new Set(b)), entriesWithout(b, new Set(a))]
}

function entriesWithout(row: readonly Leaf[], shared: ReadonlySet<Leaf>): CacheEntry[] {
  const out: CacheEntry[] = []
  for (const leaf of row) if (!shared.has(leaf)) for (const entry of leaf.entries) out.push(entry)
  return out
}

function insertAt(entries: CacheEntry[], position: number, entry: CacheEntry): void {
  if (position === entries.length) entries.push(entry)
  else entries.splice(position, 0, entry)
}

function lowerBound(entries: readonly CacheEntry[], key: string): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] as CacheEntry).key < key) low = middle + 1
    else high = middle
  }
  return low
}

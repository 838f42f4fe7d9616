/**
 * An LRU cache of parsed objects: what changed once tends to change again soon, and parsing is the most expensive part of it. Bounded
 * by the bytes of their texts; a parsed object takes a few times as much.
 */

/** Holds a parsed object, and drops it when it is evicted. */
export interface ObjectHolder {
  readonly key: string
  /** Bytes of its text. */
  readonly size: number
  forget(): void
}

export class RecentObjects {
  readonly #maxBytes: number
  /** By key, the oldest first: an older state of an object makes way for a newer one. */
  readonly #holders = new Map<string, ObjectHolder>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(holder: ObjectHolder): void {
    const before = this.#holders.get(holder.key)
    if (before !== undefined) this.#remove(before)
    this.#holders.set(holder.key, holder)
    this.#bytes += holder.size
    for (const oldest of this.#holders.values()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
  }

  #remove(holder: ObjectHolder): void {
    this.#holders.delete(holder.key)
    this.#bytes -= holder.size
    holder.forget()
  }
}

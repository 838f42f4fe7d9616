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
  #maxBytes: number
  /** States that were replaced last, a ring: watchers compare a change with the state before. */
  #replaced: (ObjectHolder | undefined)[] = []
  #next = 0
  /** By key, the oldest first: an older state of an object makes way for a newer one. */
  readonly #holders = new Map<string, ObjectHolder>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** For a resource whose changes are followed: room for more, and the states that were replaced last are kept, too. */
  grow({ maxBytes, maxReplaced }: { readonly maxBytes: number; readonly maxReplaced: number }): void {
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes)
    if (maxReplaced > this.#replaced.length) this.#replaced.length = maxReplaced
  }

  add(holder: ObjectHolder): void {
    const before = this.#holders.get(holder.key)
    if (before !== undefined && before !== holder) this.#retain(before)
    if (before !== undefined) this.#drop(before)
    this.#holders.set(holder.key, holder)
    this.#bytes += holder.size
    for (const oldest of this.#holders.values()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
  }

  #remove(holder: ObjectHolder): void {
    this.#drop(holder)
    holder.forget()
  }

  #drop(holder: ObjectHolder): void {
    this.#holders.delete(holder.key)
    this.#bytes -= holder.size
  }

  #retain(holder: ObjectHolder): void {
    if (this.#replaced.length === 0) {
      holder.forget()
      return
    }
    this.#replaced[this.#next]?.forget()
    this.#replaced[this.#next] = holder
    this.#next = (this.#next + 1) % this.#replaced.length
  }
}

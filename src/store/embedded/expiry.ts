// Which keys expire when: a binary heap by time. An item whose key was written again since is stale; the caller finds out when it is due.

export interface Expiring {
  readonly expiresAt: number
  readonly key: string
  readonly revision: number
}

export class ExpiryQueue {
  readonly #heap: Expiring[]

  private constructor(heap: Expiring[]) {
    this.#heap = heap
  }

  static empty(): ExpiryQueue {
    return new ExpiryQueue([])
  }

  clone(): ExpiryQueue {
    return new ExpiryQueue(this.#heap.slice())
  }

  add(item: Expiring): void {
    const heap = this.#heap
    let at = heap.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.expiresAt <= item.expiresAt) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = item
  }

  /** When the earliest item is due. */
  get next(): number | undefined {
    return this.#heap[0]?.expiresAt
  }

  /** Takes the earliest item out if it is due. */
  takeDue(now: number): Expiring | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.expiresAt > now) return undefined
    const last = this.#heap.pop()!
    if (this.#heap.length > 0) this.#sink(last)
    return first
  }

  #sink(item: Expiring): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.expiresAt < heap[child]!.expiresAt) child++
      if (heap[child]!.expiresAt >= item.expiresAt) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = item
  }
}

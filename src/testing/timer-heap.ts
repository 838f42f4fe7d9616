/** Timers by the time when they are due, those of the same moment in the order in which they were set. */
export interface HeapTimer {
  at: number
  readonly fn: () => void
}

interface Node {
  readonly timer: HeapTimer
  readonly order: number
}

export class TimerHeap {
  #heap: Node[] = []
  readonly #live = new Set<HeapTimer>()
  #order = 0

  get size(): number {
    return this.#live.size
  }

  add(timer: HeapTimer): void {
    this.#live.add(timer)
    this.#heap.push({ timer, order: this.#order++ })
    this.#rise(this.#heap.length - 1)
  }

  /** What is cancelled stays in the heap until it is on top, or until there is more of it than of what is not. */
  delete(timer: HeapTimer): void {
    if (!this.#live.delete(timer) || this.#heap.length < 64 || this.#heap.length < 2 * this.#live.size) return
    this.#heap = this.#heap.filter((node) => this.#live.has(node.timer)).sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  first(): HeapTimer | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#live.has(top.timer)) return top.timer
      this.#pop()
    }
    return undefined
  }

  /** Moves all by the same time. */
  shift(by: number): void {
    for (const timer of this.#live) timer.at += by
  }

  clear(): void {
    this.#heap = []
    this.#live.clear()
  }

  #pop(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink(0)
  }

  #rise(from: number): void {
    const heap = this.#heap
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!isBefore(heap[at] as Node, heap[parent] as Node)) return
      swap(heap, at, parent)
      at = parent
    }
  }

  #sink(from: number): void {
    const heap = this.#heap
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child] as Node, heap[least] as Node)) least = child
      }
      if (least === at) return
      swap(heap, at, least)
      at = least
    }
  }
}

const isBefore = (a: Node, b: Node): boolean =>
  a.timer.at < b.timer.at || (a.timer.at === b.timer.at && a.order < b.order)

function swap(heap: Node[], a: number, b: number): void {
  const node = heap[a] as Node
  heap[a] = heap[b] as Node
  heap[b] = node
}

/** A binary heap of values with keys, from which any can be taken by its key. */
export class KeyedHeap<V> {
  readonly #keyOf: (value: V) => string
  readonly #isLess: (a: V, b: V) => boolean
  readonly #values: V[] = []
  readonly #positions = new Map<string, number>()

  constructor(keyOf: (value: V) => string, isLess: (a: V, b: V) => boolean) {
    this.#keyOf = keyOf
    this.#isLess = isLess
  }

  get size(): number {
    return this.#values.length
  }

  get(key: string): V | undefined {
    const position = this.#positions.get(key)
    return position === undefined ? undefined : this.#values[position]
  }

  peek(): V | undefined {
    return this.#values[0]
  }

  /** Adds it, or replaces the one with its key. */
  set(value: V): void {
    const key = this.#keyOf(value)
    const position = this.#positions.get(key) ?? this.#values.length
    this.#put(position, value)
    this.#sift(position)
  }

  delete(key: string): V | undefined {
    const position = this.#positions.get(key)
    if (position === undefined) return undefined
    const value = this.#values[position]
    this.#positions.delete(key)
    const last = this.#values.pop()
    if (last !== undefined && position < this.#values.length) {
      this.#put(position, last)
      this.#sift(position)
    }
    return value
  }

  pop(): V | undefined {
    const first = this.#values[0]
    return first === undefined ? undefined : this.delete(this.#keyOf(first))
  }

  values(): Iterable<V> {
    return this.#values
  }

  #put(position: number, value: V): void {
    this.#values[position] = value
    this.#positions.set(this.#keyOf(value), position)
  }

  #sift(from: number): void {
    let position = from
    while (position > 0 && this.#swapIfLess(position, (position - 1) >> 1)) position = (position - 1) >> 1
    if (position !== from) return
    for (;;) {
      const left = 2 * position + 1
      const child = left + 1 < this.#values.length && this.#less(left + 1, left) ? left + 1 : left
      if (child >= this.#values.length || !this.#swapIfLess(child, position)) return
      position = child
    }
  }

  #less(a: number, b: number): boolean {
    return this.#isLess(this.#values[a] as V, this.#values[b] as V)
  }

  /** Exchanges the two if the lower one belongs above. */
  #swapIfLess(lower: number, upper: number): boolean {
    if (!this.#less(lower, upper)) return false
    const value = this.#values[lower] as V
    this.#put(lower, this.#values[upper] as V)
    this.#put(upper, value)
    return true
  }
}

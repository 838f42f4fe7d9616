// Work that is collected and done once an animation frame; in a hidden tab, which has no frames, once a second.

export class FrameBatch<T> {
  #items: T[] = []
  #scheduled = false
  readonly #flush: (items: T[]) => void

  constructor(flush: (items: T[]) => void) {
    this.#flush = flush
  }

  add(items: readonly T[]): void {
    for (const item of items) this.#items.push(item)
    if (this.#scheduled) return
    this.#scheduled = true
    if (document.visibilityState === 'hidden') setTimeout(() => this.flush(), 1000)
    else requestAnimationFrame(() => this.flush())
  }

  flush(): void {
    this.#scheduled = false
    const items = this.#items
    this.#items = []
    if (items.length > 0) this.#flush(items)
  }
}

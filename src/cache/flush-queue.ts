/** Caches with new events, dispatched once per turn of the event loop, so that events are sent in batches. */
import type { ResourceCache } from './resource-cache.ts'

export class FlushQueue {
  #dirty = new Set<ResourceCache>()
  #isScheduled = false

  /** Whether something is dispatched at the end of this turn of the loop. */
  get isScheduled(): boolean {
    return this.#isScheduled
  }

  add(cache: ResourceCache): void {
    this.#dirty.add(cache)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const dirty = this.#dirty
      this.#dirty = new Set()
      for (const each of dirty) each.notifyInTurns()
    })
  }
}

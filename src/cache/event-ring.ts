/**
 * The recent changes of one resource, oldest first, bounded by number, by age and by the bytes of objects that only
 * history still holds. Positions count up for ever: a watcher is a position, and one that fell out of the ring has expired.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import type { CacheEntry } from './cache-entry.ts'

export interface CacheEvent {
  readonly revision: number
  /** Undefined when the object was deleted. */
  readonly entry: CacheEntry | undefined
  readonly previous: CacheEntry | undefined
  readonly time: number
  /** Nothing was written: the object can be decoded by now. Dispatched whatever its revision. */
  readonly isRedecoded: boolean
  /** Encoded forms of this event, made once for all watchers; dropped once the event is dispatched. */
  frames: Map<string, Awaitable<Buffer>> | undefined
}

export interface RingBounds {
  readonly maxEvents: number
  readonly maxAgeMs: number
  /** Bytes of replaced and deleted objects. */
  readonly maxRetiredBytes: number
}

export class EventRing {
  #events: CacheEvent[] = []
  /** The position of `#events[#head]`. */
  #first = 0
  #head = 0
  #retiredBytes = 0
  /** Everything before this position is dispatched. */
  dispatched = 0
  readonly #bounds: RingBounds

  constructor(bounds: RingBounds) {
    this.#bounds = bounds
  }

  /** The position of the oldest event still held. */
  get first(): number {
    return this.#first
  }

  /** The position that the next event will get. */
  get end(): number {
    return this.#first + this.#events.length - this.#head
  }

  at(position: number): CacheEvent | undefined {
    return position < this.#first ? undefined : this.#events[this.#head + position - this.#first]
  }

  push(event: CacheEvent): void {
    this.#events.push(event)
    this.#retiredBytes += event.previous?.size ?? 0
  }

  /** Takes changes from before the oldest one held, if all of them fit. */
  prepend(events: readonly CacheEvent[]): boolean {
    const bytes = events.reduce((sum, { previous }) => sum + (previous?.size ?? 0), 0)
    const { maxEvents, maxRetiredBytes } = this.#bounds
    if (this.end - this.#first + events.length > maxEvents || this.#retiredBytes + bytes > maxRetiredBytes) return false
    this.#events = [...events, ...this.#events.slice(this.#head)]
    this.#head = 0
    this.#first -= events.length
    this.#retiredBytes += bytes
    return true
  }

  /** Events that are not dispatched yet. */
  *undispatched(): Generator<CacheEvent> {
    for (let position = Math.max(this.dispatched, this.#first); position < this.end; position++) {
      yield this.at(position) as CacheEvent
    }
  }

  /** Drops what is over a bound. Returns the last revision dropped, or undefined. */
  trim(now: number): number | undefined {
    let dropped: number | undefined
    for (;;) {
      const oldest = this.#events[this.#head]
      if (oldest === undefined || !this.#isOver(oldest, now)) break
      dropped = oldest.revision
      this.#retiredBytes -= oldest.previous?.size ?? 0
      this.#head++
      this.#first++
    }
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
    return dropped
  }

  /** Drops everything. */
  clear(): void {
    this.#first = this.end
    this.dispatched = this.#first
    this.#events = []
    this.#head = 0
    this.#retiredBytes = 0
  }

  #isOver(oldest: CacheEvent, now: number): boolean {
    const { maxEvents, maxAgeMs, maxRetiredBytes } = this.#bounds
    return this.end - this.#first > maxEvents || now - oldest.time > maxAgeMs || this.#retiredBytes > maxRetiredBytes
  }

  /** The position of the first event after a revision; events are in revision order. */
  positionAfter(revision: number): number {
    let low = this.#head
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events[middle] as CacheEvent).revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#first + low - this.#head
  }
}

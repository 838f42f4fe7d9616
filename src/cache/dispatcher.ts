/**
 * Dispatches the events of a ring to the watchers that they may concern, and drops their encoded frames once all have been served: a
 * frame is shared by the watchers of one round and held no longer.
 */
import type { CacheEvent, EventRing } from './event-ring.ts'
import type { Watcher } from './watcher.ts'
import type { WatcherIndex } from './watcher-index.ts'

/** Watchers that are dispatched to in one turn of the event loop. */
const watchersAtOnce = 50

export class Dispatcher {
  readonly #ring: EventRing
  readonly #watchers: WatcherIndex
  /** A round of dispatching is under way. */
  #round: NodeJS.Immediate | undefined
  #isBehind = false
  #framed: CacheEvent[] = []

  constructor(ring: EventRing, watchers: WatcherIndex) {
    this.#ring = ring
    this.#watchers = watchers
  }

  /** Whether a round of dispatching is under way. */
  get isDispatching(): boolean {
    return this.#round !== undefined
  }

  /** Dispatches new events to every watcher, and drops their encoded frames. */
  notify(): void {
    clearImmediate(this.#round)
    this.#round = undefined
    this.#isBehind = false
    const { end } = this.#ring
    for (const watcher of this.#concerned()) watcher.pump()
    this.#ring.dispatched = end
    this.#forgetFrames()
  }

  /**
   * As `notify`, to a batch of watchers in each turn of the event loop: frames leave the process before the next batch is served.
   * Events that arrive meanwhile are dispatched in another round.
   */
  notifyInTurns(): void {
    if (this.#round === undefined) this.#pumpSome(this.#concerned(), this.#ring.end)
    else this.#isBehind = true
  }

  /** Dispatches new events, then clears the ring. */
  clear(): void {
    this.notify()
    this.#framed = []
    this.#ring.clear()
  }

  /** The watchers that new events may concern; all of them when some event is no longer in the ring. */
  #concerned(): IterableIterator<Watcher> {
    const { dispatched, first } = this.#ring
    return dispatched < first ? this.#watchers.all() : this.#watchers.concerned(this.#ring.undispatched())
  }

  /** `end` is where the ring ended when the round began. */
  #pumpSome(round: Iterator<Watcher>, end: number): void {
    for (let count = 0; count < watchersAtOnce; count++) {
      const next = round.next()
      if (next.done === true) {
        this.#ring.dispatched = end
        this.#endRound()
        return
      }
      next.value.pump()
    }
    this.#round = setImmediate(() => this.#pumpSome(round, end))
  }

  #endRound(): void {
    this.#round = undefined
    this.#forgetFrames()
    if (!this.#isBehind) return
    this.#isBehind = false
    this.notifyInTurns()
  }

  #forgetFrames(): void {
    for (const event of this.#framed) event.frames = undefined
    this.#framed = []
    for (let position = this.#ring.end - 1; position >= this.#ring.first; position--) {
      const event = this.#ring.at(position)
      if (event?.frames === undefined) break
      this.#framed.push(event)
    }
  }
}

/**
 * A watcher is a cursor: a position in the event ring with a selection. Back-pressure: it stops when its sink is full and
 * resumes when the sink says so. It holds no queue, so a slow client costs nothing and is ended when the ring has moved past it. One that
 * is up to date is skipped while no event may concern it (watcher-index.ts), and then resumes with the first event that is not
 * dispatched.
 */
import { type CacheEntry, lastReadable } from './cache-entry.ts'
import type { CacheEvent, EventRing } from './event-ring.ts'
import { type Selection, selects } from './selection.ts'
import type { SelectionCursor, Snapshot } from './snapshot.ts'

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Where a watcher's events go. */
export interface WatchSink {
  /** Takes one event. False: no room for more until `Watcher.resume` is called. `source` is absent for initial events. */
  event(type: WatchEventType, entry: CacheEntry, source: CacheEvent | undefined): boolean
  /** All initial events were sent; the state is that of `revision`. */
  initialEventsEnd(revision: number): boolean
  /** All events so far were passed on: send what is buffered. False: no room for more, as for `event`. */
  flush(): boolean
  /** Every event up to a revision was passed on. Absent: nothing asks for bookmarks. */
  bookmark?(revision: number): void
  /** The watcher has fallen out of the history: it can never go on. */
  expired(): void
  /** An object cannot be decoded. Absent: it is skipped, as if it had not changed. */
  unreadable?(entry: CacheEntry): void
  /** A tombstone may carry the version that the object last had. */
  readonly asItWas?: boolean
  /** Changes were lost: what follows is only how the new state differs from the old. Absent: that will do. */
  lost?(): void
}

export class Watcher {
  readonly #ring: EventRing
  readonly #selection: Selection
  readonly #sink: WatchSink
  #position: number
  #initial: SelectionCursor | undefined
  #initialRevision = 0
  #state: 'running' | 'waiting' | 'ended' = 'running'
  /** It is up to date. */
  #isSynced = false
  /** Events up to this revision are not asked for. */
  readonly #after: number
  #onSynced: (() => void) | undefined

  constructor(ring: EventRing, options: { selection: Selection; sink: WatchSink; position: number; revision: number }) {
    this.#ring = ring
    this.#selection = options.selection
    this.#sink = options.sink
    this.#position = options.position
    this.#after = options.revision
  }

  /** Sends the state of a snapshot as ADDED events before anything else. */
  begin(snapshot: Snapshot): void {
    this.#initial = snapshot.cursor(this.#selection)
    this.#initialRevision = snapshot.revision
  }

  /** Passes on what there is, and a bookmark if that was everything up to the newest revision. */
  bookmark(newest: number): void {
    this.pump()
    if (this.#isSynced && this.#stillOpen()) this.#sink.bookmark?.(newest)
  }

  /** The revision that it began after. */
  get after(): number {
    return this.#after
  }

  /** How far it has come: the last revision whose events were passed on, and how many changes of the resource follow. */
  progress(newest: number): { readonly revision: number; readonly behind: number } {
    if (this.#initial !== undefined) return { revision: this.#after, behind: this.#ring.end - this.#position }
    const behind = this.#isSynced ? 0 : this.#ring.end - this.#position
    const last = behind === 0 ? newest : (this.#ring.at(this.#position - 1)?.revision ?? this.#after)
    return { revision: last, behind }
  }

  /** Passes on changes that are in no ring, instead of what is in it. Ends what has no room for them. */
  take(changes: readonly CacheEvent[]): void {
    this.#position = this.#ring.end
    this.#isSynced = this.#state === 'running'
    if (this.#state === 'waiting' || this.#initial !== undefined) this.#expire()
    for (const change of changes) {
      if (this.#state !== 'running') return
      if (!this.#deliver(change)) this.#expire()
    }
    if (this.#stillOpen()) this.#sink.flush()
  }

  lost(): void {
    if (this.#state !== 'ended') this.#sink.lost?.()
  }

  end(): void {
    this.#state = 'ended'
    this.#initial = undefined
  }

  /** Calls back once everything that there is was passed on, however long its sink has no room. */
  whenSynced(callback: () => void): void {
    this.#onSynced = callback
    this.pump()
  }

  /** The sink has room again. */
  resume(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'running'
    this.pump()
  }

  /** Passes on whatever there is, until the sink is full. Ends what waits for its sink when history has moved past it. */
  pump(): void {
    if (this.#state === 'waiting' && this.#position < this.#ring.first) this.#expire()
    if (this.#state !== 'running') return
    if (this.#isSynced && this.#position < this.#ring.dispatched) this.#position = this.#ring.dispatched
    this.#isSynced = this.#pumpInitial() && this.#pumpEvents()
    if (this.#stillOpen() && !this.#sink.flush()) this.#isSynced = this.#pause()
    if (this.#isSynced) this.#onSynced?.()
  }

  #stillOpen(): boolean {
    return this.#state !== 'ended'
  }

  /** False when it stopped before the end. */
  #pumpInitial(): boolean {
    const initial = this.#initial
    if (initial === undefined) return true
    for (let entry = initial.next(); entry !== undefined; entry = initial.next()) {
      if (!this.#send('ADDED', entry)) return this.#pause()
      if (!this.#stillOpen()) return false
    }
    this.#initial = undefined
    return this.#sink.initialEventsEnd(this.#initialRevision) || this.#pause()
  }

  #pumpEvents(): boolean {
    while (this.#position < this.#ring.end) {
      const event = this.#ring.at(this.#position)
      if (event === undefined) return this.#expire()
      this.#position++
      // A watch may begin at a revision that is yet to come.
      if (event.revision <= this.#after && !event.isRedecoded) continue
      if (!this.#deliver(event)) return this.#pause()
      if (!this.#stillOpen()) return false
    }
    return true
  }

  #expire(): false {
    this.end()
    this.#sink.expired()
    return false
  }

  #pause(): boolean {
    if (this.#state === 'running') this.#state = 'waiting'
    return false
  }

  #send(type: WatchEventType, entry: CacheEntry): boolean {
    return entry.unreadable === undefined ? this.#sink.event(type, entry, undefined) : this.#passOver(entry)
  }

  /** Its labels and fields are unknown: it is selected unless its name says otherwise. */
  #passOver(entry: CacheEntry): boolean {
    const { namespace, name } = this.#selection
    const isMeant =
      (namespace === undefined || entry.namespace === namespace) && (name === undefined || entry.name === name)
    if (isMeant) this.#sink.unreadable?.(entry)
    return true
  }

  /** An object that enters the selection is ADDED, one that leaves it DELETED, in its last selected state. */
  #deliver(event: CacheEvent): boolean {
    const { entry } = event
    const previous = lastReadable(event.previous)
    if (entry?.unreadable !== undefined) return this.#passOver(entry)
    const is = entry !== undefined && selects(this.#selection, entry)
    const was = previous !== undefined && selects(this.#selection, previous)
    if (is) return this.#sink.event(was ? 'MODIFIED' : 'ADDED', entry, event)
    if (was) return this.#sink.event('DELETED', this.#sink.asItWas ? previous : previous.at(event.revision), event)
    return true
  }
}

// The watches of an embedded store. A watch that begins in the past first reads the history, a bounded piece a turn; once it has caught up
// it is live and gets each batch of writes in the very call that makes them visible.
import type { StoreError, StoreEvent, Watch, WatchEnd, WatchOptions } from '../store.ts'
import type { Change } from './change.ts'
import type { History } from './history.ts'
import type { Addition } from './value-log.ts'

/** How many changes a lagging watch looks at in one turn of the event loop. */
const catchUpStep = 2000

interface Watcher {
  readonly prefix: string
  readonly options: WatchOptions
  /** Everything up to this revision was delivered or is not asked for. */
  position: number
  ended: boolean
  /** Progress was asked for before it had caught up. */
  wantsProgress: boolean
  release: () => void
}

export interface WatchSource {
  readonly history: History
  /** `value`: what was written, where it is at hand; otherwise it is read from the log. */
  eventOf(change: Change, value?: Uint8Array, hint?: string): StoreEvent
}

export class Watchers {
  readonly #source: WatchSource
  readonly #live = new Set<Watcher>()
  readonly #lagging = new Set<Watcher>()

  constructor(source: WatchSource) {
    this.#source = source
  }

  add(prefix: string, options: WatchOptions): Watch {
    const position = options.afterRevision ?? this.#source.history.revision
    const watcher: Watcher = { prefix, options, position, ended: false, wantsProgress: false, release: () => undefined }
    const close = (): void => this.#end(watcher, { reason: 'closed' })
    if (options.signal !== undefined) {
      const { signal } = options
      signal.addEventListener('abort', close, { once: true })
      watcher.release = () => signal.removeEventListener('abort', close)
    }
    this.#lagging.add(watcher)
    queueMicrotask(() => (options.signal?.aborted ? close() : this.#catchUp(watcher)))
    return { close, requestProgress: () => this.#progress(watcher) }
  }

  #progress(watcher: Watcher): void {
    watcher.wantsProgress = this.#lagging.has(watcher)
    if (watcher.ended || watcher.wantsProgress) return
    watcher.options.onProgress?.(this.#source.history.revision)
  }

  #catchUp(watcher: Watcher): void {
    if (watcher.ended) return
    const { history } = this.#source
    if (isCompacted(history, watcher.position)) {
      this.#end(watcher, { reason: 'compacted' })
      return
    }
    if (watcher.position < history.revision) {
      const { changes, upTo } = history.since(watcher.position, watcher.prefix, catchUpStep)
      watcher.position = upTo
      this.#deliver(
        watcher,
        changes.map((change) => this.#source.eventOf(change)),
        upTo,
      )
    }
    if (watcher.ended) return
    if (watcher.position < history.revision) {
      setImmediate(() => this.#catchUp(watcher))
      return
    }
    this.#lagging.delete(watcher)
    this.#live.add(watcher)
    if (watcher.wantsProgress) this.#progress(watcher)
  }

  #deliver(watcher: Watcher, events: readonly StoreEvent[], revision: number): void {
    if (events.length > 0) watcher.options.onEvents({ events, revision })
  }

  /** Shows the changes, which are now part of the history, to the live watches: with the very bytes that were written. */
  publish(additions: readonly Addition[]): void {
    if (this.#live.size === 0) return
    // Made once for all who want it.
    const events: StoreEvent[] = []
    const revision = this.#source.history.revision
    for (const watcher of [...this.#live]) {
      const mine: StoreEvent[] = []
      for (let i = 0; i < additions.length; i++) {
        const { change, value, hint } = additions[i] as Addition
        if (change.revision <= watcher.position || !change.key.startsWith(watcher.prefix)) continue
        events[i] ??= this.#source.eventOf(change, value, hint)
        mine.push(events[i] as StoreEvent)
      }
      if (revision > watcher.position) watcher.position = revision
      if (!watcher.ended) this.#deliver(watcher, mine, revision)
    }
  }

  #end(watcher: Watcher, end: WatchEnd): void {
    if (watcher.ended) return
    watcher.ended = true
    watcher.release()
    this.#live.delete(watcher)
    this.#lagging.delete(watcher)
    watcher.options.onEnd(end)
  }

  endAll(error?: StoreError): void {
    const end: WatchEnd = error === undefined ? { reason: 'closed' } : { reason: 'error', error }
    for (const watcher of [...this.#live, ...this.#lagging]) this.#end(watcher, end)
  }
}

/** Whether the state at the revision (or what came after it) is no longer kept. The newest state always is. */
export function isCompacted(history: History, revision: number): boolean {
  return revision < history.revision && (revision < history.compactRevision || revision < 2)
}

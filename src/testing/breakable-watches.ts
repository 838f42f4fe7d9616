/**
 * Breaks watches of a test server on purpose, at once or after some more events. Decorates what a watch is made of: its sink, to
 * count events and drop bookmarks, and its answer, whose end becomes a cut connection or none at all.
 */
import type { AnswerStream, WriteCallback } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { CacheEvent } from '../cache/event-ring.ts'
import type { WatchEventType, WatchSink } from '../cache/watcher.ts'
import type { WatchDecorator, WatchStream } from '../handlers/watch-stream.ts'
import { SideTable } from '../lib/memo.ts'
import type { WatchFault, WatchFaultKind } from './api/faults.ts'

export interface BreakableWatchesOptions {
  readonly opened: (stream: WatchStream) => void
  /** The watches that the server ends when it stops. */
  readonly open: () => Set<WatchStream>
}

export class BreakableWatches implements WatchDecorator {
  readonly #options: BreakableWatchesOptions
  readonly #answers = new SideTable<RequestContext, BreakableAnswer>()
  readonly #sinks = new SideTable<WatchStream, BreakableSink>()

  constructor(options: BreakableWatchesOptions) {
    this.#options = options
  }

  answer(answer: AnswerStream, context: RequestContext): AnswerStream {
    const breakable = new BreakableAnswer(answer)
    this.#answers.set(context, breakable)
    return breakable
  }

  sink(stream: WatchStream): WatchSink {
    const sink = new BreakableSink(stream, (kind) => this.#breakNow(stream, kind))
    this.#sinks.set(stream, sink)
    return sink
  }

  opened(stream: WatchStream): void {
    this.#options.opened(stream)
  }

  /** After some more events, or at once. */
  break(stream: WatchStream, fault: WatchFault): void {
    const { kind, afterEvents } = typeof fault === 'string' ? { kind: fault, afterEvents: 0 } : fault
    if (afterEvents === 0) this.#breakNow(stream, kind)
    else this.#sinks.get(stream)?.breakAfter(stream.events + afterEvents, kind)
  }

  /** True when it goes on nevertheless. */
  #breakNow(stream: WatchStream, kind: WatchFaultKind): boolean {
    if (kind === 'without bookmarks') {
      this.#sinks.get(stream)?.dropBookmarks()
      return true
    }
    if (kind === 'expired') {
      stream.flush()
      stream.lost()
      return false
    }
    const answer = this.#answers.get(stream.context)
    answer?.replaceEnd(kind)
    stream.end()
    // A silent connection stays open until the server stops.
    if (kind === 'silent' && answer?.closed === false) this.#options.open().add(stream)
    return false
  }
}

/** An answer whose next end is replaced: the connection breaks once everything is sent, or nothing happens. */
class BreakableAnswer implements AnswerStream {
  readonly #inner: AnswerStream
  #end: 'cut' | 'silent' | undefined
  #hasUnsent = false

  constructor(inner: AnswerStream) {
    this.#inner = inner
  }

  replaceEnd(how: 'cut' | 'silent'): void {
    this.#end = how
  }

  write(chunk: Buffer | string, sent?: WriteCallback): boolean {
    if (this.#end !== 'cut') return this.#inner.write(chunk, sent)
    this.#hasUnsent = true
    return this.#inner.write(chunk, () => this.#inner.destroy())
  }

  end(chunk?: Buffer | string): void {
    const how = this.#end
    this.#end = undefined
    if (how === undefined) this.#inner.end(chunk)
    else if (how === 'cut' && !this.#hasUnsent) this.#inner.destroy()
  }

  destroy(): void {
    this.#inner.destroy()
  }

  onDrain(listener: () => void): void {
    this.#inner.onDrain(listener)
  }

  onClose(listener: () => void): void {
    this.#inner.onClose(listener)
  }

  get closed(): boolean {
    return this.#inner.closed
  }

  get bufferedBytes(): number {
    return this.#inner.bufferedBytes ?? 0
  }
}

class BreakableSink implements WatchSink {
  readonly #stream: WatchStream
  readonly #break: (kind: WatchFaultKind) => boolean
  #planned: { readonly events: number; readonly kind: WatchFaultKind } | undefined
  #hasBookmarks = true

  constructor(stream: WatchStream, breakNow: (kind: WatchFaultKind) => boolean) {
    this.#stream = stream
    this.#break = breakNow
  }

  breakAfter(events: number, kind: WatchFaultKind): void {
    this.#planned = { events, kind }
  }

  dropBookmarks(): void {
    this.#hasBookmarks = false
  }

  event(type: WatchEventType, entry: CacheEntry, source: CacheEvent | undefined): boolean {
    const hasRoom = this.#stream.event(type, entry, source)
    return this.#goesOn() && hasRoom
  }

  /** False when a planned break has ended the watch. */
  #goesOn(): boolean {
    const planned = this.#planned
    if (planned === undefined || this.#stream.events < planned.events) return true
    this.#planned = undefined
    return this.#break(planned.kind)
  }

  initialEventsEnd(revision: number): boolean {
    return this.#stream.initialEventsEnd(revision)
  }

  /** Events whose frames were asynchronous are counted here. */
  flush(): boolean {
    return this.#goesOn() && this.#stream.flush()
  }

  bookmark(revision: number): void {
    if (this.#hasBookmarks) this.#stream.bookmark(revision)
  }

  expired(): void {
    this.#stream.expired()
  }

  unreadable(entry: CacheEntry): void {
    this.#stream.unreadable(entry)
  }

  lost(): void {
    this.#stream.lost()
  }
}

/** The stream of one watch: frames of events and bookmarks, written in batches within the client's time and back-pressure. */

import type { AnswerStream } from '../api/exchange.ts'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, internalError, resourceExpired } from '../api/status-error.ts'
import { type CacheEntry, lastReadable } from '../cache/cache-entry.ts'
import type { CacheEvent } from '../cache/event-ring.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Refine, Selection } from '../cache/selection.ts'
import type { WatchEventType, Watcher, WatchSink } from '../cache/watcher.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'
import { yieldToEventLoop } from '../lib/in-turns.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import type { AnswerSettings } from './answer.ts'
import type { ListOptions } from './list-options.ts'
import type { FrameMaker } from './watch-frames.ts'

export interface WatchSettings extends AnswerSettings {
  readonly clock: Clock
  readonly watchListEnabled: boolean
  /** Seconds; a watch without a time-out of its own ends after one to two times this long. */
  readonly minRequestTimeout: number
  /** Every open watch: ended when the server stops. */
  readonly open: Set<WatchStream>
  /** Only of test servers. */
  readonly decorator?: WatchDecorator | undefined
  /** Where the events of a kind are counted. */
  readonly count: (target: ServedResource) => WatchCount
}

/** Comes between the parts of a watch: its answer, its stream, and the watcher that feeds it. */
export interface WatchDecorator {
  answer(answer: AnswerStream, context: RequestContext): AnswerStream
  sink(stream: WatchStream): WatchSink
  /** Called for every watch before its first event. */
  opened(stream: WatchStream): void
}

export interface WatchCount {
  /** An event was passed on. */
  sent(bytes: number): void
  /** An event of the state that a watch begins with. */
  began(): void
  /** A watch ended because its client did not read. */
  terminated(): void
  /** A watch of a shard began or ended. */
  sharded(change: 1 | -1): void
  /** An object is not of a watched shard. */
  filtered(): void
  /** All initial events were passed on, this many seconds after the watch began. */
  listed(seconds: number, scope: 'cluster' | 'namespace' | 'resource'): void
}

/** How far a watch has come. */
export interface WatchProgress {
  readonly ageMs: number
  /** All up to this one was passed on. */
  readonly revision: number
  /** That of the resource. */
  readonly newest: number
  /** Changes of the resource in between, selected or not. */
  readonly behind: number
  /** Bytes that the client has not taken. */
  readonly bufferedBytes: number
}

/** The interval of bookmarks. */
const bookmarkMs = 60_000
/** And once more this long before its end. */
const lastBookmarkMs = 2000
/** Longer timers would fire at once. */
const maxTimerMs = 2 ** 31 - 1
/** Bytes of frames gathered before they are written: one write for what happens together. */
const batchBytes = 64 * 1024

interface StreamOptions {
  readonly context: RequestContext
  readonly frames: FrameMaker
  readonly cache: ResourceCache
  readonly options: ListOptions
  readonly settings: WatchSettings
  readonly count: WatchCount
  readonly selection: Pick<Selection, 'refine' | 'shard'>
}

interface WatchedEvent {
  readonly type: WatchEventType
  readonly entry: CacheEntry
  readonly source: CacheEvent | undefined
}

const nothing = Buffer.alloc(0)

export class WatchStream implements WatchSink {
  readonly context: RequestContext
  /** How many events were passed on. */
  events = 0
  readonly #answer: AnswerStream
  readonly #frames: FrameMaker
  readonly #cache: ResourceCache
  readonly #options: ListOptions
  readonly #settings: WatchSettings
  readonly #count: WatchCount
  readonly #refine: Refine | undefined
  readonly #isSharded: boolean
  readonly #began = performance.now()
  #watcher: Watcher | undefined
  /** What was not written yet: mostly one frame. */
  #first: Buffer = nothing
  #rest: Buffer[] = []
  #pendingBytes = 0
  #bookmarked = 0
  #endAt = 0
  #cancelTimer: (() => void) | undefined

  constructor(answer: AnswerStream, { context, frames, cache, options, settings, count, selection }: StreamOptions) {
    this.context = context
    this.#answer = answer
    this.#frames = frames
    this.#cache = cache
    this.#options = options
    this.#settings = settings
    this.#count = count
    this.#refine = selection.refine
    this.#isSharded = selection.shard !== undefined
  }

  run(watcher: Watcher): void {
    this.#watcher = watcher
    this.#settings.open.add(this)
    if (this.#isSharded) this.#count.sharded(1)
    this.#settings.decorator?.opened(this)
    this.#answer.onDrain(() => watcher.resume())
    this.#answer.onClose(() => this.#release())
    this.#bookmarked = watcher.after
    const { clock, minRequestTimeout } = this.#settings
    const asked = this.#options.timeoutSeconds ?? 0
    const now = clock.now()
    this.#endAt = now + (asked === 0 ? minRequestTimeout * (1 + clock.random()) : asked) * 1000
    this.#schedule(now)
    watcher.pump()
  }

  /** For people who look inside. */
  get progress(): WatchProgress {
    const newest = this.#cache.revision
    const { revision, behind } = this.#watcher?.progress(newest) ?? { revision: 0, behind: 0 }
    const bufferedBytes = this.#pendingBytes + (this.#answer.bufferedBytes ?? 0)
    return { ageMs: performance.now() - this.#began, revision, newest, behind, bufferedBytes }
  }

  /** One timer at a time: for the next bookmark, or for the end. */
  #schedule(now: number): void {
    const last = this.#endAt - lastBookmarkMs
    const bookmarkAt = now < last ? Math.min(now + bookmarkMs, last) : this.#endAt
    const next = Math.min(this.#options.allowWatchBookmarks ? bookmarkAt : this.#endAt, now + maxTimerMs)
    this.#cancelTimer = this.#settings.clock.setTimeout(() => this.#onTime(next), Math.max(next - now, 0))
  }

  #onTime(planned: number): void {
    if (planned >= this.#endAt) {
      this.end()
      return
    }
    const { revision } = this.#cache
    if (this.#options.allowWatchBookmarks && revision > this.#bookmarked) this.#watcher?.bookmark(revision)
    this.#schedule(planned)
  }

  bookmark(revision: number): void {
    this.#bookmarked = revision
    try {
      this.#answer.write(this.#frames.bookmark(revision, false))
    } catch (error) {
      this.#fail(error)
    }
  }

  event(type: WatchEventType, entry: CacheEntry, source: CacheEvent | undefined): boolean {
    if (source === undefined) this.#count.began()
    const refine = this.#refine
    let frame: Buffer | Promise<Buffer | undefined>
    try {
      frame =
        refine === undefined ? this.#frame(type, entry, source) : this.#refinedFrame(refine, { type, entry, source })
    } catch (error) {
      return this.#fail(error)
    }
    if (frame instanceof Promise) {
      this.#later(frame)
      return false
    }
    return this.#passOn(frame) && (source !== undefined || this.#hasTime())
  }

  /** The state that a watch begins with may be long, and its client so fast that it always has room. */
  #hasTime(): boolean {
    const way = yieldToEventLoop()
    void way?.then(() => this.#watcher?.resume())
    return way === undefined
  }

  /**
   * A frame could not be made: this stream ends, and no other one, nor the server, notices. What cannot be shown in the
   * view that was asked for ends it without a word, as in the reference.
   */
  #fail(error: unknown): false {
    this.flush()
    if (error instanceof ApiError) this.#answer.end()
    else this.#answer.end(this.#frames.error(internalError(reasonOf(error))))
    this.#release()
    return false
  }

  /** A frame that is made asynchronously (by a conversion webhook): the watcher waits for it, so that events stay in order. */
  #later(frame: Promise<Buffer | undefined>): void {
    frame.then(
      (ready) => {
        if (ready === undefined || this.#passOn(ready)) this.#watcher?.resume()
      },
      (error: unknown) => {
        if (!(error instanceof ApiError)) return void this.#fail(error)
        this.#answer.end(this.#frames.error(error))
        this.#release()
      },
    )
  }

  /** What enters or leaves the selection does so by what it is once it was asked about. Undefined: it is not meant. */
  async #refinedFrame(refine: Refine, event: WatchedEvent): Promise<Buffer | undefined> {
    const { type, entry, source } = event
    const previous = lastReadable(source?.previous)
    const [was] = type !== 'ADDED' && previous !== undefined ? await refine([previous]) : [false]
    const [is] = type === 'DELETED' ? [false] : await refine([entry])
    if (is === true) return this.#frame(was === true ? 'MODIFIED' : 'ADDED', entry, source)
    if (was !== true || previous === undefined || source === undefined) return undefined
    return this.#frame('DELETED', previous.at(source.revision), source)
  }

  /** One frame serves every watcher that sees the event in the same way. */
  #frame(type: WatchEventType, entry: CacheEntry, source: CacheEvent | undefined): Awaitable<Buffer> {
    const { keys } = this.#frames
    if (source === undefined || keys === undefined) return this.#frames.event(type, entry)
    source.frames ??= new Map()
    const name = keys[type]
    const known = source.frames.get(name)
    if (known !== undefined) return known
    const frame = this.#frames.event(type, entry)
    source.frames.set(name, frame)
    return frame
  }

  #passOn(frame: Buffer): boolean {
    this.events++
    this.#count.sent(frame.length)
    return this.#queue(frame)
  }

  #queue(frame: Buffer): boolean {
    if (this.#pendingBytes === 0) this.#first = frame
    else this.#rest.push(frame)
    this.#pendingBytes += frame.length
    return this.#pendingBytes < batchBytes || this.#write()
  }

  /** False when the client has not taken what it was sent: its watcher waits, and is ended when history moves past it. */
  flush(): boolean {
    return this.#pendingBytes === 0 || this.#write()
  }

  #write(): boolean {
    const chunk = this.#rest.length === 0 ? this.#first : Buffer.concat([this.#first, ...this.#rest])
    this.#first = nothing
    if (this.#rest.length > 0) this.#rest = []
    this.#pendingBytes = 0
    return this.#answer.write(chunk)
  }

  initialEventsEnd(revision: number): boolean {
    const { sendInitialEvents, allowWatchBookmarks } = this.#options
    if (sendInitialEvents !== true || !allowWatchBookmarks) return true
    this.#count.listed((performance.now() - this.#began) / 1000, scopeOf(this.context))
    this.#bookmarked = revision
    try {
      return this.#queue(this.#frames.bookmark(revision, true))
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** A client that does not read would not read of its end either. */
  expired(): void {
    this.#count.terminated()
    this.#answer.destroy()
    this.#release()
  }

  /** The client must list again: lost events cannot be replayed. */
  lost(): void {
    this.#answer.end(this.#frames.error(resourceExpired('too old resource version')))
    this.#release()
  }

  /** The event cannot be encoded. */
  unreadable({ unreadable }: CacheEntry): void {
    this.flush()
    this.#answer.end(this.#frames.error(internalError(unreadable?.why ?? '')))
    this.#release()
  }

  watches(cache: ResourceCache | undefined): boolean {
    return this.#cache === cache
  }

  /** Ends the stream once its client was sent everything that there is: what it watches is no longer served. */
  finish(): void {
    if (this.#watcher === undefined) this.end()
    else this.#watcher.whenSynced(() => this.end())
  }

  /** Ends the stream cleanly: the client sees the end of the answer. */
  end(): void {
    this.flush()
    this.#answer.end()
    this.#release()
  }

  #release(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#watcher !== undefined) this.#cache.unwatch(this.#watcher)
    const wasOpen = this.#settings.open.delete(this)
    if (wasOpen && this.#isSharded) this.#count.sharded(-1)
  }
}

function scopeOf({ info }: RequestContext): 'cluster' | 'namespace' | 'resource' {
  if (info.name !== '') return 'resource'
  return info.namespace === '' ? 'cluster' : 'namespace'
}

// All watches of an etcd store. They share one event stream; a watch that begins before its position reads a stream
// of its own until the two meet.
//
//   starting → (catching up →) live → ended
//
// Progress: when the position of a watch has reached a revision that etcd names after the question was asked.
import type { Clock } from '../../lib/clock.ts'
import type { Entry, StoreError, StoreEvent, Watch, WatchEnd, WatchOptions } from '../store.ts'
import { asStoreError, type EtcdEndpoints } from './endpoints.ts'
import { EventStream } from './event-stream.ts'
import type { KeyValue, WatchEvent } from './messages.ts'

export interface EtcdWatchesOptions {
  readonly endpoints: EtcdEndpoints
  readonly clock: Clock
  /** A linearizable read. */
  readonly currentRevision: () => Promise<number>
}

interface Watcher {
  readonly prefix: string
  readonly options: WatchOptions
  /** Everything up to this revision was delivered or is not asked for. */
  position: number
  /** While it catches up. */
  stream: EventStream | undefined
  /** The revisions that progress waits for. */
  awaited: number[]
  ended: boolean
  release: () => void
}

export class EtcdWatches {
  readonly #options: EtcdWatchesOptions
  readonly #watchers = new Set<Watcher>()
  readonly #live = new Set<Watcher>()
  #sharedStream: Promise<EventStream> | undefined
  /** The shared stream once it is open, until it ends. */
  #running: EventStream | undefined
  #closed = false

  constructor(options: EtcdWatchesOptions) {
    this.#options = options
  }

  add(prefix: string, options: WatchOptions): Watch {
    const watcher: Watcher = {
      prefix,
      options,
      position: 0,
      stream: undefined,
      awaited: [],
      ended: false,
      release: () => undefined,
    }
    this.#watchers.add(watcher)
    const close = (): void => this.#end(watcher, { reason: 'closed' })
    const { signal } = options
    if (signal !== undefined) {
      signal.addEventListener('abort', close, { once: true })
      watcher.release = () => signal.removeEventListener('abort', close)
    }
    queueMicrotask(() => (signal?.aborted ? close() : void this.#start(watcher)))
    return { close, requestProgress: () => void this.#awaitProgress(watcher) }
  }

  async #start(watcher: Watcher): Promise<void> {
    const { afterRevision } = watcher.options
    try {
      const asksCurrent = afterRevision === undefined || afterRevision <= 1
      const current = asksCurrent ? await this.#currentRevision() : undefined
      if (afterRevision !== undefined && current !== undefined && afterRevision < current) {
        this.#end(watcher, { reason: 'compacted' })
        return
      }
      watcher.position = afterRevision ?? current!
    } catch (error) {
      this.#end(watcher, { reason: 'error', error: asStoreError(error) })
      return
    }
    await this.#follow(watcher)
  }

  /** From the watcher's position on. */
  async #follow(watcher: Watcher): Promise<void> {
    try {
      this.#sharedStream ??= this.#openSharedStream()
      const sharedStream = await this.#sharedStream
      if (watcher.ended) return
      if (watcher.position >= sharedStream.position) this.#join(watcher, sharedStream)
      else this.#catchUp(watcher)
    } catch (error) {
      this.#end(watcher, { reason: 'error', error: asStoreError(error) })
    }
  }

  /** Unlike a read of the store, a watch waits for as long as etcd does not answer. */
  async #currentRevision(): Promise<number> {
    const { endpoints, currentRevision } = this.#options
    for (let failures = 1; ; failures++) {
      try {
        return await currentRevision()
      } catch (error) {
        const { code } = error as StoreError
        if (this.#closed || (code !== 'unavailable' && code !== 'timeout')) throw error
        await endpoints.sleep(endpoints.pauseAfter(failures))
      }
    }
  }

  async #openSharedStream(): Promise<EventStream> {
    const position = await this.#currentRevision()
    const sharedStream = new EventStream({
      ...this.#options,
      position,
      isNewest: true,
      onEvents: (events) => {
        const lastRevision = events.at(-1)!.kv.modRevision
        const shared = new Map<WatchEvent, StoreEvent>()
        for (const watcher of [...this.#live]) this.#deliver(watcher, { events, lastRevision, shared })
      },
      onEnd: (end) => {
        this.#sharedStream = undefined
        this.#running = undefined
        for (const watcher of [...this.#live]) this.#leave(watcher, end)
      },
    })
    if (this.#closed) sharedStream.close()
    else this.#running = sharedStream
    return sharedStream
  }

  /** Where the shared stream began may be compacted before etcd has begun with it; where a watcher is may not. */
  #leave(watcher: Watcher, end: WatchEnd): void {
    this.#live.delete(watcher)
    if (end.reason === 'compacted') void this.#follow(watcher)
    else this.#end(watcher, end)
  }

  #catchUp(watcher: Watcher): void {
    const stream = new EventStream({
      ...this.#options,
      position: watcher.position,
      isNewest: false,
      onEvents: (events) => {
        this.#deliver(watcher, { events, lastRevision: stream.position, shared: new Map() })
        const sharedStream = this.#running
        if (!watcher.ended && sharedStream !== undefined && watcher.position >= sharedStream.position)
          this.#join(watcher, sharedStream)
      },
      onEnd: (end) => this.#end(watcher, end),
    })
    watcher.stream = stream
  }

  #join(watcher: Watcher, sharedStream: EventStream): void {
    watcher.stream?.close()
    watcher.stream = undefined
    this.#live.add(watcher)
    this.#reportProgress(watcher, sharedStream.position)
  }

  #deliver(
    watcher: Watcher,
    batch: { events: readonly WatchEvent[]; lastRevision: number; shared: Map<WatchEvent, StoreEvent> },
  ): void {
    const mine: StoreEvent[] = []
    for (const event of batch.events) {
      const { key, modRevision } = event.kv
      if (modRevision <= watcher.position || !key.startsWith(watcher.prefix)) continue
      const made = batch.shared.get(event) ?? storeEvent(event)
      batch.shared.set(event, made)
      mine.push(made)
    }
    if (batch.lastRevision > watcher.position) watcher.position = batch.lastRevision
    if (watcher.ended) return
    if (mine.length > 0) watcher.options.onEvents({ events: mine, revision: batch.lastRevision })
    this.#reportProgress(watcher, batch.lastRevision)
  }

  async #awaitProgress(watcher: Watcher): Promise<void> {
    try {
      const revision = await this.#options.currentRevision()
      const sharedStream = await this.#sharedStream
      if (watcher.ended) return
      watcher.awaited.push(revision)
      if (this.#live.has(watcher) && sharedStream !== undefined) this.#reportProgress(watcher, sharedStream.position)
    } catch {
      // As the contract says: the question is dropped while etcd does not answer.
    }
  }

  #reportProgress(watcher: Watcher, reached: number): void {
    if (watcher.awaited.length === 0 || watcher.ended) return
    const reported = Math.max(0, ...watcher.awaited.filter((revision) => revision <= reached))
    if (reported === 0) return
    watcher.awaited = watcher.awaited.filter((revision) => revision > reached)
    watcher.options.onProgress?.(reported)
  }

  #end(watcher: Watcher, end: WatchEnd): void {
    if (watcher.ended) return
    watcher.ended = true
    watcher.release()
    watcher.stream?.close()
    this.#live.delete(watcher)
    this.#watchers.delete(watcher)
    watcher.options.onEnd(end)
  }

  close(): void {
    this.#closed = true
    for (const watcher of [...this.#watchers]) this.#end(watcher, { reason: 'closed' })
    void this.#sharedStream?.then(
      (sharedStream) => sharedStream.close(),
      () => undefined,
    )
  }
}

export function entryOf({ key, value, modRevision, createRevision }: KeyValue): Entry {
  return { key, value, revision: modRevision, createRevision }
}

function storeEvent({ deleted, kv, previous }: WatchEvent): StoreEvent {
  const { key, modRevision: revision } = kv
  const before = previous === undefined ? undefined : entryOf(previous)
  if (deleted) return { type: 'delete', key, revision, entry: undefined, previous: before }
  return { type: 'put', key, revision, entry: entryOf(kv), previous: before }
}

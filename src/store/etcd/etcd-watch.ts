// One watch of a prefix on etcd, on a stream of its own. `#position` is what was delivered: when the stream breaks, the next one starts there,
// and whatever it repeats is dropped.
//
// A stream starts *at* the position, not after it, unless the position is the newest revision known: etcd then refuses a position that is
// older than the compacted revision, where otherwise it would silently leave out a deletion at exactly that revision. Parts of a large
// response are put together before they are delivered, because a broken stream must not leave half a revision delivered.
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { Clock } from '../../lib/clock.ts'
import type { Entry, StoreEvent, WatchEnd, WatchOptions } from '../store.ts'
import { asStoreError, type Endpoints } from './endpoints.ts'
import type { KeyValue, WatchEvent, WatchRequest, WatchResponse } from './messages.ts'
import { watchMethod } from './messages.ts'

/** Old members answer a progress request at once, even when events are still on their way; ask again after this time to be sure. */
const confirmProgressMs = 100

export interface EtcdWatchSource {
  readonly endpoints: Endpoints
  readonly clock: Clock
  readonly key: Buffer
  readonly rangeEnd: Buffer
  /** A linearizable read. */
  currentRevision(): Promise<number>
  /** The newest revision that any answer has shown. */
  newestSeen(): number
  /** Whether every member answers progress requests in order with events. */
  progressIsOrdered(): Promise<boolean>
  onEnded(): void
}

type Stream = ClientDuplexStream<WatchRequest, WatchResponse>

export class EtcdWatch {
  readonly #source: EtcdWatchSource
  readonly #options: WatchOptions
  #position = 0
  #stream: Stream | undefined
  #created = false
  #failures = 0
  #ended = false
  #parts: WatchEvent[] = []
  /** On old members: the revision of a progress answer that waits for the next one. */
  #unconfirmed: number | undefined
  /** Progress was asked for when it could not be passed on. */
  #askLater = false
  #cancelTimer: () => void = () => undefined
  readonly #close = (): void => this.close()

  constructor(source: EtcdWatchSource, options: WatchOptions) {
    this.#source = source
    this.#options = options
    options.signal?.addEventListener('abort', this.#close, { once: true })
    queueMicrotask(() => void this.#start())
  }

  async #start(): Promise<void> {
    if (this.#options.signal?.aborted) {
      this.close()
      return
    }
    const { afterRevision } = this.#options
    try {
      const current =
        afterRevision === undefined || afterRevision <= 1 ? await this.#source.currentRevision() : undefined
      this.#position = afterRevision ?? current ?? 0
      if (afterRevision !== undefined && current !== undefined && afterRevision < current)
        this.#end({ reason: 'compacted' })
      else this.#open(this.#position >= this.#source.newestSeen() ? this.#position + 1 : this.#position)
    } catch (error) {
      this.#end({ reason: 'error', error: asStoreError(error) })
    }
  }

  #open(startRevision: number): void {
    if (this.#ended) return
    const { endpoints, key, rangeEnd } = this.#source
    const { stream, member } = endpoints.stream(watchMethod)
    this.#stream = stream
    this.#created = false
    this.#parts = []
    this.#unconfirmed = undefined
    const broken = (error?: ServiceError): void => {
      if (this.#stream !== stream) return
      this.#stream = undefined
      stream.cancel()
      endpoints.leave(member)
      this.#reopen(error)
    }
    stream.on('data', (response: WatchResponse) => {
      if (this.#stream === stream && !this.#take(response)) broken()
    })
    stream.on('error', broken)
    stream.on('end', () => broken())
    stream.write({ type: 'create', key, rangeEnd, startRevision: Math.max(1, startRevision) })
  }

  #reopen(error?: ServiceError): void {
    if (this.#ended) return
    if (error?.code === status.PERMISSION_DENIED || error?.code === status.UNAUTHENTICATED) {
      this.#end({ reason: 'error', error: asStoreError(error) })
      return
    }
    this.#cancelTimer()
    this.#cancelTimer = this.#source.clock.setTimeout(
      () => this.#open(this.#position),
      this.#source.endpoints.pauseAfter(++this.#failures),
    )
  }

  /** False when the stream is of no more use. */
  #take(response: WatchResponse): boolean {
    if (response.canceled) {
      if (response.compactRevision === 0) return false
      this.#end({ reason: 'compacted' })
      return true
    }
    this.#failures = 0
    if (response.created) {
      this.#created = true
      if (this.#askLater) this.requestProgress()
      return true
    }
    if (response.fragment || this.#parts.length > 0) this.#parts.push(...response.events)
    if (response.fragment) return true
    const events = this.#parts.length > 0 ? this.#parts : response.events
    this.#parts = []
    if (events.length > 0) this.#deliver(events)
    else void this.#progress(response)
    return true
  }

  #deliver(events: readonly WatchEvent[]): void {
    const fresh = events.filter((event) => event.kv.modRevision > this.#position)
    const last = fresh.at(-1)
    if (last === undefined) return
    this.#position = last.kv.modRevision
    this.#options.onEvents({ events: fresh.map(storeEvent), revision: this.#position })
  }

  async #progress(response: WatchResponse): Promise<void> {
    const isAnswer = response.watchId === -1
    const stream = this.#stream
    if (!isAnswer || (await this.#source.progressIsOrdered().catch(() => false))) {
      this.#report(response.revision, stream)
    } else if (this.#unconfirmed !== undefined) {
      const confirmed = this.#unconfirmed
      this.#unconfirmed = undefined
      this.#report(confirmed, stream)
      if (this.#askLater) this.requestProgress()
    } else {
      this.#unconfirmed = response.revision
      this.#cancelTimer = this.#source.clock.setTimeout(() => this.#ask(), confirmProgressMs)
    }
  }

  #report(revision: number, stream: Stream | undefined): void {
    if (this.#ended || this.#stream !== stream) return
    if (revision > this.#position) this.#position = revision
    this.#options.onProgress?.(revision)
  }

  requestProgress(): void {
    this.#askLater = !this.#created || this.#unconfirmed !== undefined
    if (!this.#askLater) this.#ask()
  }

  #ask(): void {
    if (this.#created) this.#stream?.write({ type: 'progress' })
  }

  close(): void {
    this.#end({ reason: 'closed' })
  }

  #end(end: WatchEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#options.signal?.removeEventListener('abort', this.#close)
    this.#cancelTimer()
    const stream = this.#stream
    this.#stream = undefined
    stream?.cancel()
    this.#source.onEnded()
    this.#options.onEnd(end)
  }
}

export function entryOf(kv: KeyValue): Entry {
  return { key: kv.key.toString('utf8'), value: kv.value, revision: kv.modRevision, createRevision: kv.createRevision }
}

function storeEvent({ deleted, kv, previous }: WatchEvent): StoreEvent {
  const key = kv.key.toString('utf8')
  const before = previous === undefined ? undefined : entryOf(previous)
  if (deleted) return { type: 'delete', key, revision: kv.modRevision, entry: undefined, previous: before }
  return { type: 'put', key, revision: kv.modRevision, entry: entryOf(kv), previous: before }
}

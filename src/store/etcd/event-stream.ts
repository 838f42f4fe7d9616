// Everything that happens in etcd after a revision, from one watch that is opened anew whenever it breaks. `position` is what was delivered:
// a new stream begins there, and whatever it repeats is dropped, so that each event comes exactly once.
//
// It watches all keys, because then the position is exact: every revision has an event, and no progress has to be asked for. (The members
// before 3.4.25 and 3.5.8 answer such requests too early.) A stream begins *at* the position, not after it, unless that is known to be the
// newest revision: etcd then refuses a position older than the compacted revision, where otherwise it would silently leave out a deletion
// at exactly that revision. The parts of a large response are put together first: a broken stream must not leave half a revision delivered.
import { type ClientDuplexStream, type ServiceError, status } from '@grpc/grpc-js'
import type { Clock } from '../../lib/clock.ts'
import type { WatchEnd } from '../store.ts'
import { asStoreError, type EtcdEndpoints } from './endpoints.ts'
import { type WatchEvent, type WatchRequest, type WatchResponse, watchMethod } from './messages.ts'

export interface EventStreamOptions {
  readonly endpoints: EtcdEndpoints
  readonly clock: Clock
  readonly position: number
  /** The position was the newest revision a moment ago. */
  readonly isNewest: boolean
  /** Takes the events of whole revisions, all after the previous position. `position` has moved already. */
  readonly onEvents: (events: readonly WatchEvent[]) => void
  readonly onEnd: (end: WatchEnd) => void
}

type Stream = ClientDuplexStream<WatchRequest, WatchResponse>

export class EventStream {
  readonly #options: EventStreamOptions
  #position: number
  #stream: Stream | undefined
  #failures = 0
  #parts: WatchEvent[] = []
  #cancelPause: () => void = () => undefined
  #closed = false

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.#position = options.position
    this.#open(options.isNewest ? this.#position + 1 : this.#position)
  }

  /** Every event up to this revision has been delivered. */
  get position(): number {
    return this.#position
  }

  #open(startRevision: number): void {
    const { endpoints } = this.#options
    const { stream, member } = endpoints.stream(watchMethod)
    this.#stream = stream
    this.#parts = []
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
    stream.write({ startRevision: Math.max(1, startRevision) })
  }

  #reopen(error?: ServiceError): void {
    if (error?.code === status.PERMISSION_DENIED || error?.code === status.UNAUTHENTICATED) {
      this.#end({ reason: 'error', error: asStoreError(error) })
      return
    }
    const { clock, endpoints } = this.#options
    this.#cancelPause = clock.setTimeout(() => this.#open(this.#position), endpoints.pauseAfter(++this.#failures))
  }

  /** False when the stream is of no more use. */
  #take(response: WatchResponse): boolean {
    if (response.canceled) {
      if (response.compactRevision === 0) return false
      this.#end({ reason: 'compacted' })
      return true
    }
    this.#failures = 0
    for (const event of response.events) this.#parts.push(event)
    if (!response.fragment) this.#deliver(this.#parts.splice(0))
    return true
  }

  #deliver(events: readonly WatchEvent[]): void {
    const fresh = events.filter((event) => event.kv.modRevision > this.#position)
    const last = fresh.at(-1)
    if (last === undefined) return
    this.#position = last.kv.modRevision
    this.#options.onEvents(fresh)
  }

  #end(end: WatchEnd): void {
    if (this.#closed) return
    this.close()
    this.#options.onEnd(end)
  }

  /** Ends it without a callback. */
  close(): void {
    this.#closed = true
    this.#cancelPause()
    const stream = this.#stream
    this.#stream = undefined
    stream?.cancel()
  }
}

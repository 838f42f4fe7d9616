/** The requests of late, bounded by number and by the bytes of their bodies. Recording is on while a client reads, and for a while after. */
import type { Clock } from '../../lib/clock.ts'
import type { RecordedExchange } from './recorded-exchange.ts'
import { RequestRecord } from './request-record.ts'
import { type RecordKeeper, RequestTap } from './request-tap.ts'

export const maxRequests = 2000
const maxHeldBytes = 16 * 1024 * 1024
/** How long recording goes on after the last look. */
const lingerMs = 60_000

export interface RingOptions {
  readonly clock: Clock
  /** Puts the tap into the server, or takes it out. */
  readonly setTap: (tap: RequestTap | undefined) => void
}

type Listener = (record: RequestRecord) => void

export class RequestRing implements RecordKeeper {
  readonly #options: RingOptions
  readonly #listeners = new Set<Listener>()
  readonly #endListeners = new Set<Listener>()
  #records: RequestRecord[] = []
  #count = 0
  #heldBytes = 0
  #firstWithBodies = 0
  #followers = 0
  #cancelEnd: (() => void) | undefined
  since: number | undefined
  forgotten = 0

  constructor(options: RingOptions) {
    this.#options = options
  }

  /** A client reads: recording goes on, or begins. */
  look(): void {
    const { clock, setTap } = this.#options
    if (this.since === undefined) {
      this.since = clock.now()
      setTap(new RequestTap(this))
    }
    this.#cancelEnd?.()
    this.#cancelEnd =
      this.#followers > 0 ? undefined : clock.setTimeout(() => this.stop(), lingerMs, { background: true })
  }

  /** Called for every request when it begins and when it ends. Recording goes on until the result is called. */
  follow(listener: Listener): () => void {
    this.#followers++
    this.#listeners.add(listener)
    this.look()
    return () => {
      if (!this.#listeners.delete(listener)) return
      this.#followers--
      if (this.since !== undefined) this.look()
    }
  }

  /** Called for every request that ends, while recording is on for other reasons. */
  onEnded(listener: Listener): void {
    this.#endListeners.add(listener)
  }

  /** Records nothing more; what is recorded stays until it begins anew. */
  stop(): void {
    this.#cancelEnd?.()
    this.#cancelEnd = undefined
    this.since = undefined
    this.#options.setTap(undefined)
  }

  clear(): void {
    this.#records = []
    this.#heldBytes = 0
    this.#firstWithBodies = 0
    this.forgotten = 0
  }

  get kept(): number {
    return this.#records.length
  }

  /** Newest first, those before an id. */
  *newest(before = Number.POSITIVE_INFINITY): Generator<RequestRecord> {
    for (let i = this.#records.length - 1; i >= 0; i--) {
      const record = this.#records[i]
      if (record !== undefined && record.id < before && record.context !== undefined) yield record
    }
  }

  find(id: number): RequestRecord | undefined {
    const first = this.#records[0]?.id ?? 0
    const record = this.#records[id - first]
    return record?.context === undefined ? undefined : record
  }

  begin(exchange: RecordedExchange): RequestRecord {
    const record = new RequestRecord(++this.#count, this.#options.clock.now(), exchange)
    this.#records.push(record)
    if (this.#records.length > maxRequests) this.#dropOldest()
    return record
  }

  read(record: RequestRecord): void {
    this.#notify(record)
  }

  ended(record: RequestRecord): void {
    this.#heldBytes += record.exchange.heldBytes
    while (this.#heldBytes > maxHeldBytes && this.#firstWithBodies < this.#records.length) {
      this.#heldBytes -= this.#records[this.#firstWithBodies++]?.exchange.forgetBodies() ?? 0
    }
    for (const listener of this.#endListeners) listener(record)
    this.#notify(record)
  }

  #dropOldest(): void {
    const dropped = this.#records.shift()
    this.forgotten++
    this.#firstWithBodies = Math.max(0, this.#firstWithBodies - 1)
    if (dropped?.isOver === true) this.#heldBytes = Math.max(0, this.#heldBytes - dropped.exchange.forgetBodies())
  }

  #notify(record: RequestRecord): void {
    if (record.context === undefined) return
    for (const listener of this.#listeners) listener(record)
  }
}

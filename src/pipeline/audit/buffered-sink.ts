/**
 * Collects events and hands them on in batches, no faster than asked. Events wait in a bounded queue; when it is full
 * new ones are lost and counted, because a slow collector must not slow down the server.
 */

import type { Clock } from '../../lib/clock.ts'
import { pushAll } from '../../lib/push-all.ts'
import type { AuditEvent } from './event.ts'
import type { AuditSink, OnLost } from './sink.ts'

export interface BatchOptions {
  /** Events that wait at most. */
  readonly bufferSize: number
  readonly maxBatchSize: number
  /** How long the first event of a batch waits for others. */
  readonly maxWaitMs: number
  /** Batches a second; undefined for no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined
}

/** Batches that are under way at the same time. */
const maxUnderWay = 16
/** How long the end of the server waits for what was not delivered. */
const closeMs = 10_000

export class BufferedSink implements AuditSink {
  readonly #inner: AuditSink
  readonly #options: BatchOptions
  readonly #clock: Clock
  readonly #onLost: OnLost
  readonly #queue: AuditEvent[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #bucket: TokenBucket | undefined
  /** Ends the wait for more events, or for the next batch that the throttle allows. */
  #cancelWait: (() => void) | undefined
  #closed = false

  constructor(inner: AuditSink, options: BatchOptions, { clock, onLost }: { clock: Clock; onLost: OnLost }) {
    this.#inner = inner
    this.#options = options
    this.#clock = clock
    this.#onLost = onLost
    this.#bucket = options.throttle && new TokenBucket(options.throttle.qps, options.throttle.burst, clock)
  }

  process(events: readonly AuditEvent[]): boolean {
    const room = this.#closed ? 0 : this.#options.bufferSize - this.#queue.length
    const lost = events.length - Math.min(room, events.length)
    if (lost > 0)
      this.#onLost('buffered', this.#closed ? 'audit backend shut down' : 'audit buffer queue blocked', lost)
    pushAll(this.#queue, events.slice(0, room))
    this.#sendFull()
    this.#waitForMore()
    return true
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelWait?.()
    while (this.#queue.length > 0) this.#send()
    await Promise.race([Promise.allSettled(this.#underWay), this.#pause(closeMs)])
    await this.#inner.close()
  }

  /** Sends what fills a batch, as far as the throttle lets it. */
  #sendFull(): void {
    while (this.#queue.length >= this.#options.maxBatchSize && this.#mayGo()) this.#send()
  }

  #mayGo(): boolean {
    return this.#underWay.size < maxUnderWay && (this.#bucket?.take() ?? true)
  }

  #waitForMore(): void {
    const { maxBatchSize, maxWaitMs } = this.#options
    if (this.#queue.length === 0 || this.#cancelWait !== undefined || this.#closed) return
    const isFull = this.#queue.length >= maxBatchSize
    const ms = isFull ? Math.max(this.#bucket?.untilNext() ?? 0, 1) : maxWaitMs
    this.#cancelWait = this.#clock.setTimeout(() => {
      this.#cancelWait = undefined
      if (this.#queue.length > 0 && this.#mayGo()) this.#send()
      this.#sendFull()
      this.#waitForMore()
    }, ms)
  }

  #send(): void {
    const sent = this.#inner.process(this.#queue.splice(0, this.#options.maxBatchSize))
    if (!(sent instanceof Promise)) return
    this.#underWay.add(sent)
    void sent.finally(() => {
      this.#underWay.delete(sent)
      this.#sendFull()
      this.#waitForMore()
    })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(resolve, ms))
  }
}

/** So many at once, and then so many a second. */
class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  readonly #clock: Clock
  #tokens: number
  #at: number

  constructor(qps: number, burst: number, clock: Clock) {
    this.#perMs = qps / 1000
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#at = clock.now()
  }

  take(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  untilNext(): number {
    this.#fill()
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs)
  }

  #fill(): void {
    const now = this.#clock.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(now - this.#at, 0) * this.#perMs)
    this.#at = now
  }
}

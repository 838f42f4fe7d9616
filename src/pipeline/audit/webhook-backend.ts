/**
 * Sends audit events to a webhook in batches. Events wait in a bounded queue; when it is full new ones are dropped and
 * counted, because a slow collector must not slow down the server.
 */
import type { JsonObject } from '../../api/json.ts'
import type { WebhookClient } from '../../auth/webhook/webhook-client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AuditBackend } from './backend.ts'

export interface WebhookBackendOptions {
  readonly client: Pick<WebhookClient, 'post' | 'close'>
  /** Events that wait at most. */
  readonly bufferSize: number
  /** Events in a batch at most. */
  readonly maxBatchSize: number
  /** How long the first event of a batch waits for others. */
  readonly maxWaitMs: number
  readonly clock: Clock
  readonly onDropped: (count: number, why: string) => void
}

export class WebhookBackend implements AuditBackend {
  readonly #options: WebhookBackendOptions
  readonly #queue: JsonObject[] = []
  #sending: Promise<void> | undefined
  #cancelWait: (() => void) | undefined
  #closed = false

  constructor(options: WebhookBackendOptions) {
    this.#options = options
  }

  write(event: JsonObject): void {
    if (this.#closed || this.#queue.length >= this.#options.bufferSize) {
      this.#options.onDropped(1, this.#closed ? 'audit backend shut down' : 'audit buffer queue blocked')
      return
    }
    this.#queue.push(event)
    if (this.#queue.length >= this.#options.maxBatchSize) this.#flush()
    else if (this.#cancelWait === undefined && this.#sending === undefined) this.#wait()
  }

  /** Sends all that is still held. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#queue.length > 0 || this.#sending) {
      this.#flush()
      await this.#sending
    }
    this.#options.client.close()
  }

  #wait(): void {
    this.#cancelWait = this.#options.clock.setTimeout(() => this.#flush(), this.#options.maxWaitMs)
  }

  /** One batch at a time: the order of the events is kept. */
  #flush(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    if (this.#sending || this.#queue.length === 0) return
    const items = this.#queue.splice(0, this.#options.maxBatchSize)
    this.#sending = this.#send(items).finally(() => {
      this.#sending = undefined
      if (this.#queue.length >= this.#options.maxBatchSize || this.#closed) this.#flush()
      else if (this.#queue.length > 0) this.#wait()
    })
  }

  async #send(items: JsonObject[]): Promise<void> {
    try {
      await this.#options.client.post({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items })
    } catch (error) {
      this.#options.onDropped(items.length, error instanceof Error ? error.message : String(error))
    }
  }
}

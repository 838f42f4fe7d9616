/**
 * Asks a webhook that a kubeconfig names: sends one object as JSON and gets one back. Failures that may pass are tried
 * again a few times with growing pauses. Mirrors apiserver/pkg/util/webhook: GenericWebhook.
 */

import { formatDuration } from '../../api/duration.ts'
import { clientGoPath, parseGoUrl } from '../../api/golang/url.ts'
import type { JsonObject } from '../../api/json.ts'
import { withoutZeroTime } from '../../api/zero-time.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import type { WebhookConnection } from '../../outbound/kubeconfig.ts'
import { kubeconfigTransport } from '../../outbound/kubeconfig-transport.ts'
import { RestError, restPost } from '../../outbound/rest-call.ts'
import type { Destination, Transport } from '../../outbound/transport.ts'

/** Reads an answer to an object of that type. Throws an Error in the reference's words. */
export type ReadReview = (body: Buffer, sent: JsonObject) => JsonObject

export interface ReviewClientOptions {
  readonly connection: WebhookConnection
  readonly read: ReadReview
  readonly timeoutMs: number
  /** Attempts in all. */
  readonly attempts?: number
  readonly firstPauseMs?: number
  readonly clock?: Clock
  /** Reviews have no `creationTimestamp: null`, as in later releases. */
  readonly omitsZeroTime?: boolean
  /** Another way to the server. A proxy that the connection names comes before it. */
  readonly dial?: Dial | undefined
}

const pauseFactor = 1.5
const jitter = 0.2
/** Mirrors apiserver/pkg/util/webhook: DefaultShouldRetry. */
const passingReasons: ReadonlySet<string> = new Set(['InternalError', 'Timeout', 'TooManyRequests'])
const isPassing = (error: unknown): boolean =>
  error instanceof RestError && (error.isConnectionReset || error.suggestsDelay || passingReasons.has(error.reason))

export class ReviewClient {
  readonly #options: ReviewClientOptions
  readonly #clock: Clock
  readonly #transport: Transport
  readonly #destination: Destination
  readonly #url: string

  constructor(options: ReviewClientOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#transport = kubeconfigTransport(options.connection, options.dial)
    const { url } = options.connection
    const parsed = parseGoUrl(url)
    if (parsed === undefined) throw new Error(`${url} is not an http or https address`)
    const { scheme, host, port, authority } = parsed
    // A client of client-go that has a time-out sends it along.
    const path = `${clientGoPath(parsed.path)}?timeout=${formatDuration(BigInt(options.timeoutMs) * 1_000_000n)}`
    this.#destination = { scheme, host, port, authority, path }
    this.#url = `${scheme}://${authority}${path}`
  }

  close(): void {
    this.#transport.close()
  }

  /** Rejects with a `RestError`, or with why the answer cannot be read. */
  post(body: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const { read, omitsZeroTime = false } = this.#options
    const bytes = Buffer.from(JSON.stringify(omitsZeroTime ? withoutZeroTime(body) : body))
    return this.#attempts(() => this.#once(bytes, (answer) => read(answer, body), signal), isPassing, signal)
  }

  /** Sends a JSON text. What is answered does not matter, and every failure is worth another attempt. */
  async deliver(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    const once = async (): Promise<void> => {
      try {
        await this.#once(bytes, () => undefined)
      } catch (error) {
        // A success without a word is one.
        if (!(error instanceof RestError && error.status >= 200 && error.status <= 206)) throw error
      }
    }
    await this.#attempts(once, () => true)
  }

  async #attempts<T>(
    once: () => Promise<T>,
    isWorthAnother: (error: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<T> {
    const { attempts = 5, firstPauseMs = 500 } = this.#options
    for (let attempt = 1, pause = firstPauseMs; ; attempt++, pause *= pauseFactor) {
      try {
        return await once()
      } catch (error) {
        if (!isWorthAnother(error) || attempt >= attempts || signal?.aborted) throw error
        await this.#pause(pause * (1 + jitter * this.#clock.random()))
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(resolve, ms))
  }

  #once<T>(body: Buffer, read: (answer: Buffer) => T, signal?: AbortSignal): Promise<T> {
    const { connection, timeoutMs } = this.#options
    return restPost({
      transport: this.#transport,
      url: this.#url,
      open: () => Promise.resolve(this.#destination),
      headers: connection.headers,
      body,
      timeoutMs,
      timeoutOf: 'client',
      clock: this.#clock,
      signal,
      read,
    })
  }
}

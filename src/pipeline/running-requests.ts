/**
 * The requests whose answers are not complete, watches and upgraded connections aside, with the time that each has. Most requests
 * are answered before their handler returns, and never get here.
 */
import type { RequestContext } from '../api/request-context.ts'
import type { Clock } from '../lib/clock.ts'

export interface RunningRequestsOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>
  /** How long a request may take, in milliseconds; 0 for as long as it likes. */
  readonly timeout: number
  readonly onTimeout: (context: RequestContext) => void
}

export class RunningRequests {
  readonly #options: RunningRequestsOptions
  /** In the order of arrival, and so, since all have the same time, of their ends. */
  readonly #ends = new Map<RequestContext, number>()
  #timer: (() => void) | undefined
  #onEmpty: (() => void) | undefined

  constructor(options: RunningRequestsOptions) {
    this.#options = options
  }

  /** `timeout` is given for requests that want less time than others. */
  add(context: RequestContext, timeout?: number): void {
    const { clock, onTimeout } = this.#options
    this.#ends.set(context, clock.now() + this.#options.timeout)
    if (timeout === undefined) {
      if (this.#timer === undefined) this.#schedule()
      context.exchange.onEnd(() => this.#remove(context))
      return
    }
    const cancel = clock.setTimeout(() => onTimeout(context), timeout)
    context.exchange.onEnd(() => {
      cancel()
      this.#remove(context)
    })
  }

  /** Its connection was taken over: it may be used for as long as both ends like. */
  release(context: RequestContext): void {
    this.#remove(context)
  }

  get size(): number {
    return this.#ends.size
  }

  /** Resolves when nothing runs any more. */
  whenEmpty(): Promise<void> {
    if (this.#ends.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const before = this.#onEmpty
      this.#onEmpty = () => {
        before?.()
        resolve()
      }
    })
  }

  #remove(context: RequestContext): void {
    this.#ends.delete(context)
    if (this.#ends.size > 0 || this.#onEmpty === undefined) return
    this.#onEmpty()
    this.#onEmpty = undefined
  }

  /** One timer, for whoever is next. */
  #schedule(): void {
    const { clock, timeout } = this.#options
    const [next] = this.#ends.values()
    if (next === undefined || timeout === 0) return
    this.#timer = clock.setTimeout(
      () => {
        this.#timer = undefined
        this.#expire(clock.now())
        this.#schedule()
      },
      Math.max(next - clock.now(), 1),
    )
  }

  #expire(now: number): void {
    for (const [context, end] of this.#ends) {
      if (end > now) return
      this.#ends.delete(context)
      this.#options.onTimeout(context)
    }
  }
}

/**
 * The requests whose answers are not complete, watches and upgraded connections aside, with the time that each has. Most requests
 * are answered before their handler returns, and never get here.
 *
 * They are a list, whose links are cut when a request leaves it. A Map would hold on to requests that are over: when one
 * grows or is tidied it leaves its old table behind with all that was in it then, and once such tables are old, the
 * collector takes what is in them for alive until it next looks at everything.
 */
import type { RequestContext } from '../api/request-context.ts'
import type { Clock } from '../lib/clock.ts'

export interface RunningRequestsOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>
  /** How long a request may take, in milliseconds; 0 for as long as it likes. */
  readonly timeout: number
  readonly onTimeout: (context: RequestContext) => void
}

/** A request in the list. */
class Running {
  context: RequestContext | undefined
  readonly end: number
  previous: Running | undefined
  next: Running | undefined

  constructor(context: RequestContext, end: number) {
    this.context = context
    this.end = end
  }
}

export class RunningRequests {
  readonly #options: RunningRequestsOptions
  /** In the order of arrival, and so, since all have the same time, of their ends. */
  #first: Running | undefined
  #last: Running | undefined
  #size = 0
  #timer: (() => void) | undefined
  #onEmpty: (() => void) | undefined

  constructor(options: RunningRequestsOptions) {
    this.#options = options
  }

  /**
   * `timeout` is given for requests that want less time than others. The result lets the request go: for when its
   * connection was taken over, which may be used for as long as both ends like.
   */
  add(context: RequestContext, timeout?: number): () => void {
    const { clock, onTimeout } = this.#options
    const running = this.#append(new Running(context, clock.now() + this.#options.timeout))
    const remove = (): void => this.#remove(running)
    if (timeout === undefined) {
      if (this.#timer === undefined) this.#schedule()
      context.exchange.onEnd(remove)
      return remove
    }
    const cancel = clock.setTimeout(() => onTimeout(context), timeout)
    context.exchange.onEnd(() => {
      cancel()
      remove()
    })
    return remove
  }

  get size(): number {
    return this.#size
  }

  /** Resolves when nothing runs any more. */
  whenEmpty(): Promise<void> {
    if (this.#size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const before = this.#onEmpty
      this.#onEmpty = () => {
        before?.()
        resolve()
      }
    })
  }

  #append(running: Running): Running {
    running.previous = this.#last
    if (this.#last === undefined) this.#first = running
    else this.#last.next = running
    this.#last = running
    this.#size++
    return running
  }

  #remove(running: Running): void {
    if (running.context === undefined) return
    this.#unlink(running)
    if (this.#size > 0 || this.#onEmpty === undefined) return
    this.#onEmpty()
    this.#onEmpty = undefined
  }

  /** Nothing that leads on from it stays. */
  #unlink(running: Running): void {
    const { previous, next } = running
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    running.previous = undefined
    running.next = undefined
    running.context = undefined
    this.#size--
  }

  /** One timer, for the earliest deadline. */
  #schedule(): void {
    const { clock, timeout } = this.#options
    const next = this.#first?.end
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
    for (let first = this.#first; first !== undefined && first.end <= now; first = this.#first) {
      const { context } = first
      this.#unlink(first)
      if (context !== undefined) this.#options.onTimeout(context)
    }
  }
}

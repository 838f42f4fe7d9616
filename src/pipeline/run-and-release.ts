/**
 * Runs a handler and releases the seats of its request when the answer is complete or, after a timeout, when the handler returns. A handler
 * that does not return is given up after a while, so that no seat leaks.
 */

import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { hasTimedOut } from './deadline.ts'
import type { Handler } from './filter.ts'

export interface ReleaseClock {
  setTimeout(fn: () => void, ms: number): () => void
}

/** How long a handler may go on after the time of its request. */
export const handlerGraceMs = 60_000

/** Runs the handler; `over` is called once. */
export function runAndRelease(
  context: RequestContext,
  next: Handler,
  { clock, over }: { readonly clock: ReleaseClock; readonly over: () => void },
): Awaitable<void> {
  let done: Awaitable<void>
  context.exchange.onEnd(() => {
    if (done instanceof Promise && hasTimedOut(context)) whenReturned(done, clock, over)
    else over()
  })
  done = next(context)
  return done
}

function whenReturned(done: Promise<void>, clock: ReleaseClock, over: () => void): void {
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    cancel()
    over()
  }
  const cancel = clock.setTimeout(end, handlerGraceMs)
  done.then(end, end)
}

/**
 * The way out of serving: first `/readyz` fails, so that balancers look elsewhere; then no new requests are taken,
 * those that run end, watches end after them (after their last events), and connections close.
 */
import type { ServerOptions } from '../config/server-options.ts'
import type { Listener } from '../http/listener.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestLayer } from './request-layer.ts'

export interface StoppingParts {
  readonly clock: Pick<Clock, 'setTimeout'>
  readonly requests: Pick<RequestLayer, 'refuse' | 'drained' | 'openWatches'>
  readonly listeners: readonly Listener[]
  /** What the server does by itself ends while it still answers. */
  readonly stopOwnWork: () => Promise<void>
  /** Resolves when the caches know of all writes, or this long after; rejects when the store does not answer. */
  readonly caughtUp: (ms: number) => Promise<boolean>
}

/** What the server does by itself may take this long to end: every step of it waits for a store that does not answer. */
const ownWorkMs = 10_000
/** Requests without a time-out of their own are not waited for longer than this. */
const longestDrainMs = 60_000
/** The last changes reach the watches in this time, or not at all. */
const catchUpMs = 1000
/** Clients may take this long to close their connections when there is nothing more to come. */
const closingMs = 2000
/** With a grace period, at least this many watches end in a second. */
const leastWatchesPerSecond = 200
const watchStepMs = 50

export async function stopServing({ shutdown, limits }: ServerOptions, parts: StoppingParts): Promise<void> {
  const { clock, requests, listeners, stopOwnWork } = parts
  await Promise.all([sleep(clock, shutdown.delay), atMost(clock, ownWorkMs, stopOwnWork())])
  requests.refuse(shutdown.sendRetryAfter ? 'retry-after' : 'unavailable')
  if (!shutdown.sendRetryAfter) for (const listener of listeners) listener.drain()
  await atMost(clock, limits.requestTimeout || longestDrainMs, requests.drained())
  await atMost(
    clock,
    catchUpMs,
    parts.caughtUp(catchUpMs).catch(() => false),
  )
  // What the caches know goes out to the watches in the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  await endWatches(clock, requests.openWatches, shutdown.watchGracePeriod)
  await Promise.all(listeners.map((listener) => listener.finish(closingMs)))
}

/** Spread over the grace period, so that not all clients come to the other servers at the same moment. */
async function endWatches(
  clock: Pick<Clock, 'setTimeout'>,
  open: RequestLayer['openWatches'],
  gracePeriod: number,
): Promise<void> {
  const perSecond = gracePeriod > 0 ? Math.max(leastWatchesPerSecond, (open.size * 1000) / gracePeriod) : Infinity
  const perStep = Math.ceil((perSecond * watchStepMs) / 1000)
  while (open.size > 0) {
    let ended = 0
    for (const stream of open) {
      if (ended++ >= perStep) break
      stream.end()
    }
    if (open.size > 0) await sleep(clock, watchStepMs)
  }
}

function sleep(clock: Pick<Clock, 'setTimeout'>, ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => void clock.setTimeout(resolve, ms)) : Promise.resolve()
}

async function atMost(clock: Pick<Clock, 'setTimeout'>, ms: number, done: Promise<unknown>): Promise<void> {
  let cancel = (): void => {}
  const late = new Promise<void>((resolve) => {
    cancel = clock.setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  cancel()
}

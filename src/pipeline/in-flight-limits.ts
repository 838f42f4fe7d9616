/** Two plain limits on how many requests run, for reads and for changes: what holds when fairness is off. */
import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { RequestCounter } from './fairness/fairness-filter.ts'
import type { Filter, Handler } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { type ReleaseClock, runAndRelease } from './run-and-release.ts'
import type { SeatShares } from './seat-shares.ts'
import { answerTooMany } from './too-many-requests.ts'

export interface InFlightLimits {
  /** 0: no limit. */
  readonly reads: number
  readonly changes: number
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

export interface InFlightOptions extends InFlightLimits {
  readonly clock: ReleaseClock
  /** Called when a request begins and ends to run. */
  readonly onRun?: RequestCounter
  /** Absent: the limits are this process's alone. */
  readonly shares?: SeatShares | undefined
}

interface InFlight {
  readonly pool: string
  limit: number
  running: number
}

export function inFlightLimits({ reads, changes, clock, onRun, shares }: InFlightOptions): Filter {
  const forReads = inFlight('reads in flight', reads, shares)
  const forChanges = inFlight('changes in flight', changes, shares)
  return (context, next) => {
    if (isLongRunning(context.info)) return next(context)
    const kind = readVerbs.has(context.info.verb) ? forReads : forChanges
    if (kind.running >= kind.limit && shares !== undefined) {
      return shares.want(kind.pool, 1).then(() => run(kind, context, next))
    }
    return run(kind, context, next)
  }

  function run(kind: InFlight, context: RequestContext, next: Handler): Awaitable<void> {
    if (kind.running >= kind.limit) {
      // system:masters is exempt: an administrator must be able to repair an overloaded server.
      if (isMaster(context)) return next(context)
      answerTooMany(context, 1)
      return undefined
    }
    kind.running++
    onRun?.(context, 1, performance.now())
    const over = (): void => {
      kind.running--
      onRun?.(context, -1, performance.now())
      shares?.freed(kind.pool)
    }
    return runAndRelease(context, next, { clock, over })
  }
}

/** `all`: 0 for no limit, of which there is nothing to divide. */
function inFlight(pool: string, all: number, shares: SeatShares | undefined): InFlight {
  const kind: InFlight = { pool, limit: all || Infinity, running: 0 }
  if (shares === undefined || all === 0) return kind
  const changed = (): void => {
    kind.limit = shares.held(pool, all)
  }
  shares.add(pool, { inUse: () => kind.running, waiting: () => 0, changed })
  changed()
  return kind
}

const isMaster = ({ user }: RequestContext): boolean => user.groups.includes('system:masters')

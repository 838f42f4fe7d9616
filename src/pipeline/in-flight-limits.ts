/** Two plain limits on how many requests run, for reads and for changes: what holds when fairness is off. */
import type { RequestContext } from '../api/request-context.ts'
import type { CountRequest } from './fairness/fairness-filter.ts'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { answerTooMany } from './too-many-requests.ts'
import { type OverClock, runUntilOver } from './until-over.ts'

export interface InFlightLimits {
  /** 0: no limit. */
  readonly reads: number
  readonly changes: number
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

export interface InFlightOptions extends InFlightLimits {
  readonly clock: OverClock
  /** Told when a request begins and ends to run. */
  readonly onRun?: CountRequest
}

export function inFlightLimits({ reads, changes, clock, onRun }: InFlightOptions): Filter {
  const forReads = { limit: reads || Infinity, running: 0 }
  const forChanges = { limit: changes || Infinity, running: 0 }
  return (context, next) => {
    if (isLongRunning(context.info)) return next(context)
    const kind = readVerbs.has(context.info.verb) ? forReads : forChanges
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
    }
    return runUntilOver(context, next, { clock, over })
  }
}

const isMaster = ({ user }: RequestContext): boolean => user.groups.includes('system:masters')

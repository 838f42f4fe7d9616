/** Two plain limits on how many requests run, for reads and for changes: what holds when fairness is off. */
import type { RequestContext } from '../api/request-context.ts'
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

export function inFlightLimits({ reads, changes }: InFlightLimits, clock: OverClock): Filter {
  const forReads = { limit: reads || Infinity, running: 0 }
  const forChanges = { limit: changes || Infinity, running: 0 }
  return (context, next) => {
    if (isLongRunning(context.info)) return next(context)
    const kind = readVerbs.has(context.info.verb) ? forReads : forChanges
    if (kind.running >= kind.limit) {
      // Whoever may do everything always gets an answer: they are the ones who can mend it.
      if (isMaster(context)) return next(context)
      answerTooMany(context, 1)
      return undefined
    }
    kind.running++
    const over = (): void => {
      kind.running--
    }
    return runUntilOver(context, next, { clock, over })
  }
}

const isMaster = ({ user }: RequestContext): boolean => user.groups.includes('system:masters')

/** Tells of every request when it comes and when its answer is complete, for counting. */
import type { RequestContext } from '../api/request-context.ts'
import type { Filter } from './filter.ts'

export interface RequestOutcome {
  /** 0 when the client went away before there was an answer. */
  readonly status: number
  readonly bytes: number
  readonly seconds: number
}

export interface RequestObserver {
  began(context: RequestContext): void
  ended(context: RequestContext, outcome: RequestOutcome): void
}

export function metrics(observer: RequestObserver): Filter {
  return (context, next) => {
    const begin = performance.now()
    observer.began(context)
    context.exchange.onEnd((status, bytes) => {
      observer.ended(context, { status, bytes, seconds: (performance.now() - begin) / 1000 })
    })
    return next(context)
  }
}

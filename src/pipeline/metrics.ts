/** Notifies an observer of every request: when it comes, how it passes the filters, and when its answer is complete, for counting. */
import type { RequestContext } from '../api/request-context.ts'
import type { Filter } from './filter.ts'

export interface RequestOutcome {
  /** 0 when the client went away before there was an answer. */
  readonly status: number
  readonly bytes: number
  readonly seconds: number
}

export type AuthenticationOutcome = 'success' | 'failure' | 'error'
export type AuthorizationOutcome = 'allowed' | 'denied' | 'no-opinion' | 'error'
/** Filters whose time is measured, apart from those with an outcome. */
export type TimedFilter = 'audit' | 'impersonation' | 'priorityandfairness' | 'maxinflight'

/** Each measured stage counts from `context.mark` and moves it forward. */
export interface RequestObserver {
  began(context: RequestContext): void
  authenticated(context: RequestContext, outcome: AuthenticationOutcome): void
  authorized(context: RequestContext, outcome: AuthorizationOutcome): void
  /** The filter let the request pass. */
  filterCompleted(context: RequestContext, filter: TimedFilter): void
  ended(context: RequestContext, outcome: RequestOutcome): void
}

export function metrics(observer: RequestObserver): Filter {
  return (context, next) => {
    const begin = performance.now()
    context.mark = begin
    observer.began(context)
    context.exchange.onEnd((status, bytes) => {
      observer.ended(context, { status, bytes, seconds: (performance.now() - begin) / 1000 })
    })
    return next(context)
  }
}

/** Placed behind a filter in the chain: records that the request has completed it. As `TrackCompleted` of the reference. */
export function trackCompleted(observer: RequestObserver, filter: TimedFilter): Filter {
  return (context, next) => {
    observer.filterCompleted(context, filter)
    return next(context)
  }
}

/** The order in which a request passes the filters, from the outermost to the handler. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import type { Filter, Handler } from './filter.ts'
import { impersonation } from './impersonation.ts'
import { metrics, type RequestObserver } from './metrics.ts'

export interface ChainParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Counts requests. */
  readonly observer: RequestObserver
}

export function filterChain({ authenticator, authorizer, observer }: ChainParts, handler: Handler): Handler {
  const filters: readonly Filter[] = [
    metrics(observer),
    authentication(authenticator),
    impersonation(authorizer),
    authorization(authorizer),
  ]
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler)
}

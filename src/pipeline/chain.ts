/** The order in which a request passes the filters, from the outermost to the handler. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import type { Filter, Handler } from './filter.ts'
import { impersonation } from './impersonation.ts'

export interface ChainParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
}

export function filterChain({ authenticator, authorizer }: ChainParts, handler: Handler): Handler {
  const filters: readonly Filter[] = [
    authentication(authenticator),
    impersonation(authorizer),
    authorization(authorizer),
  ]
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler)
}

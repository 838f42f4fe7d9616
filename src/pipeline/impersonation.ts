/** Lets a user act as somebody else, if that is asked for and allowed. */

import type { RequestContext } from '../api/request-context.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { type Impersonation, impersonate } from '../auth/impersonation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Filter, Handler } from './filter.ts'
import { answerInternalError } from './internal-server-error.ts'
import { refusalHeaders } from './refusal-headers.ts'

export function impersonation(authorizer: Authorizer): Filter {
  return (context, next) => {
    const result = impersonate(context.user, context.exchange, authorizer)
    return result instanceof Promise
      ? result.then((late) => proceed(context, late, next))
      : proceed(context, result, next)
  }
}

function proceed(context: RequestContext, result: Impersonation, next: Handler): Awaitable<void> {
  switch (result.outcome) {
    case 'not asked for':
      return next(context)
    case 'impersonated':
      context.user = result.user
      context.audit?.impersonatedAs(result.user)
      return next(context)
    case 'forbidden':
      throw result.error.withHeaders(refusalHeaders)
    case 'malformed':
      answerInternalError(context.exchange, result.message)
      return undefined
  }
}

/** Impersonation: a request acts as another user, if that is asked for and allowed. */

import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { ConstrainedImpersonation } from '../auth/constrained-impersonation.ts'
import { asksToImpersonate, type Impersonation, impersonate } from '../auth/impersonation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { requestAttributes } from './authorization.ts'
import type { Filter, Handler } from './filter.ts'
import { answerInternalError } from './internal-server-error.ts'
import { refusalHeaders } from './refusal-headers.ts'

export interface ImpersonationRules {
  /** The verbs of constrained impersonation count as well. */
  readonly constrained: boolean
  /** What is malformed is a bad request instead of an internal error. */
  readonly refusesMalformed: boolean
}

export function impersonation(authorizer: Authorizer, rules: ImpersonationRules): Filter {
  const modes = rules.constrained ? new ConstrainedImpersonation(authorizer) : undefined
  return (context, next) => {
    const { exchange } = context
    const result =
      modes !== undefined && asksToImpersonate(exchange)
        ? modes.impersonate(requestAttributes(context), exchange)
        : impersonate(context.user, exchange, authorizer)
    return result instanceof Promise
      ? result.then((late) => proceed(context, refused(late, rules), next))
      : proceed(context, refused(result, rules), next)
  }
}

const refused = (result: Impersonation, { refusesMalformed }: ImpersonationRules): Impersonation =>
  refusesMalformed && result.outcome === 'malformed'
    ? { outcome: 'refused', error: badRequest(result.message) }
    : result

function proceed(context: RequestContext, result: Impersonation, next: Handler): Awaitable<void> {
  switch (result.outcome) {
    case 'not asked for':
      return next(context)
    case 'impersonated':
      context.user = result.user
      context.audit?.impersonatedAs(result.user, result.constraint)
      return next(context)
    case 'forbidden':
      throw result.error.withHeaders(refusalHeaders)
    case 'refused':
      throw result.error.withHeaders(refusalHeaders)
    case 'malformed':
      answerInternalError(context.exchange, result.message)
      return undefined
  }
}

/** Impersonation: a request acts as another user, if that is asked for and allowed. */

import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { ConstrainedImpersonation } from '../auth/constrained-impersonation.ts'
import { asksToImpersonate, type Impersonation, impersonate } from '../auth/impersonation.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import { requestAttributes } from './authorization.ts'
import type { Filter, Handler } from './filter.ts'
import { answerInternalError } from './internal-server-error.ts'
import { refusalHeaders } from './refusal-headers.ts'

export interface ImpersonationRules {
  /** The verbs of constrained impersonation count as well. */
  readonly constrained: boolean
  /** What is malformed is a bad request instead of an internal error. */
  readonly refusesMalformed: boolean
  /** Of constrained impersonation. Absent: not counted. */
  readonly observer?: ImpersonationObserver | undefined
}

/** What is counted: by `legacy`, `user-info` … and `allowed` or `denied`. The mode of an attempt that was denied is empty. */
export interface ImpersonationObserver {
  readonly attempted: (mode: string, decision: string, seconds: number) => void
  readonly asked: (mode: string, decision: string, seconds: number) => void
}

export function impersonation(authorizer: Authorizer, rules: ImpersonationRules, clock: Clock): Filter {
  const modes = rules.constrained ? constrained(authorizer, rules.observer, clock) : undefined
  return (context, next) => {
    const { exchange } = context
    const result =
      modes !== undefined && asksToImpersonate(exchange)
        ? modes(context)
        : impersonate(context.user, exchange, authorizer)
    return result instanceof Promise
      ? result.then((late) => proceed(context, refused(late, rules), next))
      : proceed(context, refused(result, rules), next)
  }
}

function constrained(
  authorizer: Authorizer,
  observer: ImpersonationObserver | undefined,
  clock: Clock,
): (context: RequestContext) => Promise<Impersonation> {
  const modes = new ConstrainedImpersonation(
    observer === undefined ? authorizer : measuredAuthorizer(authorizer, observer.asked),
    clock,
  )
  return async (context) => {
    const began = performance.now()
    const result = await modes.impersonate(requestAttributes(context), context.exchange)
    const seconds = (performance.now() - began) / 1000
    if (result.outcome === 'impersonated') observer?.attempted(modeOf(result.constraint), 'allowed', seconds)
    if (result.outcome === 'forbidden') observer?.attempted('', 'denied', seconds)
    return result
  }
}

function measuredAuthorizer(authorizer: Authorizer, asked: ImpersonationObserver['asked']): Authorizer {
  return {
    async authorize(attributes) {
      const began = performance.now()
      const decision = await authorizer.authorize(attributes)
      const seconds = (performance.now() - began) / 1000
      asked(modeOf(attributes.verb), decision.verdict === 'allow' ? 'allowed' : 'denied', seconds)
      return decision
    },
  }
}

/** The mode of a verb: `user-info` of `impersonate:user-info` and of `impersonate-on:user-info:list`. */
function modeOf(verb = 'impersonate'): string {
  if (verb === 'impersonate') return 'legacy'
  const [, mode = 'unknown'] = /^impersonate(?:-on)?:([^:]+)/.exec(verb) ?? []
  return mode
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

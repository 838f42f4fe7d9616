/** The order in which a request passes the filters, from the outermost to the handler. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { Clock } from '../lib/clock.ts'
import { audit, auditFailedAuthentication } from './audit/audit-filter.ts'
import type { AuditOptions } from './audit/recorder.ts'
import { auditId } from './audit-id.ts'
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
  readonly clock: Clock
  /** Absent: nothing is audited. */
  readonly audit: AuditOptions | undefined
}

export function filterChain(parts: ChainParts, handler: Handler): Handler {
  const { authenticator, authorizer, observer, clock, audit: audited } = parts
  const filters: readonly Filter[] = [
    auditId(clock),
    metrics(observer),
    authentication(authenticator, audited && ((context) => auditFailedAuthentication(audited, context))),
    ...(audited === undefined ? [] : [audit(audited)]),
    impersonation(authorizer),
    authorization(authorizer),
  ]
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler)
}

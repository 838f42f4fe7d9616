/** The order in which a request passes the filters, from the outermost to the handler. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Tracer } from '../lib/tracer.ts'
import { audit, auditFailedAuthentication } from './audit/audit-filter.ts'
import type { AuditRecorderOptions } from './audit/recorder.ts'
import { auditId } from './audit-id.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { goAway, strictTransportSecurity } from './connection-headers.ts'
import { deadline, type OnLateEnd } from './deadline.ts'
import type { Filter, Handler } from './filter.ts'
import { type ImpersonationRules, impersonation } from './impersonation.ts'
import { metrics, type RequestObserver, type TimedFilter, trackCompleted } from './metrics.ts'
import { readablePath } from './readable-path.ts'
import { requestLog } from './request-log.ts'
import type { RunningRequests } from './running-requests.ts'
import { type ShutdownState, shutdown } from './shutdown.ts'
import { tracing } from './tracing.ts'

export interface ChainParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Counts requests. */
  readonly observer: RequestObserver
  readonly logger: Logger
  readonly clock: Clock
  /** Absent: nothing is audited. */
  readonly audit: AuditRecorderOptions | undefined
  /** Absent: nothing is traced. */
  readonly tracer: Tracer | undefined
  /** Refuses requests with a console's cookie that pages of other origins may have sent. Absent: there is no console. */
  readonly consoleGuard: Filter | undefined
  readonly running: RunningRequests
  readonly shutdown: ShutdownState
  /** Called for handlers that end after their request's time. */
  readonly onLateEnd?: OnLateEnd
  /** Lets requests through while there is room for them. */
  readonly flowControl: Filter
  /** What that is called. */
  readonly flowControlName: TimedFilter
  readonly serving: ServingParts
}

export interface ServingParts {
  /** In milliseconds; 0 for none. */
  readonly requestTimeout: number
  /** Absent: browsers may call from nowhere. */
  readonly cors: Filter | undefined
  readonly hstsDirectives: readonly string[]
  readonly goAwayChance: number
  /** Impersonation may be constrained by verbs of its own. */
  readonly impersonation: ImpersonationRules
}

export function filterChain(parts: ChainParts, handler: Handler): Handler {
  const { authenticator, authorizer, observer, clock, audit: audited } = parts
  const { requestTimeout, cors, hstsDirectives, goAwayChance } = parts.serving
  const filters: readonly Filter[] = [
    auditId(clock),
    metrics(observer),
    requestLog(parts.logger),
    shutdown(parts.shutdown),
    readablePath,
    ...(hstsDirectives.length > 0 ? [strictTransportSecurity(hstsDirectives)] : []),
    ...(goAwayChance > 0 ? [goAway(goAwayChance, clock)] : []),
    deadline(parts.running, requestTimeout, parts.onLateEnd),
    ...(cors === undefined ? [] : [cors]),
    ...(parts.consoleGuard === undefined ? [] : [parts.consoleGuard]),
    authentication(authenticator, {
      observer,
      onFailed: audited && ((context) => auditFailedAuthentication(audited, context)),
    }),
    ...(parts.tracer === undefined ? [] : [tracing(parts.tracer)]),
    ...(audited === undefined ? [] : [audit(audited), trackCompleted(observer, 'audit')]),
    impersonation(authorizer, parts.serving.impersonation, clock),
    trackCompleted(observer, 'impersonation'),
    parts.flowControl,
    trackCompleted(observer, parts.flowControlName),
    authorization(authorizer, observer),
  ]
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler)
}

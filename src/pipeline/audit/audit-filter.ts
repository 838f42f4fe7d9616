/** Records requests as the audit policy says. The exchange observes the answers, whichever handler writes them. */

import type { AuditTrail } from '../../api/audit-trail.ts'
import { textOfHeader, wellFormed } from '../../api/byte-text.ts'
import { escapedPath } from '../../api/golang/url.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { UserInfo } from '../../api/user.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { requestAttributes } from '../authorization.ts'
import { hasTimedOut } from '../deadline.ts'
import type { Filter, Handler } from '../filter.ts'
import { answerInternalError } from '../internal-server-error.ts'
import { isLongRunning } from '../long-running.ts'
import { DelayedExchange } from './delayed-exchange.ts'
import { type AuditedRequest, AuditRecorder, type AuditRecorderOptions } from './recorder.ts'
import { sourceIps } from './source-ips.ts'

export function audit(options: AuditRecorderOptions): Filter {
  return (context, next) => {
    const recorder = AuditRecorder.of(options, auditedRequest(context))
    if (recorder === undefined) return next(context)
    for (const [key, value] of Object.entries(context.credentialAnnotations ?? {})) recorder.annotate(key, value)
    const proceed = (isKept: boolean): Awaitable<void> =>
      isKept ? follow(context, recorder, { next, holdsAnswers: options.holdsAnswers }) : refuse(context, options)
    const kept = recorder.received()
    return whenReady(kept, proceed)
  }
}

function follow(
  context: RequestContext,
  recorder: AuditRecorder,
  { next, holdsAnswers = false }: { readonly next: Handler; readonly holdsAnswers: boolean | undefined },
): Awaitable<void> {
  const { exchange } = context
  context.audit = context.audit === undefined ? recorder : alongside(context.audit, recorder)
  exchange.onEnd((code) => void recorder.complete(code))
  const lasts = isLongRunning(context.info)
  if (holdsAnswers) {
    context.exchange = new DelayedExchange(exchange, {
      beforeHead: lasts ? (code) => recorder.started(code) : undefined,
      // A request past its deadline does not wait for this as well.
      beforeEnd: (code) => (hasTimedOut(context) ? undefined : recorder.complete(code)),
    })
  } else if (lasts) exchange.onStart((code) => void recorder.started(code))
  return next(context)
}

/** Passes the annotations on to other observers as well. */
function alongside(observer: AuditTrail, recorder: AuditRecorder): AuditTrail {
  return {
    get wantsResponse() {
      return recorder.wantsResponse
    },
    impersonatedAs: (user, constraint) => recorder.impersonatedAs(user, constraint),
    annotate(key, value, from) {
      observer.annotate(key, value, from)
      recorder.annotate(key, value, from)
    },
    requestObject: (object) => recorder.requestObject(object),
    requestObjectInSteps: (object) => recorder.requestObjectInSteps(object),
    requestPatch: (patch) => recorder.requestPatch(patch),
    responseObject: (object) => recorder.responseObject(object),
    responseObjectInSteps: (object) => recorder.responseObjectInSteps(object),
    panicked: (why) => recorder.panicked(why),
  }
}

function refuse({ exchange }: RequestContext, { observer }: AuditRecorderOptions): void {
  observer.rejected()
  answerInternalError(exchange, 'failed to store audit event')
}

const unauthenticated: UserInfo = { name: '', groups: [], extra: new Map() }

/** Records a request whose sender could not be found out: one event, when it is refused. */
export function auditFailedAuthentication(options: AuditRecorderOptions, context: RequestContext): void {
  const recorder = AuditRecorder.of(options, auditedRequest(context, unauthenticated))
  if (recorder === undefined) return
  context.audit = recorder
  if (options.holdsAnswers) {
    context.exchange = new DelayedExchange(context.exchange, { beforeHead: (code) => recorder.started(code) })
  } else context.exchange.onStart((code) => void recorder.started(code))
}

const maxUserAgentLength = 1024

function auditedRequest(context: RequestContext, user: UserInfo = context.user): AuditedRequest {
  const { exchange, auditId } = context
  const path = escapedPath(exchange.path)
  const agent = context.header('user-agent') ?? ''
  return {
    auditId,
    uri: exchange.query === '' ? path : `${path}?${exchange.query}`,
    attributes: { ...requestAttributes(context), user },
    userAgent: wellFormed(
      textOfHeader(agent.slice(0, maxUserAgentLength)) + (agent.length > maxUserAgentLength ? '...TRUNCATED' : ''),
    ),
    sourceIps: sourceIps(context.header('x-forwarded-for'), context.header('x-real-ip'), exchange.peer.remoteAddress),
    waits: () => context.waits,
  }
}

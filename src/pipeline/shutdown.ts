/** Refuses requests once the server has begun to shut down; health checks are answered to the end. */
import type { RequestContext } from '../api/request-context.ts'
import type { Filter } from './filter.ts'

/**
 * `retry-after`: the server still listens, and asks clients to come back on another connection. `unavailable`: what
 * still comes on connections that are open is refused.
 */
export type Refusal = 'retry-after' | 'unavailable'

export class ShutdownState {
  refusal: Refusal | undefined
}

const exemptPaths = ['/readyz', '/livez', '/healthz', '/metrics']

export function shutdown(state: ShutdownState): Filter {
  return (context, next) => {
    if (state.refusal === undefined || isExempt(context)) return next(context)
    if (state.refusal === 'retry-after') askToReturn(context)
    else answerUnavailable(context)
    return undefined
  }
}

function isExempt(context: RequestContext): boolean {
  if (exemptPaths.some((path) => context.info.path.startsWith(path))) return true
  return context.header('user-agent')?.startsWith('kube-apiserver/') ?? false
}

function askToReturn({ exchange }: RequestContext): void {
  exchange.addHeader('Connection', 'close')
  exchange.addHeader('Retry-After', '5')
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  exchange.respond(429, headers, 'The apiserver is shutting down, please try again later.\n')
}

function answerUnavailable({ exchange }: RequestContext): void {
  exchange.addHeader('Connection', 'close')
  exchange.addHeader('Retry-After', '1')
  const headers = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }
  exchange.respond(503, headers, unavailableBody)
}

const unavailableBody = `${JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'apiserver is shutting down',
  reason: 'ServiceUnavailable',
  code: 503,
})}\n\n`

/** The authentication filter: sets the user of the request. An invalid credential is a 401, whatever else might let the request in. */

import type { RequestContext } from '../api/request-context.ts'
import { unauthorized } from '../api/status-error.ts'
import { extraSpaceWarning, hasExtraSpace } from '../auth/authentication/bearer-token.ts'
import type { Authenticated, AuthenticationResult, Authenticator } from '../auth/authenticator.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Filter, Handler } from './filter.ts'
import type { RequestObserver } from './metrics.ts'

export interface AuthenticationParts {
  readonly observer?: Pick<RequestObserver, 'authenticated'> | undefined
  /** Called for requests that are refused, before they are. */
  readonly onFailed?: ((context: RequestContext) => void) | undefined
}

export function authentication(authenticator: Authenticator, { observer, onFailed }: AuthenticationParts): Filter {
  const admit = (context: RequestContext, result: AuthenticationResult, next: Handler): Awaitable<void> => {
    if (result.outcome !== 'authenticated') {
      observer?.authenticated(context, result.outcome === 'failed' ? 'error' : 'failure')
      onFailed?.(context)
      throw unauthorized()
    }
    context.user = result.user
    observer?.authenticated(context, 'success')
    if (result.consumedHeaders !== undefined) hide(context, result.consumedHeaders)
    if (result.annotations !== undefined || result.warnings !== undefined) pass(context, result)
    return next(context)
  }
  return (context, next) => {
    const { exchange, info } = context
    if (hasExtraSpace(exchange)) context.warn(extraSpaceWarning)
    const result = authenticator.authenticate({
      headers: exchange.headers,
      rawHeaders: exchange.rawHeaders,
      peerCertificates: exchange.peer.certificates(),
      remoteAddress: exchange.peer.remoteAddress,
      path: info.path,
    })
    if (result instanceof Promise) return result.then((late) => admit(context, late, next))
    return admit(context, result, next)
  }
}

function pass(context: RequestContext, { annotations, warnings = [] }: Authenticated): void {
  context.credentialAnnotations = annotations
  for (const text of warnings) context.warn(text)
}

/** What a proxy said of its client is not passed on to pods and other servers. */
function hide({ exchange }: RequestContext, names: readonly string[]): void {
  const headers: Record<string, unknown> = exchange.headers
  for (const name of names) delete headers[name]
}

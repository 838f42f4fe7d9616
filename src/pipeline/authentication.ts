/** Finds out who sends the request. A credential that is not good is a 401, whatever else might let the request in. */
import type { RequestContext } from '../api/request-context.ts'
import { unauthorized } from '../api/status-error.ts'
import type { AuthenticationResult, Authenticator } from '../auth/authenticator.ts'
import type { Filter } from './filter.ts'

export function authentication(authenticator: Authenticator): Filter {
  return (context, next) => {
    const { exchange, info } = context
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

function admit(
  context: RequestContext,
  result: AuthenticationResult,
  next: (context: RequestContext) => void | Promise<void>,
) {
  if (result.outcome !== 'authenticated') throw unauthorized()
  context.user = result.user
  return next(context)
}

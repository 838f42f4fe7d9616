/**
 * Logs every request when its answer is complete, as kube-apiserver does from `--v=3` on: what was asked, by whom, what came of
 * it and how long it took. Costs one look at the level where it is off.
 */
import { textOfHeader, wellFormed } from '../api/byte-text.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { Logger } from '../lib/logger.ts'
import type { Filter } from './filter.ts'

export function requestLog(logger: Logger): Filter {
  return (context, next) => {
    if (logger.isLevelEnabled('request')) {
      const begin = performance.now()
      context.exchange.onEnd((status) =>
        logger.request(requestFacts(context, status, performance.now() - begin), 'HTTP'),
      )
    }
    return next(context)
  }
}

/** The names of the reference's log line, and the user. `resp` is 0 when the client went away before there was an answer. */
function requestFacts(context: RequestContext, status: number, ms: number): object {
  const { exchange, info, user } = context
  return {
    verb: info.verb.toUpperCase(),
    URI: exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`,
    latency: `${ms.toFixed(3)}ms`,
    user: user.name,
    userAgent: wellFormed(textOfHeader(context.header('user-agent') ?? '')),
    'audit-ID': context.auditId,
    srcIP: exchange.peer.remoteAddress,
    resp: status,
  }
}

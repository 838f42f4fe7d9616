/** Names every request: by the name that the client gave it, or by a new one. The answer says it. */
import type { Clock } from '../lib/clock.ts'
import type { Filter } from './filter.ts'

export function auditId(clock: Clock): Filter {
  return (context, next) => {
    context.auditId = context.header('audit-id') || clock.uuid()
    context.exchange.addHeader('Audit-Id', context.auditId)
    return next(context)
  }
}

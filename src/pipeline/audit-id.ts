/** Gives every request its audit ID: the client's own or a new one, which the answer carries (`Audit-Id`). */
import type { Clock } from '../lib/clock.ts'
import type { Filter } from './filter.ts'

export function auditId(clock: Clock): Filter {
  return (context, next) => {
    context.auditId = context.header('audit-id') || clock.uuid()
    context.exchange.addHeader('Audit-Id', context.auditId)
    return next(context)
  }
}

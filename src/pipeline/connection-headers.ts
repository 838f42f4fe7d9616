/** Headers of every answer that are about the connection rather than the request. */
import type { Clock } from '../lib/clock.ts'
import type { Filter } from './filter.ts'

/** Asks some HTTP/2 clients to connect anew, so that they spread over the servers behind a balancer. */
export function goAway(chance: number, clock: Pick<Clock, 'random'>): Filter {
  return (context, next) => {
    const { exchange } = context
    if (exchange.httpVersion === '2.0' && clock.random() < chance) exchange.addHeader('Connection', 'close')
    return next(context)
  }
}

/** HSTS: browsers are to use TLS only. */
export function strictTransportSecurity(directives: readonly string[]): Filter {
  const value = directives.join('; ')
  return (context, next) => {
    context.exchange.addHeader('Strict-Transport-Security', value)
    return next(context)
  }
}

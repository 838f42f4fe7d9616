/** The 429 of a request that exceeds a limit, with `Retry-After`. */
import type { RequestContext } from '../api/request-context.ts'

export function answerTooMany({ exchange }: RequestContext, retryAfterSeconds: number): void {
  exchange.addHeader('Retry-After', String(retryAfterSeconds))
  exchange.respond(429, tooManyHeaders, 'Too many requests, please try again later.\n')
}

const tooManyHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

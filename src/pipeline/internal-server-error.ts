/** The answer to a request that failed before anything could say in which form to answer: 500 and plain text. */
import type { Exchange } from '../api/exchange.ts'
import { quote } from '../api/field-error.ts'
import { withoutMarkup } from '../lib/without-markup.ts'

export function answerInternalError(exchange: Exchange, why: string): void {
  const { path, query } = exchange
  const uri = query === '' ? path : `${path}?${query}`
  exchange.respond(
    500,
    { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    `${withoutMarkup(`Internal Server Error: ${quote(uri)}: ${why}`)}\n`,
  )
}

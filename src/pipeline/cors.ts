/** Lets pages of the given origins call the server from browsers. */

import type { RequestContext } from '../api/request-context.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, type Steps } from '../lib/in-turns.ts'
import { Pattern, PatternLimitError, patternAtOnce } from '../lib/regexp/pattern.ts'
import type { Filter, Handler } from './filter.ts'

const headers = {
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'Access-Control-Expose-Headers': 'Date',
  'Access-Control-Allow-Credentials': 'true',
}

/** `origins` are regular expressions; they match any part of an origin unless they say otherwise. */
export function cors(origins: readonly string[]): Filter {
  const patterns = origins.map(compiled)
  return (context, next) => {
    const origin = context.header('origin')
    if (origin === undefined || origin === '') return next(context)
    const isAllowed = inTurns(matchesAny(patterns, origin))
    const go = (allowed: boolean): Awaitable<void> => (allowed ? answer(context, origin, next) : next(context))
    return whenReady(isAllowed, go)
  }
}

function compiled(origin: string): Pattern {
  const pattern = patternAtOnce(origin)
  if (pattern instanceof Pattern) return pattern
  throw pattern
}

/** An origin is a stranger's text, and may be as long as a header. */
function* matchesAny(patterns: readonly Pattern[], origin: string): Steps<boolean> {
  for (const pattern of patterns) {
    try {
      if (yield* pattern.test(origin)) return true
    } catch (error) {
      if (!(error instanceof PatternLimitError)) throw error
    }
  }
  return false
}

function answer(context: RequestContext, origin: string, next: Handler): Awaitable<void> {
  const { exchange } = context
  exchange.addHeader('Access-Control-Allow-Origin', origin)
  for (const [name, value] of Object.entries(headers)) exchange.addHeader(name, value)
  if (exchange.method !== 'OPTIONS') return next(context)
  exchange.respond(204, {}, '')
  return undefined
}

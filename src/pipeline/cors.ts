/** Lets pages of the given origins call the server from browsers. */
import { RE2JS } from 're2js'
import type { Filter } from './filter.ts'

const headers = {
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'Access-Control-Expose-Headers': 'Date',
  'Access-Control-Allow-Credentials': 'true',
}

/** `origins` are regular expressions; they match any part of an origin unless they say otherwise. */
export function cors(origins: readonly string[]): Filter {
  const patterns = origins.map((origin) => RE2JS.compile(origin))
  return (context, next) => {
    const { exchange } = context
    const origin = context.header('origin')
    if (origin === undefined || origin === '') return next(context)
    if (!patterns.some((pattern) => pattern.matcher(origin).find())) return next(context)
    exchange.addHeader('Access-Control-Allow-Origin', origin)
    for (const [name, value] of Object.entries(headers)) exchange.addHeader(name, value)
    if (exchange.method !== 'OPTIONS') return next(context)
    exchange.respond(204, {}, '')
    return undefined
  }
}

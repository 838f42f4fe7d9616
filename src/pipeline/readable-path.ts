/** Refuses paths that begin with a verb and name nothing it could be about: no authorization attributes can be derived from them. */
import type { Filter } from './filter.ts'
import { answerInternalError } from './internal-server-error.ts'

export const readablePath: Filter = (context, next) => {
  const { exchange, info } = context
  if (info.pathVerb === '' || info.parts.length > 0) return next(context)
  const uri = exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`
  const why = `unable to determine kind and namespace from url, ${uri}`
  answerInternalError(exchange, `failed to create RequestInfo: ${why}`)
  return undefined
}

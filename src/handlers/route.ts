/** What the reference's routes look at before anything else: the method, the type of the body, what is accepted. */
import type { RequestContext } from '../api/request-context.ts'
import { type ApiError, changedSince, methodNotAllowed } from '../api/status-error.ts'
import { routeConsumes, routeNotAcceptable, routeProduces, routeUnsupportedMediaType } from '../codec/negotiation.ts'

export interface RouteTypes {
  readonly produces: readonly string[]
  /** Of a body, which has no effect; absent: any. */
  readonly consumes?: readonly string[]
}

const writeMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** The refusal of a request whose `Accept` names nothing that the route produces. */
export function unproducible(context: RequestContext, produced: readonly string[]): ApiError {
  const isUnsizedWrite = writeMethods.has(context.exchange.method) && !context.header('content-length')
  return changedSince('routeTypesFirst', routeNotAcceptable(produced, { isUnsizedWrite }), routeNotAcceptable(produced))
}

/** Throws unless a document that is only read can be read by this request. */
export function checkReadRoute(context: RequestContext, { produces, consumes }: RouteTypes): void {
  if (context.exchange.method !== 'GET') throw methodNotAllowed()
  const contentType = context.header('content-type')
  if (consumes !== undefined && contentType !== undefined && !routeConsumes(contentType, consumes)) {
    const hasBody = (context.header('content-length') ?? '0') !== '0'
    throw hasBody
      ? routeUnsupportedMediaType()
      : changedSince('routeTypesFirst', routeNotAcceptable([]), routeUnsupportedMediaType())
  }
  if (!routeProduces(context.header('accept'), produces)) throw routeNotAcceptable(produces)
}

/** A stage that every request passes: it looks, may refuse by throwing, and passes the request on. */
import type { RequestContext } from '../api/request-context.ts'

export type Handler = (context: RequestContext) => void | Promise<void>
export type Filter = (context: RequestContext, next: Handler) => void | Promise<void>

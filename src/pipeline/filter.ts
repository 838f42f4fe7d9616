/** A stage that every request passes: it looks, may refuse by throwing, and passes the request on. */

import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'

export type Handler = (context: RequestContext) => Awaitable<void>
export type Filter = (context: RequestContext, next: Handler) => Awaitable<void>

/** The object that a request brought, for the audit log. */
import type { JsonObject } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import { isLarge } from '../registry/write-request.ts'

/** A promise where that takes several turns: the object must not change meanwhile. */
export function noteObject({ audit, bodyBytes }: RequestContext, object: JsonObject): Awaitable<void> {
  if (audit === undefined) return
  if (isLarge(bodyBytes)) return inTurns(audit.requestObjectInSteps(object))
  audit.requestObject(object)
}

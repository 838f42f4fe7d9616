/** Records the object of a request's body for the audit log (`requestObject`). */
import type { JsonObject } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { RequestContext } from '../api/request-context.ts'
import { withoutZeroTime } from '../api/zero-time.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import { isLarge } from '../registry/write-request.ts'

/** A promise where that takes several turns: the object must not change meanwhile. */
export function auditObject(
  { audit, bodyBytes }: Pick<RequestContext, 'audit' | 'bodyBytes'>,
  object: JsonObject,
  release = defaultRelease,
): Awaitable<void> {
  if (audit === undefined) return
  const noted = hasChange(release, 'omitsZeroTime') ? asGiven(object) : object
  if (isLarge(bodyBytes)) return inTurns(audit.requestObjectInSteps(noted))
  audit.requestObject(noted)
}

/** Without what a body that has no metadata is completed by: only that of a custom object, the others have an empty one by their type. */
function asGiven(object: JsonObject): JsonObject {
  const given = withoutZeroTime(object)
  if (given === object || keysOf(given['metadata'] as JsonObject).length > 0) return given
  const { metadata: _, ...rest } = given
  return rest
}

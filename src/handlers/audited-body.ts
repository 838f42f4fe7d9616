/** Records the object of a request's body for the audit log (`requestObject`). */
import type { JsonObject } from '../api/json.ts'
import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { RequestContext } from '../api/request-context.ts'
import { withoutZeroTime } from '../api/zero-time.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns } from '../lib/in-turns.ts'
import { isLarge } from '../registry/write-request.ts'

/** A promise where that takes several turns: the object must not change meanwhile. `lacksMetadata`: as of the decoded body. */
export function auditObject(
  { audit, bodyBytes }: Pick<RequestContext, 'audit' | 'bodyBytes'>,
  object: JsonObject,
  release = defaultRelease,
  lacksMetadata = false,
): Awaitable<void> {
  if (audit === undefined) return
  const noted = hasChange(release, 'omitsZeroTime') ? asGiven(object, lacksMetadata) : object
  if (isLarge(bodyBytes)) return inTurns(audit.requestObjectInSteps(noted))
  audit.requestObject(noted)
}

function asGiven(object: JsonObject, lacksMetadata: boolean): JsonObject {
  if (!lacksMetadata) return withoutZeroTime(object)
  const { metadata: _, ...given } = object
  return given
}

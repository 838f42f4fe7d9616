/** What handlers report to the audit log about the request that they answer. Absent from a request that is not audited. */

import type { Steps } from '../lib/in-turns.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { UserInfo } from './user.ts'

/** Notes something for the audit log; `from`: only where that level or a higher one is recorded. */
export type Annotate = (key: string, value: string, from?: 'Request') => void

export interface AuditTrail {
  /** Whether the answer is recorded: then it must come through `responseObject`. */
  readonly wantsResponse: boolean
  impersonatedAs(user: UserInfo, constraint?: string): void
  /** What was said first under a key stays. */
  annotate(key: string, value: string, from?: 'Request'): void
  /** The object that the request brought, before anything changes it. */
  requestObject(object: JsonObject): void
  /** The same of a large one, which does not change meanwhile. */
  requestObjectInSteps(object: JsonObject): Steps<void>
  /** What a patch says. `patch` is called only if that is recorded. */
  requestPatch(patch: () => Steps<JsonValue>): Steps<void>
  /** The object that is answered; a Status says how the request ended even where objects are not recorded. */
  responseObject(object: JsonObject): void
  responseObjectInSteps(object: JsonObject): Steps<void>
  /** Something broke inside of the server. */
  panicked(why: string): void
}

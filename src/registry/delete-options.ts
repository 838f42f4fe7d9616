/** `DeleteOptions` after decoding, from the body or from the query. */
import type { JsonObject } from '../api/json.ts'

export interface DeleteOptions extends JsonObject {
  gracePeriodSeconds?: number
  preconditions?: { uid?: string; resourceVersion?: string }
  orphanDependents?: boolean
  propagationPolicy?: string
  dryRun?: string[]
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

/**
 * `DeleteOptions` after decoding, from the body or from the query.
 * Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation: ValidateDeleteOptions.
 */

import type { FieldError } from '../api/field-error.ts'
import { notSupportedAs } from '../api/field-error.ts'
import { goStrings } from '../api/golang/value.ts'
import type { JsonObject } from '../api/json.ts'

export interface DeleteOptions extends JsonObject {
  gracePeriodSeconds?: number
  preconditions?: { uid?: string; resourceVersion?: string }
  orphanDependents?: boolean
  propagationPolicy?: string
  dryRun?: string[]
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

/** There is one way to only try. */
export function validateDryRun(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === 'All')) return []
  return [notSupportedAs('dryRun', () => goStrings(dryRun), ['All'])]
}

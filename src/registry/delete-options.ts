/**
 * `DeleteOptions` after decoding, from the body or from the query.
 * Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation: ValidateDeleteOptions.
 */
import type { FieldError } from '../api/field-error.ts'
import { quote } from '../api/golang/quote.ts'
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
  const list = `[]string{${dryRun.map(quote).join(', ')}}`
  const message = `Unsupported value: ${list}: supported values: "All"`
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }]
}

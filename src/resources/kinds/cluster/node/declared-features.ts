/**
 * What a node says that it can do: names in their order, each once. Releases after the default one have them.
 * Mirrors pkg/apis/core/validation: validateNodeDeclaredFeatures.
 */

import { duplicate, invalid, quote } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import type { NodeStatus } from '../../../../catalog/types/core-v1.ts'
import type { Errors } from '../../../checks/checks.ts'

const at = FieldPath.of('status', 'declaredFeatures')
const form = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const maxLength = 253

const declaredFeatures = (status: NodeStatus | undefined): readonly string[] =>
  (status as { readonly declaredFeatures?: readonly string[] } | undefined)?.declaredFeatures ?? []

export function validateDeclaredFeatures(errors: Errors, status: NodeStatus | undefined): void {
  const features = declaredFeatures(status)
  eachItem(errors, features, (errors, feature, i) => {
    const problem = problemOf(feature)
    if (problem !== undefined) {
      errors.push(invalid(at.index(i), feature, `invalid feature name ${quote(feature)}: ${problem}`))
    }
    const next = features[i + 1]
    if (next === undefined) return
    if (feature === next) errors.push(duplicate(at.index(i + 1), next))
    else if (isAfter(feature, next)) errors.push(invalid(at.index(i + 1), next, 'list must be sorted alphabetically'))
  })
}

/** By their bytes. */
const isAfter = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0

function problemOf(feature: string): string | undefined {
  if (Buffer.byteLength(feature) > maxLength) return `must be no more than ${maxLength} characters`
  if (form.test(feature)) return undefined
  const examples = '(e.g., MyFeature or MyFeature/mySubFeature)'
  return `must start with an UpperCamelCase segment, with subsequent segments separated by '/' ${examples}, and contain only alphanumeric characters and slashes`
}

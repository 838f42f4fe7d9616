/**
 * Label keys of affinities and spreading, which stand for the pod's own values of those labels.
 * Mirrors pkg/apis/core/validation: ValidateMatchLabelKeysAndMismatchLabelKeys.
 * Mirrors pkg/registry/core/pod: mutatePodAffinity, mutateTopologySpreadConstraints.
 */
import { forbidden, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { ownValue } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import type { StringMap } from '../../../api/object.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import type { PodSpec, TopologySpreadConstraint } from '../../../catalog/types/core-v1.ts'
import type { LabelSelector, LabelSelectorRequirement } from '../../../catalog/types/meta-v1.ts'
import { mapItems } from '../../../lib/map-items.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { checkQualified, type Errors } from '../../checks/checks.ts'
import { withMember } from './with-member.ts'

interface Keyed {
  readonly labelSelector?: LabelSelector
  readonly matchLabelKeys?: string[]
  readonly mismatchLabelKeys?: string[]
}

/** A selector that nothing is added to stays as it is, and one that is none matches none. */
export function withLabelKeys<Term extends Keyed>(term: Term, labels: StringMap): Term {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term
  if (labelSelector === undefined) return term
  const added = [...requirements(matchLabelKeys, 'In', labels), ...requirements(mismatchLabelKeys, 'NotIn', labels)]
  if (added.length === 0) return term
  const { matchExpressions = [] } = labelSelector
  return { ...term, labelSelector: { ...labelSelector, matchExpressions: [...matchExpressions, ...added] } }
}

function requirements(keys: readonly string[] = [], operator: string, labels: StringMap): LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = ownValue(labels, key)
    return typeof value !== 'string' ? [] : [{ key, operator, values: [value] }]
  })
}

export const withSpreadKeys = (spec: PodSpec, labels: StringMap): PodSpec =>
  withMember(spec, 'topologySpreadConstraints', (constraints) =>
    mapItems(constraints, (constraint) => withLabelKeys(constraint, labels)),
  )

/** Whether the keys of a constraint are in its selector, too: what was stored before the gate was turned may stay as it is. */
export function mergesSpreadKeys(gate: WriteContext['gate'], old: PodSpec | undefined): boolean {
  if (!gate('MatchLabelKeysInPodTopologySpread')) return false
  if (gate('MatchLabelKeysInPodTopologySpreadSelectorMerge')) return !breaks(old, validateLabelKeys)
  return gate('release:mergedSpreadKeys') && breaks(old, validateSpreadKeys)
}

type Rule = (errors: Errors, constraint: TopologySpreadConstraint, at: FieldPath) => void

function breaks(spec: PodSpec | undefined, rule: Rule): boolean {
  const errors: Errors = []
  for (const constraint of spec?.topologySpreadConstraints ?? []) rule(errors, constraint, FieldPath.root)
  return errors.length > 0
}

export function validateLabelKeys(errors: Errors, term: Keyed, at: FieldPath): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term
  const checkKeys = (keys: readonly string[], keysAt: FieldPath): void => {
    if (keys.length === 0) return
    if (labelSelector === undefined) {
      errors.push(forbidden(keysAt, 'must not be specified when labelSelector is not set'))
      return
    }
    eachItem(errors, keys, (errors, key, i) => {
      checkQualified(errors, key, keysAt.index(i))
    })
  }
  checkKeys(matchLabelKeys, at.child('matchLabelKeys'))
  checkKeys(mismatchLabelKeys, at.child('mismatchLabelKeys'))
  if (labelSelector !== undefined) validateNoDoubleKeys(errors, matchLabelKeys, labelSelector, at)
  if (matchLabelKeys.length === 0 || mismatchLabelKeys.length === 0) return
  const mismatched = new Set(mismatchLabelKeys)
  eachItem(errors, matchLabelKeys, (errors, key, i) => {
    if (!mismatched.has(key)) return
    const why = 'exists in both matchLabelKeys and mismatchLabelKeys'
    errors.push(invalid(at.child('matchLabelKeys').index(i), key, why))
  })
}

/** The selector already has what the keys stand for: a key that is there twice was given twice. */
function validateNoDoubleKeys(errors: Errors, keys: readonly string[], selector: LabelSelector, at: FieldPath): void {
  const { matchLabels = {}, matchExpressions = [] } = selector
  if (keys.length === 0 || matchExpressions.length === 0) return
  const seen = new Set(keysOf(matchLabels))
  const last = new Map(keys.map((key, i) => [key, i]))
  for (const { key } of matchExpressions) {
    const i = last.get(key)
    if (i !== undefined && seen.has(key)) {
      errors.push(invalid(at.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
    }
    seen.add(key)
  }
}

/** Keys of a constraint that are not merged: none is in the selector as well. Mirrors ValidateMatchLabelKeysInTopologySpread there. */
export function validateSpreadKeys(
  errors: Errors,
  { matchLabelKeys = [], labelSelector }: TopologySpreadConstraint,
  at: FieldPath,
): void {
  if (matchLabelKeys.length === 0) return
  if (labelSelector === undefined) errors.push(forbidden(at, 'must not be specified when labelSelector is not set'))
  const selected = new Set([
    ...keysOf(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ])
  eachItem(errors, matchLabelKeys, (errors, key, i) => {
    checkQualified(errors, key, at.index(i))
    if (selected.has(key)) errors.push(invalid(at.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
  })
}

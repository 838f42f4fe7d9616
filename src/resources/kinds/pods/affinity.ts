/**
 * Where a pod may or would rather run: node selectors, affinities to other pods, spreading.
 * Mirrors pkg/apis/core/validation: validateAffinity, ValidateNodeSelector, validateTopologySpreadConstraints.
 */

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomainName } from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import type {
  Affinity,
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { addMessages, checkOneOf, checkPositive, type Errors, isUnset } from '../../checks/checks.ts'
import { validateLabelKeys, validateSpreadKeys } from './label-keys.ts'
import type { PodOptions } from './pod-options.ts'

const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'

export function validateAffinity(errors: Errors, affinity: Affinity, at: FieldPath, options: PodOptions): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  if (nodeAffinity !== undefined) {
    validateNodeAffinity(errors, nodeAffinity, at.child('nodeAffinity'), options.anyNodeAffinityValue)
  }
  const any = options.anyAffinityValue
  if (podAffinity !== undefined) validatePodAffinity(errors, podAffinity, at.child('podAffinity'), any)
  if (podAntiAffinity !== undefined) validatePodAffinity(errors, podAntiAffinity, at.child('podAntiAffinity'), any)
}

function validateNodeAffinity(errors: Errors, affinity: NodeAffinity, at: FieldPath, anyValue: boolean): void {
  const selector = affinity[mandatory]
  if (selector !== undefined) {
    validateNodeSelectorTerms(errors, selector.nodeSelectorTerms, at.child(mandatory, 'nodeSelectorTerms'), anyValue)
  }
  eachItem(errors, affinity[preferred] ?? [], (errors, { weight, preference }, i) => {
    const itemAt = at.child(preferred).index(i)
    validateWeight(errors, weight, itemAt)
    // A value that no label has matches nothing, which is no harm where it is only a preference.
    validateTerm(errors, preference, itemAt.child('preference'), true)
  })
}

export function validateNodeSelectorTerms(
  errors: Errors,
  terms: readonly NodeSelectorTerm[] | null | undefined,
  at: FieldPath,
  anyValue: boolean,
): void {
  if (terms === null || terms === undefined || terms.length === 0) {
    errors.push(required(at, 'must have at least one node selector term'))
    return
  }
  eachItem(errors, terms, (errors, term, i) => {
    validateTerm(errors, term, at.index(i), anyValue)
  })
}

function validateWeight(errors: Errors, weight: number, at: FieldPath): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(at.child('weight'), weight, 'must be in the range 1-100'))
}

function validateTerm(errors: Errors, term: NodeSelectorTerm, at: FieldPath, anyValue: boolean): void {
  eachItem(errors, term.matchExpressions ?? [], (errors, requirement, i) => {
    validateNodeRequirement(errors, requirement, at.child('matchExpressions').index(i), anyValue)
  })
  eachItem(errors, term.matchFields ?? [], (errors, requirement, i) => {
    validateNodeField(errors, requirement, at.child('matchFields').index(i))
  })
}

function validateNodeRequirement(
  errors: Errors,
  { key, operator, values = [] }: NodeSelectorRequirement,
  at: FieldPath,
  anyValue: boolean,
): void {
  const problem = countProblem(operator, values.length, at)
  if (problem !== undefined) errors.push(problem)
  addMessages(errors, at.child('key'), key, checkQualifiedName(key))
  if (anyValue) return
  eachItem(errors, values, (errors, value, i) => {
    addMessages(errors, at.child('values').index(i), value, checkLabelValue(value))
  })
}

function countProblem(operator: string, count: number, at: FieldPath): FieldError | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return undefined
      return required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return undefined
      return forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    case 'Gt':
    case 'Lt':
      if (count === 1) return undefined
      return required(at.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'")
    default:
      return invalid(at.child('operator'), operator, 'not a valid selector operator')
  }
}

/** Nodes can be chosen by one field, their name. */
function validateNodeField(
  errors: Errors,
  { key, operator, values = [] }: NodeSelectorRequirement,
  at: FieldPath,
): void {
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(at.child('operator'), operator, 'not a valid selector operator'))
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(required(at.child('values'), why))
  }
  if (key !== 'metadata.name') {
    errors.push(invalid(at.child('key'), key, 'not a valid field selector key'))
    return
  }
  eachItem(errors, values, (errors, value, i) => {
    addMessages(errors, at.child('values').index(i), value, checkSubdomainName(value))
  })
}

function validatePodAffinity(errors: Errors, affinity: PodAffinity, at: FieldPath, anyValue: boolean): void {
  eachItem(errors, affinity[mandatory] ?? [], (errors, term, i) => {
    validatePodTerm(errors, term, at.child(mandatory).index(i), anyValue)
  })
  eachItem(errors, affinity[preferred] ?? [], (errors, { weight, podAffinityTerm }, i) => {
    const itemAt = at.child(preferred).index(i)
    validateWeight(errors, weight, itemAt)
    validatePodTerm(errors, podAffinityTerm, itemAt.child('podAffinityTerm'), anyValue)
  })
}

function validatePodTerm(errors: Errors, term: PodAffinityTerm, at: FieldPath, anyValue: boolean): void {
  const options = { allowInvalidLabelValue: anyValue }
  pushAll(errors, validateLabelSelector(term.labelSelector, at.child('labelSelector'), options))
  pushAll(errors, validateLabelSelector(term.namespaceSelector, at.child('namespaceSelector'), options))
  eachItem(errors, term.namespaces ?? [], (errors, name) => {
    addMessages(errors, at.child('namespace'), name, checkLabelName(name))
  })
  validateLabelKeys(errors, term, at)
  const { topologyKey } = term
  if (isUnset(topologyKey)) errors.push(required(at.child('topologyKey'), 'can not be empty'))
  addMessages(errors, at.child('topologyKey'), topologyKey, checkQualifiedName(topologyKey))
}

const unsatisfiableActions = ['DoNotSchedule', 'ScheduleAnyway']
const inclusionPolicies = ['Honor', 'Ignore']

export function validateTopologySpread(
  errors: Errors,
  constraints: readonly TopologySpreadConstraint[],
  at: FieldPath,
  { anySpreadSelector, mergesSpreadKeys }: PodOptions,
): void {
  const last = new Map(constraints.map((constraint, i) => [spreadPair(constraint), i]))
  eachItem(errors, constraints, (errors, constraint, i) => {
    const itemAt = at.index(i)
    const { topologyKey, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint
    checkPositive(errors, constraint.maxSkew, itemAt, 'maxSkew')
    if (isUnset(topologyKey)) errors.push(required(itemAt.child('topologyKey'), 'can not be empty'))
    if (!unsatisfiableActions.includes(whenUnsatisfiable)) {
      errors.push(notSupported(itemAt.child('whenUnsatisfiable'), whenUnsatisfiable, unsatisfiableActions))
    }
    const pair = spreadPair(constraint)
    if ((last.get(pair) ?? i) > i) errors.push(duplicate(itemAt.child('{topologyKey, whenUnsatisfiable}'), pair))
    validateMinDomains(errors, constraint, itemAt)
    for (const [name, policy] of Object.entries({ nodeAffinityPolicy, nodeTaintsPolicy })) {
      if (policy !== undefined) checkOneOf(errors, policy, inclusionPolicies, itemAt, name)
    }
    if (mergesSpreadKeys) validateLabelKeys(errors, constraint, itemAt)
    else validateSpreadKeys(errors, constraint, itemAt.child('matchLabelKeys'))
    if (!anySpreadSelector) {
      pushAll(errors, validateLabelSelector(constraint.labelSelector, itemAt.child('labelSelector')))
    }
  })
}

const spreadPair = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
  `{${topologyKey}, ${whenUnsatisfiable}}`

function validateMinDomains(
  errors: Errors,
  { minDomains, whenUnsatisfiable }: TopologySpreadConstraint,
  at: FieldPath,
): void {
  if (minDomains === undefined) return
  checkPositive(errors, minDomains, at, 'minDomains')
  if (whenUnsatisfiable === 'DoNotSchedule') return
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
  errors.push(invalid(at.child('minDomains'), minDomains, why))
}

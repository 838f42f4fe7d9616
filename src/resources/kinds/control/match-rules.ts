/**
 * What webhooks and admission policies share: which requests they are about.
 * Mirrors pkg/apis/admissionregistration/validation: validateRule, validateRuleWithOperations, validateMatchResources.
 */

import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  type Quoted,
  required,
  tooMany,
} from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkPathSegmentName, checkQualifiedName } from '../../../api/names.ts'
import { rulesInSteps } from '../../../api/rules-in-steps.ts'
import { goStrings, goStructs, invalidAs, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../../catalog/types/admissionregistration-v1.ts'
import type { Steps } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { type ExpressionChecker, expressionErrors } from './expressions.ts'

export const failurePolicies = ['Fail', 'Ignore']
export const matchPolicies = ['Equivalent', 'Exact']
export const reinvocationPolicies = ['IfNeeded', 'Never']
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
/** What a policy that changes objects can be about: not deletion. */
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']
const maxMatchConditions = 64

export function validateOneOf(
  value: string | null | undefined,
  supported: readonly string[],
  at: FieldPath,
): FieldError[] {
  if (value === undefined || value === null || supported.includes(value)) return []
  return [notSupported(at, value, supported)]
}

export function validateRule(rule: RuleWithOperations, at: FieldPath): FieldError[] {
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  const errors: FieldError[] = []
  if (given.length === 0) errors.push(required(at.child('operations')))
  if (given.length > 1 && given.includes('*')) {
    const shown: Quoted = () => goStructs('admissionregistration.OperationType', given, podSyntaxText)
    errors.push(invalidAs(at.child('operations'), shown, "if '*' is present, must not specify other operations"))
  }
  given.forEach((operation, i) => {
    pushAll(errors, validateOneOf(operation, operations, at.child('operations').index(i)))
  })
  pushAll(errors, validateWildcard(apiGroups, at.child('apiGroups'), 'API groups'))
  pushAll(errors, validateWildcard(apiVersions, at.child('apiVersions'), 'API versions'))
  apiVersions.forEach((version, i) => {
    if (version === '') errors.push(required(at.child('apiVersions').index(i)))
  })
  return [
    ...errors,
    ...validateResources(resources, at.child('resources')),
    ...validateOneOf(scope, scopes, at.child('scope')),
  ]
}

function validateWildcard(values: readonly string[], at: FieldPath, what: string): FieldError[] {
  if (values.length === 0) return [required(at)]
  if (values.length === 1 || !values.includes('*')) return []
  return [invalidAs(at, () => goStrings(values), `if '*' is present, must not specify other ${what}`)]
}

function validateResources(resources: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (resources.length === 0) errors.push(required(at))
  const allOf = new Set<string>()
  const inAll = new Set<string>()
  let plain = false
  resources.forEach((resource, i) => {
    if (resource === '') {
      errors.push(required(at.index(i)))
      return
    }
    const slash = resource.indexOf('/')
    if (slash < 0) {
      // As in the reference, the last one of this kind decides.
      plain = resource !== '*'
      return
    }
    const name = resource.slice(0, slash)
    const part = resource.slice(slash + 1)
    const clash = (shown: string): void => {
      errors.push(invalid(at.index(i), resource, `if '${shown}' is present, must not specify ${resource}`))
    }
    if (allOf.has(name)) clash(`${name}/*`)
    if (inAll.has(part)) clash(`*/${part}`)
    if (part === '*') allOf.add(name)
    if (name === '*') inAll.add(part)
  })
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidAs(at, () => goStrings(resources), "if '*/*' is present, must not specify other resources"))
  }
  if (resources.includes('*') && plain) {
    const why = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalidAs(at, () => goStrings(resources), why))
  }
  return errors
}

const namesPerStep = 1_000

function* validateNamedRule(rule: NamedRuleWithOperations, at: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const names = new Set<string>()
  const namesAt = at.child('resourceNames')
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    if (i % namesPerStep === 0) yield
    for (const message of checkPathSegmentName(name)) errors.push(invalid(namesAt.index(i), name, message))
    if (names.has(name)) errors.push(duplicate(namesAt.index(i), name))
    names.add(name)
  }
  return [...errors, ...validateRule(rule, at)]
}

function* validateNamedRules(rules: readonly NamedRuleWithOperations[], at: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, rule] of rules.entries()) pushAll(errors, yield* validateNamedRule(rule, at.index(i)))
  return errors
}

export function* validateMatchResources(match: MatchResources | undefined, at: FieldPath): Steps<FieldError[]> {
  if (match === undefined) return []
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match
  const selector = (value: typeof namespaceSelector, name: string): Steps<FieldError[]> =>
    rulesInSteps(() =>
      value === undefined ? [required(at.child(name))] : validateLabelSelector(value, at.child(name)),
    )
  return [
    ...(matchPolicy === undefined
      ? [required(at.child('matchPolicy'))]
      : validateOneOf(matchPolicy, matchPolicies, at.child('matchPolicy'))),
    ...(yield* selector(namespaceSelector, 'namespaceSelector')),
    ...(yield* selector(objectSelector, 'objectSelector')),
    ...(yield* validateNamedRules(resourceRules, at.child('resourceRules'))),
    ...(yield* validateNamedRules(excludeResourceRules, at.child('excludeResourceRules'))),
  ]
}

export function validateMutatingOperations(match: MatchResources | undefined, at: FieldPath): FieldError[] {
  const operationsAt = at.child('resourceRules', 'operations')
  return (match?.resourceRules ?? []).flatMap((rule) =>
    (rule.operations ?? []).flatMap((operation) => validateOneOf(operation, mutatingOperations, operationsAt)),
  )
}

export interface ConditionOptions {
  readonly checker: ExpressionChecker
  readonly params: boolean
  /** The expressions that were there before the write. */
  readonly known: ReadonlySet<string>
}

export function* validateMatchConditions(
  conditions: readonly MatchCondition[],
  at: FieldPath,
  options: ConditionOptions,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (conditions.length > maxMatchConditions) errors.push(tooMany(at, conditions.length, maxMatchConditions))
  const names = new Set<string>()
  for (const [i, { name, expression }] of conditions.entries()) {
    yield
    pushAll(errors, validateCondition(expression.trim(), at.index(i).child('expression'), options))
    const nameAt = at.index(i).child('name')
    if (name === '') {
      errors.push(required(nameAt))
      continue
    }
    for (const message of checkQualifiedName(name)) errors.push(invalid(nameAt, name, message))
    if (names.has(name)) errors.push(duplicate(nameAt, name))
    names.add(name)
  }
  return errors
}

function validateCondition(
  expression: string,
  at: FieldPath,
  { checker, params, known }: ConditionOptions,
): FieldError[] {
  if (expression === '') return [required(at)]
  const problem = checker.check(expression, {
    result: 'bool',
    params,
    authorizer: true,
    stored: known.has(expression),
  })
  return expressionErrors(problem, at, expression)
}

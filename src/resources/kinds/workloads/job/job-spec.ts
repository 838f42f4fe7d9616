/**
 * The specification of a job, whether of a job itself or of the template in a cron job.
 * Mirrors pkg/apis/batch/validation: ValidateJobSpec, ValidateJobTemplateSpec.
 */

import {
  duplicate,
  invalid,
  notSupported,
  type Quoted,
  required,
  tooLong,
  tooMany,
} from '../../../../api/field-error.ts'
import type { FieldPath } from '../../../../api/field-path.ts'
import { checkQualifiedName, validateDomainPrefixedPath } from '../../../../api/names.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import {
  goNumbers,
  goStruct,
  goStructs,
  invalidAs,
  invalidOmitted,
  podSyntaxPointer,
} from '../../../../catalog/golang/pod-syntax.ts'
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../../../catalog/types/batch-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { addMessages, checkNotNegative, checkOneOf, type Errors } from '../../../checks/checks.ts'
import type { PodOptions } from '../../pods/pod-options.ts'
import { validateTemplate } from '../../pods/pod-template.ts'
import { countIndexes } from './index-ranges.ts'

const completionModes = ['NonIndexed', 'Indexed']
const failureActions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const exitCodeOperators = ['In', 'NotIn']
const conditionStatuses = ['False', 'True', 'Unknown']
const replacementPolicies = ['Failed', 'TerminatingOrFailed']

const maxParallelism = 100_000
const maxFailed = 100_000
const manyCompletions = 100_000
const parallelismOfMany = 10_000
const failedOfMany = 10_000
const maxFailureRules = 20
const maxExitCodes = 255
const maxConditionPatterns = 20
const maxSuccessRules = 20
const maxIndexesLength = 64 * 1024
const maxManagedByLength = 63

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
] as const satisfies readonly (keyof JobSpec)[]

/** As messages list values that are missing: `["A" "B"]`. */
const listed = (values: readonly string[]): string => `valid values: [${values.map((one) => `"${one}"`).join(' ')}]`

export function validateJobSpec(errors: Errors, spec: JobSpec, at: FieldPath, options: PodOptions): void {
  for (const name of counts) checkNotNegative(errors, spec[name], at, name)
  const { maxFailedIndexes, backoffLimitPerIndex, managedBy } = spec
  if (maxFailedIndexes !== undefined) {
    checkNotNegative(errors, maxFailedIndexes, at, 'maxFailedIndexes')
    if (backoffLimitPerIndex === undefined) {
      errors.push(required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'))
    }
  }
  if (managedBy !== undefined) {
    pushAll(errors, validateDomainPrefixedPath(at.child('managedBy'), managedBy))
    if (Buffer.byteLength(managedBy) > maxManagedByLength)
      errors.push(tooLong(at.child('managedBy'), maxManagedByLength))
  }
  validateCompletionMode(errors, spec, at)
  if (spec.podFailurePolicy !== undefined) validateFailurePolicy(errors, spec, at.child('podFailurePolicy', 'rules'))
  if (spec.successPolicy !== undefined) validateSuccessPolicy(errors, spec, at.child('successPolicy'))
  validateReplacement(errors, spec, at)
  validateTemplate(errors, spec.template, at.child('template'), options)
  validateRestartPolicy(errors, spec, at.child('template', 'spec', 'restartPolicy'))
}

function validateCompletionMode(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes } = spec
  if (completionMode !== undefined) checkOneOf(errors, completionMode, completionModes, at, 'completionMode')
  if (completionMode === 'Indexed') validateIndexed(errors, spec, at)
  if (completionMode !== undefined && completionMode !== 'NonIndexed') return
  for (const [name, value] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
    if (value !== undefined) errors.push(invalid(at.child(name), value, 'requires indexed completion mode'))
  }
}

function validateIndexed(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const { completions, parallelism = 0, maxFailedIndexes: failed } = spec
  const atMost = (name: string, value: number, limit: number | string, why = ''): void => {
    errors.push(invalid(at.child(name), value, `must be less than or equal to ${limit}${why}`))
  }
  if (completions === undefined) errors.push(required(at.child('completions'), 'when completion mode is Indexed'))
  if (parallelism > maxParallelism) {
    atMost('parallelism', parallelism, maxParallelism, ' when completion mode is Indexed')
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    atMost('maxFailedIndexes', failed, 'completions')
  }
  if (failed !== undefined && failed > maxFailed) atMost('maxFailedIndexes', failed, maxFailed)
  if ((completions ?? 0) <= manyCompletions || spec.backoffLimitPerIndex === undefined) return
  const many = ` when completions are above ${manyCompletions} and used with backoff limit per index`
  if (failed === undefined) {
    const why = `must be specified when completions is above ${manyCompletions}`
    errors.push(required(at.child('maxFailedIndexes'), why))
  }
  if (parallelism > parallelismOfMany) atMost('parallelism', parallelism, parallelismOfMany, many)
  if (failed !== undefined && failed > failedOfMany) atMost('maxFailedIndexes', failed, failedOfMany, many)
}

function validateFailurePolicy(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const rules = spec.podFailurePolicy?.rules ?? []
  if (rules.length > maxFailureRules) errors.push(tooMany(at, rules.length, maxFailureRules))
  const { containers, initContainers } = spec.template.spec
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  eachItem(errors, rules, (errors, rule, i) => {
    validateFailureRule(errors, rule, at.index(i), { names, perIndex: spec.backoffLimitPerIndex !== undefined })
  })
}

function validateFailureRule(
  errors: Errors,
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  at: FieldPath,
  { names, perIndex }: { readonly names: ReadonlySet<string>; readonly perIndex: boolean },
): void {
  if (action === '') errors.push(required(at.child('action'), listed(failureActions)))
  else if (action === 'FailIndex') {
    if (!perIndex) errors.push(invalid(at.child('action'), action, 'requires the backoffLimitPerIndex to be set'))
  } else checkOneOf(errors, action, failureActions, at, 'action')
  if (onExitCodes !== undefined) validateExitCodes(errors, onExitCodes, at.child('onExitCodes'), names)
  if (onPodConditions.length > 0) validatePatterns(errors, onPodConditions, at.child('onPodConditions'))
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    errors.push(invalidOmitted(at, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    errors.push(invalidOmitted(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
  }
}

function validatePatterns(
  errors: Errors,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  at: FieldPath,
): void {
  if (patterns.length > maxConditionPatterns) errors.push(tooMany(at, patterns.length, maxConditionPatterns))
  eachItem(errors, patterns, (errors, { type, status }, i) => {
    addMessages(errors, at.index(i).child('type'), type, checkQualifiedName(type))
    if (status === '') errors.push(required(at.index(i).child('status'), listed(conditionStatuses)))
    else checkOneOf(errors, status, conditionStatuses, at.index(i), 'status')
  })
}

function validateExitCodes(
  errors: Errors,
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  at: FieldPath,
  names: ReadonlySet<string>,
): void {
  const codes = values ?? []
  const valuesAt = at.child('values')
  if (operator === '') errors.push(required(at.child('operator'), listed(exitCodeOperators)))
  else checkOneOf(errors, operator, exitCodeOperators, at, 'operator')
  if (containerName !== undefined && !names.has(containerName)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalid(at.child('containerName'), containerName, why))
  }
  if (codes.length === 0) {
    errors.push(invalidAs(valuesAt, () => goNumbers('int32', values), 'at least one value is required'))
  } else if (codes.length > maxExitCodes) errors.push(tooMany(valuesAt, codes.length, maxExitCodes))
  const seen = new Set<number>()
  eachItem(errors, codes, (errors, code, i) => {
    if (operator === 'In' && code === 0) {
      errors.push(invalid(valuesAt.index(i), code, 'must not be 0 for the In operator'))
    }
    if (seen.has(code)) errors.push(duplicate(valuesAt.index(i), code))
    seen.add(code)
  })
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? 0) > code)) {
    errors.push(invalidAs(valuesAt, () => goNumbers('int32', codes), 'must be ordered'))
  }
}

function validateSuccessPolicy(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const rules = spec.successPolicy?.rules ?? []
  if (spec.completionMode !== 'Indexed') {
    const type = 'batch.SuccessPolicyRule'
    const shown: Quoted = () =>
      goStruct('batch.SuccessPolicy', {
        Rules: goStructs(type, spec.successPolicy?.rules ?? undefined, (rule) =>
          goStruct(type, {
            SucceededIndexes: podSyntaxPointer('string', rule.succeededIndexes),
            SucceededCount: podSyntaxPointer('int32', rule.succeededCount),
          }),
        ),
      })
    errors.push(invalidAs(at, shown, 'requires indexed completion mode'))
    return
  }
  const rulesAt = at.child('rules')
  if (rules.length === 0) {
    errors.push(required(rulesAt, 'at least one rules must be specified when the successPolicy is specified'))
  }
  if (rules.length > maxSuccessRules) errors.push(tooMany(rulesAt, rules.length, maxSuccessRules))
  eachItem(errors, rules, (errors, rule, i) => {
    validateSuccessRule(errors, rule, rulesAt.index(i), spec.completions ?? 0)
  })
}

function validateSuccessRule(
  errors: Errors,
  { succeededIndexes: indexes, succeededCount: count }: SuccessPolicyRule,
  at: FieldPath,
  completions: number,
): void {
  if (indexes === undefined && count === undefined) {
    errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'))
  }
  let total = 0
  if (indexes !== undefined) {
    const indexesAt = at.child('succeededIndexes')
    if (indexes.length > maxIndexesLength) errors.push(tooLong(indexesAt, maxIndexesLength))
    const read = countIndexes(indexes, completions)
    if (typeof read === 'number') total = read
    else errors.push(invalid(indexesAt, indexes, `error parsing succeededIndexes: ${read}`))
  }
  if (count === undefined) return
  checkNotNegative(errors, count, at, 'succeededCount')
  const atMost = (limit: number, what: string): void => {
    if (count <= limit) return
    errors.push(
      invalid(at.child('succeededCount'), count, `must be less than or equal to ${limit} (the number of ${what})`),
    )
  }
  atMost(completions, 'specified completions')
  if (indexes !== undefined) atMost(total, 'indexes in the specified succeededIndexes field')
}

function validateReplacement(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const { podReplacementPolicy: policy } = spec
  if (policy === undefined) return
  const supported = spec.podFailurePolicy === undefined ? replacementPolicies : ['Failed']
  checkOneOf(errors, policy, supported, at, 'podReplacementPolicy')
}

function validateRestartPolicy(errors: Errors, spec: JobSpec, at: FieldPath): void {
  const { restartPolicy = '' } = spec.template.spec
  if (restartPolicy === 'Always' || restartPolicy === '') {
    errors.push(required(at, 'valid values: "OnFailure", "Never"'))
  } else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.push(notSupported(at, restartPolicy, ['OnFailure', 'Never']))
  } else if (spec.podFailurePolicy !== undefined && restartPolicy !== 'Never') {
    errors.push(invalid(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
}

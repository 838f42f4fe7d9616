/**
 * MutatingAdmissionPolicy: its expressions make configurations to apply, or JSON patches.
 * Mirrors pkg/apis/admissionregistration/validation: ValidateMutatingAdmissionPolicy,
 * ValidateMutatingAdmissionPolicyUpdate.
 * Mirrors pkg/registry/admissionregistration/mutatingadmissionpolicy: mutatingAdmissionPolicyStrategy.
 */
import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { MutatingAdmissionPolicySpec, Mutation } from '../../../../catalog/types/admissionregistration-v1alpha1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import {
  conditionExpressions,
  sameConditions,
  validateConstraints,
  validateFailurePolicy,
  validateParamKind,
  validateVariables,
} from '../admission-policy.ts'
import { type ExpressionChecker, expressionErrors } from '../expressions.ts'
import {
  reinvocationPolicies,
  validateMatchConditions,
  validateMutatingOperations,
  validateOneOf,
} from '../match-rules.ts'
import { withStaticNames } from '../static-names.ts'

type Spec = MutatingAdmissionPolicySpec
type Policy = KubeObject & { spec: Spec }

const specPath = FieldPath.of('spec')
const patchTypes = ['ApplyConfiguration', 'JSONPatch']

function* validateSpec(spec: Spec, old: Spec | undefined, { expressions }: KindServices): Steps<FieldError[]> {
  const { paramKind, variables = [], mutations = [], reinvocationPolicy = '' } = spec
  const params = paramKind !== undefined
  const checker = expressions(true)
  const before = old?.mutations ?? []
  const known = new Set(before.map(({ applyConfiguration }) => applyConfiguration?.expression ?? ''))
  const conditions = { checker: expressions(false), params, known: conditionExpressions(old) }
  const constraintsAt = specPath.child('matchConstraints')
  return [
    ...validateFailurePolicy(spec.failurePolicy, specPath.child('failurePolicy')),
    ...validateParamKind(paramKind, specPath.child('paramKind')),
    ...(yield* validateConstraints(spec.matchConstraints, constraintsAt)),
    ...validateMutatingOperations(spec.matchConstraints, constraintsAt),
    ...(old !== undefined && sameConditions(spec, old)
      ? []
      : yield* validateMatchConditions(spec.matchConditions ?? [], specPath.child('matchConditions'), conditions)),
    ...(yield* validateVariables(variables, specPath.child('variables'), { checker, params, known: new Set() })),
    ...(mutations.length === 0
      ? [required(specPath.child('mutations'), 'mutations must contain at least one item')]
      : yield* validateMutations(mutations, { checker, params, known })),
    ...(reinvocationPolicy === ''
      ? [required(specPath.child('reinvocationPolicy'))]
      : validateOneOf(reinvocationPolicy, reinvocationPolicies, specPath.child('reinvocationPolicy'))),
  ]
}

interface Expressions {
  readonly checker: ExpressionChecker
  readonly params: boolean
  readonly known: ReadonlySet<string>
}

function* validateMutations(mutations: readonly Mutation[], expressions: Expressions): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, mutation] of mutations.entries()) {
    yield
    pushAll(errors, validateMutation(mutation, specPath.child('mutations').index(i), expressions))
  }
  return errors
}

function validateMutation(mutation: Mutation, at: FieldPath, expressions: Expressions): FieldError[] {
  const { patchType, applyConfiguration, jsonPatch } = mutation
  if (patchType === '') return [required(at.child('patchType'))]
  if (!patchTypes.includes(patchType)) return [notSupported(at.child('patchType'), patchType, patchTypes)]
  const isPatch = patchType === 'JSONPatch'
  const [own, other] = isPatch
    ? (['jsonPatch', 'applyConfiguration'] as const)
    : (['applyConfiguration', 'jsonPatch'] as const)
  const used = isPatch ? jsonPatch : applyConfiguration
  const unused = isPatch ? applyConfiguration : jsonPatch
  const errors =
    used === undefined
      ? [required(at.child(own), `must be specified when patchType is ${patchType}`)]
      : validateExpression(used.expression ?? '', at.child(own, 'expression'), isPatch, expressions)
  if (unused === undefined) return errors
  return [...errors, invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`)]
}

function validateExpression(
  expression: string,
  at: FieldPath,
  isPatch: boolean,
  { checker, params, known }: Expressions,
): FieldError[] {
  const trimmed = expression.trim()
  if (trimmed === '') return [required(at)]
  const result = isPatch ? 'json-patch' : 'configuration'
  const problem = checker.check(trimmed, { result, params, authorizer: true, stored: known.has(expression) })
  return expressionErrors(problem, at, trimmed)
}

export function mutatingAdmissionPolicyRules(services: KindServices): KindRules<Policy> {
  return {
    strategy: withStaticNames<Policy>({
      validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
      validateMetadataUpdate: (metadata) => metadata.validate({ anyFinalizer: true }),
      generation: 'spec',
      validateInTurns: ({ spec }, old) => inTurns(limitErrorsOf(validateSpec(spec, old?.spec, services))),
    }),
  }
}

/**
 * ValidatingAdmissionPolicy: every expression must compile, and say what its place wants it to say.
 * Mirrors pkg/apis/admissionregistration/validation: ValidateValidatingAdmissionPolicy,
 * ValidateValidatingAdmissionPolicyUpdate, ValidateValidatingAdmissionPolicyStatusUpdate.
 * Mirrors pkg/registry/admissionregistration/validatingadmissionpolicy: validatingAdmissionPolicyStrategy,
 * validatingAdmissionPolicyStatusStrategy.
 */

import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { compileJsonPath, JsonPathError } from '../../../../api/json-path.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { invalid as invalidObject } from '../../../../api/status-error.ts'
import { goStruct, goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
} from '../../../../catalog/types/admissionregistration-v1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import {
  conditionExpressions,
  sameConditions,
  validateConstraints,
  validateFailurePolicy,
  validateParamKind,
  validateVariables,
} from '../admission-policy.ts'
import { type ExpressionChecker, expressionErrors } from '../expressions.ts'
import { validateMatchConditions, validateOneOf } from '../match-rules.ts'
import { paramKindErrors } from '../param-access.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'

type Spec = ValidatingAdmissionPolicySpec
type Policy = KubeObject & { spec: Spec; status: ValidatingAdmissionPolicyStatus }

const specPath = FieldPath.of('spec')
const statusPath = FieldPath.of('status')
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const maxAuditAnnotations = 20
const maxValueExpressionBytes = 5 * 1024

interface Write {
  readonly name: string
  readonly spec: Spec
  readonly old: Spec | undefined
  readonly services: KindServices
}

function* validateSpec({ name, spec, old, services }: Write): Steps<FieldError[]> {
  const { validations = [], auditAnnotations = [], variables = [], paramKind } = spec
  const params = paramKind !== undefined
  const checker = services.expressions(variables.length > 0)
  const expressions: Expressions = { checker, params, stored: storedExpressions(old) }
  const known = new Set((old?.validations ?? []).map(({ expression }) => expression))
  const conditions = { checker: services.expressions(false), params, known: conditionExpressions(old) }
  const empty = validations.length === 0 && auditAnnotations.length === 0
  const nothing = 'validations or auditAnnotations must contain at least one item'
  return [
    ...validateFailurePolicy(spec.failurePolicy, specPath.child('failurePolicy')),
    ...validateParamKind(paramKind, specPath.child('paramKind')),
    ...(yield* validateConstraints(spec.matchConstraints, specPath.child('matchConstraints'))),
    ...(old !== undefined && sameConditions(spec, old)
      ? []
      : yield* validateMatchConditions(spec.matchConditions ?? [], specPath.child('matchConditions'), conditions)),
    ...(yield* validateVariables(variables, specPath.child('variables'), { checker, params, known })),
    ...(empty
      ? [required(specPath.child('validations'), nothing), required(specPath.child('auditAnnotations'), nothing)]
      : [
          ...(yield* validateValidations(validations, expressions)),
          ...(yield* validateAuditAnnotations(name, auditAnnotations, expressions)),
        ]),
  ]
}

interface Expressions {
  readonly checker: ExpressionChecker
  readonly params: boolean
  readonly stored: StoredExpressions
}

/** What an update may keep, by its place. */
interface StoredExpressions {
  readonly expressions: ReadonlySet<string>
  readonly messages: ReadonlySet<string | undefined>
  readonly values: ReadonlySet<string>
}

const storedExpressions = (old: Spec | undefined): StoredExpressions => ({
  expressions: new Set((old?.validations ?? []).map(({ expression }) => expression)),
  messages: new Set((old?.validations ?? []).map(({ messageExpression }) => messageExpression)),
  values: new Set((old?.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression)),
})

function* validateValidations(validations: readonly Validation[], expressions: Expressions): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, validation] of validations.entries()) {
    yield
    pushAll(errors, validateValidation(validation, specPath.child('validations').index(i), expressions))
  }
  return errors
}

function validateValidation(
  validation: Validation,
  at: FieldPath,
  { checker, params, stored: known }: Expressions,
): FieldError[] {
  const { expression, message = '', messageExpression = '', reason } = validation
  const errors: FieldError[] = []
  if (expression.trim() === '') errors.push(required(at.child('expression'), 'expression is not specified'))
  else {
    const stored = known.expressions.has(expression)
    const problem = checker.check(expression, { result: 'bool', params, authorizer: true, stored })
    pushAll(errors, expressionErrors(problem, at.child('expression'), expression))
  }
  const messageAt = at.child('messageExpression')
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(messageAt, messageExpression, 'must be non-empty if specified'))
  } else if (messageExpression !== '') {
    const stored = known.messages.has(messageExpression)
    const problem = checker.check(messageExpression, { result: 'string', params, authorizer: false, stored })
    pushAll(errors, expressionErrors(problem, messageAt, messageExpression))
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(at.child('message'), message, 'message must be non-empty if specified'))
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(at.child('message'), message, 'message must not contain line breaks'))
  }
  return [...errors, ...validateOneOf(reason, reasons, at.child('reason'))]
}

function* validateAuditAnnotations(
  policyName: string,
  annotations: readonly AuditAnnotation[],
  expressions: Expressions,
): Steps<FieldError[]> {
  const at = specPath.child('auditAnnotations')
  const errors: FieldError[] = []
  if (annotations.length > maxAuditAnnotations) {
    const type = 'admissionregistration.AuditAnnotation'
    const shown = goStructs(type, annotations, ({ key, valueExpression }) =>
      goStruct(type, { Key: podSyntaxText(key), ValueExpression: podSyntaxText(valueExpression) }),
    )
    errors.push(invalidAs(at, () => shown, `must not have more than ${maxAuditAnnotations} auditAnnotations`))
  }
  const keys = new Set<string>()
  for (const [i, annotation] of annotations.entries()) {
    yield
    pushAll(errors, validateAuditAnnotation(policyName, annotation, at.index(i), expressions))
    if (keys.has(annotation.key)) errors.push(duplicate(at.index(i).child('key'), annotation.key))
    keys.add(annotation.key)
  }
  return errors
}

function validateAuditAnnotation(
  policyName: string,
  { key, valueExpression }: AuditAnnotation,
  at: FieldPath,
  { checker, params, stored: known }: Expressions,
): FieldError[] {
  const keyAt = at.child('key')
  const full = `${policyName}/${key}`
  const errors =
    policyName === ''
      ? [invalid(keyAt, key, 'requires metadata.name be non-empty')]
      : checkQualifiedName(full).map((message) => invalid(keyAt, full, message))
  const valueAt = at.child('valueExpression')
  const trimmed = valueExpression.trim()
  if (trimmed === '') return [...errors, required(valueAt, 'valueExpression is not specified')]
  if (Buffer.byteLength(trimmed) > maxValueExpressionBytes) {
    return [...errors, required(valueAt, `must not exceed ${maxValueExpressionBytes} bytes in length`)]
  }
  const stored = known.values.has(valueExpression)
  const problem = checker.check(trimmed, { result: 'string-or-null', params, authorizer: true, stored })
  return [...errors, ...expressionErrors(problem, valueAt, valueExpression)]
}

/** Mirrors pkg/apis/admissionregistration/validation: validateFieldRef. */
function validateFieldRef(fieldRef: string, at: FieldPath): FieldError[] {
  if (fieldRef === '') return [required(at)]
  try {
    compileJsonPath(fieldRef)
    return []
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    return [invalid(at, fieldRef, `invalid JSONPath: ${error.message}`)]
  }
}

function validateStatus({ typeChecking, conditions = [] }: ValidatingAdmissionPolicyStatus): FieldError[] {
  const at = statusPath.child('typeChecking', 'expressionWarnings')
  const warnings = (typeChecking?.expressionWarnings ?? []).flatMap(({ warning, fieldRef }, i) => [
    ...(warning === '' ? [required(at.index(i).child('warning'))] : []),
    ...validateFieldRef(fieldRef.trim(), at.index(i).child('fieldRef')),
  ])
  return [...warnings, ...validateConditions(conditions, statusPath.child('conditions'))]
}

export function validatingAdmissionPolicyRules(services: KindServices): KindRules<Policy> {
  const steps = ({ metadata, spec }: Policy, old?: Policy): Steps<FieldError[]> =>
    validateSpec({ name: metadata.name ?? '', spec, old: old?.spec, services })
  const checkParams = async (draft: Policy, old: Policy | undefined, context: WriteContext): Promise<undefined> => {
    if ((await inTurns(limitErrorsOf(steps(draft, old)))).length > 0) return undefined
    const errors = await paramKindErrors(services, context.user, draft.spec.paramKind)
    const type = { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicy' }
    if (errors.length > 0) throw invalidObject(type, draft.metadata.name ?? '', errors)
    return undefined
  }
  const sameKind = (a: Spec, b: Spec): boolean => equalSemantic(a.paramKind, b.paramKind)
  return {
    strategy: withStatus<Policy>(
      withStaticNames<Policy>({
        validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
        validateMetadataUpdate: (metadata) => metadata.validate({ anyFinalizer: true }),
        generation: 'spec',
        beginCreate: (draft, context) =>
          draft.spec.paramKind === undefined ? undefined : checkParams(draft, undefined, context),
        beginUpdate: (draft, old, context) =>
          draft.spec.paramKind === undefined || sameKind(draft.spec, old.spec)
            ? undefined
            : checkParams(draft, old, context),
        validateInTurns: (policy, old) => inTurns(limitErrorsOf(steps(policy, old))),
      }),
    ),
    parts: {
      status: statusOnly<Policy>({
        createsByApply: true,
        validateMetadataUpdate: () => [],
        prepareForUpdate: keepMetadataForStatus,
        validateUpdate: ({ status }) => validateStatus(status),
        warningsOnUpdate: staticNameWarnings,
      }),
    },
  }
}

/** What ValidatingAdmissionPolicy and MutatingAdmissionPolicy share: parameters, matching, variables. */
import { type FieldError, invalid, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { equalSemantic } from '../../../api/json.ts'
import { checkDns1035Label, checkDns1123Subdomain } from '../../../api/names.ts'
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  Variable,
} from '../../../catalog/types/admissionregistration-v1.ts'
import type { Steps } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { type ExpressionChecker, expressionErrors } from './expressions.ts'
import { failurePolicies, validateMatchResources, validateOneOf } from './match-rules.ts'

export interface CheckedPolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly failurePolicy?: string
  readonly matchConditions?: MatchCondition[]
  readonly variables?: Variable[]
}

export function validateFailurePolicy(policy: string | undefined, at: FieldPath): FieldError[] {
  return policy === undefined ? [required(at)] : validateOneOf(policy, failurePolicies, at)
}

export function* validateConstraints(match: MatchResources | undefined, at: FieldPath): Steps<FieldError[]> {
  if (match === undefined) return [required(at)]
  const errors = yield* validateMatchResources(match, at)
  return (match.resourceRules ?? []).length > 0 ? errors : [...errors, required(at.child('resourceRules'))]
}

export function validateParamKind(paramKind: ParamKind | undefined, at: FieldPath): FieldError[] {
  if (paramKind === undefined) return []
  const { apiVersion = '', kind = '' } = paramKind
  const errors =
    apiVersion === '' ? [required(at.child('apiVersion'))] : validateVersion(apiVersion, at.child('apiVersion'))
  if (kind === '') return [...errors, required(at.child('kind'))]
  const messages = checkDns1035Label(kind.toLowerCase())
  if (messages.length === 0) return errors
  const why = `may have mixed case, but should otherwise match: ${messages.join(',')}`
  return [...errors, invalid(at.child('kind'), kind, why)]
}

function validateVersion(apiVersion: string, at: FieldPath): FieldError[] {
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/')
  if (parts.length > 2) return [invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  const [group = '', version = ''] = parts.length === 1 ? ['', parts[0]] : parts
  const errors: FieldError[] = []
  const groupMessages = group === '' ? [] : checkDns1123Subdomain(group)
  if (groupMessages.length > 0) errors.push(invalid(at, group, groupMessages.join(',')))
  if (version === '') return [...errors, invalid(at, apiVersion, 'version must be specified')]
  const messages = checkDns1035Label(version)
  return messages.length === 0 ? errors : [...errors, invalid(at, version, messages.join(','))]
}

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const isIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name)

export interface PolicyExpressionRules {
  readonly checker: ExpressionChecker
  readonly params: boolean
  /** The validations that were there before: the reference asks the same set about variables. */
  readonly known: ReadonlySet<string>
}

export function* validateVariables(
  variables: readonly Variable[],
  at: FieldPath,
  { checker, params, known }: PolicyExpressionRules,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, { name, expression }] of variables.entries()) {
    yield
    const nameAt = at.index(i).child('name')
    const expressionAt = at.index(i).child('expression')
    if (name.trim() === '') errors.push(required(nameAt, 'name is not specified'))
    else if (!isIdentifier(name)) errors.push(invalid(nameAt, name, 'name is not a valid CEL identifier'))
    if (expression.trim() === '') {
      errors.push(required(expressionAt, 'expression is not specified'))
      continue
    }
    const stored = known.has(expression)
    const problem = checker.declare(name, expression, { result: 'anything', params, authorizer: true, stored })
    pushAll(errors, expressionErrors(problem, expressionAt, expression))
  }
  return errors
}

/** Nothing was changed that could make a good condition bad. */
export const sameConditions = (spec: CheckedPolicySpec, old: CheckedPolicySpec): boolean =>
  equalSemantic(spec.paramKind, old.paramKind) && equalSemantic(spec.matchConditions, old.matchConditions)

export const conditionExpressions = (spec: CheckedPolicySpec | undefined): ReadonlySet<string> =>
  new Set((spec?.matchConditions ?? []).map(({ expression }) => expression))

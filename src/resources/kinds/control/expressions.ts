/**
 * Expressions of webhooks and policies, compiled when they are written to find what is wrong with them.
 * Mirrors pkg/apis/admissionregistration/validation: validateMatchCondition, validateMatchConditions.
 */
import { type FieldError, internal, invalid } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'

/** What an expression must make. */
export type ExpressionResult = 'bool' | 'string' | 'string-or-null' | 'anything' | 'configuration' | 'json-patch'

export interface ExpressionOptions {
  readonly result: ExpressionResult
  /** Whether `params` and `authorizer` are declared. */
  readonly params: boolean
  readonly authorizer: boolean
  /** It was there before: what a newer server may have allowed stays allowed. */
  readonly stored: boolean
}

export interface ExpressionProblem {
  readonly detail: string
  /** Not the writer's mistake. */
  readonly internal: boolean
}

/** The expressions of one object: its variables are known to those that are checked after them. */
export interface ExpressionChecker {
  check(expression: string, options: ExpressionOptions): ExpressionProblem | undefined
  /** Checks the expression of a variable and declares the variable, also when its expression is wrong. */
  declare(name: string, expression: string, options: ExpressionOptions): ExpressionProblem | undefined
}

/** With `composed`, expressions may use variables. */
export type MakeExpressionChecker = (composed: boolean) => ExpressionChecker

export function expressionErrors(
  problem: ExpressionProblem | undefined,
  at: FieldPath,
  expression: string,
): FieldError[] {
  if (problem === undefined) return []
  return [problem.internal ? internal(at, problem.detail) : invalid(at, expression, problem.detail)]
}

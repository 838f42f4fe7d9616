/** Match conditions: expressions that all must hold for a webhook or policy to care. */

import { MATCH_CONDITIONS_BUDGET } from '../../cel/budgets.ts'
import { type Activation, type DecisionCache, evaluateAsync, type Program } from '../../cel/program.ts'
import { joinReasons } from '../denied.ts'

export interface NamedCondition {
  readonly name: string
  readonly expression: string
  /** A program, or what is wrong with the expression. */
  readonly program: Program | { readonly compileError: string }
}

export type ConditionResult =
  | { readonly matches: true }
  | { readonly matches: false; readonly failed: string }
  | { readonly error: string }

/** The first condition that is false decides; an error only when none is. */
export async function evaluateConditions(
  conditions: readonly NamedCondition[],
  activation: Activation,
  decisions: DecisionCache,
): Promise<ConditionResult> {
  const errors: string[] = []
  let budget = MATCH_CONDITIONS_BUDGET
  for (const { name, expression, program } of conditions) {
    if ('compileError' in program) {
      errors.push(`compilation error: ${program.compileError}`)
      continue
    }
    const result = await evaluateAsync(program, activation, { decisions, limit: budget })
    budget -= result.cost
    if (result.kind === 'error') {
      const limited = result.limitExceeded
        ? 'validation failed due to running out of cost budget, no further validation rules will be run'
        : undefined
      errors.push(limited ?? `expression '${expression}' resulted in error: ${result.message}`)
      if (limited !== undefined) break
    } else if (result.value === false) {
      return { matches: false, failed: name }
    }
  }
  return errors.length === 0 ? { matches: true } : { error: joinReasons(errors) }
}

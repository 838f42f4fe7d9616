/** Match conditions: expressions that all must hold for a webhook or policy to care. */

import { MATCH_CONDITIONS_BUDGET } from '../../cel/budgets.ts'
import {
  type Activation,
  type DecisionCache,
  evaluateToEnd,
  type FinalResult,
  type Program,
} from '../../cel/program.ts'
import { TimeSlice } from '../../lib/in-turns.ts'
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

const matching: ConditionResult = { matches: true }

/** The first condition that is false decides; an error only when none is. A promise only where something waits. */
export function evaluateConditions(
  conditions: readonly NamedCondition[],
  activation: Activation,
  decisions: DecisionCache,
): ConditionResult | Promise<ConditionResult> {
  if (conditions.length === 0) return matching
  const run = new ConditionRun(activation, decisions)
  for (const [i, condition] of conditions.entries()) {
    const isOver = run.take(condition)
    if (typeof isOver !== 'boolean') return finish(run, isOver, conditions.slice(i + 1))
    if (isOver) break
  }
  return run.outcome
}

async function finish(
  run: ConditionRun,
  pending: Promise<boolean>,
  rest: readonly NamedCondition[],
): Promise<ConditionResult> {
  let isOver = await pending
  for (const condition of rest) {
    if (isOver) break
    isOver = await run.take(condition)
  }
  return run.outcome
}

class ConditionRun {
  readonly #activation: Activation
  readonly #decisions: DecisionCache
  readonly #errors: string[] = []
  readonly #slice = new TimeSlice()
  #budget = MATCH_CONDITIONS_BUDGET
  #failed: string | undefined

  constructor(activation: Activation, decisions: DecisionCache) {
    this.#activation = activation
    this.#decisions = decisions
  }

  get outcome(): ConditionResult {
    if (this.#failed !== undefined) return { matches: false, failed: this.#failed }
    return this.#errors.length === 0 ? matching : { error: joinReasons(this.#errors) }
  }

  /** Whether the rest need not be looked at. */
  take(condition: NamedCondition): boolean | Promise<boolean> {
    const { program } = condition
    if ('compileError' in program) {
      this.#errors.push(`compilation error: ${program.compileError}`)
      return false
    }
    const options = { decisions: this.#decisions, limit: this.#budget }
    const result = evaluateToEnd(program, this.#activation, options)
    if (result instanceof Promise) return result.then((answered) => this.#note(condition, answered))
    const isOver = this.#note(condition, result)
    return this.#slice.isOver ? this.#slice.giveWay().then(() => isOver) : isOver
  }

  #note({ name, expression }: NamedCondition, result: FinalResult): boolean {
    this.#budget -= result.cost
    if (result.kind === 'error') {
      this.#errors.push(
        result.limitExceeded ? outOfBudget : `expression '${expression}' resulted in error: ${result.message}`,
      )
      return result.limitExceeded
    }
    if (result.value === false) this.#failed = name
    return result.value === false
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

/**
 * Match conditions: expressions that all must hold for a webhook or policy to care.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions: matcher.
 */

import { aggregateText } from '../../api/aggregate-text.ts'
import { MATCH_CONDITIONS_BUDGET } from '../../cel/budgets.ts'
import { ComposedVariables } from '../../cel/composed-variables.ts'
import type { CompileFailure } from '../../cel/environment.ts'
import { type Activation, DecisionCache, evaluateToEnd, type FinalResult, type Program } from '../../cel/program.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { TimeSlice } from '../../lib/in-turns.ts'
import type { AdmissionObserver, ConditionJudgement } from '../observer.ts'

export interface NamedCondition {
  readonly name: string
  readonly expression: string
  /** A program, or what is wrong with the expression. */
  readonly program: Program | { readonly compileError: string }
}

/** What is wrong with an expression, as policies and webhooks word it. */
export function compileErrorText({ reason, message }: CompileFailure): string {
  if (reason === 'compile') return `compilation failed: ${message}`
  return reason === 'program' ? `program instantiation failed: ${message}` : message
}

export type ConditionResult =
  | { readonly matches: true }
  | { readonly matches: false; readonly failed: string }
  | { readonly error: string }

const matching: ConditionResult = { matches: true }

/** What conditions of one request share: answers of authorizers, and the time that they have had. */
export class ConditionContext {
  readonly decisions: DecisionCache
  readonly slice = new TimeSlice()

  constructor(decisions = new DecisionCache()) {
    this.decisions = decisions
  }
}

/** The first condition that is false decides; an error only when none is. A promise only where something waits. */
function evaluateConditions(
  conditions: readonly NamedCondition[],
  activation: Activation,
  context: ConditionContext,
): Awaitable<ConditionResult> {
  if (conditions.length === 0) return matching
  const run = new ConditionRun(activation, context)
  for (let i = 0; i < conditions.length; i++) {
    const isOver = run.take(conditions[i]!)
    if (typeof isOver !== 'boolean') return finish(run, isOver, conditions.slice(i + 1))
    if (isOver) break
  }
  return run.outcome
}

/** Who has the conditions, for counting. */
export interface ConditionOwner extends Pick<ConditionJudgement, 'name' | 'kind' | 'type' | 'operation'> {
  readonly observer: AdmissionObserver | undefined
}

/** The same, and reports it to the observer. */
export function judgeConditions(
  conditions: readonly NamedCondition[],
  activation: Activation,
  context: ConditionContext,
  { observer, ...owner }: ConditionOwner,
): Awaitable<ConditionResult> {
  if (observer === undefined || conditions.length === 0) return evaluateConditions(conditions, activation, context)
  const begin = performance.now()
  const observe = (result: ConditionResult): ConditionResult => {
    const outcome = 'error' in result ? 'error' : result.matches ? 'match' : 'exclusion'
    observer.conditionsJudged({ ...owner, outcome, seconds: (performance.now() - begin) / 1000 })
    return result
  }
  const result = evaluateConditions(conditions, activation, context)
  return whenReady(result, observe)
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
  readonly #context: ConditionContext
  readonly #errors: string[] = []
  #budget = MATCH_CONDITIONS_BUDGET
  #failed: string | undefined
  readonly #composed: ComposedVariables | undefined

  constructor(activation: Activation, context: ConditionContext) {
    const { variables } = activation
    this.#composed = variables instanceof ComposedVariables ? variables : undefined
    this.#activation = activation
    this.#context = context
  }

  get outcome(): ConditionResult {
    if (this.#failed !== undefined) return { matches: false, failed: this.#failed }
    return this.#errors.length === 0 ? matching : { error: aggregateText(this.#errors) }
  }

  /** Whether the rest need not be looked at. */
  take(condition: NamedCondition): Awaitable<boolean> {
    const { program } = condition
    if ('compileError' in program) {
      this.#errors.push(`compilation error: ${program.compileError}`)
      return false
    }
    const { decisions, slice } = this.#context
    const result = evaluateToEnd(program, this.#activation, { decisions })
    if (result instanceof Promise) return result.then((answered) => this.#note(condition, answered))
    const isOver = this.#note(condition, result)
    return slice.isOver ? slice.yieldToEventLoop().then(() => isOver) : isOver
  }

  #note({ name, expression }: NamedCondition, result: FinalResult): boolean {
    this.#budget -= result.cost + (this.#composed?.takeCost() ?? 0)
    if (this.#budget < 0) {
      // What was found before does not count then.
      this.#errors.splice(0, this.#errors.length, outOfBudget)
      return true
    }
    if (result.kind === 'error') {
      this.#errors.push(`expression '${expression}' resulted in error: ${result.message}`)
      return false
    }
    if (result.value === false) this.#failed = name
    return result.value === false
  }
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

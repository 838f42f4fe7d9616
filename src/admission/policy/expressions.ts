/** The expressions of a policy, compiled once, and the variables that they share. */

import { newestRelease } from '../../api/release-facts.ts'
import { MATCH_CONDITIONS_BUDGET } from '../../cel/budgets.ts'
import { type ComposedVariable, ComposedVariables } from '../../cel/composed-variables.ts'
import { storedExpressions } from '../../cel/environment.ts'
import { type AdmissionVariables, admissionEnvironment } from '../../cel/environments.ts'
import { type Activation, evaluateToEnd, type Program } from '../../cel/program.ts'
import { BOOL, DYN, type Type } from '../../cel/types.ts'
import type { Value } from '../../cel/values.ts'
import { type ConditionContext, compileErrorText, type NamedCondition } from '../matching/match-conditions.ts'
import type { PolicySpec } from './policy-objects.ts'

export type CompiledExpression = Program | { readonly compileError: string }

export class PolicyExpressions {
  readonly variables: ReadonlyMap<string, ComposedVariable>
  readonly conditions: readonly NamedCondition[]
  readonly #spec: PolicySpec
  readonly #types = new Map<string, Type>()

  constructor(spec: PolicySpec) {
    this.#spec = spec
    const variables = new Map<string, ComposedVariable>()
    for (const { name, expression } of spec.variables ?? []) {
      const compiled = this.compile(expression, { authorizer: true })
      this.#types.set(name, 'compileError' in compiled ? DYN : compiled.resultType)
      variables.set(name, compiled)
    }
    this.variables = variables
    this.conditions = (spec.matchConditions ?? []).map(({ name, expression }) => ({
      name,
      expression,
      program: this.compile(expression, { authorizer: true }, [BOOL]),
    }))
  }

  /** Whether what the conditions see is the same for all bindings: the request alone. */
  get areConditionsCommon(): boolean {
    return this.#spec.paramKind === undefined && this.variables.size === 0
  }

  compile(expression: string, options: AdmissionVariables, expectedTypes?: readonly Type[]): CompiledExpression {
    const environment = admissionEnvironment(storedExpressions(newestRelease), {
      ...options,
      params: this.#spec.paramKind !== undefined,
      variables: this.#types,
    })
    const compiled = environment.compile(expression, expectedTypes === undefined ? {} : { expectedTypes })
    return compiled.ok ? compiled.program : { compileError: compileErrorText(compiled) }
  }
}

/** The conditions of a policy see its variables too, but not the namespace; what they make of them is for them alone. */
export function conditionActivation(
  { variables }: PolicyExpressions,
  activation: Activation,
  { decisions, slice }: ConditionContext,
): Activation {
  const seen: Activation = { ...activation, namespaceObject: null }
  if (variables.size === 0) return seen
  const composed = new ComposedVariables(variables, seen, { decisions, slice, budget: MATCH_CONDITIONS_BUDGET })
  return { ...seen, variables: composed as Value }
}

/**
 * Runs expressions of one sort (validations, messages, …) of one policy for one request, within one budget. Each sort
 * makes the variables anew: it may see less than the one before.
 */
export class PolicyRun {
  readonly #activation: Activation
  readonly #composed: ComposedVariables
  readonly #context: ConditionContext
  #budget: number

  constructor(
    { variables }: PolicyExpressions,
    activation: Activation,
    { context, budget }: { readonly context: ConditionContext; readonly budget: number },
  ) {
    const { decisions, slice } = context
    this.#composed = new ComposedVariables(variables, activation, { decisions, slice, budget })
    this.#activation = { ...activation, variables: this.#composed as Value }
    this.#context = context
    this.#budget = budget
  }

  get remaining(): number {
    return this.#budget
  }

  get isOutOfBudget(): boolean {
    return this.#budget < 0
  }

  /** The value, or the error's text. */
  async evaluate(compiled: CompiledExpression, expression: string): Promise<{ value: Value } | { error: string }> {
    if ('compileError' in compiled) return { error: `compilation error: ${compiled.compileError}` }
    const { decisions, slice } = this.#context
    const result = await evaluateToEnd(compiled, this.#activation, { decisions })
    if (slice.isOver) await slice.yieldToEventLoop()
    this.#budget -= result.cost + this.#composed.takeCost()
    if (result.kind === 'value') return { value: result.value }
    return { error: `expression '${expression}' resulted in error: ${result.message}` }
  }
}

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

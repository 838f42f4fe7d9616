/** The expressions of a policy, compiled once, and the variables that they share. */

import { type ComposedVariable, ComposedVariables } from '../../cel/composed-variables.ts'
import { storedExpressions } from '../../cel/environment.ts'
import { type AdmissionOptions, admissionEnvironment } from '../../cel/environments.ts'
import { type Activation, type DecisionCache, evaluateToEnd, type Program } from '../../cel/program.ts'
import { BOOL, DYN, type Type } from '../../cel/types.ts'
import type { Value } from '../../cel/values.ts'
import { TimeSlice } from '../../lib/in-turns.ts'
import type { NamedCondition } from '../matching/match-conditions.ts'
import type { PolicySpec } from './policy-objects.ts'

export type Compiled = Program | { readonly compileError: string }

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

  compile(expression: string, options: AdmissionOptions, expectedTypes?: readonly Type[]): Compiled {
    const environment = admissionEnvironment(storedExpressions(), {
      ...options,
      params: this.#spec.paramKind !== undefined,
      variables: this.#types,
    })
    const compiled = environment.compile(expression, expectedTypes === undefined ? {} : { expectedTypes })
    return compiled.ok ? compiled.program : { compileError: `compilation error: ${compiled.message}` }
  }
}

/** Runs the expressions of one policy for one request, within one budget. */
export class PolicyRun {
  readonly #activation: Activation
  readonly #composed: ComposedVariables
  readonly #decisions: DecisionCache
  readonly #slice = new TimeSlice()
  #budget: number

  constructor(
    { variables }: PolicyExpressions,
    activation: Activation,
    { decisions, budget }: { readonly decisions: DecisionCache; readonly budget: number },
  ) {
    this.#composed = new ComposedVariables(variables, activation, decisions)
    this.#activation = { ...activation, variables: this.#composed as Value }
    this.#decisions = decisions
    this.#budget = budget
  }

  get activation(): Activation {
    return this.#activation
  }

  get isOutOfBudget(): boolean {
    return this.#budget < 0
  }

  /** The value, or the error's text. */
  async evaluate(compiled: Compiled, expression: string): Promise<{ value: Value } | { error: string }> {
    if ('compileError' in compiled) return { error: compiled.compileError }
    const result = await evaluateToEnd(compiled, this.#activation, { decisions: this.#decisions })
    if (this.#slice.isOver) await this.#slice.giveWay()
    this.#budget -= result.cost + this.#composed.takeCost()
    if (result.kind === 'value') return { value: result.value }
    return { error: `expression '${expression}' resulted in error: ${result.message}` }
  }
}

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

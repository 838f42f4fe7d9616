/**
 * The variables of a policy: expressions that others use as `variables.name`. Each is evaluated when it is first used
 * in a request, once, under a limit of its own; what they cost is added up for the budget of the policy.
 *
 * One expression may use many of them, and each may take as long as an expression may: where that gets long, the run
 * ends as if it had a question, and goes on with the values found so far when others have had their turn.
 */

import type { TimeSlice } from '../lib/in-turns.ts'
import { unescapeName } from './escaping.ts'
import { DecisionNeeded } from './evaluation.ts'
import type { Activation, DecisionCache, Program } from './program.ts'
import type { MapValue, Value } from './values.ts'
import { CelError, errorOr } from './values.ts'

/** A program, or what was wrong with the expression. */
export type ComposedVariable = Program | { readonly compileError: string }

export interface ComposedOptions {
  readonly decisions?: DecisionCache
  /** When it is over, others get their turn. Without it nothing waits. */
  readonly slice?: Pick<TimeSlice, 'isOver' | 'yieldToEventLoop'>
  /** The most that is left for all of them: beyond it the rest need not be made. */
  readonly budget?: number
}

export class ComposedVariables implements MapValue {
  readonly kind = 'map'
  readonly typeName = 'kubernetes.variables'
  readonly #variables: ReadonlyMap<string, ComposedVariable>
  readonly #activation: Activation
  readonly #options: ComposedOptions
  readonly #values = new Map<string, Value>()
  #cost = 0
  #total = 0
  #turns = 0
  /** Whether something was made since others had their turn: every attempt gets further than the one before. */
  #hasAdvanced = false

  /** The activation is what the variables see; `variables` in it is this very object. */
  constructor(variables: ReadonlyMap<string, ComposedVariable>, activation: Activation, options: ComposedOptions = {}) {
    this.#variables = variables
    this.#activation = { ...activation, variables: this as Value }
    this.#options = options
  }

  get size(): number {
    return this.#variables.size
  }

  /** What the variables have cost since it was last read. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return errorOr(key)
    const name = unescapeName(key)
    const variable = name === undefined ? undefined : this.#variables.get(name)
    if (name === undefined || variable === undefined) return undefined
    let value = this.#values.get(name)
    if (value === undefined) {
      value = this.#evaluate(name, variable)
      this.#values.set(name, value)
    }
    return value
  }

  keys(): readonly Value[] {
    return [...this.#variables.keys()]
  }

  equals(other: Value): Value {
    return other instanceof ComposedVariables ? other === this : errorOr(other)
  }

  #evaluate(name: string, variable: ComposedVariable): Value {
    const quoted = JSON.stringify(name)
    if ('compileError' in variable) {
      return new CelError(`composited variable ${quoted} fails to compile: ${variable.compileError}`)
    }
    const { decisions, budget = Number.POSITIVE_INFINITY } = this.#options
    if (this.#total > budget) return new CelError(`composited variable ${quoted} is beyond the budget`)
    this.#yieldToEventLoop()
    const result = variable.evaluate(this.#activation, decisions ? { decisions } : {})
    // The whole run waits for the answer and starts again; nothing is charged for this attempt.
    if (result.kind === 'pending') throw new DecisionNeeded(result.decision)
    if (result.kind === 'searching') throw result.search
    this.#hasAdvanced = true
    this.#cost += result.cost
    this.#total += result.cost
    if (result.kind === 'value') return result.value
    return new CelError(`composited variable ${quoted} fails to evaluate: ${result.message}`)
  }

  #yieldToEventLoop(): void {
    const { slice } = this.#options
    if (!this.#hasAdvanced || slice?.isOver !== true) return
    this.#hasAdvanced = false
    throw new DecisionNeeded({ key: `turn ${++this.#turns}`, ask: () => slice.yieldToEventLoop() })
  }
}

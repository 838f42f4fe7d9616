/**
 * A compiled expression: what it makes, what it can cost, and running it. A run is bounded by its limit; a run that
 * needs an authorizer's answer ends as pending, and `evaluateAsync` asks, waits and runs again.
 */

import type { JsonValue } from '../api/json.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, type Steps } from '../lib/in-turns.ts'
import type { ExprNode } from './ast.ts'
import { walk } from './ast.ts'
import type { CompiledProgram } from './compiler.ts'
import type { SizeEstimator } from './cost-estimate.ts'
import { estimateCost } from './cost-estimate.ts'
import type { DeclaredType } from './declared-type.ts'
import type { PendingDecision } from './evaluation.ts'
import { DecisionNeeded, Evaluation, SearchAnswers, SearchNeeded, withRunning } from './evaluation.ts'
import type { Range } from './ranges.ts'
import type { Type } from './types.ts'
import type { Value } from './values.ts'
import { CelError, CostLimitExceeded } from './values.ts'

/** What one expression may cost in the reference: about a tenth of a second there. */
const PER_EXPRESSION_LIMIT = 1_000_000

/** How a variable is declared, and how what is bound to it becomes a value. */
export interface VariableDeclaration {
  readonly type: Type
  readonly adapt: (bound: JsonValue) => Value
  /** The value of the name itself: names of types are variables too. */
  readonly constant?: Value
}

/** What the variables stand for in one run: JSON, or values of libraries. */
export type Activation = Readonly<Record<string, JsonValue | Value | undefined>>

export interface EvaluateOptions {
  /** The most that the run may cost. */
  readonly limit?: number
  /** Answers of authorizers so far. */
  readonly decisions?: DecisionCache
}

export type EvaluationResult =
  | { readonly kind: 'value'; readonly value: Value; readonly cost: number }
  | { readonly kind: 'error'; readonly message: string; readonly cost: number; readonly limitExceeded: boolean }
  | { readonly kind: 'pending'; readonly decision: PendingDecision; readonly cost: number }
  | { readonly kind: 'searching'; readonly search: SearchNeeded; readonly cost: number }

export type FinalResult = Exclude<EvaluationResult, { kind: 'pending' | 'searching' }>

/** Answers of authorizers, shared by the expressions of one request. */
export class DecisionCache {
  readonly #answers = new Map<string, unknown>()

  get answers(): ReadonlyMap<string, unknown> {
    return this.#answers
  }

  /** What long searches came to. */
  readonly searches = new SearchAnswers()

  async answer(decision: PendingDecision): Promise<void> {
    this.#answers.set(decision.key, await decision.ask())
  }
}

export class Program {
  readonly expression: string
  readonly tree: ExprNode
  readonly #compiled: CompiledProgram
  readonly #declarations: (name: string) => VariableDeclaration | undefined

  constructor(
    expression: string,
    tree: ExprNode,
    options: { compiled: CompiledProgram; declarations: (name: string) => VariableDeclaration | undefined },
  ) {
    this.expression = expression
    this.tree = tree
    this.#compiled = options.compiled
    this.#declarations = options.declarations
  }

  get resultType(): Type {
    return this.tree.type
  }

  /** The variables that the expression mentions, `authorizer.requestResource` and the like by their whole names. */
  get variables(): readonly string[] {
    return this.#compiled.variables
  }

  /** Whether some selection, also an optional one, names the field. */
  selects(field: string): boolean {
    let found = false
    walk(this.tree, (node) => {
      if (node.kind === 'select' && node.field === field) found = true
      const name = node.kind === 'call' && node.name === '_?._' ? node.args[1] : undefined
      if (name?.kind === 'literal' && name.value === field) found = true
    })
    return found
  }

  evaluate(activation: Activation, options: EvaluateOptions = {}): EvaluationResult {
    const evaluation = new Evaluation({
      limit: options.limit ?? PER_EXPRESSION_LIMIT,
      localCount: this.#compiled.localCount,
      lookup: (name) => this.#bound(name, activation),
      decisions: options.decisions?.answers,
      searches: options.decisions?.searches,
    })
    try {
      const value = withRunning(evaluation, this.#compiled.evaluate)
      evaluation.charge(0)
      const { cost } = evaluation
      if (value instanceof CelError) return { kind: 'error', message: value.message, cost, limitExceeded: false }
      return { kind: 'value', value, cost }
    } catch (error) {
      return failed(error, evaluation.cost)
    }
  }

  #bound(name: string, activation: Activation): Value {
    const bound = Object.hasOwn(activation, name) ? activation[name] : undefined
    if (bound === undefined) return new CelError(`no such attribute(s): ${name}`)
    if (isRuntimeValue(bound)) return bound as Value
    const declaration = this.#declarations(name)
    return declaration ? declaration.adapt(bound as JsonValue) : (bound as Value)
  }
}

function failed(error: unknown, cost: number): EvaluationResult {
  if (error instanceof CostLimitExceeded) return { kind: 'error', message: error.message, cost, limitExceeded: true }
  if (error instanceof DecisionNeeded) return { kind: 'pending', decision: error.decision, cost }
  if (error instanceof SearchNeeded) return { kind: 'searching', search: error, cost }
  // A text or list longer than there can be.
  if (error instanceof RangeError) return failed(new CostLimitExceeded(), cost)
  throw error
}

/** Values of libraries are instances of classes, JSON is not. */
function isRuntimeValue(bound: JsonValue | Value): boolean {
  if (typeof bound !== 'object' || bound === null || Array.isArray(bound)) return false
  const prototype: unknown = Object.getPrototypeOf(bound)
  return prototype !== Object.prototype && prototype !== null
}

/** Questions to authorizers in one run; a bound on going round, not on questions of a request. */
const MAX_DECISIONS = 1000

/** Runs in steps: long searches are taken to their ends in between. */
export function* evaluateInSteps(
  program: Program,
  activation: Activation,
  options: EvaluateOptions = {},
): Steps<Exclude<EvaluationResult, { kind: 'searching' }>> {
  let result = program.evaluate(activation, options)
  const { decisions = new DecisionCache() } = options
  while (result.kind === 'searching') {
    const { question, steps } = result.search
    decisions.searches.set(question, yield* steps)
    yield
    result = program.evaluate(activation, { ...options, decisions })
  }
  return result
}

/** Runs to the end: at once where no authorizer is asked, else with a promise. */
export function evaluateToEnd(
  program: Program,
  activation: Activation,
  options: EvaluateOptions & { readonly decisions: DecisionCache },
): Awaitable<FinalResult> {
  const result = program.evaluate(activation, options)
  if (result.kind === 'value' || result.kind === 'error') return result
  return evaluateAsync(program, activation, options)
}

/** Runs to the end: asks what there is to ask and starts again with the answers. */
export async function evaluateAsync(
  program: Program,
  activation: Activation,
  options: EvaluateOptions & { readonly signal?: AbortSignal } = {},
): Promise<FinalResult> {
  const decisions = options.decisions ?? new DecisionCache()
  for (let i = 0; i < MAX_DECISIONS; i++) {
    options.signal?.throwIfAborted()
    const result = await inTurns(evaluateInSteps(program, activation, { ...options, decisions }))
    if (result.kind !== 'pending') return result
    await decisions.answer(result.decision)
  }
  return { kind: 'error', message: 'operation cancelled: too many decisions', cost: 0, limitExceeded: true }
}

/** What a program can cost at worst where the variables have the sizes of their declared types. */
export function estimateProgramCost(program: Program, sizes: ReadonlyMap<string, DeclaredType> | SizeEstimator): Range {
  return estimateCost(program.tree, typeof sizes === 'function' ? sizes : sizesOfTypes(sizes))
}

/** Sizes below one root: the reference takes any variable for it. */
export function sizesBelow(root: DeclaredType): SizeEstimator {
  return (path) => (path.length === 0 ? undefined : sizeAt(root, path.slice(1)))
}

const sizesOfTypes =
  (types: ReadonlyMap<string, DeclaredType>): SizeEstimator =>
  (path) => {
    const root = path[0] === undefined ? undefined : types.get(path[0])
    return root && sizeAt(root, path.slice(1))
  }

function sizeAt(root: DeclaredType, path: readonly string[]): Range | undefined {
  let at: DeclaredType | undefined = root
  let key = false
  for (const name of path) {
    if (key || !at) return undefined
    if (name === '@items' || name === '@values') at = at.element
    else if (name === '@keys') key = at.isMap
    else at = at.field(name)?.type
    if (name === '@keys' && !key) return undefined
  }
  if (!at) return undefined
  return { min: 0n, max: key ? 0n : at.maxElements }
}

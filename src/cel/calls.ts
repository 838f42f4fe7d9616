/**
 * Calls of functions and operators: which implementation runs, in which order arguments are evaluated, when the call
 * is charged for.
 */
import type { CallNode, ExprNode } from './ast.ts'
import type { Compiled, Evaluate } from './compiled.ts'
import { constant, isConstant, ProgramError } from './compiled.ts'
import { equal, matchesType, typeOf } from './equality.ts'
import { Evaluation } from './evaluation.ts'
import type { FunctionDeclaration, Implementation, Overload } from './functions.ts'
import { parsePattern } from './patterns.ts'
import type { CallCost } from './runtime-cost.ts'
import { callCost } from './runtime-cost.ts'
import type { Type } from './types.ts'
import { NULLABLE_KINDS } from './unify.ts'
import type { Value } from './values.ts'
import { ArrayList, CelError, Double, errorOr, noSuchOverload, Optional, Uint } from './values.ts'

/** Functions whose constant pattern is compiled once; their arguments are then evaluated one after the other. */
const PATTERN_FUNCTIONS = new Set(['matches', 'find', 'findAll'])

/** `&&` and `||`: an error counts only if no term decides. */
export function logic(terms: readonly Evaluate[], decisive: boolean): Evaluate {
  const [first, second] = terms as [Evaluate, Evaluate]
  if (terms.length === 2) {
    return (e) => {
      const a = first(e)
      if (a === decisive) return decisive
      const b = second(e)
      if (b === decisive) return decisive
      if (typeof a === 'boolean') return typeof b === 'boolean' ? b : errorOr(b)
      return errorOr(a)
    }
  }
  return (e) => {
    let error: CelError | undefined
    for (const term of terms) {
      const value = term(e)
      if (value === decisive) return decisive
      if (typeof value !== 'boolean') error ??= errorOr(value)
    }
    return error ?? !decisive
  }
}

export function optionalOr(left: Evaluate, right: Evaluate, unwrap: boolean): Evaluate {
  return (e) => {
    const value = left(e)
    if (!(value instanceof Optional)) return value
    if (value.value === undefined) return right(e)
    return unwrap ? value.value : value
  }
}

/** `x in [constants]` costs nothing: the reference makes a set of them. */
export function constantMembership(item: Evaluate, list: Value): Compiled | undefined {
  if (!(list instanceof ArrayList)) return undefined
  if (list.length === 0) return constant(false)
  const keys = new Set<unknown>()
  for (const value of list.items) {
    const key = primitiveKey(value)
    if (key === undefined) return undefined
    if (!Number.isNaN(key)) keys.add(key)
  }
  return {
    evaluate: (e) => {
      const value = item(e)
      return value instanceof CelError ? value : keys.has(primitiveKey(value))
    },
  }
}

function primitiveKey(value: Value): string | number | bigint | boolean | undefined {
  if (value instanceof Double) return Number.isInteger(value.value) ? BigInt(value.value) : value.value
  if (value instanceof Uint) return value.value
  if (typeof value === 'number') return BigInt(value)
  return typeof value === 'object' ? undefined : value
}

interface CallParts {
  readonly node: CallNode
  readonly args: readonly Compiled[]
  readonly operands: readonly ExprNode[]
  readonly declaration: FunctionDeclaration | undefined
  readonly overload: Overload | undefined
}

export function compileCall(parts: CallParts): Evaluate {
  const { node, args, declaration, overload } = parts
  const cost = callCost(node.name, overload?.id ?? '')
  if (node.name === '_==_' || node.name === '_!=_') {
    const negate = node.name === '_!=_'
    return strict(args, cost, (a, b, _c, _d, e) => {
      const same = equal(a, b, e)
      return negate ? same !== true : same
    })
  }
  const pattern = PATTERN_FUNCTIONS.has(node.name) && args.length > 1 && isConstant(args[1]!)
  const implementation = pattern ? ofText(choose(parts)) : choose(parts)
  if (pattern) requireValidPattern(args[1]!.constant!)
  const dispatched = overload === undefined && declaration?.operator === undefined
  if (node.name === '@not_strictly_false') return notStrictlyFalse(args[0]!.evaluate)
  if (args.length > 2 || pattern || dispatched || declaration?.stopsAtError) return inOrder(args, cost, implementation)
  return strict(args, cost, implementation)
}

/** With a constant pattern the reference looks at the text alone. */
const ofText =
  (implementation: Implementation): Implementation =>
  (a, b, c, d, e) =>
    typeof a === 'string' ? implementation(a, b, c, d, e) : errorOr(a)

function requireValidPattern(pattern: Value): void {
  const compiled = typeof pattern === 'string' ? parsePattern(pattern) : undefined
  if (compiled instanceof CelError) throw new ProgramError(compiled.message)
}

const notStrictlyFalse =
  (arg: Evaluate): Evaluate =>
  (e) => {
    const value = arg(e)
    e.cost++
    return typeof value === 'boolean' ? value : true
  }

/** The implementation, behind a check of the arguments where their types are not known for certain. */
function choose({ node, operands, declaration, overload }: CallParts): Implementation {
  const { name } = node
  if (declaration?.operator) return declaration.operator
  const mismatch: Implementation = (...args) => noMatch(name, args.slice(0, Math.min(operands.length, 4)) as Value[])
  const candidates = overload
    ? [overload]
    : (declaration?.overloads ?? []).filter((candidate) => candidate.args.length === operands.length)
  if (candidates.length === 0) return mismatch
  if (overload?.implementation && operands.every((operand) => isCertain(operand.type))) return overload.implementation
  const usable = candidates.filter(({ implementation }) => implementation !== undefined)
  return (a, b, c, d, e) => {
    for (const { args, implementation } of usable) {
      if (
        (args.length < 1 || matchesType(args[0]!, a)) &&
        (args.length < 2 || matchesType(args[1]!, b)) &&
        (args.length < 3 || matchesType(args[2]!, c)) &&
        (args.length < 4 || matchesType(args[3]!, d))
      ) {
        return implementation!(a, b, c, d, e)
      }
    }
    return mismatch(a, b, c, d, e)
  }
}

/** No part of the type is only known at run time, and no `null` passes for a value of it. */
const isCertain = (type: Type): boolean => !isNullable(type) && isKnown(type)

const isNullable = (type: Type): boolean =>
  type.kind === 'null' || type.nullable === true || NULLABLE_KINDS.has(type.kind)

const isKnown = (type: Type): boolean =>
  type.kind !== 'dyn' && type.kind !== 'any' && type.kind !== 'param' && type.params.every(isKnown)

function noMatch(name: string, args: readonly Value[]): CelError {
  const error = args.find((arg) => arg instanceof CelError)
  if (error instanceof CelError) return error
  return new CelError(`no such overload: ${name}(${args.map((arg) => typeOf(arg).name).join(', ')})`)
}

const NOTHING = undefined as unknown as Value

/** All arguments are evaluated and the call is charged for, even if one of them is an error. */
function strict(args: readonly Compiled[], cost: CallCost, implementation: Implementation): Evaluate {
  const [first, second] = args.map((arg) => arg.evaluate)
  if (!first) {
    return (e) => {
      e.charge(cost.of(NOTHING, NOTHING, e))
      return implementation(NOTHING, NOTHING, NOTHING, NOTHING, e)
    }
  }
  if (!second) return strictUnary(first, cost, implementation)
  const { fixed } = cost
  if (fixed !== undefined) {
    return (e) => {
      const a = first(e)
      const b = second(e)
      e.cost += fixed
      if (a instanceof CelError) return a
      return b instanceof CelError ? b : implementation(a, b, NOTHING, NOTHING, e)
    }
  }
  return (e) => {
    const a = first(e)
    const b = second(e)
    e.charge(cost.of(a, b, e))
    if (a instanceof CelError) return a
    return b instanceof CelError ? b : implementation(a, b, NOTHING, NOTHING, e)
  }
}

function strictUnary(arg: Evaluate, cost: CallCost, implementation: Implementation): Evaluate {
  return (e) => {
    const a = arg(e)
    e.charge(cost.of(a, NOTHING, e))
    return a instanceof CelError ? a : implementation(a, NOTHING, NOTHING, NOTHING, e)
  }
}

/** The first error ends the evaluation of arguments; the call is charged for only if all of them were reached. */
function inOrder(args: readonly Compiled[], cost: CallCost, implementation: Implementation): Evaluate {
  const make = args.map((arg) => arg.evaluate)
  const last = make.length - 1
  return (e) => {
    const values: Value[] = []
    for (let i = 0; i <= last; i++) {
      const value = make[i]!(e)
      values.push(value)
      if (!(value instanceof CelError)) continue
      if (i === last) e.charge(cost.of(values[0]!, values[1]!, e))
      return value
    }
    const [a = NOTHING, b = NOTHING, c = NOTHING, d = NOTHING] = values
    e.charge(cost.of(a, b, e))
    return implementation(a, b, c, d, e)
  }
}

/** A conversion of a constant is done once, and an impossible one is no program. */
export function foldConversion(convert: Evaluate): Compiled {
  const value = convert(new Evaluation({ limit: Infinity, localCount: 0, lookup: () => noSuchOverload() }))
  if (value instanceof CelError) throw new ProgramError(value.message)
  return constant(value)
}

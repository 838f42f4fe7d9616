/**
 * Declarations of functions: the overloads that the checker chooses from and what they do. A function whose operands
 * decide at run time what happens (the operators) has one implementation for all its overloads.
 */
import type { Evaluation } from './evaluation.ts'
import type { Type } from './types.ts'
import { typeParamsOf } from './types.ts'
import type { Value } from './values.ts'

/** Arguments beyond those declared are undefined. */
export type Implementation = (a: Value, b: Value, c: Value, d: Value, evaluation: Evaluation) => Value

export interface Overload {
  readonly id: string
  readonly member: boolean
  readonly args: readonly Type[]
  readonly result: Type
  readonly typeParams: readonly string[]
  readonly implementation: Implementation | undefined
}

export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** One implementation for all overloads; it checks its operands itself. */
  readonly operator?: Implementation
  /** Arguments are evaluated one after the other and the first error ends that, whatever their number. */
  readonly stopsAtError?: boolean
}

type OverloadSpec = readonly [id: string, args: readonly Type[], result: Type, implementation?: Implementation]

function toOverload([id, args, result, implementation]: OverloadSpec, member: boolean): Overload {
  return { id, member, args, result, typeParams: [...typeParamsOf([...args, result])], implementation }
}

export interface FunctionSpec {
  readonly overloads?: readonly OverloadSpec[]
  /** Overloads called as `first.name(rest)`. */
  readonly members?: readonly OverloadSpec[]
  readonly operator?: Implementation
  readonly stopsAtError?: boolean
}

export function declareFunction(name: string, spec: FunctionSpec): FunctionDeclaration {
  const overloads = [
    ...(spec.overloads ?? []).map((overload) => toOverload(overload, false)),
    ...(spec.members ?? []).map((overload) => toOverload(overload, true)),
  ]
  return {
    name,
    overloads,
    ...(spec.operator && { operator: spec.operator }),
    ...(spec.stopsAtError && { stopsAtError: true }),
  }
}

/** The overloads of both; those of `extra` come later and replace none. */
export function mergeFunctions(base: FunctionDeclaration, extra: FunctionDeclaration): FunctionDeclaration {
  const known = new Set(base.overloads.map((overload) => overload.id))
  return {
    ...base,
    ...extra,
    overloads: [...base.overloads, ...extra.overloads.filter((overload) => !known.has(overload.id))],
  }
}

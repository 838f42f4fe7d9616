/** What parts of an expression compile to. */
import type { Evaluation } from './evaluation.ts'
import type { Value } from './values.ts'

export type Evaluate = (evaluation: Evaluation) => Value

/** A closure, or the value where it is known already. */
export interface Compiled {
  readonly evaluate: Evaluate
  readonly constant?: Value
}

export const constant = (value: Value): Compiled => ({ evaluate: () => value, constant: value })
export const isConstant = (compiled: Compiled): boolean => compiled.constant !== undefined

/** The expression cannot become a program: a constant in it has no value. */
export class ProgramError extends Error {}

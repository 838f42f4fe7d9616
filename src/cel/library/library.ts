/** A set of functions, macros and types that an environment can offer. */
import type { FunctionDeclaration } from '../functions.ts'
import type { Macro } from '../macros.ts'
import type { Type } from '../types.ts'

export interface Library {
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: readonly Macro[]
  /** Types that expressions may name. */
  readonly types?: readonly Type[]
  /** Other names of types: expressions with them are checked, and are no programs. */
  readonly namesOfTypes?: readonly (readonly [string, Type])[]
}

/** What functions of templates need besides their arguments. */
import type { TemplateFunction } from './template-execute.ts'

export interface FunctionFacts {
  /** Milliseconds since 1970. */
  readonly now: number
  /** A number in [0, 1). */
  readonly random: () => number
  readonly uuid: () => string
}

export type FunctionTable = ReadonlyMap<string, TemplateFunction>

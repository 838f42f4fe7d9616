/** Which syntax an environment has beyond the grammar. */
import type { MacroTable } from './macros.ts'

export interface ParseOptions {
  readonly macros: MacroTable
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionalSyntax: boolean
  /** Field names in backquotes. */
  readonly escapedIdentifiers: boolean
}

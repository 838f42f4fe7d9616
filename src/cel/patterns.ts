/** Regular expressions in RE2's syntax, searched for in steps: see `Evaluation.search`. */
import { type Pattern, patternAtOnce } from '../lib/regexp/pattern.ts'
import type { RegexpSyntaxError } from '../lib/regexp/source.ts'
import { CelError } from './values.ts'

/** The pattern, or what is wrong with it in Go's words. Expressions are short enough for parsing it at once. */
export function parsePattern(pattern: string): Pattern | CelError {
  const parsed: Pattern | RegexpSyntaxError = patternAtOnce(pattern)
  return parsed instanceof Error ? new CelError(parsed.message) : parsed
}

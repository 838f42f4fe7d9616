/** Regular expressions in RE2's syntax, matched in linear time. */
import { RE2JS } from 're2js'
import { reasonOf } from '../lib/fault.ts'
import { CelError } from './values.ts'

/** The pattern, or what is wrong with it in Go's words. */
export function compilePattern(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return new CelError(reasonOf(error))
  }
}

/** The same pattern with an alternative that never matches: re2js then takes its automaton, many times as fast. */
function compileTest(pattern: string): RE2JS | CelError {
  const plain = compilePattern(pattern)
  if (plain instanceof CelError) return plain
  const withAlternative = compilePattern(`(?:${pattern})|\\A\\z(?s:.)`)
  return withAlternative instanceof CelError ? plain : withAlternative
}

const MAX_KEPT = 64

/** The patterns that a program has met, the oldest going first. */
export class PatternCache {
  readonly #patterns = new Map<string, RE2JS | CelError>()
  readonly #tests = new Map<string, RE2JS | CelError>()

  get(pattern: string): RE2JS | CelError {
    return keep(this.#patterns, pattern, compilePattern)
  }

  /** Whether the pattern matches somewhere, or what is wrong with it. */
  test(pattern: string, text: string): boolean | CelError {
    const compiled = keep(this.#tests, pattern, compileTest)
    return compiled instanceof CelError ? compiled : compiled.test(text)
  }
}

function keep<T>(kept: Map<string, T>, pattern: string, compile: (pattern: string) => T): T {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!)
  const compiled = compile(pattern)
  kept.set(pattern, compiled)
  return compiled
}

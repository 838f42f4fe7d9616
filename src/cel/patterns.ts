/** Regular expressions in RE2's syntax, matched in linear time. */
import { RE2JS } from 're2js'
import { CelError } from './values.ts'

/** The pattern, or what is wrong with it in Go's words. */
export function compilePattern(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return new CelError((error as Error).message)
  }
}

const MAX_KEPT = 64

/** The patterns that a program has met, the oldest going first. */
export class PatternCache {
  readonly #kept = new Map<string, RE2JS | CelError>()

  get(pattern: string): RE2JS | CelError {
    const known = this.#kept.get(pattern)
    if (known) return known
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    const compiled = compilePattern(pattern)
    this.#kept.set(pattern, compiled)
    return compiled
  }
}

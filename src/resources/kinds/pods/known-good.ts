/**
 * Checks of parts that an update leaves alone, or that new objects share. Such a part is immutable, so a check that is a
 * function of it and of a few circumstances finds tomorrow what it found today: it runs once, and again only when it had
 * something to say.
 */
import type { Errors } from './checks.ts'

export class KnownGood<Part extends object> {
  /** By part: the circumstances under which nothing was found. */
  readonly #found = new WeakMap<Part, readonly unknown[]>()

  /** Circumstances are compared by identity. */
  isKnown(part: Part, under: readonly unknown[]): boolean {
    return this.#found.get(part)?.every((fact, i) => fact === under[i]) === true
  }

  check(errors: Errors, part: Part, under: readonly unknown[], check: () => void): void {
    if (this.isKnown(part, under)) return
    const before = errors.length
    check()
    if (errors.length === before) this.#found.set(part, under)
  }
}

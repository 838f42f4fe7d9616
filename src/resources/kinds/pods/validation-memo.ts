/**
 * Memoizes successful validations of immutable parts (those that an update shares with the stored object, and interned ones) by the
 * part and the inputs that the check depends on besides.
 */
import type { Errors } from './checks.ts'

export class ValidationMemo<Part extends object> {
  /** By part: the inputs under which it was valid. */
  readonly #found = new WeakMap<Part, readonly unknown[]>()

  /** Inputs are compared by identity. */
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

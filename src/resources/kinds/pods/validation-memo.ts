/**
 * Memoizes successful validations of immutable parts (those that an update shares with the stored object, and interned ones) by the
 * part and the inputs that the check depends on besides.
 */
import { Verdicts } from '../../../lib/memo.ts'
import type { Errors } from '../../checks/checks.ts'

export class ValidationMemo<Part extends object> {
  readonly #valid: Verdicts<Part>

  constructor(name: string) {
    this.#valid = new Verdicts(name)
  }

  /** Validates unless it was valid under the same inputs before; true when it was. */
  check(part: Part, inputs: readonly unknown[], { errors, validate }: Validation): boolean {
    const isValid = (): boolean => {
      const before = errors.length
      validate()
      return errors.length === before
    }
    if (this.#valid.has(part, inputs, isValid)) return true
    if (isValid()) this.#valid.add(part, inputs)
    return false
  }
}

interface Validation {
  readonly errors: Errors
  /** Adds what is wrong to the errors. */
  readonly validate: () => void
}

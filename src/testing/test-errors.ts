/**
 * Errors that the test's own functions throw while the server asks them (`where` of a fault, a webhook's handler). They are
 * no answer for the client: the server goes on as if it had not asked, and the test's next call of it fails with them.
 */
export class TestErrors {
  #errors: Error[] = []

  add(what: string, cause: unknown): void {
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    this.#errors.push(new Error(`${what} threw ${why}`, { cause }))
  }

  /** Throws the first one that was not thrown yet. */
  check(): void {
    const error = this.#errors.shift()
    if (error !== undefined) throw error
  }

  clear(): void {
    this.#errors = []
  }
}

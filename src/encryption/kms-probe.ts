/** The health probe of a KMS plugin, memoized for a while, a failure for less. */
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/fault.ts'

const goodForMs = 20_000
const badForMs = 3_000

export class KmsProbe {
  readonly #clock: Clock
  readonly #ask: () => Promise<void>
  #asking: Promise<void> | undefined
  #last: { readonly error: unknown; readonly until: number } | undefined

  /** `ask` rejects with what is wrong. */
  constructor(clock: Clock, ask: () => Promise<void>) {
    this.#clock = clock
    this.#ask = ask
  }

  /** Rejects with what is wrong. Single-flight: concurrent callers share one probe. */
  check(): Promise<void> {
    if (this.#last !== undefined && this.#clock.now() < this.#last.until) {
      return this.#last.error === undefined ? Promise.resolve() : Promise.reject(this.#last.error)
    }
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #askNow(): Promise<void> {
    try {
      await this.#ask()
      this.#last = { error: undefined, until: this.#clock.now() + goodForMs }
    } catch (error) {
      this.#last = { error: causeOf(error), until: this.#clock.now() + badForMs }
      throw error
    }
  }
}

/** Which step of a check failed is said once; later the failure itself is. */
export class ProbeError extends Error {
  constructor(step: string, provider: string, cause: unknown) {
    const why = reasonOf(cause)
    super(`failed to perform ${step} section of the healthz check for KMS Provider ${provider}, error: ${why}`, {
      cause,
    })
    this.name = 'ProbeError'
  }
}

const causeOf = (error: unknown): unknown => (error instanceof ProbeError ? error.cause : error)

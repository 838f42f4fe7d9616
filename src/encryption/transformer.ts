/**
 * The contract of encryption at rest. A transformer seals what is written to the store and opens what is read; the storage key
 * goes into both, so that a value copied to another key does not open.
 *
 * Results are promises only where another process takes part: everything that can be answered synchronously is.
 */
import { aggregateText } from '../api/aggregate-text.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'

export interface DecryptedValue {
  readonly value: Uint8Array
  /** It should be written again, although it can be read: it was sealed in a way of yesterday. */
  readonly stale: boolean
}

export interface Transformer {
  seal(value: Uint8Array, key: string): Awaitable<Uint8Array>
  open(value: Uint8Array, key: string): Awaitable<DecryptedValue>
}

/** Runs something that may fail now or later, and goes on in either case. */
export function whenSettled<T, R>(
  run: () => Awaitable<T>,
  done: (value: T) => Awaitable<R>,
  failed: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  let result: Awaitable<T>
  try {
    result = run()
  } catch (error) {
    return failed(error)
  }
  return result instanceof Promise ? result.then(done, failed) : done(result)
}

/** Several errors as one: the same text once, and a single one as it is. */
export function aggregateErrors(errors: readonly unknown[]): unknown {
  const reasons = errors.map(reasonOf)
  const text = aggregateText(reasons)
  return text === reasons[0] ? errors[0] : new Error(text)
}

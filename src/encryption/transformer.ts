/**
 * What stands between an object's bytes and the store. A transformer seals what is written and opens what is read; the
 * key of the store goes into both, so that a value copied to another key does not open.
 *
 * Results are promises only where another process has a part in them: everything that can be answered at once is.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'

export type MaybePromise<T> = Awaitable<T>

export interface Opened {
  readonly value: Uint8Array
  /** It should be written again, although it can be read: it was sealed in a way of yesterday. */
  readonly stale: boolean
}

export interface Transformer {
  seal(value: Uint8Array, key: string): MaybePromise<Uint8Array>
  open(value: Uint8Array, key: string): MaybePromise<Opened>
}

/** Runs something that may fail now or later, and goes on in either case. */
export function whenSettled<T, R>(
  run: () => MaybePromise<T>,
  done: (value: T) => MaybePromise<R>,
  failed: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let result: MaybePromise<T>
  try {
    result = run()
  } catch (error) {
    return failed(error)
  }
  return result instanceof Promise ? result.then(done, failed) : done(result)
}

/** Several errors as one: the same text once, and a single one as it is. */
export function combined(errors: readonly unknown[]): unknown {
  const texts = [...new Set(errors.map(reasonOf))]
  return texts.length === 1 ? errors[0] : new Error(`[${texts.join(', ')}]`)
}

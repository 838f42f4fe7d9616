// The messages between a store that is served and a store by channel, and how entries and errors are part of them. What a header cannot hold,
// the values, follows it in the order in which the header names them.
import type { Entry, StoreErrorCode } from '../store.ts'
import { StoreError } from '../store.ts'

/** Key, revision, revision of creation, length of the value. */
export type EntrySpec = readonly [string, number, number, number]

/** Null: there is none. JSON has no undefined. */
export const specOf = (entry: Entry | undefined): EntrySpec | null =>
  entry === undefined ? null : [entry.key, entry.revision, entry.createRevision, entry.value.byteLength]

/** Cuts values off the bytes of a frame, one after another. */
export class ValueCutter {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** A copy: a value that is kept must not keep the chunk that it came in. */
  cut(length: number): Buffer {
    const value = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length))
    this.#at += length
    return value
  }

  entry(spec: EntrySpec | null): Entry | undefined {
    if (spec === null) return undefined
    const [key, revision, createRevision, length] = spec
    return { key, value: this.cut(length), revision, createRevision }
  }
}

/** Code, message, whether it may have been applied. */
export type ErrorSpec = readonly [StoreErrorCode, string, boolean]

export function errorSpec(error: unknown): ErrorSpec {
  if (error instanceof StoreError) return [error.code, error.message, error.maybeApplied]
  return ['unavailable', error instanceof Error ? error.message : String(error), true]
}

export const errorOf = ([code, message, maybeApplied]: ErrorSpec): StoreError =>
  new StoreError(code, message, { maybeApplied })

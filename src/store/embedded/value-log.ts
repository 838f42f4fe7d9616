// Where an embedded store keeps its changes and their values: in memory, or in files.
import type { StoreError } from '../store.ts'
import type { Change } from './change.ts'
import type { History, Scrubbed } from './history.ts'

export interface Addition {
  readonly change: Change
  /** Undefined for a deletion. */
  readonly value: Uint8Array | undefined
  /** As in a write operation. It is not kept. */
  readonly hint?: string | undefined
}

export interface ValueLog {
  /** What is appended is durable when `append` returns, and it cannot fail. */
  readonly immediate: boolean
  /** Adds changes, all or none. The promise resolves when they are durable. One call at a time. */
  append(additions: readonly Addition[]): Promise<void> | undefined
  /** Why nothing should be added now, other than deletions; undefined when there is no reason. */
  refusal(): StoreError | undefined
  /** The value of a change that was appended, is durable, is not a deletion and was not removed. */
  read(change: Change): Uint8Array
  /** Removes what was scrubbed, and remembers how far compaction has come. */
  remove(scrubbed: Scrubbed, compactRevision: number): Promise<void> | undefined
  size(): number
  close(): Promise<void>
}

/** A log and what it held when it was opened. */
export interface OpenedLog {
  readonly log: ValueLog
  readonly history: History
}

/** What a reflector is made with. */
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import type { KnownEntries, RecallValue } from './resource-reader.ts'

export interface ReflectorOptions {
  readonly store: Store
  readonly clock: Clock
  /** `/registry/`: where all resources live. */
  readonly prefix: string
  /** All reads are consistent. */
  readonly alwaysNewest?: boolean
  /** The watch was lost (compaction, an error): everything is being relisted. */
  readonly onLost: (why: string) => void
  /** Everything was relisted. */
  readonly onRecovered?: () => void
  /** What caches held of the very state that the store begins with: they need not be read from it. */
  readonly known?: KnownEntries | undefined
  /** What is known of single values: they need not be decoded, either. */
  readonly recall?: RecallValue | undefined
}

/** Delay between attempts to relist. */
export const retryMs = 500
/** How long loading waits for the stream to catch up with what it has read. */
export const catchUpMs = 5000

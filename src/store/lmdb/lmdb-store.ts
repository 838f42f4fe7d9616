// The default store: an LMDB file in a folder of its own. One process at a time; every acknowledged write is synced to disk.
import { type Clock, systemClock } from '../../lib/clock.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'
import type { Store } from '../store.ts'
import { DiskSpace } from './disk-space.ts'
import { openLmdbLog } from './lmdb-log.ts'

const defaultHistoryMs = 5 * 60 * 1000
const defaultMaxHistory = 1_000_000

export interface LmdbStoreOptions {
  /** Where the files are; made when it is not there. Nothing else should be in it. */
  readonly folder: string
  readonly clock?: Clock | undefined
  /** How long old states stay readable. */
  readonly historyMs?: number | undefined
  /** The greatest number of changes kept for history. */
  readonly maxHistory?: number | undefined
  /** Writes other than deletes are refused when less than this is free on the disk. */
  readonly reserveBytes?: number | undefined
  /** Other processes watch it, too. */
  readonly takesHints?: boolean | undefined
}

/** Throws a StoreError with `locked`, `newer-format` or `corrupt`, having changed nothing. */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { folder, clock = systemClock, historyMs = defaultHistoryMs, maxHistory = defaultMaxHistory } = options
  const opened = await openLmdbLog(folder, new DiskSpace(folder, options.reserveBytes, clock), clock.uuid())
  return new EmbeddedStore(opened, { name: 'lmdb', clock, historyMs, maxHistory, takesHints: options.takesHints })
}

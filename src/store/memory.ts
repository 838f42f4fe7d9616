// The store that keeps everything in memory: for tests, and for servers whose state may go with the process. Opening one is cheap.
import { type Clock, systemClock } from '../lib/clock.ts'
import { EmbeddedStore } from './embedded/embedded-store.ts'
import { ExpiryQueue } from './embedded/expiry.ts'
import { History } from './embedded/history.ts'
import { MemoryLog } from './embedded/memory-log.ts'
import type { Store } from './store.ts'

const defaultHistoryMs = 5 * 60 * 1000
const defaultMaxHistory = 200_000

export interface MemoryStoreOptions {
  readonly clock?: Clock | undefined
  /** How long old states stay readable. */
  readonly historyMs?: number | undefined
  /** The greatest number of changes kept for history. */
  readonly maxHistory?: number | undefined
  /** Other processes watch it, too. */
  readonly takesHints?: boolean | undefined
}

/** All that a memory store holds; it belongs to the store that is opened on it. */
export interface MemoryState {
  readonly history: History
  readonly log: MemoryLog
  readonly expiry: ExpiryQueue
}

export const emptyMemory = (): MemoryState => ({
  history: new History({ revision: 1, compactRevision: 1, scrubbed: 1 }),
  log: new MemoryLog(),
  expiry: ExpiryQueue.empty(),
})

export function openMemoryStore(options: MemoryStoreOptions = {}, state: MemoryState = emptyMemory()): Store {
  const { clock = systemClock, historyMs = defaultHistoryMs, maxHistory = defaultMaxHistory, takesHints } = options
  return new EmbeddedStore(state, { name: 'memory', clock, historyMs, maxHistory, takesHints }, state.expiry)
}

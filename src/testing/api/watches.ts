// The watches that are open on a server.

import type { WatchFaultKind } from './faults.ts'
import type { RecordedRequest, RequestMatch } from './requests.ts'
import type { WaitOptions } from './server.ts'

/** A watch that is open. */
export interface OpenWatch {
  /** The request that opened it. */
  readonly request: RecordedRequest
  /** How many events it has been sent, bookmarks aside. */
  readonly events: number
  end(): void
  break(kind: WatchFaultKind): void
}

/** The watches that are open now, oldest first. `end` and `break` return how many they were for. */
export interface OpenWatches extends Iterable<OpenWatch> {
  readonly count: number
  filter(match: RequestMatch): OpenWatch[]
  /**
   * Resolves to the first open watch that matches, now or later: the code under test gets every event from then on.
   *
   * @example
   * const reason = server.watches.waitFor({ resource: 'configmaps' }, { timeout: 50 }).catch(({ message }) => message)
   * assert.match(await reason, /no watch matched within 50 ms/)
   */
  waitFor(match: RequestMatch, options?: Pick<WaitOptions, 'timeout'>): Promise<OpenWatch>
  /** Ends them as at the end of their time. */
  end(match?: RequestMatch): number
  /** Does to open watches what a fault does to new ones. */
  break(kind: WatchFaultKind, match?: RequestMatch): number
}

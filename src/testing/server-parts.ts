/** What a test server is made of, and what it begins with when it is a copy of another. */
import type { ServerOptions } from '../config/server-options.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import type { RunningServer } from '../server/running-server.ts'
import type { ActiveScript } from '../simulate/nodes/script/pod-scripts.ts'
import type { RestorableStore } from '../store/restorable-store.ts'
import type { StartOptions } from './api/start-options.ts'
import type { ControlledClock } from './controlled-clock.ts'
import type { FaultList } from './fault-list.ts'
import type { CheckMatch } from './known-matches.ts'
import type { RequestRecorder } from './request-recorder.ts'
import type { Seams } from './seams.ts'
import type { TestErrors } from './test-errors.ts'
import type { TakenSnapshot } from './test-state.ts'
import type { KnownUser } from './test-users.ts'
import type { ValueRecall } from './value-recall.ts'

/** The state that a copy begins with. */
export interface Origin {
  readonly options: ServerOptions
  readonly start: TakenSnapshot
  readonly credentials: ServerCredentials
  readonly users: readonly KnownUser[]
  readonly snapshots: ReadonlyMap<string, TakenSnapshot>
  readonly now: number
  readonly startedAt: string | undefined
  readonly scripts: readonly ActiveScript[]
}

export interface TestServerParts<Server> {
  readonly start: StartOptions
  readonly startFlags: readonly string[] | undefined
  readonly options: ServerOptions
  readonly credentials: ServerCredentials
  readonly store: RestorableStore
  readonly values: ValueRecall
  readonly clock: ControlledClock
  readonly recorder: RequestRecorder
  readonly faults: FaultList
  readonly seams: Seams
  readonly running: RunningServer
  readonly errors: TestErrors
  readonly check: CheckMatch
  readonly startedAt: string | undefined
  /** Starts a copy. */
  readonly startCopy: (start: StartOptions, origin: Origin) => Promise<Server>
}

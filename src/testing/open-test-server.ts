/** Opens test servers: new ones from a known start state, copies from a snapshot of another. */
import { parseServerOptions, type ServerOptions } from '../config/server-options.ts'
import { createLogger, type Logger, silentLogger } from '../lib/logger.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import { startServer } from '../server/server.ts'
import { RestorableStore } from '../store/restorable-store.ts'
import type { StartOptions } from './api/start-options.ts'
import { ControlledClock } from './controlled-clock.ts'
import { FaultList } from './fault-list.ts'
import { type CheckMatch, checkMatch, checkMatchAlone } from './known-matches.ts'
import { RequestRecorder } from './request-recorder.ts'
import { RunningTestServer } from './running-test-server.ts'
import { Seams } from './seams.ts'
import type { Origin } from './server-parts.ts'
import { fillStartState, knownStartState, placeStartState } from './start-state.ts'
import { testCredentials } from './test-credentials.ts'
import { TestErrors } from './test-errors.ts'
import { ValueRecall } from './value-recall.ts'

const defaultMaxRequests = 10_000
const noServiceAccounts = '--disable-admission-plugins=ServiceAccount'

/** Resolves when the server is ready and at rest. */
export async function startTestServer(
  start: StartOptions = {},
  origin?: Origin,
  startedAt = origin?.startedAt,
): Promise<RunningTestServer> {
  const options = origin?.options ?? serverOptions(start)
  const credentials = origin?.credentials ?? testCredentials(options)
  const logger =
    start.log === undefined ? silentLogger() : createLogger({ format: 'json', verbosity: 4, output: start.log })
  const startFlags = origin === undefined ? flagsOf(start).filter((flag) => !flag.startsWith('--simulate')) : undefined
  const server = await openTestServer({ start, options, credentials, logger, origin, startFlags, startedAt })
  try {
    await server.ready
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

export interface OpenTestServerOptions {
  readonly start: StartOptions
  readonly options: ServerOptions
  readonly credentials: ServerCredentials
  readonly logger: Logger
  readonly origin?: Origin | undefined
  /** The flags that decide what the server makes of itself, if all of them are known: it may then begin with that. */
  readonly startFlags?: readonly string[] | undefined
  /** Where in a test: such a server does not keep the process alive, and says at its end when it was not closed. */
  readonly startedAt?: string | undefined
}

/** Resolves when the server listens; its `ready` follows. */
export async function openTestServer(parts: OpenTestServerOptions): Promise<RunningTestServer> {
  const { start, options, credentials, logger, origin, startFlags, startedAt } = parts
  const clock = new ControlledClock(origin?.now)
  const store = new RestorableStore({ clock, historyMs: options.storage.historyDuration }, origin?.start.state)
  const state = startFlags === undefined ? undefined : knownStartState(startFlags)
  const facts = state === undefined ? undefined : await fillStartState(state, store, clock)
  const values = new ValueRecall(facts)
  let placed: Promise<void> | undefined
  const errors = new TestErrors()
  const registries = () => seams.layers.resources.registries
  const check: CheckMatch = (match) => checkMatchAlone(match, registries())
  const recorder = new RequestRecorder({ clock, max: start.maxRequests ?? defaultMaxRequests, check })
  const faults = new FaultList({
    seed: start.seed ?? 1,
    revision: () => seams.layers.storage.reflector.revision,
    errors,
    check: (spec) => checkMatch(spec, registries()),
  })
  const seams: Seams = new Seams({
    store,
    known: origin?.start.known,
    recall: values.find,
    // A copy has what its origin has, and puts nothing back that was taken away there.
    hasRoles: origin !== undefined || state?.complete === true,
    onStarted(place) {
      if (state !== undefined && facts !== undefined) placed = placeStartState(state, facts, { store, clock, place })
    },
    clock,
    recorder,
    faults,
    isBackground: startedAt !== undefined,
  })
  const running = await startServer(options, { logger, credentials, clock, seams }).catch(async (error: unknown) => {
    await store.close()
    clock.close()
    throw error
  })
  await placed
  return new RunningTestServer(
    {
      start,
      startFlags,
      options,
      credentials,
      store,
      values,
      clock,
      recorder,
      faults,
      seams,
      running,
      errors,
      check,
      startedAt,
      startCopy: startTestServer,
    },
    origin,
  )
}

/** Those that are given, and what options stand for. */
const flagsOf = ({ flags = [], release }: StartOptions): readonly string[] =>
  release === undefined ? flags : [...flags, `--emulated-version=${release}`]

function serverOptions(start: StartOptions): ServerOptions {
  const { tls = true, port = 0, simulate } = start
  const flags = [...flagsOf(start), ...simulateFlags(simulate)]
  // The service accounts that pods would need take a controller manager.
  const withoutAccounts = flags.some((flag) => flag.includes('ServiceAccount')) ? [] : [noServiceAccounts]
  const parsed = parseServerOptions(['--store=memory', '--bind-address=127.0.0.1', ...withoutAccounts, ...flags])
  if (parsed.storage.kind !== 'memory') throw new Error('a test server keeps its state in memory: leave out --store')
  const ports = tls ? { securePort: port } : { securePort: 0, insecurePort: port }
  return { ...parsed, serving: { ...parsed.serving, ...ports } }
}

function simulateFlags(simulate: StartOptions['simulate']): string[] {
  if (simulate === undefined || simulate === false) return []
  const settings = simulate === true ? [] : Object.entries(simulate).filter(([, value]) => value !== undefined)
  return ['--simulate', '--simulate=heartbeat=0', ...settings.map(([name, value]) => `--simulate=${name}=${value}`)]
}

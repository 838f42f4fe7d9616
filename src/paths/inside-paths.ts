/**
 * The paths that look inside a running server: metrics, profiles, flags, status. Who may see them is authorization's
 * business: by default administrators only, and monitoring for the metrics.
 */
import { Session } from 'node:inspector/promises'
import { getHeapSnapshot } from 'node:v8'
import type { RequestContext } from '../api/request-context.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { AnswerSettings } from '../handlers/answer.ts'
import type { Clock } from '../lib/clock.ts'
import { isVerbosity, type Logger, setVerbosity } from '../lib/logger.ts'
import type { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import type { PathHandler } from './paths.ts'
import { zPages } from './z-pages.ts'

export interface InsideOptions {
  readonly options: ServerOptions
  readonly settings: AnswerSettings
  readonly metrics: ServerMetrics
  readonly clock: Clock
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

export function insidePaths({ options, settings, metrics, clock }: InsideOptions): ReadonlyMap<string, PathHandler> {
  return new Map<string, PathHandler>([
    ['/metrics', metrics.page(settings)],
    ['/metrics/slis', metrics.healthPage(settings)],
    ...zPages(options, clock, settings),
  ])
}

export interface DebugOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** In place of the logger's own: a server of several processes has several. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined
}

/** Profiles, and the flag that may be changed while the server runs. */
export function debugPaths({ clock, logger, setVerbosity: setAll }: DebugOptions): ReadonlyMap<string, PathHandler> {
  const flags: PathHandler = ({ exchange }) => exchange.respond(200, plain, '/debug/flags/\n\nflags:\nv\n')
  return new Map<string, PathHandler>([
    ['/debug/pprof', ({ exchange }) => exchange.respond(302, { location: '/debug/pprof/' }, '')],
    ['/debug/pprof/', answerProfiles],
    ['/debug/pprof/profile', (context) => answerCpuProfile(context, clock)],
    ['/debug/pprof/heap', answerHeap],
    ['/debug/flags', flags],
    ['/debug/flags/', flags],
    [
      '/debug/flags/v',
      (context) => answerVerbosity(context, setAll ?? ((verbosity) => setVerbosity(logger, verbosity))),
    ],
  ])
}

const maxVerbosityBytes = 64

/** A PUT says how much is logged from now on. */
async function answerVerbosity({ exchange }: RequestContext, set: (verbosity: number) => void): Promise<void> {
  if (exchange.method !== 'PUT') {
    exchange.respond(406, plain, 'unsupported http method')
    return
  }
  const text = (await exchange.readBody(maxVerbosityBytes)).toString('utf8')
  if (!isVerbosity(text)) {
    const why = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`
    exchange.respond(400, plain, `failed set klog.logging.verbosity ${text}: ${why}`)
    return
  }
  set(Number(text))
  exchange.respond(200, plain, `successfully set klog.logging.verbosity to ${text}`)
}

function answerProfiles({ exchange }: RequestContext): void {
  const text = `Profiles of this process, in the formats of Node's tools:

/debug/pprof/profile?seconds=30   where the time goes (open it in a browser's developer tools as .cpuprofile)
/debug/pprof/heap                 what is in memory (.heapsnapshot); the server stands still while it is taken
`
  exchange.respond(200, plain, text)
}

const maxProfileSeconds = 300
const profiling = { underway: false }
const dumping = { underway: false }

/** One at a time: profiles of one process cannot overlap. */
async function answerCpuProfile({ exchange, info }: RequestContext, clock: Clock): Promise<void> {
  const seconds = Number(info.query.get('seconds') ?? '30')
  if (!(seconds > 0 && seconds <= maxProfileSeconds)) {
    exchange.respond(400, plain, `seconds must be more than 0 and at most ${maxProfileSeconds}\n`)
    return
  }
  if (profiling.underway) {
    exchange.respond(409, plain, 'a profile is being taken\n')
    return
  }
  profiling.underway = true
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await until(clock, seconds * 1000, exchange.signal)
    const { profile } = await session.post('Profiler.stop')
    exchange.respond(200, { 'content-type': 'application/json', ...attachment('cpuprofile') }, JSON.stringify(profile))
  } finally {
    session.disconnect()
    profiling.underway = false
  }
}

function until(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
}

/** One at a time: a snapshot is in memory until it is sent. */
function answerHeap({ exchange }: RequestContext): void {
  if (dumping.underway) {
    exchange.respond(409, plain, 'a heap snapshot is being taken\n')
    return
  }
  dumping.underway = true
  const answer = exchange.stream(200, { 'content-type': 'application/json', ...attachment('heapsnapshot') })
  const snapshot = getHeapSnapshot()
  answer.onDrain(() => snapshot.resume())
  answer.onClose(() => {
    snapshot.destroy()
    dumping.underway = false
  })
  snapshot.on('data', (chunk: Buffer) => {
    if (!answer.write(chunk)) snapshot.pause()
  })
  snapshot.on('end', () => answer.end())
}

const attachment = (extension: string): Record<string, string> => ({
  'content-disposition': `attachment; filename="pilothouse.${extension}"`,
})

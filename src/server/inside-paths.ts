/**
 * The paths that look inside a running server: metrics, profiles, flags, status. Who may see them is authorization's
 * business: by default administrators only, and monitoring for the metrics.
 */
import { Session } from 'node:inspector/promises'
import { getHeapSnapshot } from 'node:v8'
import type { RequestContext } from '../api/request-context.ts'
import { formatVersion } from '../config/emulated-version.ts'
import { flagDefinitions } from '../config/flags.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { AnswerSettings } from '../handlers/answer.ts'
import type { Clock } from '../lib/clock.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { PathHandler } from './paths.ts'
import { programVersion } from './version-info.ts'

export interface InsideOptions {
  readonly options: ServerOptions
  readonly settings: AnswerSettings
  readonly metrics: ServerMetrics
  readonly clock: Clock
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
const notForMachines =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'

export function insidePaths({ options, settings, metrics, clock }: InsideOptions): ReadonlyMap<string, PathHandler> {
  const started = clock.now()
  const paths = new Map<string, PathHandler>([
    ['/metrics', metrics.page(settings)],
    ['/metrics/slis', metrics.healthPage(settings)],
  ])
  if (options.flags.bool('profiling')) {
    paths.set('/debug/pprof', answerProfiles)
    paths.set('/debug/pprof/', answerProfiles)
    paths.set('/debug/pprof/profile', (context) => answerCpuProfile(context, clock))
    paths.set('/debug/pprof/heap', answerHeap)
  }
  if (options.featureGates.enabled('ComponentStatusz')) {
    paths.set('/statusz', ({ exchange }) => exchange.respond(200, plain, statusText(options, started, clock.now())))
  }
  if (options.featureGates.enabled('ComponentFlagz')) {
    paths.set('/flagz', ({ exchange }) => exchange.respond(200, plain, flagsText(options)))
  }
  return paths
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

function answerHeap({ exchange }: RequestContext): void {
  const answer = exchange.stream(200, { 'content-type': 'application/json', ...attachment('heapsnapshot') })
  const snapshot = getHeapSnapshot()
  answer.onDrain(() => snapshot.resume())
  answer.onClose(() => snapshot.destroy())
  snapshot.on('data', (chunk: Buffer) => {
    if (!answer.write(chunk)) snapshot.pause()
  })
  snapshot.on('end', () => answer.end())
}

const attachment = (extension: string): Record<string, string> => ({
  'content-disposition': `attachment; filename="pilothouse.${extension}"`,
})

function statusText({ version }: ServerOptions, started: number, now: number): string {
  const up = Math.floor((now - started) / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `
kube-apiserver statusz
${notForMachines}

Started: ${new Date(started).toUTCString()}
Up: ${Math.floor(up / 3600)} hr ${two(Math.floor(up / 60) % 60)} min ${two(up % 60)} sec
Node version: ${process.version}
Program version: ${programVersion}
Binary version: ${formatVersion(version.binary)}
Emulation version: ${formatVersion(version.emulation)}
`
}

/** Every flag, with its default where it was not given. */
function flagsText({ flags }: ServerOptions): string {
  const lines = [...flagDefinitions().values()].map(({ name, type, defaultText }) => {
    if (!flags.isSet(name)) return `${name}=${defaultText}`
    if (type === 'bool') return `${name}=${flags.bool(name)}`
    if (type === 'string') return `${name}=${flags.string(name)}`
    if (numeric.has(type)) return `${name}=${flags.number(name)}`
    return `${name}=[${flags.list(name).join(',')}]`
  })
  return `
kube-apiserver flagz
${notForMachines}

${lines.sort().join('\n')}
`
}

/** Durations are shown in milliseconds. */
const numeric: ReadonlySet<string> = new Set(['int', 'float', 'duration'])

/** `/console/v1/server`: what runs here, how it was set up, and how it is. */
import { formatDuration } from '../api/duration.ts'
import { servedRelease } from '../api/release.ts'
import { formatRelease } from '../config/emulated-version.ts'
import type { FlagDefinition } from '../config/flags.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { programVersion } from '../config/version-info.ts'
import type { HealthPage } from '../telemetry/health.ts'
import { answerState } from './every-second.ts'
import type { MetricSampler } from './metrics.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'
import { isoTime } from './session-endpoints.ts'

const pages: readonly HealthPage[] = ['livez', 'readyz']

export const serverEndpoint = (services: ConsoleServices, sampler: MetricSampler): Endpoint => ({
  path: '/console/v1/server',
  methods: {
    GET(context) {
      const follows = new Query(context, ['follow']).flag('follow')
      let isTold = false
      return answerState(context, services, {
        type: 'SERVER',
        follows,
        async look() {
          sampler.look()
          const facts = await serverFacts(services, sampler)
          // What cannot change is in the first line alone.
          const all = isTold ? facts : { ...facts, ...settingsOf(services) }
          isTold = true
          return all
        },
      })
    },
  },
})

async function serverFacts(services: ConsoleServices, sampler: MetricSampler): Promise<object> {
  const { options, store, clock, startedAt, revision } = services
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  return {
    program: programVersion,
    release: servedRelease,
    emulated: formatRelease(options.version.emulation),
    node: process.version,
    startedAt: isoTime(startedAt),
    uptimeMs: clock.now() - startedAt,
    store: {
      kind: store.name,
      bytes: await store.size(),
      revision: revision(),
      ...(store.shared ? {} : { historyMs: options.storage.historyDuration }),
    },
    memory: { rssBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external },
    eventLoop: { longestHoldMs: sampler.longestHoldMs },
    health: await Promise.all(pages.map((page) => shownHealth(services, page))),
  }
}

function settingsOf({ options }: ConsoleServices): object {
  return {
    flags: shownFlags(options),
    featureGates: options.featureGates.all().map(({ name, enabled, stage }) => ({
      name,
      enabled,
      stage: stage.toUpperCase(),
      isSet: gateNames(options).has(name),
    })),
    admissionPlugins: options.admission.plugins,
    authorizationModes: options.authorization.modes,
    controllers: options.controllers,
  }
}

async function shownHealth({ health }: ConsoleServices, page: HealthPage): Promise<object> {
  const failures = await health.failures(page)
  const prefix = `/${page}/`
  const names = [...health.paths()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
  const checks = names.map((name) => {
    const reason = failures.get(name)
    return { name, ok: reason === undefined, ...(reason === undefined ? {} : { reason }) }
  })
  return { page, ok: failures.size === 0, checks }
}

const gateNames = ({ flags }: ServerOptions): ReadonlySet<string> =>
  new Set(flags.list('feature-gates').flatMap((text) => text.split(',').map((pair) => pair.trim().split('=')[0] ?? '')))

const secretFlag = /(password|token|secret)(?!.*(file|ttl|expiration|issuer|key))/

function shownFlags({ flags }: ServerOptions): object[] {
  return flags.definitions.map((definition) => {
    const { name } = definition
    const isSet = flags.isSet(name)
    const value = secretFlag.test(name) && isSet ? '(withheld)' : shownValue(flags, definition)
    return { name, value, isSet }
  })
}

function shownValue(flags: ServerOptions['flags'], { name, type, defaultText }: FlagDefinition): string {
  if (!flags.isSet(name)) return defaultText
  switch (type) {
    case 'bool':
      return String(flags.bool(name))
    case 'int':
    case 'float':
      return String(flags.number(name))
    case 'duration':
      return formatDuration(BigInt(Math.round(flags.number(name) * 1e6)))
    case 'strings':
    case 'stringArray':
    case 'gates':
    case 'pairs':
    case 'settings':
      return flags.list(name).join(',')
    default:
      return flags.string(name)
  }
}

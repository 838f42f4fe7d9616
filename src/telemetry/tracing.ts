/** Tracing as its configuration file asks for it. Only loaded where it is on. */
import { hostname } from 'node:os'
import { parseGoUrl } from '../api/golang/url.ts'
import { ConfigError } from '../config/config-error.ts'
import { readTracingConfiguration } from '../config/files/tracing-configuration.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import { OtlpExporter } from '../lib/otlp-exporter.ts'
import { Tracer } from '../lib/tracer.ts'
import type { Dial } from '../outbound/dial.ts'
import { type DialRelay, openDialRelay } from '../outbound/dial-relay.ts'

interface TracingDependencies {
  readonly logger: Logger
  readonly clock: Clock
  /** The way to the collector. */
  readonly dial: Dial | undefined
}

export interface Tracing {
  readonly tracer: Tracer
  close(): Promise<void>
}

const defaultEndpoint = 'localhost:4317'
const million = 1_000_000

export async function openTracing(
  file: string,
  options: ServerOptions,
  { clock, logger, dial }: TracingDependencies,
): Promise<Tracing> {
  if (!options.featureGates.enabled('APIServerTracing')) {
    throw new ConfigError('APIServerTracing feature is not enabled, but tracing config file was provided')
  }
  const { endpoint = defaultEndpoint, samplingRatePerMillion = 0 } = readConfiguration(file, options)
  const relay = dial && (await relayTo(endpoint, dial))
  const exporter = new OtlpExporter({
    // The library knows abstract sockets only by their path.
    endpoint: relay === undefined ? endpoint.replace(/^unix-abstract:/, 'unix:\0') : `unix:${relay.socketPath}`,
    resource: { 'service.name': 'apiserver', 'service.instance.id': `${hostname()}_${clock.uuid()}` },
    clock,
    onLost: (count, why) => logger.warn({ count, why }, 'traces were lost'),
  })
  const tracer = new Tracer({
    sampleRatio: samplingRatePerMillion / million,
    onEnd: (span) => exporter.add(span),
  })
  return {
    tracer,
    async close() {
      await exporter.close()
      relay?.close()
    },
  }
}

/** A collector on this machine's own sockets needs no other way. */
function relayTo(endpoint: string, dial: Dial): Promise<DialRelay> | undefined {
  if (/^unix(-abstract)?:/.test(endpoint)) return undefined
  const target = endpoint.replace(/^dns:(\/\/[^/]*\/)?/, '')
  const parsed = parseGoUrl(`https://${target}`)
  if (parsed === undefined) throw new ConfigError(`${JSON.stringify(endpoint)} is not the address of a collector`)
  return openDialRelay(dial, parsed.host, parsed.port)
}

function readConfiguration(file: string, { version }: ServerOptions) {
  try {
    return readTracingConfiguration(readGivenFile(file), file, version.emulation.minor)
  } catch (error) {
    throw error instanceof Error ? new ConfigError(error.message) : error
  }
}

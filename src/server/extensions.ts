/** Puts custom resources and aggregated API servers into the server: what they serve, and how they are found. */

import type { GroupVersion } from '../api/group-version.ts'
import type { RequestContext } from '../api/request-context.ts'
import { readReview } from '../codec/review-answers.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { ApiServices } from '../extensions/aggregation/api-services.ts'
import { forwardToAggregated } from '../extensions/aggregation/proxy.ts'
import { withRemoteGroups } from '../extensions/aggregation/remote-groups.ts'
import { webhookConversion } from '../extensions/conversion/webhook-conversion.ts'
import { CustomResources, type ServedCustomResource } from '../extensions/custom-resources.ts'
import { customGroups } from '../extensions/discovery.ts'
import { endpointSlicesOf, findService, watchServices } from '../extensions/service-resolver.ts'
import type { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import type { WatchStream } from '../handlers/watch-stream.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Egress } from '../outbound/egress.ts'
import type { ClientIdentity } from '../outbound/kubeconfig.ts'
import type { ResolveService } from '../outbound/webhook-address.ts'
import type { Registries } from '../registry/registries.ts'
import { conversionCounter } from '../telemetry/metrics/conversion-counter.ts'

interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

export function proxyCertificate({ connections }: ServerOptions): ClientCertificate | undefined {
  const { proxyCertFile: cert, proxyKeyFile: key } = connections
  if (cert === undefined || key === undefined) return undefined
  return { cert: readGivenFile(cert), key: readGivenFile(key) }
}

export interface ExtensionsOptions {
  readonly registries: Registries
  readonly clock: Clock
  readonly logger: Logger
  readonly gate: (name: string) => boolean
  /** The minor number of the release that is served. */
  readonly release: number
  readonly discovery: DiscoveryIndex
  /** What this server shows of itself to aggregated servers. */
  readonly clientCertificate: ClientCertificate | undefined
  readonly egress: Egress
  readonly resolveService: ResolveService
  /** Aggregated servers may not send clients elsewhere. */
  readonly refusesRedirects: boolean
  /** Who we are to conversion webhooks, by host and port. */
  readonly credentials: (hostPort: string) => ClientIdentity
  readonly metrics: MetricSet
  /** Every open watch. */
  readonly open: ReadonlySet<WatchStream>
}

type AggregatedServices = Pick<ApiServices, 'remotes' | 'remote' | 'hasRemotes' | 'countCustom' | 'start' | 'stop'>

/** Where API services are not served there are no other servers. */
const noServices: AggregatedServices = {
  hasRemotes: false,
  remotes: () => [],
  remote: () => undefined,
  countCustom: () => undefined,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

export interface Extensions {
  /** Passes a request on to the server of its group version; undefined when that is this one. */
  forward(context: RequestContext): Promise<void> | undefined
  stop(): Promise<void>
}

/** Resolves when everything that is established is served. */
export async function startExtensions(options: ExtensionsOptions): Promise<Extensions> {
  const { registries, clock, logger, gate, discovery, open, egress, resolveService } = options
  const countConversion = conversionCounter(options.metrics)
  const withUid = gate('RemoteRequestHeaderUID')
  const { refusesRedirects } = options
  const announce = (): void =>
    discovery.setCustom(() => withRemoteGroups(customGroups(custom.served()), services.remotes()))
  const apiServices = registries.get('apiregistration.k8s.io', 'apiservices')
  const services: AggregatedServices =
    apiServices === undefined
      ? noServices
      : new ApiServices({
          services: apiServices,
          clock,
          logger,
          ...(options.clientCertificate === undefined ? {} : { clientCertificate: options.clientCertificate }),
          dial: egress.cluster,
          resolveService,
          find: (resource, namespace, name) => findService(registries, resource, namespace, name),
          ...(gate('release:serviceSlices')
            ? { slices: (namespace, name) => endpointSlicesOf(registries, { namespace, name }) }
            : {}),
          watchPlaces: (changed) => watchServices(registries, changed, gate('release:serviceSlices')),
          onChange: announce,
        })
  const custom = new CustomResources({
    definitions: registries.need('apiextensions.k8s.io', 'customresourcedefinitions'),
    clock,
    logger,
    ratcheting: gate('CRDValidationRatcheting'),
    release: options.release,
    isBuiltIn: (group) => registries.hasGroup(group),
    add: (definition) => registries.add(definition),
    remove: ({ definition, storage }) => {
      registries.remove(definition)
      const cache = storage.loaded
      cache?.notify()
      for (const stream of open) if (stream.watches(cache)) stream.finish()
      storage.unload()
    },
    conversion: (name, conversion) =>
      webhookConversion(conversion, {
        onConverted: (outcome) => countConversion(name, outcome),
        clock,
        read: readReview,
        resolveService,
        credentials: options.credentials,
        dials: { service: egress.cluster, url: egress.controlplane },
      }),
    onChange: (resource, change) => {
      announce()
      services.countCustom(servedVersions(resource), change === 'added' ? 1 : -1)
    },
  })
  await custom.start()
  await services.start()
  return {
    forward: (context) => forwardToAggregated(context, services, { resolveService, withUid, refusesRedirects }),
    async stop() {
      await services.stop()
      await custom.stop()
    },
  }
}

const servedVersions = ({ group, versions }: ServedCustomResource): GroupVersion[] =>
  versions.filter(({ served }) => served).map(({ name }) => ({ group, version: name }))

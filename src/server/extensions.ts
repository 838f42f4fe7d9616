/** Puts custom resources and aggregated API servers into the server: what they serve, and how they are found. */

import type { Exchange, HeaderValues } from '../api/exchange.ts'
import { quote } from '../api/golang/quote.ts'
import { reencodedPath, requestTarget } from '../api/golang/url.ts'
import type { GroupVersion } from '../api/group-version.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { UserInfo } from '../api/user.ts'
import { entryKey } from '../cache/snapshot.ts'
import { readReview } from '../codec/review-answers.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { ApiServices } from '../extensions/aggregation/api-services.ts'
import type { RemoteVersion } from '../extensions/aggregation/availability.ts'
import { withRemoteGroups } from '../extensions/aggregation/remote-groups.ts'
import { webhookConversion } from '../extensions/conversion/webhook-conversion.ts'
import { CustomResources, type ServedCustomResource } from '../extensions/custom-resources.ts'
import { customGroups } from '../extensions/discovery.ts'
import { endpointSlicesOf, serviceNameLabel } from '../extensions/service-resolver.ts'
import { forward, wantsUpgrade } from '../handlers/connect/forward.ts'
import type { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import type { WatchStream } from '../handlers/watch-stream.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { goDialError } from '../outbound/dial-error.ts'
import type { Egress } from '../outbound/egress.ts'
import type { ClientIdentity } from '../outbound/kubeconfig.ts'
import type { ResolveService, ServiceAddress } from '../outbound/webhook-address.ts'
import { type LazyObject, watchObjects } from '../registry/object-watch.ts'
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
          watchPlaces: (changed) => watchPlaces(registries, changed, gate('release:serviceSlices')),
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
      for (const stream of open) if (stream.watches(cache)) stream.end()
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
    forward: (context) => aggregate(context, services, { resolveService, withUid, refusesRedirects }),
    async stop() {
      await services.stop()
      await custom.stop()
    },
  }
}

const servedVersions = ({ group, versions }: ServedCustomResource): GroupVersion[] =>
  versions.filter(({ served }) => served).map(({ name }) => ({ group, version: name }))

/** Services and their endpoints, which come and go together but not at once. */
async function watchPlaces(
  registries: Registries,
  changed: (namespace: string, name: string) => void,
  followsSlices: boolean,
): Promise<() => void> {
  const listener = {
    changed: (_: unknown, { namespace, name }: { readonly namespace: string; readonly name: string }) =>
      changed(namespace, name),
  }
  const ends: (() => void)[] = []
  const slices = registries.get('discovery.k8s.io', 'endpointslices')
  if (slices !== undefined && followsSlices) {
    const ofService = (_: unknown, { namespace, labels }: Pick<LazyObject, 'namespace' | 'labels'>): void => {
      const name = labels?.[serviceNameLabel]
      if (name !== undefined) changed(namespace, name)
    }
    ends.push(await watchObjects(slices, { changed: ofService }))
  }
  for (const resource of ['services', 'endpoints']) {
    const registry = registries.get('', resource)
    if (registry !== undefined) ends.push(await watchObjects(registry, listener))
  }
  return () => {
    for (const end of ends) end()
  }
}

async function findService(
  registries: Registries,
  resource: string,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  const cache = await registries.get('', resource)?.storage.cache()
  return cache?.get(entryKey(namespace, name))?.object()
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

interface PassOnOptions {
  readonly withUid: boolean
  readonly refusesRedirects: boolean
}

function aggregate(
  context: RequestContext,
  services: AggregatedServices,
  { resolveService, ...rest }: PassOnOptions & { readonly resolveService: ResolveService },
): Promise<void> | undefined {
  if (!services.hasRemotes) return undefined
  const { exchange } = context
  const [, root, group = '', version = ''] = exchange.path.split('/', 4)
  const remote = root === 'apis' ? services.remote(group, version) : undefined
  if (remote === undefined) return undefined
  if (!remote.isAvailable) return refuseUnavailable(exchange)
  return resolveService(remote.place).then(
    (address) => passOn(context, remote, { ...rest, address }),
    () => refuseUnavailable(exchange),
  )
}

async function refuseUnavailable(exchange: Exchange): Promise<void> {
  exchange.respond(503, plain, 'service unavailable\n')
}

function passOn(
  { exchange, user, auditId }: RequestContext,
  { transport }: RemoteVersion,
  { address, withUid, refusesRedirects }: PassOnOptions & { readonly address: ServiceAddress },
): Promise<void> {
  const query = new URLSearchParams(readableQuery(exchange.query))
  query.sort()
  const identity = identityHeaders(exchange.headers, user, withUid)
  const onUnreachable = (error: Error): void => {
    const what = wantsUpgrade(exchange) ? 'error dialing backend' : 'error trying to reach service'
    exchange.respond(503, plain, `${what}: ${goDialError(error, address)}\n`)
  }
  const unsent = unsendable(identity)
  if (unsent !== undefined) {
    onUnreachable(new Error(`net/http: invalid header field value for ${quote(unsent)}`))
    return Promise.resolve()
  }
  return forward(exchange, {
    transport,
    destination: { scheme: 'https', ...address, path: requestTarget(reencodedPath(exchange.path), query.toString()) },
    headers: { ...identity, 'audit-id': auditId },
    front: { prefix: '', scheme: 'https', host: `${address.host}:${address.port}` },
    refusesRedirects,
    onFault: (why) => exchange.respond(503, plain, `${why}\n`),
    onUnreachable,
  })
}

/** Without the parameters that Go cannot read, and leaves out when it writes a query anew: mirrors net/url: ParseQuery. */
const readableQuery = (query: string): string =>
  query
    .split('&')
    .filter((part) => !part.includes(';') && !/%(?![0-9a-fA-F]{2})/.test(part))
    .join('&')

/** Who asks, in headers that only this server may set; what the client said of itself is not passed on. */
function identityHeaders(
  given: HeaderValues,
  user: UserInfo,
  withUid: boolean,
): Record<string, string | readonly string[] | undefined> {
  const headers: Record<string, string | readonly string[] | undefined> = {}
  for (const name of Object.keys(given)) {
    // Some servers take an underscore for a dash.
    if (/^(?:impersonate|x[-_]remote)[-_]/.test(name)) headers[name] = undefined
  }
  headers['x-remote-user'] = headerBytes(user.name)
  if (withUid && user.uid !== undefined && user.uid !== '') headers['x-remote-uid'] = headerBytes(user.uid)
  if (user.groups.length > 0) headers['x-remote-group'] = user.groups.map(headerBytes)
  for (const [key, values] of user.extra) headers[`x-remote-extra-${encodeURIComponent(key)}`] = values.map(headerBytes)
  return headers
}

/** Names are UTF-8 on the wire; Node writes a letter of a header as one byte. */
const headerBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The header that no server could be sent, such as one with a line end in a name. Mirrors net/http: Transport.roundTrip. */
function unsendable(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header has any.
  const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
  const found = Object.entries(headers).find(([, values]) => [values ?? []].flat().some((value) => control.test(value)))
  return found?.[0].replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}

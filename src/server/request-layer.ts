/** What answers requests: the filters that every request passes, then resources, discovery and the other paths. */

import { brokenEscape } from '../api/byte-text.ts'
import type { Exchange } from '../api/exchange.ts'
import type { QueryParameters } from '../api/query-parameters.ts'
import { queryInTurns } from '../api/query-selectors.ts'
import { isLaterRelease } from '../api/release-facts.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError } from '../api/status-error.ts'
import { mediaTypes, mediaTypesWithCbor } from '../codec/negotiation.ts'
import { formatRelease } from '../config/emulated-version.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { programVersion } from '../config/version-info.ts'
import { serviceResolver } from '../extensions/service-resolver.ts'
import { answerError } from '../handlers/answer.ts'
import { type ConnectOptions, connectHandler } from '../handlers/connect/connect-handler.ts'
import { discoveryHandler } from '../handlers/discovery/discovery-handler.ts'
import { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import { openApiHandler } from '../handlers/openapi/openapi-handler.ts'
import { handleResource } from '../handlers/resource-handler.ts'
import type { WatchSettings, WatchStream } from '../handlers/watch-stream.ts'
import { isFault } from '../lib/fault.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Dial } from '../outbound/dial.ts'
import { Transport } from '../outbound/transport.ts'
import type { TlsTrust } from '../outbound/trust.ts'
import { debugPaths, insidePaths } from '../paths/inside-paths.ts'
import { openIdRoutes } from '../paths/openid-paths.ts'
import { nonResourcePaths, type PathHandler } from '../paths/paths.ts'
import { makeAudit } from '../pipeline/audit/open-audit.ts'
import type { AuditSink } from '../pipeline/audit/sink.ts'
import { authorizeConnection, authorizeUnsafeDelete, authorizeVerb } from '../pipeline/authorization.ts'
import { filterChain } from '../pipeline/chain.ts'
import type { FlowControl } from '../pipeline/fairness/flow-control.ts'
import { makeOverload, type OverloadLayer } from '../pipeline/overload.ts'
import type { Refusal } from '../pipeline/shutdown.ts'
import { kubeletTls } from '../pki/kubelet-tls.ts'
import type { HealthChecks } from '../telemetry/health.ts'
import { apiServiceCollector, cacheCollector, countUnavailability } from '../telemetry/metrics/collectors.ts'
import { RequestMetrics } from '../telemetry/metrics/request-metrics.ts'
import type { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import { watchCounter } from '../telemetry/metrics/watch-counter.ts'
import { tappedObserver } from './console-slot.ts'
import { type Extensions, proxyCertificate, startExtensions } from './extensions.ts'
import type { ResourceLayer } from './resource-layer.ts'
import type { ServerDependencies, ServerParts } from './running-server.ts'
import type { StorageLayer } from './storage-layer.ts'

export interface RequestLayer {
  handle(exchange: Exchange): void
  /** Ends all watches, as at the end of their time. */
  endWatches(): void
  readonly openWatches: Set<WatchStream>
  /** Undefined where requests are only counted. */
  readonly flowControl: FlowControl | undefined
  /** Takes no new requests. */
  refuse(refusal: Refusal): void
  /** Resolves when all requests but watches and the like have been answered. */
  drained(): Promise<void>
  stop(): Promise<void>
  /** Flushes audit and traces, once there are no more requests. */
  close(): Promise<void>
  /** Where audit events go, if anything is audited. */
  readonly auditSink: AuditSink | undefined
}

interface Below {
  readonly storage: StorageLayer
  readonly resources: ResourceLayer
  readonly metrics: ServerMetrics
  readonly health: HealthChecks
}

const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: new Map<string, string[]>() }

/** Resolves when everything that is established is served. */
export async function makeRequestLayer(
  options: ServerOptions,
  dependencies: ServerParts,
  below: Below,
): Promise<RequestLayer> {
  const { logger, clock, seams, egress, tracer, loopback, role } = dependencies
  const { storage, resources, metrics } = below
  const { registries, gate, authenticator, authorizer } = resources
  const index = new DiscoveryIndex(resources.isServed, {
    release: options.version.emulation.minor,
    oldest: options.version.minCompatibility.minor,
  })
  const settings = watchSettings(options, dependencies, { ...resources, metrics: metrics.set })
  const extensions = await startExtensions({
    registries,
    clock,
    logger,
    gate,
    release: options.version.emulation.minor,
    discovery: index,
    open: settings.open,
    clientCertificate: proxyCertificate(options),
    refusesRedirects: options.connections.refusesRedirects,
    egress,
    resolveService: loopback.resolver(
      serviceResolver({ registries: () => registries, routing: options.connections.serviceRouting, clock }),
    ),
    credentials: loopback.credentials(() => ({ headers: () => ({}) })),
    metrics: metrics.set,
  })
  // Of several processes one does for all.
  if (role?.isPrimary !== false) {
    metrics.watchStore(storage.store, () => registries.all(), {
      size: options.metrics.storeSizeInterval,
      count: options.metrics.objectCountInterval,
    })
  }
  metrics.set.onCollect(cacheCollector(metrics.set, () => registries.all()))
  metrics.set.onCollect(apiServiceCollector(metrics.set, registries))
  const stopCounting = await countUnavailability(metrics.set, registries)
  const observer = tappedObserver(dependencies.console, new RequestMetrics(metrics.set, registries))
  const overload = await makeOverload(options, {
    clock,
    metrics: metrics.set,
    shares: role?.seats,
    source: (group, resource) => registries.get(group, resource) && registries.source(group, resource),
    objectCount: (group, resource) => registries.get(group, resource)?.storage.loaded?.size,
  })
  const answerAll = answerer(options, dependencies, { ...below, settings, index, extensions, overload })
  const answerPast: PathHandler = (context) => {
    context.isPastFilters = true
    return answerAll(context)
  }
  const answer: PathHandler = seams === undefined ? answerPast : (context) => seams.filter(context, answerPast)
  const audit = makeAudit(options, {
    clock,
    logger,
    metrics: metrics.set,
    dial: egress.controlplane,
    sink: role?.auditSink,
  })
  const lateEnds = metrics.set.counter('apiserver_request_post_timeout_total')
  const onLateEnd = (status: string): void => lateEnds.add(1, 'timeout-handler', status)
  const consoleGuard = dependencies.console?.guard
  const parts = { authenticator, authorizer, consoleGuard, observer, logger, clock, audit, tracer, onLateEnd }
  const chain = filterChain({ ...parts, ...overload }, answer)
  const fail = (context: RequestContext, error: unknown): void => {
    if (error instanceof Error && isFault(error)) context.audit?.panicked(error.message)
    try {
      answerError(context, settings, error)
    } catch (unanswerable) {
      logger.error({ err: unanswerable, path: context.info.path }, 'an error could not be answered')
      context.exchange.cut()
    }
    if (!(error instanceof ApiError)) logger.error({ err: error, path: context.info.path }, 'a request failed')
  }
  const begin = (exchange: Exchange, query: QueryParameters): void => {
    const context = new RequestContext(exchange, requestInfo(exchange, query), anonymous)
    seams?.began(context)
    dependencies.console?.tap?.began(context)
    try {
      const done = chain(context)
      if (done instanceof Promise) done.catch((error: unknown) => fail(context, error))
    } catch (error) {
      fail(context, error)
    }
  }
  return {
    handle(exchange) {
      // Such a path cannot be read at all.
      if (brokenEscape(exchange.path) !== undefined) {
        exchange.respond(400, { 'content-type': 'text/plain; charset=utf-8' }, '400 Bad Request')
        return
      }
      const query = queryInTurns(exchange.query)
      if (query instanceof Promise) void query.then((late) => begin(exchange, late))
      else begin(exchange, query)
    },
    endWatches() {
      for (const stream of settings.open) stream.end()
      dependencies.console?.endStreams()
    },
    openWatches: settings.open,
    flowControl: overload.control,
    refuse(refusal) {
      overload.shutdown.refusal = refusal
    },
    drained: () => overload.running.whenEmpty(),
    async stop() {
      overload.stop()
      stopCounting()
      await extensions.stop()
    },
    close: async () => audit?.sink.close(),
    auditSink: audit?.sink,
  }
}

type Settings = WatchSettings & { readonly open: Set<WatchStream> }

function watchSettings(
  options: ServerOptions,
  { clock, seams }: ServerDependencies,
  { gate, authorizer, metrics }: ResourceLayer & { readonly metrics: MetricSet },
): Settings {
  return {
    mediaTypes: gate('CBORServingAndStorage') ? mediaTypesWithCbor : mediaTypes,
    compression: gate('APIResponseCompression'),
    release: laterRelease(options.version.emulation.minor),
    now: () => clock.now(),
    deleteCollectionWorkers: Math.max(1, options.limits.deleteCollectionWorkers),
    authorizeCreate: (context) => authorizeVerb(authorizer, context, 'create'),
    authorizeUnsafeDelete: (context) => authorizeUnsafeDelete(authorizer, context),
    clock,
    watchListEnabled: gate('WatchList'),
    shards: gate('ShardedListAndWatch'),
    minRequestTimeout: options.limits.minRequestTimeoutSeconds,
    open: new Set(),
    count: watchCounter(metrics),
    decorator: seams?.watches,
  }
}

interface Answering extends Below {
  readonly overload: OverloadLayer
  readonly settings: Settings
  readonly index: DiscoveryIndex
  readonly extensions: Extensions
}

/** What clients proxy to must not be this machine; a kubelet may well run on it. */
function connectTransports(tls: TlsTrust, dial: Dial | undefined): ConnectOptions['transports'] {
  return {
    kubelets: new Transport({ tls, dial }),
    nodes: new Transport({ tls, dial, addresses: 'proxyable' }),
    pods: new Transport({ tls: { insecure: true }, dial, addresses: 'proxyable' }),
  }
}

/** Answers a request that passed the filters. */
function answerer(options: ServerOptions, dependencies: ServerParts, parts: Answering): PathHandler {
  const { settings, index, extensions } = parts
  const { registries, authorizer } = parts.resources
  const { advertiseAddress, bindAddress, securePort } = options.serving
  const paths = otherPaths(options, dependencies, parts)
  const discovery = discoveryHandler({
    index,
    settings,
    onAggregated: () => parts.metrics.set.counter('aggregator_discovery_aggregation_count_total').add(1),
    serverAddress: `${advertiseAddress ?? bindAddress}:${securePort}`,
  })
  const connect = connectHandler({
    registry: (group, resource) => registries.need(group, resource),
    kubeletAddressTypes: options.connections.kubelets.addressTypes,
    transports: connectTransports(kubeletTls(options.connections.kubelets), dependencies.egress.cluster),
    ...(options.featureGates.enabled('AuthorizePodWebsocketUpgradeCreatePermission')
      ? { checkStreams: (context) => authorizeConnection(authorizer, context) }
      : {}),
    translation: {
      gate: (name) => options.featureGates.enabled(name),
      onEnd: (way, code) => parts.metrics.set.counter(`apiserver_stream_${way}_requests_total`).add(1, String(code)),
    },
  })
  return (context) => {
    // Authorization overlooks slashes in front; no path begins with two of them.
    if (context.info.path.startsWith('//')) return paths(context)
    const forwarded = extensions.forward(context)
    if (forwarded !== undefined) return forwarded
    if (context.info.isResourceRequest) {
      const handled = handleResource(context, { table: registries, settings, connect })
      if (handled !== 'elsewhere') return handled
    }
    if (discovery(context)) return
    return dependencies.console?.handle(context) ?? paths(context)
  }
}

function otherPaths(
  options: ServerOptions,
  { clock, logger, tokenAuthority, role }: ServerParts,
  { settings, index, resources, metrics, health, overload }: Answering,
): PathHandler {
  const openApi = openApiHandler({
    index,
    table: resources.registries,
    mediaTypes: settings.mediaTypes,
    release: formatRelease(options.version.emulation),
    build: programVersion,
    enums: options.featureGates.enabled('OpenAPIEnums'),
    settings,
  })
  return nonResourcePaths({
    options,
    health,
    discovery: index,
    openApi,
    unlisted: new Map([
      ...overload.paths,
      ...(options.debugging.profiling
        ? debugPaths({ clock, logger, setVerbosity: role && ((verbosity) => role.setVerbosity(verbosity)) })
        : []),
    ]),
    more: insidePaths({ options, settings, metrics, clock }),
    routes: openIdRoutes(options, tokenAuthority),
  })
}

const laterRelease = (release: number): number | undefined => (isLaterRelease(release) ? release : undefined)

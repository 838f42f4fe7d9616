/** A running server: store, feed, resources, auth, handlers and listeners, put together and taken apart. */
import type { Exchange } from '../api/exchange.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError } from '../api/status-error.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { Feed } from '../cache/feed.ts'
import { mediaTypes, mediaTypesWithCbor } from '../codec/negotiation.ts'
import { formatVersion } from '../config/emulated-version.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { answerError } from '../handlers/answer.ts'
import { connectHandler } from '../handlers/connect/connect-handler.ts'
import { discoveryHandler } from '../handlers/discovery/discovery-handler.ts'
import { DiscoveryIndex } from '../handlers/discovery/discovery-index.ts'
import { openApiHandler } from '../handlers/openapi/openapi-handler.ts'
import { handleResource } from '../handlers/resource-handler.ts'
import type { WatchSettings, WatchStream } from '../handlers/watch.ts'
import { type Listener, listen } from '../http/listener.ts'
import { authorizeVerb } from '../pipeline/authorization.ts'
import { filterChain } from '../pipeline/chain.ts'
import { reviews } from '../resources/actions/reviews.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import type { KindServices } from '../resources/kind-rules.ts'
import { bindingAction } from '../resources/kinds/pods/binding.ts'
import { accessServices } from './access-services.ts'
import { makeAdmission } from './admission.ts'
import { servedResources } from './api-enablement.ts'
import { makeAuthenticator } from './authenticators.ts'
import { makeAuthorizer } from './authorizers.ts'
import { componentHealth } from './component-health.ts'
import { startControllers } from './controllers.ts'
import { expressionChecker } from './expression-checks.ts'
import { extensionRules, proxyCertificate, startExtensions } from './extensions.ts'
import { HealthChecks } from './health.ts'
import { insidePaths } from './inside-paths.ts'
import { kubeletTls } from './kubelet-tls.ts'
import { measuredStore } from './metrics/measured-store.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import { openIdPaths } from './openid-paths.ts'
import { nonResourcePaths } from './paths.ts'
import { Registries } from './registries.ts'
import type { RunningServer, ServerDependencies } from './running-server.ts'
import { addServerChecks } from './server-checks.ts'
import { openStore } from './stores.ts'
import { programVersion } from './version-info.ts'

const nobody = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: new Map<string, string[]>() }

export async function startServer(options: ServerOptions, dependencies: ServerDependencies): Promise<RunningServer> {
  const { logger, credentials, clock } = dependencies
  const prefix = options.storage.prefix
  const metrics = new ServerMetrics(options, logger)
  const store = measuredStore(await openStore(options, clock), metrics.set, prefix)
  let feedFailure: string | undefined
  const feed = new Feed({
    store,
    clock,
    prefix: `${prefix}/`,
    onLost: (why) => {
      feedFailure = why
      logger.error({ why }, 'the stream of changes from the store was lost: reading everything anew')
    },
    onRecovered: () => {
      feedFailure = undefined
    },
  })
  await feed.start()
  const gate = (name: string): boolean => options.featureGates.enabled(name)
  const admission = makeAdmission({
    options,
    clock,
    feed,
    logger,
    metrics: metrics.set,
    registries: () => registries,
    authorizer: () => authorizer,
  })
  const registries: Registries = new Registries({
    store,
    feed,
    clock,
    prefix,
    codec: () => ({ layout: options.storage.kind === 'etcd' ? 'reference' : 'json' }),
    admission,
    gate,
  })
  const isServed = servedResources(options)
  const services: KindServices = {
    clock,
    gate,
    registry: (group, resource) => registries.need(group, resource),
    objects: (group, resource) => registries.source(group, resource),
    storage: (definition) => registries.storage(definition),
    serviceRanges: options.services.clusterIpRanges,
    nodePortRange: { first: options.services.nodePorts.first, last: options.services.nodePorts.last },
    allowPrivileged: options.allowPrivileged,
    components: () => componentHealth(store),
    access: accessServices({
      serviceAccounts: options.authentication.serviceAccounts,
      credentials,
      clock,
      registries: () => registries,
      authenticator: () => authenticator,
      authorizer: () => authorizer,
      rbac: () => authorization.rbac,
    }),
    expressions: expressionChecker,
  }
  const definitions = builtInDefinitions({
    services,
    isServed,
    defaulting: { enabled: gate, now: () => formatTime(instantOfMillis(clock.now())) },
    eventTtlSeconds: options.storage.eventTtl / 1000,
    moreRules: extensionRules,
  })
  for (const definition of definitions) registries.add(definition)
  await admission.start()
  for (const { resource, action } of reviews(services, isServed)) {
    registries.addAction({ definition: resource, action }, formatGroupVersion(resource))
  }
  const bindings = { group: '', resource: 'bindings', namespaced: true }
  registries.addAction({ definition: bindings, action: bindingAction(services) }, 'v1')
  const authentication = makeAuthenticator(options.authentication, { credentials, registries, clock, logger })
  const authorization = await makeAuthorizer(options.authorization, { registries, gate, clock, logger })
  const { authenticator } = authentication
  const { authorizer } = authorization
  const open = new Set<WatchStream>()
  const settings: WatchSettings = {
    mediaTypes: gate('CBORServingAndStorage') ? mediaTypesWithCbor : mediaTypes,
    compression: gate('APIResponseCompression'),
    now: () => clock.now(),
    authorizeCreate: (context) => authorizeVerb(authorizer, context, 'create'),
    clock,
    watchListEnabled: gate('WatchList'),
    minRequestTimeout: options.limits.minRequestTimeoutSeconds,
    open,
  }
  const health = new HealthChecks({
    clock,
    livezGracePeriod: options.flags.number('livez-grace-period'),
    timeout: options.flags.number('etcd-healthcheck-timeout'),
    onResult: metrics.healthResult,
    onFailure: (page, failures) =>
      logger.warn({ page, failures: Object.fromEntries(failures) }, 'health checks failed'),
  })
  const start = addServerChecks(health, { store, feedFailure: () => feedFailure })
  const { advertiseAddress, bindAddress: boundTo, securePort: port } = options.serving
  const index = new DiscoveryIndex(isServed)
  const openApi = openApiHandler({
    index,
    table: registries,
    mediaTypes: settings.mediaTypes,
    release: formatVersion(options.version.emulation),
    build: programVersion,
    settings,
  })
  const paths = nonResourcePaths({
    options,
    health,
    discovery: index,
    openApi,
    more: new Map([...insidePaths({ options, settings, metrics, clock }), ...openIdPaths(options, credentials)]),
  })
  metrics.watchStore(store, () => registries.all())
  const observer = new RequestMetrics(metrics.set, registries)
  const discovery = discoveryHandler({
    index,
    settings,
    serverAddress: `${advertiseAddress ?? boundTo}:${port}`,
  })
  const connect = connectHandler({
    registry: (group, resource) => registries.need(group, resource),
    kubeletAddressTypes: options.flags.list('kubelet-preferred-address-types'),
    kubeletTls: kubeletTls(options),
  })
  const chain = filterChain({ authenticator, authorizer, observer }, (context) => {
    const forwarded = extensions.forward(context)
    if (forwarded !== undefined) return forwarded
    if (context.info.isResourceRequest) {
      const handled = handleResource(context, {
        table: registries,
        settings,
        connect,
      })
      if (handled !== 'elsewhere') return handled
    }
    if (discovery(context)) return
    return paths(context)
  })
  const handler = (exchange: Exchange): void => {
    const context = new RequestContext(exchange, requestInfo(exchange), nobody)
    try {
      const done = chain(context)
      if (done instanceof Promise) done.catch((error: unknown) => fail(context, error))
    } catch (error) {
      fail(context, error)
    }
  }
  const fail = (context: RequestContext, error: unknown): void => {
    answerError(context, settings, error)
    if (!(error instanceof ApiError)) logger.error({ err: error, path: context.info.path }, 'a request failed')
  }
  const extensions = await startExtensions({
    registries,
    feed,
    clock,
    logger,
    gate,
    discovery: index,
    open,
    clientCertificate: proxyCertificate(options),
  })
  const { bindAddress, securePort, insecurePort, maxStreams } = { maxStreams: 0, ...options.serving }
  const listeners: Listener[] = [
    await listen({
      host: bindAddress,
      port: securePort,
      tls: {
        key: credentials.serving.keyPem,
        cert: credentials.serving.certPem,
        minVersion: options.serving.minTlsVersion,
        ...(options.serving.ciphers === undefined ? {} : { ciphers: options.serving.ciphers }),
      },
      maxStreams,
      handler,
    }),
  ]
  if (insecurePort !== undefined) {
    listeners.push(await listen({ host: '127.0.0.1', port: insecurePort, tls: undefined, maxStreams, handler }))
  }
  const controllers = startControllers({
    options,
    registries,
    store,
    clock,
    logger,
    port: listeners[0]?.port ?? securePort,
  })
  const ready = start.until(controllers.ready)
  return {
    addresses: listeners.map(({ host, port }, i) => `${i === 0 ? 'https' : 'http'}://${urlHost(host)}:${port}`),
    ready,
    async close() {
      start.shutDown()
      await controllers.stop()
      await extensions.stop()
      for (const listener of listeners) listener.drain()
      for (const stream of open) stream.end()
      for (const listener of listeners) await listener.close()
      authentication.close()
      authorization.close()
      admission.close()
      feed.close()
      await store.close()
    },
  }
}

const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

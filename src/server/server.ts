/** A running server, put together from its layers and taken apart in the opposite order. */

import type { Exchange } from '../api/exchange.ts'
import { Loopback } from '../auth/authentication/loopback.ts'
import { advertisedAddress } from '../config/advertised-address.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { makeEncryption } from '../encryption/make-encryption.ts'
import { type Clock, type Pausable, systemClock } from '../lib/clock.ts'
import { seededStreams } from '../lib/seeded-random.ts'
import { type Egress, makeEgress } from '../outbound/egress.ts'
import { openDebugSocket } from '../paths/debug-socket.ts'
import { localHost } from '../pki/kubeconfig.ts'
import { openTokenAuthority } from '../pki/token-authority.ts'
import type { SimulatedNetwork } from '../simulate/nodes/simulated-network.ts'
import type { RunningNodes } from '../simulate/nodes/simulated-nodes.ts'
import { HealthChecks } from '../telemetry/health.ts'
import { queueCollector } from '../telemetry/metrics/collectors.ts'
import { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import { addServerChecks } from '../telemetry/server-checks.ts'
import { ConsoleSlot, tappedHandler } from './console-slot.ts'
import { type ControllersOptions, type RunningControllers, startControllers } from './controllers.ts'
import { stopServing } from './graceful-stop.ts'
import { addressOf, openListeners } from './listeners.ts'
import { makeRequestLayer, type RequestLayer } from './request-layer.ts'
import { makeResources } from './resource-layer.ts'
import type { ProcessRole, RunningServer, ServerDependencies } from './running-server.ts'
import { openStorage, type StorageLayer } from './storage-layer.ts'

export async function startServer(options: ServerOptions, given: ServerDependencies): Promise<RunningServer> {
  const { logger, seams, role } = given
  const startedAt = given.clock.now()
  const queues = given.clock.queues ?? new Set<Pausable>()
  const clock = withQueues(given.clock, queues)
  const dependencies = { ...given, clock }
  const metrics = new ServerMetrics(options, logger)
  metrics.set.onCollect(queueCollector(metrics.set, queues))
  if (role !== undefined) metrics.gather = (page) => role.gather(page)
  const network = await simulatedNetwork(options, clock)
  const direct = await makeEgress(options, metrics.set)
  const egress = network === undefined ? direct : { ...direct, cluster: network.dialOver(direct.cluster) }
  const tracing = await startTracing(options, dependencies, egress)
  const encryption = await makeEncryption(options, { clock, logger, metrics: metrics.set })
  const tokenAuthority = await openTokenAuthority(options, { ...dependencies, metrics: metrics.set })
  const loopback = new Loopback(role?.loopbackToken)
  const console = consoleSlot(options, dependencies)
  if (options.console.isOn) await console?.open()
  const opening = { ...dependencies, console, egress, tracer: tracing?.tracer, encryption, tokenAuthority, loopback }
  const storage = await openStorage(options, opening, metrics)
  const parts = { ...opening, clock: seeded(clock, options.simulate?.seed, storage.reflector.revision) }
  const resources = await makeResources(options, parts, { storage, metrics })
  const health = healthChecks(options, dependencies, metrics)
  const start = addServerChecks(health, {
    ...storage,
    encryption,
    options,
    gate: (name) => options.featureGates.enabled(name),
  })
  const requests = await makeRequestLayer(options, parts, { storage, resources, metrics, health })
  console?.attach(() => ({
    options,
    clock,
    logger,
    registries: resources.registries,
    authorizer: resources.authorizer,
    metrics: metrics.set,
    health,
    store: storage.store,
    revision: () => storage.reflector.revision,
    openWatches: requests.openWatches,
    flowControl: requests.flowControl,
    startedAt,
    testing: seams?.testing,
  }))
  const handshakeErrors = metrics.set.counter('apiserver_tls_handshake_errors_total').series()
  const listeners = await openListeners(options, dependencies, {
    handler: tappedHandler(console, entrance(given, requests, storage)),
    onHandshakeError: () => handshakeErrors.value++,
  })
  loopback.listensAt({ host: localHost(options.serving.bindAddress), port: listeners[0].port })
  console?.listensAt(addressOf(listeners[0], 'https'))
  const debugSocket = isWorker(role) ? undefined : await openDebugSocket(options, dependencies)
  const place = { port: listeners[0].port, address: advertisedAddress(options) }
  seams?.started({ storage, resources, requests, place })
  given.embedding?.started({ storage, resources, requests, place })
  role?.started({
    metrics: { metrics: metrics.set, slis: metrics.health },
    auditSink: requests.auditSink,
    listeners,
  })
  const controllers = controllersOf(role, {
    options,
    registries: resources.registries,
    store: storage.store,
    clock: parts.clock,
    logger,
    place,
    usesRoles: resources.usesRoles,
    hasRoles: seams?.hasRoles ?? false,
    encryption,
    rootCaPem: given.credentials.servingCaPem,
    services: async () => {
      const { localServerServices } = await import('../simulate/framework/local-server.ts')
      return localServerServices({
        rootCaPem: given.credentials.servingCaPem,
        signer: given.credentials.ca,
        signToken: async (claims) => (await tokenAuthority.signer()).sign(claims),
        credentials: () => loopback.headers(),
        handle: requests.handle,
      })
    },
    onSimulation(simulation) {
      network?.attach(simulation.controller('nodes') as RunningNodes)
      seams?.simulated?.(simulation)
    },
  })
  const stop = async (): Promise<void> => {
    start.shutDown()
    const workersEnded = role?.stopWorkers()
    await stopServing(options, {
      clock,
      requests,
      listeners,
      stopOwnWork: () => controllers.stop(),
      caughtUp: (ms) => Promise.resolve(storage.reflector.fresh(ms)),
    })
    await workersEnded
    debugSocket?.close()
    console?.close()
    await requests.stop()
    await requests.close()
    network?.close()
    resources.close()
    tokenAuthority.close()
    encryption?.close()
    await storage.close()
    await tracing?.close()
  }
  let stopped: Promise<void> | undefined
  return {
    addresses: listeners.map((listener, i) => addressOf(listener, i === 0 ? 'https' : 'http')),
    ready: start.until(controllers.ready),
    ...(console === undefined ? {} : { consoleLink: (user, base) => console.link(user, base) }),
    close() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Test servers open theirs when a test asks for it. */
function consoleSlot(options: ServerOptions, { clock, seams }: ServerDependencies): ConsoleSlot | undefined {
  if (!options.console.isOn && seams?.hasConsole !== true) return undefined
  // Moving a test's clock ends no session.
  return new ConsoleSlot({ options, clock: seams?.hasConsole === true ? systemClock : clock })
}

const isWorker = (role: ProcessRole | undefined): boolean => role?.isPrimary === false

/** What one process does for all is not done by the others. */
function controllersOf(role: ProcessRole | undefined, options: ControllersOptions): RunningControllers {
  if (!isWorker(role)) return startControllers(options)
  return { ready: Promise.resolve(), stop: () => Promise.resolve() }
}

/** How long a request waits for the caches of a worker; reads that must be newer than those fail by themselves. */
const entranceMs = 3000

/**
 * What takes requests from the wire. A worker lets a request in when its caches have all that was acknowledged before, by
 * whichever process: roles, custom resources and webhooks are as new as objects are.
 */
function entrance({ seams, role }: ServerDependencies, requests: RequestLayer, { store, reflector }: StorageLayer) {
  const { handle } = requests
  if (seams !== undefined) return (exchange: Exchange): void => handle(seams.exchange(exchange))
  if (!isWorker(role) || store.watermark === undefined) return handle
  return (exchange: Exchange): void => {
    const fresh = reflector.fresh(entranceMs)
    if (fresh !== true) void fresh.then(() => setImmediate(handle, exchange))
    else if (reflector.isDispatching) setImmediate(handle, exchange)
    else handle(exchange)
  }
}

/** The network of what is simulated is loaded only where something is. */
async function simulatedNetwork({ simulate }: ServerOptions, clock: Clock): Promise<SimulatedNetwork | undefined> {
  if (simulate === undefined) return undefined
  const loaded = await import('../simulate/nodes/simulated-network.ts')
  return new loaded.SimulatedNetwork(clock)
}

/** The queues of this server sign up here. */
function withQueues(clock: Clock, queues: Set<Pausable>): Clock {
  if (clock.queues === queues) return clock
  return {
    now: () => clock.now(),
    get horizon() {
      return clock.horizon
    },
    setTimeout: (fn, ms, options) => clock.setTimeout(fn, ms, options),
    random: (stream) => clock.random(stream),
    uuid: () => clock.uuid(),
    queues,
  }
}

/**
 * Chance that is the same in every run with the same seed from the same revision: a server that starts again on its store
 * does not give the names once more that it gave before. Uids stay unique.
 */
function seeded(clock: Clock, seed: number | undefined, revision: number): Clock {
  if (seed === undefined) return clock
  const random = seededStreams(`${seed} ${revision}`)
  return {
    now: () => clock.now(),
    get horizon() {
      return clock.horizon
    },
    setTimeout: (fn, ms, options) => clock.setTimeout(fn, ms, options),
    random,
    uuid: () => clock.uuid(),
    ...(clock.queues === undefined ? {} : { queues: clock.queues }),
  }
}

/** What traces is loaded only if something is to be traced. */
async function startTracing(options: ServerOptions, dependencies: ServerDependencies, egress: Egress) {
  const file = options.connections.tracingConfigFile
  if (file === undefined) return undefined
  const { openTracing } = await import('../telemetry/tracing.ts')
  return openTracing(file, options, { ...dependencies, dial: egress.controlplane })
}

function healthChecks(
  { health }: ServerOptions,
  { clock, logger }: ServerDependencies,
  metrics: ServerMetrics,
): HealthChecks {
  return new HealthChecks({
    clock,
    livezGracePeriod: health.livezGracePeriod,
    timeout: health.storeTimeout,
    timeouts: new Map([['etcd-readiness', health.storeReadinessTimeout]]),
    onResult: metrics.healthResult,
    onFailure: (page, failures) =>
      logger.warn({ page, failures: Object.fromEntries(failures) }, 'health checks failed'),
  })
}

/** Starts what the server itself keeps true, and says when the first objects are there. */
import { hostname } from 'node:os'
import { formatGroupVersion } from '../api/group-version.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { aggregatedRules } from '../auth/rbac/aggregation.ts'
import { catalogAt } from '../catalog/releases.ts'
import { type ControllerName, isControllerEnabled } from '../config/controller-selection.ts'
import { releaseGates } from '../config/release-gates.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { type LocalVersion, localApiServices } from '../controllers/bootstrap/api-services.ts'
import { BootstrapController } from '../controllers/bootstrap/bootstrap-controller.ts'
import { consoleRole } from '../controllers/bootstrap/console-role.ts'
import { EndpointReconciler } from '../controllers/bootstrap/endpoint-reconciler.ts'
import type { WantedObject } from '../controllers/bootstrap/ensure-objects.ts'
import { flowControlObjects } from '../controllers/bootstrap/flow-control.ts'
import {
  defaultServiceCidr,
  kubernetesAddress,
  kubernetesEndpoints,
  kubernetesService,
} from '../controllers/bootstrap/kubernetes-service.ts'
import { LegacyTokenTracking } from '../controllers/bootstrap/legacy-token-tracking.ts'
import { bootstrapRoles } from '../controllers/bootstrap/roles.ts'
import { serverRecordResource, serverRecords } from '../controllers/bootstrap/server-records.ts'
import {
  type AuthenticationFacts,
  authenticationFacts,
  systemNamespaces,
  systemPriorityClasses,
} from '../controllers/bootstrap/system-objects.ts'
import type { Controller, ControllerOptions } from '../controllers/controller.ts'
import { electedCoordination } from '../controllers/coordinated-election/elected-coordination.ts'
import { FlowSchemaStatus } from '../controllers/flow-schema-status.ts'
import { GarbageCollector } from '../controllers/garbage-collector/garbage-collector.ts'
import { IdentityLease } from '../controllers/identity-lease.ts'
import { IdleWorkloads } from '../controllers/idle-workloads.ts'
import { LeaderElection } from '../controllers/leader-election.ts'
import { LiveResources } from '../controllers/live-resources.ts'
import { NamespaceController } from '../controllers/namespace/namespace-controller.ts'
import { defaultServiceAccount } from '../controllers/namespace-objects/default-service-account.ts'
import { NamespaceObjects } from '../controllers/namespace-objects/namespace-objects.ts'
import { rootCa } from '../controllers/namespace-objects/root-ca.ts'
import { RoleAggregation } from '../controllers/role-aggregation.ts'
import type { Encryption } from '../encryption/encryption.ts'
import { BackgroundTasks } from '../lib/background-tasks.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { Registries } from '../registry/registries.ts'
import { servedResources } from '../resources/api-enablement.ts'
import type { ServerServices } from '../simulate/framework/server-services.ts'
import type { Simulation } from '../simulate/simulation.ts'
import type { Store } from '../store/store.ts'
import type { ServerPlace } from './test-seams.ts'

export interface ControllersOptions {
  readonly options: ServerOptions
  readonly registries: Registries
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly place: ServerPlace
  /** Whether roles decide who may do what. */
  readonly usesRoles: boolean
  /** Whether those of the server itself are known to be there. */
  readonly hasRoles: boolean
  readonly encryption: Encryption | undefined
  /** What clients verify this server with. */
  readonly rootCaPem: string
  /** What a simulated cluster needs of the server. */
  readonly services: () => Promise<ServerServices>
  /** Called when the simulated cluster has started, where there is one. */
  readonly onSimulation?: ((simulation: Simulation) => void) | undefined
}

export interface RunningControllers {
  /** Settles when everything that a server has at the start is there. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

/** All custom resources must be known by now: an object whose owner's kind is unknown is never collected. */
export function startControllers(given: ControllersOptions): RunningControllers {
  const { registries, clock, logger } = given
  const steps = bootstrapSteps(given).map((step) => step.filter((wanted) => isWanted(registries, wanted)))
  const kept = keptObjects(steps)
  const bootstrap = new BootstrapController({ resources: registries, clock, logger, steps, kept })
  const tasks = new BackgroundTasks(clock)
  const workers = new Workers(given, tasks)
  const endpoints = endpointReconciler(given)
  const leases = registries.get('coordination.k8s.io', 'leases')
  const identity = leases && new IdentityLease({ leases, hostname: hostname(), clock, logger })
  const configMaps = registries.get('', 'configmaps')
  const tracking = configMaps && new LegacyTokenTracking({ configMaps, clock, logger })
  const coordinated = given.options.featureGates.enabled('CoordinatedLeaderElection')
    ? electedCoordination({ resources: registries, clock, logger, timing: given.options.leadership })
    : undefined
  let isStopped = false
  const ready = bootstrap
    .start()
    .then(() => tracking?.start())
    .then(() => {
      if (isStopped) return
      workers.start()
      endpoints?.start()
      if (given.options.featureGates.enabled('APIServerIdentity')) identity?.start()
      coordinated?.start()
      tasks.run(repairRecords(given))
    })
  return {
    ready,
    async stop() {
      isStopped = true
      await bootstrap.stop()
      await tracking?.stop()
      await endpoints?.stop()
      await identity?.stop()
      await coordinated?.stop()
      await workers.stop()
    },
  }
}

async function repairRecords({ registries, logger }: ControllersOptions): Promise<void> {
  for (const { definition } of registries.all()) {
    await definition.strategy.repair?.().catch((error: unknown) => {
      logger.error(
        { err: error, resource: definition.resource },
        'what a crash may have left behind could not be put right',
      )
    })
  }
}

const noController: Controller = { stop: () => Promise.resolve() }

/** The controllers that only one of several servers runs. */
class Workers {
  readonly #given: ControllersOptions
  readonly #tasks: BackgroundTasks
  #election: Controller = noController
  #running: { readonly live: LiveResources; readonly controllers: Controller[] } | undefined
  #stopped = false

  constructor(given: ControllersOptions, tasks: BackgroundTasks) {
    this.#given = given
    this.#tasks = tasks
  }

  start(): void {
    if (this.#stopped) return
    const { store, registries, clock, logger } = this.#given
    if (!store.shared) {
      this.#run()
      return
    }
    const election = new LeaderElection({
      leases: registries.need('coordination.k8s.io', 'leases'),
      lease: 'pilothouse-controllers',
      identity: `${hostname()}_${clock.uuid()}`,
      clock,
      logger,
      onElected: () => this.#run(),
      onLost: () => this.#rest(),
    })
    this.#election = election
    election.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#rest()
    await this.#election.stop()
  }

  #run(): void {
    const { options, registries, clock, logger, rootCaPem } = this.#given
    const isOn = (name: ControllerName) => isControllerEnabled(options.controllers, name)
    const live = new LiveResources(registries)
    const gate = (name: string) => options.featureGates.enabled(name)
    const shared: ControllerOptions = { resources: registries, live, clock, logger, gate }
    const collector = new GarbageCollector(shared)
    const namespaces = new NamespaceController(shared)
    const aggregation = new RoleAggregation({ ...shared, aggregatedRules })
    const flowSchemas = new FlowSchemaStatus(shared)
    const chosen = [
      ...(options.garbageCollector && isOn('garbage-collector-controller') ? [collector] : []),
      ...(isOn('namespace-controller') ? [namespaces] : []),
      ...(isOn('clusterrole-aggregation-controller') ? [aggregation] : []),
      ...(isOn('serviceaccount-controller') ? [new NamespaceObjects(shared, defaultServiceAccount)] : []),
      ...(isOn('root-ca-certificate-publisher-controller') ? [new NamespaceObjects(shared, rootCa(rootCaPem))] : []),
      // Part of the server itself in the reference, so that nothing turns it off.
      flowSchemas,
      ...(options.simulate === undefined ? [new IdleWorkloads(shared)] : []),
    ]
    this.#running = { live, controllers: chosen }
    this.#tasks.run(
      live.start().then(
        () => {
          if (this.#running?.live !== live) return undefined
          for (const controller of chosen) controller.start()
          return this.#simulate(live).catch((error: unknown) =>
            logger.error({ err: error }, 'the cluster cannot be simulated'),
          )
        },
        (error: unknown) => logger.error({ err: error }, 'the controllers cannot see what there is'),
      ),
    )
  }

  /** What simulates a cluster is loaded only where one is asked for. */
  async #simulate(live: LiveResources): Promise<void> {
    const { options, registries, clock, logger, onSimulation } = this.#given
    const { simulate: settings, controllers } = options
    if (settings === undefined) return
    const gate = (name: string) => options.featureGates.enabled(name)
    const { startSimulation } = await import('../simulate/simulation.ts')
    const services = await this.#given.services()
    const context = { resources: registries, clock, logger, settings, gate, services }
    const simulation = await startSimulation({ ...context, controllers })
    if (this.#running?.live !== live) {
      await simulation.stop()
      return
    }
    this.#running.controllers.push(simulation)
    onSimulation?.(simulation)
  }

  async #rest(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    running?.live.stop()
    await Promise.all((running?.controllers ?? []).map((controller) => controller.stop()))
  }
}

/** Nothing is made of what is not served, nor a namespace for it. */
function isWanted(registries: Registries, { group, resource, object }: WantedObject): boolean {
  if (registries.get(group, resource) === undefined) return false
  const user = resource === 'namespaces' ? namespaceUsers.get(object.metadata.name ?? '') : undefined
  return user === undefined || registries.get(...user) !== undefined
}

/** What the server's own namespaces are for, the default one aside. */
const namespaceUsers: ReadonlyMap<string, readonly [group: string, resource: string]> = new Map([
  ['kube-system', ['coordination.k8s.io', 'leases']],
  ['kube-public', ['', 'configmaps']],
  ['kube-node-lease', ['', 'nodes']],
])

function bootstrapSteps(given: ControllersOptions): WantedObject[][] {
  const { options, clock } = given
  const now = formatTime(instantOfMillis(clock.now()))
  const served = [...servedGroupVersions(options).values()]
  const endpoint = {
    serviceRanges: options.services.clusterIpRanges,
    port: given.place.port,
  }
  return [
    [...systemNamespaces(), defaultServiceCidr(endpoint, now)],
    [
      kubernetesService(endpoint),
      ...lonelyEndpoints(given),
      ...systemPriorityClasses(),
      ...flowControlObjects(options.version.emulation.minor),
      ...(given.usesRoles && options.console.isOn ? [consoleRole] : []),
      ...(given.usesRoles && !given.hasRoles
        ? bootstrapRoles((name) => options.featureGates.enabled(name), releaseGates(options))
        : []),
      ...localApiServices(served),
      ...authenticationFacts(readAuthenticationFacts(options)),
    ],
    [kubernetesAddress(endpoint)],
  ]
}

/** The endpoints of a server that has its store for itself are reconciled once: there is no other writer. */
function lonelyEndpoints({ options, store, place }: ControllersOptions): WantedObject[] {
  const { address, port } = place
  if (address === undefined || store.shared || options.endpoints.type !== 'lease') return []
  return kubernetesEndpoints({ address, port, addresses: () => [address], keepPorts: false })
}

/** Who keeps the endpoints where the servers of a store are several, or where the flags ask for another way. */
function endpointReconciler({
  options,
  registries,
  store,
  encryption,
  clock,
  logger,
  place,
}: ControllersOptions): EndpointReconciler | undefined {
  const { address, port } = place
  const { type, count } = options.endpoints
  if (address === undefined || type === 'none' || (type === 'lease' && !store.shared)) return undefined
  const transformer = encryption?.transformerFor(serverRecordResource)
  const kind =
    type === 'lease'
      ? ({ type, records: serverRecords(store, options.storage.prefix, transformer) } as const)
      : ({ type, count } as const)
  return new EndpointReconciler({ resources: registries, clock, logger, address, port, kind })
}

/** What is reconciled when a client deletes or changes it later; the rest only at the next start. */
function keptObjects(steps: readonly (readonly WantedObject[])[]): WantedObject[] {
  const kept = new Set(['namespaces', 'services', 'endpoints', 'endpointslices', 'ipaddresses', 'configmaps'])
  const isFlowControl = ({ group }: WantedObject) => group === 'flowcontrol.apiserver.k8s.io'
  return steps.flat().filter((wanted) => kept.has(wanted.resource) || isFlowControl(wanted))
}

function servedGroupVersions(options: ServerOptions): Map<string, LocalVersion> {
  const isServed = servedResources(options)
  const { groups, resources } = catalogAt(options.version.emulation.minor)
  const served = new Set(resources.filter(isServed).map(formatGroupVersion))
  const versions = groups.flatMap(({ group, versions: all }) => all.map((each) => ({ group, ...each })))
  return new Map(versions.map((each) => [formatGroupVersion(each), each] as const).filter(([name]) => served.has(name)))
}

function readAuthenticationFacts({ authentication }: ServerOptions): AuthenticationFacts {
  const { clientCaFile, requestHeader } = authentication
  return {
    ...(clientCaFile === undefined ? {} : { clientCa: readGivenFile(clientCaFile) }),
    ...(requestHeader === undefined
      ? {}
      : { requestHeader: { ...requestHeader, clientCa: readGivenFile(requestHeader.clientCaFile) } }),
  }
}

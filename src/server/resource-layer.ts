/**
 * What is served and who may use it: the registries of all resources with their rules, admission, authentication and
 * authorization. They know each other: rules ask the authorizer, which reads roles from the registries.
 */

import { formatGroupResource, formatGroupVersion } from '../api/group-version.ts'
import { hasChange } from '../api/release-changes.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { releaseGates } from '../config/release-gates.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { serviceResolver } from '../extensions/service-resolver.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import { Registries, type RegistriesOptions } from '../registry/registries.ts'
import { reviews } from '../resources/actions/reviews.ts'
import { type IsServed, servedResources } from '../resources/api-enablement.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { deviceSelectorCheck, expressionChecker } from '../resources/expression-checks.ts'
import { extensionRules } from '../resources/extension-rules.ts'
import type { KindServices } from '../resources/kind-rules.ts'
import { bindingAction } from '../resources/kinds/pods/binding.ts'
import { componentHealth } from '../telemetry/component-health.ts'
import type { ServerMetrics } from '../telemetry/metrics/server-metrics.ts'
import { storedAs } from '../transfer/stored-as.ts'
import { accessServices } from './access-services.ts'
import { makeAdmission } from './admission.ts'
import { makeAuthenticator } from './authenticators.ts'
import { makeAuthorizer } from './authorizers.ts'
import type { ServerParts } from './running-server.ts'
import type { StorageLayer } from './storage-layer.ts'

export type ResourceLayer = Awaited<ReturnType<typeof makeResources>>

interface Below {
  readonly storage: StorageLayer
  readonly metrics: ServerMetrics
}

export async function makeResources(options: ServerOptions, dependencies: ServerParts, below: Below) {
  const { logger, credentials, clock, seams, egress, tracer, encryption, tokenAuthority, loopback } = dependencies
  const { store, reflector } = below.storage
  const gate = (name: string): boolean => options.featureGates.enabled(name)
  const isServed = servedResources(options)
  const admission = makeAdmission({
    options,
    clock,
    reflector,
    logger,
    metrics: below.metrics.set,
    egress,
    resolveService: loopback.resolver(
      serviceResolver({ registries: () => registries, routing: options.connections.serviceRouting, clock }),
    ),
    loopback,
    tracer,
    console: dependencies.console,
    registries: () => registries,
    authorizer: () => authorization.authorizer,
    plugins: dependencies.embedding?.plugins,
    ...(seams === undefined
      ? {}
      : { beforeWebhook: (call) => seams.beforeWebhook(call), onDenied: (messages) => seams.denied(messages) }),
  })
  const registries: Registries = new Registries({
    backend: (resource) => below.storage.backend(storedAs(resource)),
    maxEvents: (resource) => options.storage.eventHistorySizes.get(formatGroupResource(resource)) || undefined,
    clock,
    prefix: options.storage.prefix,
    codec: (definition) => ({
      layout: options.storage.kind === 'etcd' ? 'reference' : 'json',
      cbor: gate('CBORServingAndStorage'),
      ...(encryption === undefined ? {} : { transformer: encryption.transformerFor(storedAs(definition)) }),
    }),
    onUnreadable: unreadableListener(logger, below.metrics.set),
    admission,
    gate,
  })
  encryption?.onReadable(() => void registries.redecode())
  const release = options.version.emulation.minor
  const scope: KindServices['scope'] = {
    release,
    oldest: options.version.minCompatibility.minor,
    selectors: gate('AuthorizeWithSelectors'),
  }
  const services: KindServices = {
    clock,
    gate,
    release,
    scope,
    registry: (group, resource) => registries.need(group, resource),
    objects: (group, resource) => registries.source(group, resource),
    storage: (definition) => registries.storage(definition),
    serviceRanges: options.services.clusterIpRanges,
    nodePortRange: { first: options.services.nodePorts.first, last: options.services.nodePorts.last },
    allowPrivileged: options.allowPrivileged,
    components: () => componentHealth(store),
    access: accessServices({
      serviceAccounts: options.authentication.serviceAccounts,
      tokenAuthority,
      clock,
      registries: () => registries,
      authenticator: () => authentication.authenticator,
      authorizer: () => authorization.authorizer,
      rbac: () => authorization.rbac,
    }),
    expressions: (composed) => expressionChecker(composed, scope),
    deviceSelector: deviceSelectorCheck({
      ...scope,
      shared: gate('DRAConsumableCapacity'),
      lists: gate('DRAListTypeAttributes'),
    }),
    declaredRules: declaredRuleReports(below.metrics.set, logger, release),
    metrics: below.metrics.set,
  }
  addResources({ options, registries, services, isServed })
  await admission.start()
  const { embedding, console } = dependencies
  const authentication = makeAuthenticator(options.authentication, {
    credentials,
    tokenAuthority,
    registries,
    gate,
    clock,
    logger,
    metrics: below.metrics.set,
    egress,
    release,
    tokens: [loopback.tokens, ...(seams === undefined ? [] : [seams.tokens])],
    first: [...(console === undefined ? [] : [console.authenticator]), ...(embedding?.authenticators ?? [])],
  })
  const authorization = await makeAuthorizer(options.authorization, {
    registries,
    gate,
    later: releaseGates(options),
    release,
    clock,
    logger,
    metrics: below.metrics.set,
    dial: egress.controlplane,
    first: [...(console === undefined ? [] : [console.authorizer]), ...(embedding?.authorizers ?? [])],
  })
  return {
    gate,
    isServed,
    registries,
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    usesRoles: authorization.rbac !== undefined,
    close() {
      authentication.close()
      authorization.close()
      admission.close()
    },
  }
}

/** Where declared rules and the written ones disagree, an operator should know before the former take over. */
function declaredRuleReports(metrics: MetricSet, logger: Logger, release: number): KindServices['declaredRules'] {
  const reporter = (total: string, byIdentifier: string): ((detail: string, identifier: string) => void) => {
    const prefix = 'apiserver_validation_declarative_validation'
    const all = metrics.counter(`${prefix}_${total}`)
    const each = hasChange(release, 'countsDeclaredByIdentifier')
      ? metrics.counter(`${prefix}_${byIdentifier}`)
      : undefined
    return (detail, identifier) => {
      all.add(1)
      each?.add(1, identifier)
      logger.error(detail)
    }
  }
  return {
    mismatch: reporter('mismatch_total', 'parity_discrepancies_total'),
    failure: reporter('panic_total', 'panics_total'),
  }
}

/** Logs values that cannot be read, without their contents. */
function unreadableListener(logger: Logger, metrics: MetricSet): NonNullable<RegistriesOptions['onUnreadable']> {
  return (definition, { key, reason, why }) => {
    const resource = formatGroupResource(definition)
    if (reason === 'decode') metrics.counter('apiserver_storage_decode_errors_total').add(1, resource)
    logger.error({ resource, key, why }, reason === 'decode' ? 'failed to decode data' : 'failed to decrypt data')
  }
}

interface Resources {
  readonly options: ServerOptions
  readonly registries: Registries
  readonly services: KindServices
  readonly isServed: IsServed
}

/** The built-in kinds, the reviews that are answers rather than objects, and the bindings of pods. */
function addResources({ options, registries, services, isServed }: Resources): void {
  const { clock, gate } = services
  const release = options.version.emulation.minor
  const definitions = builtInDefinitions({
    services,
    isServed,
    release,
    oldest: options.version.minCompatibility.minor,
    defaulting: { enabled: gate, now: () => formatTime(instantOfMillis(clock.now())) },
    eventTtlSeconds: options.storage.eventTtl / 1000,
    moreRules: extensionRules,
  })
  for (const definition of definitions) registries.add(definition)
  for (const { resource, action } of reviews(services, isServed, release)) {
    registries.addAction({ definition: resource, action }, formatGroupVersion(resource))
  }
  const bindings = { group: '', resource: 'bindings', namespaced: true }
  registries.addAction({ definition: bindings, action: bindingAction(services) }, 'v1')
}

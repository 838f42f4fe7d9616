/** Puts the admission chain together from the options: which plugins, their configuration, and what they may ask. */

import { AdmissionChain } from '../admission/chain.ts'
import { Cluster } from '../admission/cluster.ts'
import {
  configurationMerger,
  conversionProblem,
  equivalentForms,
  paramKindFinder,
  parseJson,
  typeFinder,
  webhookCredentials,
} from '../admission/cluster-forms.ts'
import { admittedEquality, objectDecoder, versionRestorer } from '../admission/patched-object.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import { makePlugins } from '../admission/plugins.ts'
import type { Policy } from '../admission/policy/policy-objects.ts'
import { PolicyStatusController } from '../admission/policy/policy-status-controller.ts'
import { QuotaController } from '../admission/quota/quota-controller.ts'
import { QuotaEnforcer } from '../admission/quota/quota-enforcer.ts'
import type { Quota } from '../admission/quota/quota-object.ts'
import { RegistryQuotaStore } from '../admission/quota/registry-quota-store.ts'
import { WebhookClient, type WebhookPost } from '../admission/webhook/webhook-client.ts'
import type { Admission } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { ObjectSource } from '../api/object-source.ts'
import { ApiError } from '../api/status-error.ts'
import type { Loopback } from '../auth/authentication/loopback.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { ReviewClient as BackendClient } from '../auth/webhook/webhook-client.ts'
import { cacheSource } from '../cache/cache-source.ts'
import type { Reflector } from '../cache/reflector.ts'
import { encodeJson } from '../codec/json.ts'
import { encodeJsonInSteps } from '../codec/json-in-steps.ts'
import { readReview } from '../codec/review-answers.ts'
import { admissionPluginNames } from '../config/admission-plugins.ts'
import { asConfigError, ConfigError } from '../config/config-error.ts'
import { type ControllerName, isControllerEnabled } from '../config/controller-selection.ts'
import { type PluginConfiguration, readAdmissionConfiguration } from '../config/files/admission-configuration.ts'
import { checkPluginConfiguration } from '../config/files/plugin-configurations.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Tracer } from '../lib/tracer.ts'
import type { Egress } from '../outbound/egress.ts'
import { readKubeconfig } from '../outbound/kubeconfig.ts'
import type { ResolveService } from '../outbound/webhook-address.ts'
import { randomSuffix } from '../registry/generate-name.ts'
import { createAs, serverActor, updateAs } from '../registry/own-writes.ts'
import type { Registries } from '../registry/registries.ts'
import { admissionObserver } from '../telemetry/metrics/admission-observer.ts'
import { measuredAdmission, pluginMeters } from '../telemetry/metrics/measured-admission.ts'
import { tracedPlugin, traceHeaders } from '../telemetry/traced.ts'
import { type TapHolder, tappedAdmissionObserver, tappedPlugins } from './console-slot.ts'
import { staticAdmission } from './static-admission.ts'

export interface AdmissionDependencies {
  readonly options: ServerOptions
  readonly clock: Clock
  readonly reflector: Reflector
  readonly logger: Logger
  readonly metrics: MetricSet
  readonly egress: Egress
  readonly resolveService: ResolveService
  readonly loopback: Loopback
  readonly tracer: Tracer | undefined
  /** Made after admission, used only by requests. */
  readonly registries: () => Registries
  readonly authorizer: () => Authorizer
  /** As in the seams of a test server. */
  readonly beforeWebhook?: (call: WebhookPost) => Promise<void>
  /** Called with all that policies said who denied a request. Only test servers want to know. */
  readonly onDenied?: (messages: readonly string[]) => void
  readonly console: TapHolder | undefined
  /** Plugins of the program that the server is embedded in. */
  readonly plugins?: readonly AdmissionPlugin[] | undefined
}

/** How long a look-up waits for what other servers wrote. */
const freshTimeoutMs = 3000

/** The chain, and what it keeps running beside requests. */
export interface RunningAdmission extends Admission {
  start(): Promise<void>
  close(): void
}

export function makeAdmission(dependencies: AdmissionDependencies): RunningAdmission {
  const { options, clock, reflector, metrics, registries, authorizer, egress, tracer } = dependencies
  const configurations = readConfigurations(options.admission.configFile)
  const cluster = new Cluster({
    source: async (group, resource) =>
      registries().get(group, resource) === undefined ? nothing : registries().source(group, resource),
    fresh: () => reflector.fresh(freshTimeoutMs),
    resourcesRevision: () => registries().revision,
    gate: (name) => options.featureGates.enabled(name),
    authorize: async (attributes) => {
      const { verdict, reason, error } = await authorizer().authorize(attributes)
      return { allowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) }
    },
  })
  const configuration = (plugin: string) => configurations.find(({ name }) => name === plugin)?.configuration
  const settings = {
    knowsFolders: options.featureGates.enabled('release:manifestFolders'),
    readsFolders: options.featureGates.enabled('ManifestBasedAdmissionControlConfig'),
  }
  for (const plugin of options.admission.plugins) checkPluginConfiguration(plugin, configuration(plugin), settings)
  const statics = staticAdmission({ ...dependencies, configuration })
  const quotaStore = new RegistryQuotaStore(() => registries().need('', 'resourcequotas'))
  let quotaController: QuotaController | undefined
  let policyStatus: PolicyStatusController | undefined
  const quotaEnforcer = new QuotaEnforcer({
    store: quotaStore,
    clock,
    configuration: configuration('ResourceQuota'),
    onOvercharge: (namespace) => quotaController?.recount(namespace),
    otherGroups: (group, resource) => registries().get(group, resource)?.definition.otherGroups,
  })
  const calls = metrics.counter('rest_client_requests_total')
  const webhookClient = new WebhookClient({
    clock,
    resolveService: dependencies.resolveService,
    credentials: dependencies.loopback.credentials(
      webhookCredentials(configuration('MutatingAdmissionWebhook') ?? configuration('ValidatingAdmissionWebhook')),
    ),
    encode: (review) => (isHeavy(review) ? inTurns(encodeJsonInSteps(review)) : encodeJson(review)),
    read: readReview,
    onCall: (host, status) => calls.add(1, String(status ?? '<error>'), host, 'POST'),
    dials: { service: egress.cluster, url: egress.controlplane },
    ...(tracer === undefined ? {} : { headers: () => traceHeaders(tracer) }),
    ...(dependencies.beforeWebhook === undefined ? {} : { before: dependencies.beforeWebhook }),
  })
  const { onDenied } = dependencies
  const observer = {
    ...tappedAdmissionObserver(dependencies.console, admissionObserver(metrics, options.version.emulation.minor)),
    ...(onDenied === undefined ? {} : { denied: onDenied }),
  }
  const builtIn = configured(() =>
    makePlugins(options.admission.plugins, {
      cluster,
      webhooks: {
        cluster,
        client: webhookClient,
        clock,
        decode: objectDecoder(registries, options.version.emulation.minor),
        restoreVersion: versionRestorer(registries),
        equal: admittedEquality(registries),
        parse: parseJson,
        undecodablePatchFails: options.featureGates.enabled('release:undecodablePatches'),
        trace: tracer?.trace,
        observer,
      },
      observer,
      statics: statics.sets,
      forms: equivalentForms(registries),
      imageReviewer: ({ kubeConfigFile, retryBackoffMs }) =>
        imageReviewer(kubeConfigFile, {
          firstPauseMs: retryBackoffMs,
          clock,
          omitsZeroTime: options.featureGates.enabled('release:omitsZeroTime'),
        }),
      merge: configurationMerger(registries, {
        allowsDuplicates: options.featureGates.enabled('release:policiesMeetDuplicates'),
      }),
      conversionProblem: conversionProblem(registries),
      findParamKind: paramKindFinder(registries),
      quotaEnforcer,
      clock,
      tolerationSeconds: {
        notReady: options.admission.notReadyTolerationSeconds,
        unreachable: options.admission.unreachableTolerationSeconds,
      },
      createNamespace: (name) => createNamespace(registries(), name),
      resourcesOfKind: (group, version, kind) => resourcesOfKind(registries(), { group, version, kind }),
      nameSuffix: () => randomSuffix(clock, 5, 'volume'),
      configuration,
    }),
  )
  const plugins = withOwn(builtIn, dependencies.plugins ?? [])
  const traced = tracer === undefined ? plugins : plugins.map((plugin) => tracedPlugin(plugin, tracer.trace))
  const chain = measuredAdmission(
    new AdmissionChain(tappedPlugins(dependencies.console, traced), pluginMeters(metrics)),
    metrics,
  )
  return {
    mutate: (request) => chain.mutate(request),
    validate: (request) => chain.validate(request),
    async start() {
      await statics.start()
      const isOn = (controller: ControllerName) => isControllerEnabled(options.controllers, controller)
      const hasQuotas = registries().get('', 'resourcequotas') !== undefined
      if (hasQuotas && isOn('resourcequota-controller'))
        quotaController = await startQuotaController(dependencies, quotaStore)
      if (isOn('validatingadmissionpolicy-status-controller')) policyStatus = await startPolicyStatus(dependencies)
    },
    close() {
      statics.close()
      quotaController?.close()
      policyStatus?.close()
      webhookClient.close()
    },
  }
}

const dynamicPlugins: ReadonlySet<string> = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
])

/** Policies, webhooks and quotas of the cluster see what a program's own plugins have made of an object. */
function withOwn(builtIn: readonly AdmissionPlugin[], own: readonly AdmissionPlugin[]): readonly AdmissionPlugin[] {
  const at = builtIn.findIndex(({ name }) => dynamicPlugins.has(name))
  return at < 0 ? [...builtIn, ...own] : [...builtIn.slice(0, at), ...own, ...builtIn.slice(at)]
}

async function startPolicyStatus({
  registries,
  clock,
  logger,
}: AdmissionDependencies): Promise<PolicyStatusController | undefined> {
  const registry = registries().get('admissionregistration.k8s.io', 'validatingadmissionpolicies')
  if (registry === undefined) return undefined
  const cache = await registry.storage.cache()
  return new PolicyStatusController({
    policies: cacheSource(cache) as ObjectSource<Policy>,
    types: typeFinder(registries),
    clock,
    write: async (policy, status) => {
      const { name = '', resourceVersion } = policy.metadata
      let isNewest = false
      await updateAs(serverActor, registry, { namespace: '', name, subresource: 'status' }, (current) => {
        isNewest = current.metadata.resourceVersion === resourceVersion
        return isNewest ? { ...current, status } : undefined
      })
      return isNewest
    },
    onError: (error) => logger.error({ err: error }, 'policies cannot be checked'),
  })
}

async function startQuotaController(
  { registries, clock, logger }: AdmissionDependencies,
  store: RegistryQuotaStore,
): Promise<QuotaController> {
  const all = registries()
  return new QuotaController({
    store,
    clock,
    quotas: (await all.source('', 'resourcequotas')) as ObjectSource<Quota>,
    objects: async (group, resource) =>
      all.get(group, resource) === undefined ? undefined : all.source(group, resource),
    onError: (error) => logger.error({ err: error }, 'quotas cannot be counted'),
  })
}

interface ImageReviewerSettings {
  readonly firstPauseMs: number
  readonly clock: Clock
  readonly omitsZeroTime: boolean
}

function imageReviewer(file: string, settings: ImageReviewerSettings): (review: JsonObject) => Promise<JsonObject> {
  const connection = readKubeconfig(file)
  const client = new BackendClient({ connection, read: readReview, timeoutMs: 30_000, ...settings })
  return (review) => client.post(review)
}

/** A plugin that cannot use its configuration keeps the server from starting. */
function configured<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new ConfigError(`failed to apply admission: ${(error as Error).message}`)
  }
}

/** What there is of a resource that is not served. */
const nothing: ObjectSource = { get: () => undefined, list: () => [], subscribe: () => () => {} }

function readConfigurations(file: string | undefined): readonly PluginConfiguration[] {
  if (file === undefined) return []
  const text = asConfigError(() => readGivenFile(file))
  return readAdmissionConfiguration(text, file, admissionPluginNames)
}

function resourcesOfKind(registries: Registries, wanted: { group: string; version: string; kind: string }) {
  const found: { resource: string; namespaced: boolean }[] = []
  for (const { definition } of registries.all()) {
    const served = definition.versions.some(({ version, kind }) => version === wanted.version && kind === wanted.kind)
    if (definition.group === wanted.group && served) {
      found.push({ resource: definition.resource, namespaced: definition.namespaced })
    }
  }
  return found
}

/** Made by the server itself. Idempotent: a conflict with another creator is success. */
async function createNamespace(registries: Registries, name: string): Promise<void> {
  const registry = registries.need('', 'namespaces')
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} }
  try {
    await createAs(serverActor, registry, body)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error
  }
}

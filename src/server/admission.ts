/** Puts the admission chain together from the options: which plugins, their configuration, and what they may ask. */
import { readFileSync } from 'node:fs'
import { AdmissionChain } from '../admission/chain.ts'
import { Cluster } from '../admission/cluster.ts'
import { makePlugins } from '../admission/plugins.ts'
import type { Admission } from '../api/admission.ts'
import { ApiError } from '../api/status-error.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { Feed } from '../cache/feed.ts'
import { admissionPluginNames } from '../config/admission-plugins.ts'
import { ConfigError } from '../config/config-error.ts'
import { type PluginConfiguration, readAdmissionConfiguration } from '../config/files/admission-configuration.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import { create } from '../registry/create.ts'
import { randomSuffix } from '../registry/generate-name.ts'
import type { Registries } from './registries.ts'

export interface AdmissionDependencies {
  readonly options: ServerOptions
  readonly clock: Clock
  readonly feed: Feed
  /** Made after admission, used only by requests. */
  readonly registries: () => Registries
  readonly authorizer: () => Authorizer
}

/** How long a look-up waits for what other servers wrote. */
const freshTimeoutMs = 3000

export function makeAdmission(dependencies: AdmissionDependencies): Admission {
  const { options, clock, feed, registries, authorizer } = dependencies
  const configurations = readConfigurations(options.admission.configFile)
  const cluster = new Cluster({
    source: (group, resource) => registries().source(group, resource),
    fresh: () => feed.fresh(freshTimeoutMs),
    gate: (name) => options.featureGates.enabled(name),
    authorize: async (attributes) => {
      const { verdict, reason, error } = await authorizer().authorize(attributes)
      return { allowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) }
    },
  })
  const plugins = makePlugins(options.admission.plugins, {
    cluster,
    clock,
    tolerationSeconds: {
      notReady: options.admission.notReadyTolerationSeconds,
      unreachable: options.admission.unreachableTolerationSeconds,
    },
    createNamespace: (name) => createNamespace(registries(), name),
    resourcesOfKind: (group, version, kind) => resourcesOfKind(registries(), { group, version, kind }),
    nameSuffix: () => randomSuffix(clock, 5),
    configuration: (plugin) => configurations.find(({ name }) => name === plugin)?.configuration,
  })
  return new AdmissionChain(plugins)
}

function readConfigurations(file: string | undefined): readonly PluginConfiguration[] {
  if (file === undefined) return []
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
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

/** Made by the server itself. That somebody else was faster is as good. */
async function createNamespace(registries: Registries, name: string): Promise<void> {
  const registry = registries.need('', 'namespaces')
  const version = registry.definition.hub
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} }
  try {
    await create(registry, body, {
      version,
      namespace: '',
      name,
      subresource: '',
      user: { name: 'system:apiserver', groups: ['system:masters'], extra: new Map() },
      dryRun: false,
      fieldManager: 'kube-apiserver',
      options: {},
      signal: undefined,
      warn: () => {},
      annotate: () => {},
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error
  }
}

/** Webhooks and policies of files: which plugins have a folder of them, and what keeps them as the files are. Loads nothing where none has. */
import type { StaticFolder, StaticLoading, StaticSets } from '../admission/manifests/static-configurations.ts'
import { StaticSet } from '../admission/manifests/static-set.ts'
import type { JsonValue } from '../api/json.ts'
import { typesAt } from '../catalog/catalog.ts'
import { manifestFolderOf } from '../config/files/plugin-configurations.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Registries } from '../registry/registries.ts'
import { staticLoadReporter } from '../telemetry/static-admission-metrics.ts'

export interface StaticAdmission {
  /** Undefined where no plugin has a folder. */
  readonly sets: StaticSets | undefined
  /** Throws a ConfigError where a folder cannot be loaded. */
  start(): Promise<void>
  close(): void
}

export interface StaticAdmissionDependencies {
  readonly options: ServerOptions
  readonly configuration: (plugin: string) => JsonValue | undefined
  readonly registries: () => Registries
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
}

const plugins = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
] as const

export function staticAdmission(dependencies: StaticAdmissionDependencies): StaticAdmission {
  const folders = foldersOf(dependencies)
  const sets = folders.length === 0 ? undefined : setsFor(folders)
  const watches: (() => void)[] = []
  return {
    sets,
    async start() {
      if (sets === undefined) return
      const { openStaticFolder } = await import('../admission/manifests/static-configurations.ts')
      const loading = await loadingOf(dependencies, sets)
      for (const folder of folders) watches.push(await openStaticFolder(folder, loading))
    },
    close() {
      for (const close of watches) close()
    },
  }
}

function foldersOf({ options, configuration }: StaticAdmissionDependencies): StaticFolder[] {
  const { admission, featureGates } = options
  if (!featureGates.enabled('ManifestBasedAdmissionControlConfig')) return []
  return plugins.flatMap((plugin) => {
    const folder = admission.plugins.includes(plugin) ? manifestFolderOf(configuration(plugin)) : undefined
    const isOff = plugin === 'MutatingAdmissionPolicy' && !featureGates.enabled(plugin)
    return folder === undefined || isOff ? [] : [{ plugin, folder }]
  })
}

function setsFor(folders: readonly StaticFolder[]): StaticSets {
  const entries = (suffix: string) =>
    Object.fromEntries(folders.flatMap(({ plugin }) => (plugin.endsWith(suffix) ? [[plugin, new StaticSet()]] : [])))
  return { policies: entries('Policy'), webhooks: entries('Webhook') }
}

async function loadingOf(
  { options, registries, clock, logger, metrics }: StaticAdmissionDependencies,
  sets: StaticSets,
): Promise<StaticLoading> {
  const { manifestCheck } = await import('../admission/manifests/manifest-check.ts')
  const release = options.version.emulation.minor
  const gate = (name: string): boolean => options.featureGates.enabled(name)
  return {
    sets,
    types: typesAt(release),
    check: manifestCheck({ registries, gate, release }),
    clock,
    onLoad: staticLoadReporter({ clock, logger, metrics }),
  }
}

/**
 * Loads the webhooks and policies of a folder, at the start and whenever a file of it changes. What cannot be loaded keeps a server from
 * starting; later what was good last stays. Mirrors admission/plugin/policy/manifest/source and admission/plugin/webhook/manifest/source.
 */
import { quote } from '../../api/golang/quote.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import { ConfigError } from '../../config/config-error.ts'
import { type ReloadOutcome, WatchedFile } from '../../config/files/watched-file.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { readManifests } from './manifest-files.ts'
import type { CheckManifest } from './manifest-objects.ts'
import { loadPolicies, type PolicyManifests } from './policy-manifests.ts'
import type { StaticSet } from './static-set.ts'
import { loadWebhooks } from './webhook-manifests.ts'

/** What plugins have from files, those that have a folder. */
export interface StaticSets {
  readonly policies: Readonly<Partial<Record<PolicyPlugin, StaticSet<PolicyManifests>>>>
  readonly webhooks: Readonly<Partial<Record<WebhookPlugin, StaticSet<readonly KubeObject[]>>>>
}

export type PolicyPlugin = 'MutatingAdmissionPolicy' | 'ValidatingAdmissionPolicy'
export type WebhookPlugin = 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook'

export interface StaticFolder {
  readonly plugin: PolicyPlugin | WebhookPlugin
  readonly folder: string
}

export interface StaticLoading {
  readonly sets: StaticSets
  readonly types: TypeCatalog
  readonly check: CheckManifest
  readonly clock: Clock
  /** Also called for the first load. `digest` is that of what is in force now. */
  readonly onLoad: (folder: StaticFolder, outcome: ReloadOutcome, digest: string) => void
}

/** How often a folder is looked at in any case. */
const intervalMs = 60_000

/** Resolves once the folder is loaded; the result ends the watch over it. */
export async function openStaticFolder(source: StaticFolder, loading: StaticLoading): Promise<() => void> {
  const { plugin, folder } = source
  let digest = ''
  const load = async (): Promise<void> => {
    const files = await readManifests(folder)
    await take(plugin, files.documents, loading)
    digest = files.digest
  }
  try {
    await load()
  } catch (error) {
    const what = isPolicyPlugin(plugin) ? 'policy' : 'webhook'
    const why = `failed to load static ${what} manifests from ${quote(folder)}: ${reasonOf(error)}`
    throw new ConfigError(`failed to apply admission: failed to initialize admission plugin ${quote(plugin)}: ${why}`)
  }
  loading.onLoad(source, { ok: true, text: digest }, digest)
  const watched = new WatchedFile({
    file: folder,
    folder,
    text: digest,
    read: () => readManifests(folder).then((files) => files.digest),
    intervalMs,
    clock: loading.clock,
    take: load,
    onReload: (outcome) => loading.onLoad(source, outcome, digest),
  })
  return () => watched.close()
}

const isPolicyPlugin = (plugin: string): plugin is PolicyPlugin => plugin.endsWith('Policy')

async function take(
  plugin: StaticFolder['plugin'],
  documents: Awaited<ReturnType<typeof readManifests>>['documents'],
  { sets, types, check }: StaticLoading,
): Promise<void> {
  if (isPolicyPlugin(plugin)) {
    sets.policies[plugin]?.replace(await loadPolicies(documents, { kind: plugin, types, check }))
    return
  }
  const kind = `${plugin.slice(0, -'AdmissionWebhook'.length)}WebhookConfiguration`
  sets.webhooks[plugin]?.replace(await loadWebhooks(documents, { kind, types, check }))
}

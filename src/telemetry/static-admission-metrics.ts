/** Reports webhooks and policies of folders: in the log, and in metrics. Mirrors admission/plugin/manifest/metrics. */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { StaticLoading } from '../admission/manifests/static-configurations.ts'
import { serverIdentity } from '../api/server-identity.ts'
import type { ReloadReport } from './reload-metrics.ts'

const prefix = 'apiserver_manifest_admission_config_controller'

export function staticLoadReporter({ clock, logger, metrics }: ReloadReport): StaticLoading['onLoad'] {
  const server = `sha256:${createHash('sha256').update(serverIdentity(hostname())).digest('hex')}`
  const shown = new Map<string, string>()
  return ({ plugin, folder }, outcome, digest) => {
    if (outcome.ok) logger.info({ plugin, folder }, 'loaded')
    else logger.error({ plugin, folder, error: outcome.error }, 'not loaded: what was in force stays')
    const labels = [outcome.ok ? 'success' : 'failure', plugin, server]
    metrics.counter(`${prefix}_automatic_reloads_total`).add(1, ...labels)
    metrics.gauge(`${prefix}_automatic_reload_last_timestamp_seconds`).set(clock.now() / 1000, ...labels)
    if (!outcome.ok || shown.get(plugin) === digest) return
    const info = metrics.gauge(`${prefix}_last_config_info`)
    shown.set(plugin, digest)
    // What was in force before must not stay.
    info.clear()
    for (const [name, hash] of shown) info.set(1, name, server, hash)
  }
}

/** Reports configuration files that changed while the server runs: in the log, and in the metrics of their sort. */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { serverIdentity } from '../api/server-identity.ts'
import type { ReloadOutcome } from '../config/files/watched-file.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'

export interface ReloadReport {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
}

export interface ReloadedFile {
  readonly file: string
  /** What is in force already. */
  readonly text: string
  /** Whose configuration it is; undefined for files without metrics. */
  readonly sort: 'authentication' | 'authorization' | undefined
}

export function reloadReporter(
  { clock, logger, metrics }: ReloadReport,
  { file, text, sort }: ReloadedFile,
): (outcome: ReloadOutcome) => void {
  const server = digestOf(serverIdentity(hostname()))
  const show = (inForce: string): void => {
    if (sort !== undefined)
      showConfiguration(metrics, sort, { server, digest: inForce === '' ? '' : digestOf(inForce) })
  }
  show(text)
  return (outcome) => {
    if (outcome.ok) show(outcome.text)
    if (outcome.ok) logger.info({ file }, 'reloaded')
    else logger.error({ file, error: outcome.error }, 'not reloaded: what was in force stays')
    if (sort === undefined) return
    const prefix = `apiserver_${sort}_config_controller_automatic_reload`
    const labels = [server, outcome.ok ? 'success' : 'failure']
    metrics.counter(`${prefix}s_total`).add(1, ...labels)
    metrics.gauge(`${prefix}_last_timestamp_seconds`).set(clock.now() / 1000, ...labels)
  }
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Which configuration is in force, at releases that show it. */
export function showConfiguration(
  metrics: MetricSet,
  sort: 'authentication' | 'authorization' | 'encryption',
  { server, digest }: { readonly server: string; readonly digest: string },
): void {
  const name = `apiserver_${sort}_config_controller_last_config_info`
  if (!metrics.has(name)) return
  const info = metrics.gauge(name)
  // What was in force before must not stay.
  info.clear()
  info.set(1, server, digest)
}

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

/** `sort`: whose configuration it is; undefined for files without metrics. */
export function reloadReporter(
  { clock, logger, metrics }: ReloadReport,
  file: string,
  sort: 'authentication' | 'authorization' | undefined,
): (outcome: ReloadOutcome) => void {
  const server = `sha256:${createHash('sha256').update(serverIdentity(hostname())).digest('hex')}`
  return (outcome) => {
    if (outcome.ok) logger.info({ file }, 'reloaded')
    else logger.error({ file, error: outcome.error }, 'not reloaded: what was in force stays')
    if (sort === undefined) return
    const prefix = `apiserver_${sort}_config_controller_automatic_reload`
    const labels = [server, outcome.ok ? 'success' : 'failure']
    metrics.counter(`${prefix}s_total`).add(1, ...labels)
    metrics.gauge(`${prefix}_last_timestamp_seconds`).set(clock.now() / 1000, ...labels)
  }
}

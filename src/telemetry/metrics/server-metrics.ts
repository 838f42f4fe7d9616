/**
 * The metrics of a server and their pages. Counting needs nothing but additions; the library that writes the pages, and
 * what is only measured for them, are loaded when a page is first asked for.
 */

import { formatGroupResource } from '../../api/group-version.ts'
import { hasChange } from '../../api/release-changes.ts'
import { releaseTag } from '../../api/release-facts.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { formatRelease } from '../../config/emulated-version.ts'
import { readAllowedLabels } from '../../config/files/allowed-labels.ts'
import type { ServerOptions } from '../../config/server-options.ts'
import { versionInfo } from '../../config/version-info.ts'
import { type AnswerSettings, sendBody } from '../../handlers/answer.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Metric, type MetricDefinition, MetricSet } from '../../lib/metrics.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Store } from '../../store/store.ts'
import type { HealthPage } from '../health.ts'
import { healthDefinitions, metricDefinitions } from './definitions.ts'
import { processCollector } from './process-metrics.ts'

export class ServerMetrics {
  /** What everybody counts in, by name. */
  readonly set: MetricSet
  /** Of the page of service level indicators. */
  readonly health: MetricSet
  readonly #isLater: boolean
  /** In place of what this process has counted: what all of the server's have. */
  gather: ((page: 'metrics' | 'slis') => Promise<readonly Metric[]>) | undefined

  constructor(options: ServerOptions, logger: Logger) {
    const rules = {
      release: options.version.binary.minor,
      showHidden: options.metrics.showHidden,
      disabled: new Set(options.metrics.disabled),
      allowedLabels: readAllowedLabels(options.metrics),
      onOverridden: ({ name, deprecated }: MetricDefinition) =>
        logger.warn(
          { metric: name, deprecated },
          'this release hides this metric, which is shown because it was asked for',
        ),
    }
    const release = options.version.emulation.minor
    this.#isLater = hasChange(release, 'laterMetrics')
    this.set = new MetricSet(metricDefinitions(release), rules)
    this.health = new MetricSet(healthDefinitions(), rules)
    this.set.onCollect(() => this.#collectFacts(options))
    this.set.onCollect(processCollector(this.set))
  }

  /** For `HealthOptions.onResult`. */
  healthResult = (page: HealthPage, name: string, ok: boolean): void => {
    this.health.gauge('kubernetes_healthcheck').set(ok ? 1 : 0, name, page)
    this.health.counter('kubernetes_healthchecks_total').add(1, name, ok ? 'success' : 'error', page)
  }

  /** Measures the store when a page is asked for; a remote store at most once in the given interval. */
  watchStore(store: Store, registries: () => Iterable<Registry>, intervals: StoreIntervals): void {
    const objects = this.set.gauge('apiserver_storage_objects')
    const byGroup = this.#isLater ? this.set.gauge('apiserver_resource_objects') : undefined
    const bytes = this.#isLater ? this.set.gauge('apiserver_resource_size_estimate_bytes') : undefined
    const size = this.set.gauge('apiserver_storage_size_bytes')
    const isSizeDue = everySoOften(store.shared ? intervals.size : undefined)
    const isCountDue = everySoOften(store.shared ? intervals.count : undefined)
    this.set.onCollect(async () => {
      if (isSizeDue()) size.set(await store.size().catch(() => -1), store.name)
      if (!isCountDue()) return
      const counted = await Promise.all(
        [...registries()].map(async (registry) => [registry, await count(registry)] as const),
      )
      for (const gauge of [objects, byGroup, bytes]) gauge?.clear()
      for (const [{ definition, storage }, number] of counted) {
        const { group, resource } = definition
        objects.set(number, formatGroupResource(definition))
        byGroup?.set(number, group, resource)
        // The size of what nobody has read yet is not known.
        if (storage.loaded !== undefined) bytes?.set(storage.loaded.bytes, group, resource)
      }
    })
  }

  #collectFacts(options: ServerOptions): void {
    const { featureGates } = options
    const { shown, hidden, disabled, unexpected } = this.set.counts()
    for (const { stability, deprecated, count } of shown) {
      if (stability !== '') this.set.counter('registered_metrics_total').series(stability, deprecated).value = count
    }
    this.set.counter('hidden_metrics_total').series().value = hidden
    this.set.counter('disabled_metrics_total').series().value = disabled
    this.set.counter('cardinality_enforcement_unexpected_categorizations_total').series().value = unexpected
    const info = versionInfo(options)
    const { definition } = this.set.gauge('kubernetes_build_info')
    const values = definition.labels.map((label) => info[camelCase(label)] ?? '')
    this.set.gauge('kubernetes_build_info').set(1, ...values)
    if (this.#isLater) {
      const { emulation, minCompatibility } = options.version
      const binary = releaseTag(emulation.minor).slice(1)
      const versions = [binary, formatRelease(emulation), formatRelease(minCompatibility)]
      this.set.gauge('version_info').set(1, 'kube', ...versions)
    }
    for (const { name, stage, enabled } of featureGates.all()) {
      this.set.gauge('kubernetes_feature_enabled').set(enabled ? 1 : 0, name, stage === 'ga' ? '' : stage.toUpperCase())
    }
  }

  page(settings: AnswerSettings): (context: RequestContext) => Promise<void> {
    return (context) => answerPage(context, settings, () => this.gather?.('metrics') ?? this.set.collect())
  }

  healthPage(settings: AnswerSettings): (context: RequestContext) => Promise<void> {
    return (context) => answerPage(context, settings, () => this.gather?.('slis') ?? this.health.collect())
  }
}

/** In milliseconds; 0 for never. */
interface StoreIntervals {
  readonly size: number
  readonly count: number
}

/** True when as much time has passed since it last was: always without an interval, never with one of 0. */
function everySoOften(interval: number | undefined): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (interval === undefined) return true
    const now = performance.now()
    if (interval <= 0 || now - last < interval) return false
    last = now
    return true
  }
}

const camelCase = (label: string): string => label.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** How many objects there are; -1 when the store does not say. */
async function count({ storage }: Registry): Promise<number> {
  const { loaded } = storage
  if (loaded !== undefined) return loaded.size
  try {
    const found = await storage.store.range(storage.keyPrefix, { limit: 1, withRemaining: true })
    return found.status === 'ok' ? found.items.length + (found.remaining ?? 0) : -1
  } catch {
    return -1
  }
}

async function answerPage(
  context: RequestContext,
  settings: AnswerSettings,
  collect: () => Promise<readonly Metric[]>,
): Promise<void> {
  const { metricsPage } = await import('./page.ts')
  const { body, contentType } = await metricsPage(await collect())
  context.exchange.addHeader('Process-Start-Time-Unix', String(Math.floor(performance.timeOrigin / 1000)))
  sendBody(context, settings, { status: 200, contentType, body })
}

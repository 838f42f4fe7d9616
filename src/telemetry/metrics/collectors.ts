/** What is read off the caches and objects of a server on collection, so that requests pay nothing for it. */
import { formatGroupResource } from '../../api/group-version.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceCache } from '../../cache/resource-cache.ts'
import type { Pausable } from '../../lib/clock.ts'
import type { Counter, MetricSet } from '../../lib/metrics.ts'
import type { Registries } from '../../registry/registries.ts'
import type { Registry } from '../../registry/registry.ts'

/** Only what is in memory: nothing is loaded to be counted. */
export function cacheCollector(metrics: MetricSet, registries: () => Iterable<Registry>): () => void {
  const received = metrics.counter('apiserver_watch_cache_events_received_total')
  const dispatched = metrics.counter('apiserver_watch_cache_events_dispatched_total')
  const stored = metrics.counter('apiserver_storage_events_received_total')
  const initialized = metrics.counter('apiserver_watch_cache_initializations_total')
  const reads = metrics.counter('apiserver_watch_cache_consistent_read_total')
  const readWaits = metrics.histogram('apiserver_watch_cache_read_wait_seconds')
  const version = metrics.gauge('apiserver_watch_cache_resource_version')
  const capacity = metrics.gauge('watch_cache_capacity')
  return () => {
    version.clear()
    capacity.clear()
    for (const { definition, storage } of registries()) {
      const cache = storage.loaded
      if (cache === undefined) continue
      const resource = formatGroupResource(definition)
      for (const counter of [received, dispatched, stored]) counter.series(resource).value = cache.changes
      initialized.series(resource).value = cache.initializations
      version.set(cache.revision, resource)
      capacity.set(cache.capacity, resource)
      const lists = metrics.counter('apiserver_cache_list_total')
      collectLists(metrics, cache, lists.definition.joined === undefined ? storage.keyPrefix : resource)
      const { fresh, timedOut, waits } = cache.newestReads
      if (fresh > 0) reads.series('false', resource, 'true').value = fresh
      if (timedOut > 0) reads.series('false', resource, 'false').value = timedOut
      if (fresh > 0) readWaits.adopt(waits, resource)
    }
  }
}

function collectLists(metrics: MetricSet, { lists }: ResourceCache, what: string): void {
  const set = (counter: Counter, value: number, ...labels: string[]): void => {
    if (value > 0) counter.series(...labels).value = value
  }
  for (const [counts, index] of [
    [lists.byKey, ''],
    [lists.byIndex, 'index'],
  ] as const) {
    set(metrics.counter('apiserver_cache_list_total'), counts.lists, what, index)
    set(metrics.counter('apiserver_cache_list_fetched_objects_total'), counts.fetched, what, index)
  }
  const returned = lists.byKey.returned + lists.byIndex.returned
  set(metrics.counter('apiserver_cache_list_returned_objects_total'), returned, what)
}

/** What the queues of the server's own work did. */
export function queueCollector(metrics: MetricSet, queues: ReadonlySet<Pausable>): () => void {
  return () => {
    for (const { meter } of queues) {
      if (meter === undefined) continue
      const { name } = meter
      metrics.gauge('workqueue_depth').set(meter.depth, name)
      const now = performance.now()
      const running = [...meter.running].map((began) => (now - began) / 1000)
      metrics.gauge('workqueue_longest_running_processor_seconds').set(Math.max(0, ...running), name)
      metrics.gauge('workqueue_unfinished_work_seconds').set(
        running.reduce((sum, seconds) => sum + seconds, 0),
        name,
      )
      metrics.counter('workqueue_adds_total').series(name).value = meter.adds
      metrics.counter('workqueue_retries_total').series(name).value = meter.retries
      metrics.histogram('workqueue_queue_duration_seconds').adopt(meter.waited, name)
      metrics.histogram('workqueue_work_duration_seconds').adopt(meter.worked, name)
    }
  }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
}

type ApiService = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }

const availability = (object: KubeObject): Condition | undefined =>
  (object as ApiService).status?.conditions?.find(({ type }) => type === 'Available')

/** 1 for every API service of another server that cannot be used. */
export function apiServiceCollector(metrics: MetricSet, registries: Registries): () => Promise<void> {
  const unavailable = metrics.gauge('aggregator_unavailable_apiservice')
  return async () => {
    if (registries.get('apiregistration.k8s.io', 'apiservices') === undefined) return
    const source = await registries.source('apiregistration.k8s.io', 'apiservices')
    unavailable.clear()
    for (const object of source.list()) {
      unavailable.set(availability(object)?.status === 'True' ? 0 : 1, object.metadata.name ?? '')
    }
  }
}

/** Counts how often the server of an API service became unavailable, by reason. The result ends it. */
export async function countUnavailability(metrics: MetricSet, registries: Registries): Promise<() => void> {
  if (registries.get('apiregistration.k8s.io', 'apiservices') === undefined) return () => {}
  const times = metrics.counter('aggregator_unavailable_apiservice_total')
  const gone = new Set<string>()
  const source = await registries.source('apiregistration.k8s.io', 'apiservices')
  return source.subscribe(({ type, object }) => {
    const name = object.metadata.name ?? ''
    const condition = type === 'DELETED' ? undefined : availability(object)
    if (condition?.status !== 'False') gone.delete(name)
    else if (!gone.has(name)) {
      gone.add(name)
      times.add(1, name, condition.reason ?? '')
    }
  })
}

/** Counts what watches send. The series of a kind are found once: an event costs additions. */

import { formatGroupResource } from '../../api/group-version.ts'
import type { WatchCount, WatchSettings } from '../../handlers/watch-stream.ts'
import { SideTable } from '../../lib/memo.ts'
import type { MetricSet } from '../../lib/metrics.ts'
import type { ServedResource } from '../../registry/served-resource.ts'

export function watchCounter(metrics: MetricSet): WatchSettings['count'] {
  const counts = new SideTable<ServedResource['version'], WatchCount>()
  return (target) => counts.getOrMake(target.version, () => countOf(metrics, target))
}

function countOf(metrics: MetricSet, { registry, version: served }: ServedResource): WatchCount {
  const { group, resource } = registry.definition
  const { version, kind } = served
  const eventsByKind = metrics.counter('apiserver_watch_events_total')
  const what = eventsByKind.definition.labels.includes('kind') ? kind : resource
  const events = eventsByKind.series(group, version, what)
  const sizes = metrics.histogram('apiserver_watch_events_sizes').series(group, version, what)
  const initial = metrics.counter('apiserver_init_events_total').series(formatGroupResource(registry.definition))
  return {
    sent(bytes) {
      events.value++
      sizes.observe(bytes)
    },
    began() {
      initial.value++
    },
    terminated: () =>
      metrics.counter('apiserver_terminated_watchers_total').add(1, formatGroupResource(registry.definition)),
    sharded(change) {
      metrics.gauge('apiserver_watch_shards_total').series(group, resource).value += change
    },
    filtered: () => metrics.counter('apiserver_watch_filtered_events_total').add(1, group, resource),
    listed: (seconds, scope) =>
      metrics.histogram('apiserver_watch_list_duration_seconds').observe(seconds, group, version, resource, scope),
  }
}

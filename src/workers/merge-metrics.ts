/** What the metrics of several processes say together: sums, and for what cannot be summed the highest or the lowest. */
import { TimeSlice } from '../lib/in-turns.ts'
import type { Metric, MetricDefinition, MetricSet, Sample } from '../lib/metrics.ts'
import type { CountedMetric } from './messages.ts'

/** Gauges of which each process has a part. Of the others all say the same, or the highest matters. */
const summedGauges: ReadonlySet<string> = new Set([
  'apiserver_current_inflight_requests',
  'apiserver_current_inqueue_requests',
  'apiserver_longrunning_requests',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_current_inqueue_seats',
  'apiserver_flowcontrol_request_concurrency_in_use',
  'apiserver_flowcontrol_current_limit_seats',
  'authentication_token_cache_active_fetch_count',
  'apiserver_envelope_encryption_dek_source_cache_size',
  'workqueue_unfinished_work_seconds',
  'workqueue_depth',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_open_fds',
  'go_goroutines',
  'nodejs_heap_size_used_bytes',
  'nodejs_heap_size_total_bytes',
  'nodejs_external_memory_bytes',
])

/** Of these the lowest matters. */
const lowest: ReadonlySet<string> = new Set([
  'kubernetes_healthcheck',
  'process_start_time_seconds',
  'apiserver_watch_cache_resource_version',
])

/** Counters that are facts about the program, the same in every process. */
const facts: ReadonlySet<string> = new Set([
  'registered_metrics_total',
  'hidden_metrics_total',
  'disabled_metrics_total',
])

type Combine = (a: number, b: number) => number

const sum: Combine = (a, b) => a + b
const highest: Combine = (a, b) => (Number.isNaN(a) || b > a ? b : a)
const least: Combine = (a, b) => (Number.isNaN(a) || b < a ? b : a)

function combinerOf({ name, type }: MetricDefinition, { suffix }: Sample): Combine {
  if (lowest.has(name)) return least
  if (type === 'gauge') return summedGauges.has(name) ? sum : highest
  if (type === 'summary' && suffix === '') return highest
  return facts.has(name) ? highest : sum
}

/** What a process has counted, in a form that others can be sent. */
export async function metricCountsOf(set: MetricSet): Promise<CountedMetric[]> {
  const counted: CountedMetric[] = []
  const slice = new TimeSlice()
  for (const metric of await set.collect()) {
    counted.push({ name: metric.definition.name, samples: [...metric.samples()] })
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  return counted
}

/** The metrics of one process with what the others have counted, added up when a metric is asked for its samples. */
export function mergeMetrics(own: readonly Metric[], others: readonly (readonly CountedMetric[])[]): Metric[] {
  const counted = others.map((each) => new Map(each.map(({ name, samples }) => [name, samples])))
  return own.map((metric) => {
    const { definition } = metric
    const samples = (): readonly Sample[] =>
      mergeSamples(definition, [...metric.samples(), ...counted.flatMap((each) => each.get(definition.name) ?? [])])
    return { definition, samples }
  })
}

/** What two processes have counted, that of gauges left out: what is gone has no present state. */
export function addMetricCounts(
  known: readonly Metric[],
  first: readonly CountedMetric[],
  second: readonly CountedMetric[],
): CountedMetric[] {
  const definitions = new Map(known.map(({ definition }) => [definition.name, definition]))
  const all = new Map<string, Sample[]>()
  for (const { name, samples } of [...first, ...second]) all.set(name, [...(all.get(name) ?? []), ...samples])
  return [...all].flatMap(([name, samples]) => {
    const definition = definitions.get(name)
    if (definition === undefined || definition.type === 'gauge') return []
    return [{ name, samples: mergeSamples(definition, samples) }]
  })
}

function mergeSamples(definition: MetricDefinition, samples: readonly Sample[]): Sample[] {
  const merged = new Map<string, { -readonly [K in keyof Sample]: Sample[K] }>()
  for (const sample of samples) {
    const key = JSON.stringify([sample.suffix, ...Object.values(sample.labels)])
    const known = merged.get(key)
    if (known === undefined) merged.set(key, { ...sample })
    else known.value = combinerOf(definition, sample)(known.value, sample.value)
  }
  return [...merged.values()]
}

/** What was sent by another process as metrics of this one: the definitions are the same. */
export function receivedMetrics(set: MetricSet, counted: readonly CountedMetric[]): Promise<Metric[]> {
  return set.collect().then((own) => {
    const byName = new Map(counted.map(({ name, samples }) => [name, samples]))
    return own.map(({ definition }) => ({ definition, samples: () => byName.get(definition.name) ?? [] }))
  })
}

/** A store that counts and times what is asked of it. Calls that the contract makes fast are passed on as they are. */

import type { HistogramSeries, MetricSet, NumberSeries } from '../../lib/metrics.ts'
import { type Store, StoreError } from '../../store/store.ts'

type OperationName = 'get' | 'list' | 'create' | 'update' | 'delete'

interface OperationSeries {
  readonly count: NumberSeries
  readonly seconds: HistogramSeries
}

/** `prefix` is `/registry`: what follows it in a key names the resource. */
export function measuredStore(store: Store, metrics: MetricSet, prefix: string): Store {
  const durations = metrics.histogram('etcd_request_duration_seconds')
  const requests = metrics.counter('etcd_requests_total')
  const errors = metrics.counter('etcd_request_errors_total')
  const known = new Map<string, Partial<Record<OperationName, OperationSeries>>>()
  const seriesOf = (operation: OperationName, type: string): OperationSeries => {
    const ofType = known.get(type) ?? {}
    known.set(type, ofType)
    ofType[operation] ??= { count: requests.series(operation, type), seconds: durations.series(operation, type) }
    return ofType[operation]
  }
  const measure = async <T>(operation: OperationName, key: string, run: () => Promise<T>): Promise<T> => {
    const type = keyType(key, prefix)
    const { count, seconds } = seriesOf(operation, type)
    const begin = performance.now()
    count.value++
    try {
      return await run()
    } catch (error) {
      if (error instanceof StoreError) errors.series(operation, type).value++
      throw error
    } finally {
      seconds.observe((performance.now() - begin) / 1000)
    }
  }
  const lists = metrics.counter('apiserver_storage_list_total')
  const objects = ['fetched', 'evaluated', 'returned'].map((step) =>
    metrics.counter(`apiserver_storage_list_${step}_objects_total`),
  )
  const list: Store['range'] = async (rangePrefix, options) => {
    const found = await store.range(rangePrefix, options)
    const type = keyType(rangePrefix, prefix)
    lists.add(1, type)
    // Selectors are looked at elsewhere: the store returns all that it reads.
    if (found.status === 'ok') for (const counter of objects) counter.add(found.items.length, type)
    return found
  }
  return {
    name: store.name,
    readsOwnWrites: store.readsOwnWrites,
    shared: store.shared,
    takesHints: store.takesHints ?? false,
    watermark: store.watermark,
    maxValueBytes: store.maxValueBytes,
    currentRevision: () => store.currentRevision(),
    get: (key, options) => measure('get', key, () => store.get(key, options)),
    range: (rangePrefix, options) => measure('list', rangePrefix, () => list(rangePrefix, options)),
    write: (operation) => measure(operationNames[operation.type], operation.key, () => store.write(operation)),
    watch: (watchPrefix, options) => store.watch(watchPrefix, options),
    compact: (revision) => store.compact(revision),
    health: (signal, need) => store.health(signal, need),
    size: () => store.size(),
    close: () => store.close(),
  }
}

const operationNames = { create: 'create', replace: 'update', delete: 'delete' } as const

/** `pods` of `/registry/pods/ns/name`. Custom resources are kept below their group: `stable.example.com/crontabs`. */
function keyType(key: string, prefix: string): string {
  const begin = prefix.length + 1
  const first = segmentAt(key, begin)
  if (!first.includes('.')) return first
  const second = segmentAt(key, begin + first.length + 1)
  return second === '' ? first : `${second}.${first}`
}

function segmentAt(key: string, begin: number): string {
  const end = key.indexOf('/', begin)
  return end < 0 ? key.slice(begin) : key.slice(begin, end)
}

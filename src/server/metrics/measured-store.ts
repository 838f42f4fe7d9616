/** A store that counts and times what is asked of it. Calls that the contract makes fast are passed on as they are. */

import type { MetricSet } from '../../lib/metrics.ts'
import { type Store, StoreError } from '../../store/store.ts'

/** `prefix` is `/registry`: what follows it in a key names the resource. */
export function measuredStore(store: Store, metrics: MetricSet, prefix: string): Store {
  const durations = metrics.histogram('etcd_request_duration_seconds')
  const requests = metrics.counter('etcd_requests_total')
  const errors = metrics.counter('etcd_request_errors_total')
  const measure = async <T>(operation: string, key: string, run: () => Promise<T>): Promise<T> => {
    const type = keyType(key, prefix)
    const begin = performance.now()
    requests.series(operation, type).value++
    try {
      return await run()
    } catch (error) {
      if (error instanceof StoreError) errors.series(operation, type).value++
      throw error
    } finally {
      durations.series(operation, type).observe((performance.now() - begin) / 1000)
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
    maxValueBytes: store.maxValueBytes,
    currentRevision: () => store.currentRevision(),
    get: (key, options) => measure('get', key, () => store.get(key, options)),
    range: (rangePrefix, options) => measure('list', rangePrefix, () => list(rangePrefix, options)),
    write: (operation) => measure(operationNames[operation.type], operation.key, () => store.write(operation)),
    watch: (watchPrefix, options) => store.watch(watchPrefix, options),
    compact: (revision) => store.compact(revision),
    health: (signal) => store.health(signal),
    size: () => store.size(),
    close: () => store.close(),
  }
}

const operationNames = { create: 'create', replace: 'update', delete: 'delete' } as const

/** `pods` of `/registry/pods/ns/name`. Custom resources are kept below their group: `stable.example.com/crontabs`. */
function keyType(key: string, prefix: string): string {
  const [, first = '', second = ''] = key.slice(prefix.length).split('/', 3)
  return first.includes('.') && second !== '' ? `${second}.${first}` : first
}

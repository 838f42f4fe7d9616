/**
 * Subscribes a component of the server to a resource's cache: every change, with objects that are parsed lazily, so that one which does not
 * matter is skipped cheaply.
 */
import { type CacheEntry, lastReadable } from '../cache/cache-entry.ts'
import { selectEverything } from '../cache/selection.ts'
import type { WatchEventType } from '../cache/watcher.ts'
import type { Registry } from './registry.ts'

/** An object of which nothing is parsed until it is asked for. */
export type LazyObject = Pick<
  CacheEntry,
  'namespace' | 'name' | 'labels' | 'links' | 'bytes' | 'object' | 'objectInSteps' | 'peek' | 'forget'
>

export interface ObjectListener {
  /** `previous` is there when the object was modified. */
  changed(type: WatchEventType, object: LazyObject, previous: LazyObject | undefined): void
}

/** Calls back with every readable object, then on every change. The result unsubscribes. */
export async function watchObjects(
  registry: Registry,
  listener: ObjectListener,
  namespace?: string,
): Promise<() => void> {
  const cache = await registry.storage.cache()
  const selection = namespace === undefined ? selectEverything : { ...selectEverything, namespace }
  const opening = cache.watch({ type: 'state' }, selection, {
    event(type, entry, source) {
      listener.changed(type, entry, type === 'MODIFIED' ? lastReadable(source?.previous) : undefined)
      return true
    },
    asItWas: true,
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
  })
  if (!opening.ok) throw new Error('a watch of the present state cannot be too old')
  const { watcher } = opening
  watcher.pump()
  return () => cache.unwatch(watcher)
}

/** One object, from the cache; from the store where no cache is loaded: a start need not read what it asks one object of. */
export async function findObject(
  { definition, storage }: Registry,
  namespace: string,
  name: string,
): Promise<LazyObject | undefined> {
  const key = definition.namespaced ? `${namespace}/${name}` : name
  return storage.loaded === undefined ? storage.newest(key) : storage.loaded.get(key)
}

/** All objects of a namespace, from the cache. */
export async function objectsIn(registry: Registry, namespace: string): Promise<readonly LazyObject[]> {
  const cache = await registry.storage.cache()
  return cache.page({ selection: { ...selectEverything, namespace }, startKey: undefined, limit: 0 }).entries
}

/** All objects, from the cache. */
export async function objectsEverywhere(registry: Registry): Promise<readonly LazyObject[]> {
  const cache = await registry.storage.cache()
  return cache.page({ selection: selectEverything, startKey: undefined, limit: 0 }).entries
}

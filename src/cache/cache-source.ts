/** A resource's cache as a live view of parsed objects. Objects that cannot be decoded are left out. */
import type { KubeObject } from '../api/object.ts'
import type { ObjectChange, ObjectSource } from '../api/object-source.ts'
import { type CacheEntry, lastReadable } from './cache-entry.ts'
import type { CacheEvent } from './event-ring.ts'
import type { ResourceCache } from './resource-cache.ts'
import { selectEverything } from './selection.ts'
import { entryKey } from './snapshot.ts'
import type { WatchEventType, WatchSink } from './watcher.ts'

/** Lists up to this long are memoized until something changes: few objects are listed often. */
const maxKept = 64

export function cacheSource(cache: ResourceCache): ObjectSource {
  let kept: { readonly generation: number; readonly objects: readonly KubeObject[] } | undefined
  const few = (): readonly KubeObject[] => {
    const { generation } = cache
    if (kept?.generation !== generation) kept = { generation, objects: [...objectsOf(cache, undefined)] }
    return kept.objects
  }
  return {
    get(namespace, name) {
      const entry = cache.get(entryKey(namespace, name))
      return entry?.unreadable === undefined ? entry?.object() : undefined
    },
    list(namespace) {
      if (cache.size > maxKept) return objectsOf(cache, namespace)
      const objects = few()
      if (namespace === undefined || objects.length === 0) return objects
      return objects.filter(({ metadata }) => (metadata.namespace ?? '') === namespace)
    },
    subscribe(listener) {
      const opening = cache.watch({ type: 'state' }, selectEverything, listenerSink(listener))
      if (!opening.ok) throw new Error('a watch of the present state cannot be too old')
      const { watcher } = opening
      watcher.pump()
      return () => cache.unwatch(watcher)
    },
  }
}

function* objectsOf(cache: ResourceCache, namespace: string | undefined): Generator<KubeObject> {
  const selection = namespace === undefined ? selectEverything : { ...selectEverything, namespace }
  for (const entry of cache.snapshot().entries(selection)) {
    if (entry.unreadable === undefined) yield entry.object()
  }
}

function listenerSink(listener: (change: ObjectChange) => void): WatchSink {
  return {
    event(type: WatchEventType, entry: CacheEntry, source: CacheEvent | undefined) {
      listener(changeOf(type, entry.object(), lastReadable(source?.previous)))
      return true
    },
    asItWas: true,
    initialEventsEnd: () => true,
    flush: () => true,
    expired: () => {},
  }
}

/** The state before is parsed for those who ask for it: few do. */
function changeOf(type: WatchEventType, object: KubeObject, before: CacheEntry | undefined): ObjectChange {
  if (type !== 'MODIFIED') return { type, object }
  return {
    type,
    object,
    get previous() {
      return before?.object() ?? object
    },
  }
}

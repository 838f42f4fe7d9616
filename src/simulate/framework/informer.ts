/**
 * An informer over the watch cache of a resource: nothing is copied, objects are parsed on demand, shared and immutable.
 *
 * Invariants: reads see everything that was written before them (a read first takes what the cache has and the indexes
 * have not; a `Writer` resolves when the cache has what it wrote), so controllers need no expectations. Subscribers see
 * changes in order, each once, existing objects first as ADDED; after a relist they see how the state differs, deletions included.
 * A resource that is not served has no objects; when a definition brings it, they come as ADDED. A cache that cannot be
 * loaded (the store is away) is tried again with back-off; until then the informer is not synced.
 */
import type { CacheEntry } from '../../cache/cache-entry.ts'
import type { ResourceCache } from '../../cache/resource-cache.ts'
import { selectEverything } from '../../cache/selection.ts'
import type { WatchEventType } from '../../cache/watcher.ts'
import type { ServedRegistries } from '../../controllers/live-resources.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Registry } from '../../registry/registry.ts'
import { KeyedEntries } from './entry-index.ts'

/** Under which values an object is found. Indexes are distinguished by identity: share the constant. */
export interface Index<T> {
  readonly name: string
  keys(object: T): readonly (string | undefined)[]
}

/** What happened to an object, which is parsed when it is asked for. */
export interface InformerChange<T> {
  readonly type: WatchEventType
  readonly namespace: string
  readonly name: string
  readonly object: T
  /** The state before, when it was modified. */
  readonly old: T | undefined
}

export interface Informer<T> {
  /** Settles when the objects that there are can be read. */
  readonly synced: Promise<void>
  get(namespace: string, name: string): T | undefined
  list(namespace?: string): readonly T[]
  byIndex(index: Index<T>, value: string): readonly T[]
  /** The values of an index, each with how many objects it has: nothing is parsed. */
  counts(index: Index<T>): ReadonlyMap<string, number>
  /** The result ends it. */
  subscribe(handler: (change: InformerChange<T>) => void): () => void
}

export interface InformerOptions {
  readonly resources: ServedRegistries
  readonly group: string
  readonly resource: string
  readonly clock: Clock
  /** Called for each attempt to load the objects that failed. */
  onError(error: unknown): void
}

const firstRetryMs = 100
const longestRetryMs = 30_000

interface Attached {
  readonly cache: ResourceCache
  readonly isNamespaced: boolean
  pump(): void
  end(): void
}

class LazyChange<T> implements InformerChange<T> {
  readonly type: WatchEventType
  readonly #entry: CacheEntry
  readonly #previous: CacheEntry | undefined
  /** Parsed once for all subscribers. */
  #old: T | undefined

  constructor(type: WatchEventType, entry: CacheEntry, previous?: CacheEntry) {
    this.type = type
    this.#entry = entry
    this.#previous = previous
  }

  get namespace(): string {
    return this.#entry.namespace
  }

  get name(): string {
    return this.#entry.name
  }

  get object(): T {
    return this.#entry.object() as T
  }

  get old(): T | undefined {
    this.#old ??= this.#previous?.peek() as T | undefined
    return this.#old
  }
}

export class ResourceInformer<T> implements Informer<T> {
  readonly synced: Promise<void>
  readonly #indexes = new Map<Index<T>, KeyedEntries>()
  readonly #handlers = new Set<(change: InformerChange<T>) => void>()
  readonly #unlisten: () => void
  #attached: Attached | undefined
  /** The state that was dispatched, by key: what a relist is compared with. */
  #known = new Map<string, CacheEntry>()
  #pending: LazyChange<T>[] = []
  #isDispatching = false
  #isStopped = false
  readonly #options: InformerOptions
  /** What is served now. A load of what was served before is not finished. */
  #registry: Registry | undefined
  #cancelRetry: () => void = () => undefined

  constructor(options: InformerOptions) {
    this.#options = options
    const { resources, group, resource } = options
    this.#unlisten = resources.onChange((registry, change) => {
      const { definition } = registry
      if (definition.group !== group || definition.resource !== resource) return
      if (change === 'removed') this.#detach()
      else void this.#load(registry)
    })
    const registry = resources.get(group, resource)
    this.synced = registry === undefined ? Promise.resolve() : this.#load(registry)
  }

  get(namespace: string, name: string): T | undefined {
    const { cache, isNamespaced } = this.#attached ?? {}
    const entry = cache?.get(isNamespaced ? `${namespace}/${name}` : name)
    return entry === undefined || entry.unreadable !== undefined ? undefined : (entry.object() as T)
  }

  list(namespace?: string): readonly T[] {
    const cache = this.#attached?.cache
    if (cache === undefined) return []
    const selection = namespace === undefined ? selectEverything : { ...selectEverything, namespace }
    return parsed(cache.page({ selection, startKey: undefined, limit: 0 }).entries)
  }

  byIndex(index: Index<T>, value: string): readonly T[] {
    this.#attached?.pump()
    return parsed(this.#index(index).find(value))
  }

  counts(index: Index<T>): ReadonlyMap<string, number> {
    this.#attached?.pump()
    return this.#index(index).counts()
  }

  subscribe(handler: (change: InformerChange<T>) => void): () => void {
    this.#attached?.pump()
    for (const entry of this.#entries()) handler(new LazyChange<T>('ADDED', entry))
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  stop(): void {
    this.#isStopped = true
    this.#registry = undefined
    this.#cancelRetry()
    this.#unlisten()
    this.#handlers.clear()
    this.#attached?.end()
    this.#attached = undefined
  }

  #entries(): Iterable<CacheEntry> {
    const cache = this.#attached?.cache
    return cache?.page({ selection: selectEverything, startKey: undefined, limit: 0 }).entries ?? []
  }

  #index(index: Index<T>): KeyedEntries {
    const known = this.#indexes.get(index)
    if (known !== undefined) return known
    const made = new KeyedEntries((entry) => index.keys(entry.object() as T))
    for (const entry of this.#entries()) if (entry.unreadable === undefined) made.set(entry)
    this.#indexes.set(index, made)
    return made
  }

  /** Never rejects. */
  async #load(registry: Registry): Promise<void> {
    this.#registry = registry
    for (let failures = 0; this.#registry === registry; failures++) {
      try {
        return await this.#attach(registry)
      } catch (error) {
        this.#options.onError(error)
        await this.#wait(Math.min(firstRetryMs * 2 ** failures, longestRetryMs))
      }
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.setTimeout(resolve, ms)
      this.#cancelRetry = () => {
        cancel()
        resolve()
      }
    })
  }

  async #attach(registry: Registry): Promise<void> {
    registry.storage.keepFollowed()
    const cache = await registry.storage.cache()
    if (this.#isStopped || this.#registry !== registry) return
    this.#attached?.end()
    const opening = cache.watch({ type: 'state' }, selectEverything, {
      event: (type, entry, source) => {
        this.#changed(type, entry, type === 'MODIFIED' ? source?.previous : undefined)
        return true
      },
      asItWas: true,
      initialEventsEnd: () => true,
      flush: () => true,
      // More changed in one turn than the event ring holds.
      expired: () => void this.#relist(registry),
    })
    if (!opening.ok) throw new Error('a watch of the present state cannot be too old')
    const { watcher } = opening
    this.#attached = {
      cache,
      isNamespaced: registry.definition.namespaced,
      pump: () => watcher.pump(),
      end: () => cache.unwatch(watcher),
    }
    watcher.pump()
  }

  async #relist(registry: Registry): Promise<void> {
    const before = this.#known
    await this.#load(registry)
    if (this.#registry !== registry) return
    const { cache } = this.#attached ?? {}
    for (const [key, entry] of before) if (cache?.get(key) === undefined) this.#changed('DELETED', entry, undefined)
  }

  #detach(): void {
    this.#registry = undefined
    this.#cancelRetry()
    this.#attached?.pump()
    this.#attached?.end()
    this.#attached = undefined
    for (const entry of [...this.#known.values()]) this.#changed('DELETED', entry, undefined)
  }

  /** A handler may read, which may bring further changes: these wait until it is done. */
  #changed(type: WatchEventType, entry: CacheEntry, previous: CacheEntry | undefined): void {
    const known = this.#known.get(entry.key)
    // A relist brings what is known already: only what changed meanwhile is a change.
    if (type === 'ADDED' && known === entry) return
    for (const index of this.#indexes.values()) {
      if (type === 'DELETED') index.delete(entry)
      else index.set(entry)
    }
    if (type === 'DELETED') this.#known.delete(entry.key)
    else this.#known.set(entry.key, entry)
    if (this.#handlers.size === 0) return
    const isUpdate = type === 'ADDED' && known !== undefined
    this.#pending.push(
      isUpdate ? new LazyChange<T>('MODIFIED', entry, known) : new LazyChange<T>(type, entry, previous),
    )
    if (!this.#isDispatching) this.#dispatch()
  }

  #dispatch(): void {
    this.#isDispatching = true
    try {
      for (let next = this.#pending; next.length > 0; next = this.#pending) {
        this.#pending = []
        for (const change of next) for (const handler of this.#handlers) handler(change)
      }
    } finally {
      this.#isDispatching = false
    }
  }
}

function parsed<T>(entries: Iterable<CacheEntry>): T[] {
  const objects: T[] = []
  for (const entry of entries) if (entry.unreadable === undefined) objects.push(entry.object() as T)
  return objects
}

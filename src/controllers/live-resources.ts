/**
 * The resources that have objects, or may have: those whose cache is loaded, and those that had something in the store
 * at the start or since. The others cost nothing, however many there are, until something is written to them.
 *
 * Kept true after `start`: a resource with an object is live, or becomes so before the change that made the object is
 * passed on to watchers.
 */
import type { Registry } from '../registry/registry.ts'

/** What controllers see of the served resources. */
export interface ServedRegistries {
  all(): Iterable<Registry>
  get(group: string, resource: string): Registry | undefined
  onChange(listener: (registry: Registry, change: 'added' | 'removed') => void): () => void
}

export interface LiveListener {
  live(registry: Registry): void
  gone(registry: Registry): void
}

export class LiveResources {
  readonly #resources: ServedRegistries
  readonly #byPrefix = new Map<string, Registry>()
  readonly #live = new Map<string, Registry>()
  readonly #listeners = new Set<LiveListener>()
  #endings: (() => void)[] = []

  constructor(resources: ServedRegistries) {
    this.#resources = resources
  }

  /** Looks at every resource; resolves when it knows which are live. */
  async start(): Promise<void> {
    const all = [...this.#resources.all()]
    this.#endings.push(
      this.#resources.onChange((registry, change) => {
        if (change === 'removed') this.#remove(registry)
        else this.#examine(registry).catch(() => this.#wake(registry))
      }),
    )
    const reflectors = new Set(all.map(({ storage }) => storage.reflector))
    for (const reflector of reflectors) this.#endings.push(reflector.onActivity((key) => this.#onActivity(key)))
    await Promise.all(all.map((registry) => this.#examine(registry)))
  }

  stop(): void {
    for (const end of this.#endings) end()
    this.#endings = []
    this.#listeners.clear()
  }

  /** The live resources, each stored prefix once. */
  live(): Iterable<Registry> {
    return this.#live.values()
  }

  /** Calls back with the live resources, now and on every change. */
  subscribe(listener: LiveListener): void {
    this.#listeners.add(listener)
    for (const registry of this.#live.values()) listener.live(registry)
  }

  async #examine(registry: Registry): Promise<void> {
    const { storage } = registry
    // Two resources may share their objects (events): the first stands for both.
    if (this.#byPrefix.has(storage.keyPrefix)) return
    this.#byPrefix.set(storage.keyPrefix, registry)
    if (storage.loaded === undefined) {
      const found = await storage.store.range(storage.keyPrefix, { limit: 1 })
      if (found.status === 'ok' && found.items.length === 0) return
    }
    this.#wake(registry)
  }

  #onActivity(key: string): void {
    for (let end = key.indexOf('/', 1) + 1; end > 0; end = key.indexOf('/', end) + 1) {
      const registry = this.#byPrefix.get(key.slice(0, end))
      if (registry !== undefined) this.#wake(registry)
    }
  }

  #wake(registry: Registry): void {
    const { keyPrefix } = registry.storage
    if (this.#live.has(keyPrefix) || this.#byPrefix.get(keyPrefix) !== registry) return
    this.#live.set(keyPrefix, registry)
    for (const listener of this.#listeners) listener.live(registry)
  }

  #remove(registry: Registry): void {
    const { keyPrefix } = registry.storage
    if (this.#byPrefix.get(keyPrefix) !== registry) return
    this.#byPrefix.delete(keyPrefix)
    if (this.#live.delete(keyPrefix)) for (const listener of this.#listeners) listener.gone(registry)
  }
}

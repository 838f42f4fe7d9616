/**
 * How controllers write: through the server's own verbs, so that admission, validation and managed fields are those of
 * every client. What changes nothing is not written.
 *
 * Kept true: a write resolves when the informers have it (on a store whose caches lag, it waits for them).
 */
import { equalJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, notFound } from '../../api/status-error.ts'
import type { ServedRegistries } from '../../controllers/live-resources.ts'
import type { DeleteOptions } from '../../registry/delete-options.ts'
import { type Actor, actAs, applyAs, createAs, deleteAs, type ObjectName, updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'

export interface Writer {
  create<T extends object>(group: string, resource: string, object: T): Promise<T>
  /** As `create`, for those who do not look at what was created: it is not decoded. */
  append(group: string, resource: string, object: object): Promise<void>
  /**
   * `change` gets the present object, which it must not touch, and returns the new one, or undefined to leave it. Runs
   * again when the write loses a race. 404 when there is no such object. `target.subresource` is `status` and the like.
   */
  update<T extends object>(
    group: string,
    resource: string,
    target: ObjectName,
    change: (current: T) => T | undefined,
  ): Promise<T>
  /** Applies what `configure` says of the present object with force, as the manager's own; undefined leaves the object. */
  apply<T extends object>(
    group: string,
    resource: string,
    target: ObjectName,
    by: { readonly fieldManager: string; configure(current: T): JsonObject | undefined },
  ): Promise<void>
  /** What is gone already is no error. */
  delete(group: string, resource: string, target: ObjectName, options?: DeleteOptions): Promise<void>
  /** A subresource that acts: `binding`, `eviction`, `token`. */
  post(group: string, resource: string, target: ObjectName, body: JsonObject): Promise<JsonObject>
}

/** How long a write waits for a cache that lags. */
const lagMs = 10_000
/** Writes in a turn of the event loop. A count, not a time: that would not be the same in every run. */
const writesInATurn = 16

export class OwnWriter implements Writer {
  readonly #resources: ServedRegistries
  readonly #actor: Actor
  readonly #pace: WritePacer

  constructor(resources: ServedRegistries, actor: Actor, pace: WritePacer) {
    this.#resources = resources
    this.#actor = actor
    this.#pace = pace
  }

  async create<T extends object>(group: string, resource: string, object: T): Promise<T> {
    const registry = this.#registry(group, resource)
    await this.#pace.next()
    const written = await createAs(this.#actor, registry, object as unknown as KubeObject)
    return this.#seen(registry, written.object()) as Promise<T>
  }

  async append(group: string, resource: string, object: object): Promise<void> {
    const registry = this.#registry(group, resource)
    await this.#pace.next()
    await createAs(this.#actor, registry, object as unknown as KubeObject)
  }

  async update<T extends object>(
    group: string,
    resource: string,
    target: ObjectName,
    change: (current: T) => T | undefined,
  ): Promise<T> {
    const registry = this.#registry(group, resource)
    const [first, next] = await this.#tryOn(registry, target, change)
    if (first !== undefined && (next === undefined || equalJson(next, first))) return first as unknown as T
    await this.#pace.next()
    const written = await updateAs(this.#actor, registry, target, (current) =>
      current === first ? next : (change(current as unknown as T) as KubeObject | undefined),
    )
    return this.#seen(registry, written) as Promise<T>
  }

  async apply<T extends object>(
    group: string,
    resource: string,
    target: ObjectName,
    { fieldManager, configure }: { readonly fieldManager: string; configure(current: T): JsonObject | undefined },
  ): Promise<void> {
    const registry = this.#registry(group, resource)
    await this.#pace.next()
    const written = await applyAs({ ...this.#actor, fieldManager }, registry, target, (current) =>
      configure(current as unknown as T),
    )
    await this.#seen(registry, written)
  }

  async delete(group: string, resource: string, target: ObjectName, options: DeleteOptions = {}): Promise<void> {
    const registry = this.#registry(group, resource)
    await this.#pace.next()
    try {
      await deleteAs(this.#actor, registry, target, options)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
    }
    if (registry.storage.reflector.mayLag) await registry.storage.fresh(lagMs)
  }

  async post(group: string, resource: string, target: ObjectName, body: JsonObject): Promise<JsonObject> {
    const registry = this.#registry(group, resource)
    await this.#pace.next()
    const answer = await actAs(this.#actor, registry, target, body)
    if (registry.storage.reflector.mayLag) await registry.storage.fresh(lagMs)
    return answer
  }

  /** The present object, where the cache has it, and what becomes of it. */
  async #tryOn<T extends object>(
    registry: Registry,
    { namespace, name }: ObjectName,
    change: (current: T) => T | undefined,
  ): Promise<[KubeObject | undefined, KubeObject | undefined]> {
    const cache = await registry.storage.cache()
    const entry = cache.get(registry.definition.namespaced ? `${namespace}/${name}` : name)
    if (entry === undefined || entry.unreadable !== undefined) return [undefined, undefined]
    const current = entry.object()
    return [current, change(current as unknown as T) as KubeObject | undefined]
  }

  #registry(group: string, resource: string): Registry {
    const registry = this.#resources.get(group, resource)
    if (registry === undefined) throw notFound({ group, resource }, '')
    return registry
  }

  async #seen({ storage }: Registry, written: KubeObject): Promise<unknown> {
    if (storage.reflector.mayLag) await storage.reflector.waitFor(Number(written.metadata.resourceVersion), lagMs)
    return written
  }
}

/**
 * Lets the event loop go round now and then, however many writes there are and however many begin at once: an embedded store
 * resolves at once. Writes that have to wait begin in the order in which they asked.
 */
export class WritePacer {
  #writes = 0
  #inTurn = 0
  #isArmed = false
  readonly #waiting: (() => void)[] = []

  /** How many there were so far. */
  get writes(): number {
    return this.#writes
  }

  next(): Promise<void> | undefined {
    this.#writes++
    this.#arm()
    if (this.#inTurn < writesInATurn && this.#waiting.length === 0) {
      this.#inTurn++
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      this.#isArmed = false
      const released = this.#waiting.splice(0, writesInATurn)
      this.#inTurn = released.length
      if (released.length > 0) this.#arm()
      for (const release of released) release()
    })
  }
}

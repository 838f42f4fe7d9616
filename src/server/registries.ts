/** All resources that this server serves, and the caches behind them. */

import type { Admission } from '../api/admission.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/group-version.ts'
import type { ObjectSource } from '../api/object-source.ts'
import { cacheSource } from '../cache/cache-source.ts'
import type { Feed } from '../cache/feed.ts'
import type { ResourceTable, ServedAction, ServedResource } from '../handlers/served-resource.ts'
import type { Clock } from '../lib/clock.ts'
import { type CodecOptions, objectCodec } from '../registry/object-codec.ts'
import { ObjectStorage } from '../registry/object-storage.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Store } from '../store/store.ts'

export interface RegistriesOptions {
  readonly store: Store
  readonly feed: Feed
  readonly clock: Clock
  readonly prefix: string
  readonly codec: (definition: ResourceDefinition) => CodecOptions
  readonly admission: Admission
  readonly gate: (name: string) => boolean
}

export type RegistryListener = (registry: Registry, change: 'added' | 'removed') => void

export class Registries implements ResourceTable {
  readonly #options: RegistriesOptions
  readonly #registries = new Map<string, Registry>()
  readonly #served = new Map<string, ServedResource>()
  readonly #actions = new Map<string, ServedAction>()
  readonly #groupVersions = new Map<string, number>()
  readonly #listeners = new Set<RegistryListener>()
  #revision = 0

  constructor(options: RegistriesOptions) {
    this.#options = options
  }

  add(definition: ResourceDefinition): Registry {
    const { clock, admission, gate } = this.#options
    const registry: Registry = {
      definition,
      storage: this.storage(definition),
      admission,
      clock,
      gate,
    }
    this.#registries.set(resourceKey(definition.group, definition.resource), registry)
    for (const version of definition.versions) {
      this.#served.set(`${version.apiVersion}/${definition.resource}`, { registry, version })
      this.#count(version.apiVersion, definition.structural ? 0 : 1)
    }
    for (const listener of this.#listeners) listener(registry, 'added')
    return registry
  }

  /** Storage for the objects of a definition, served or not. */
  storage(definition: ResourceDefinition): ObjectStorage {
    const { store, feed, clock, prefix, codec } = this.#options
    return new ObjectStorage(definition, {
      store,
      feed,
      clock,
      prefix,
      codec: objectCodec(definition, codec(definition)),
    })
  }

  /** Tells of resources that come and go from now on. The result ends it. */
  onChange(listener: RegistryListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  addAction(action: Omit<ServedAction, 'admission'>, apiVersion: string): void {
    const { admission } = this.#options
    this.#actions.set(`${apiVersion}/${action.definition.resource}`, { ...action, admission })
    this.#count(apiVersion, 1)
  }

  remove({ group, resource, versions, structural }: ResourceDefinition): void {
    const registry = this.get(group, resource)
    this.#registries.delete(resourceKey(group, resource))
    for (const { apiVersion } of versions) {
      if (this.#served.delete(`${apiVersion}/${resource}`)) this.#count(apiVersion, structural ? 0 : -1)
    }
    if (registry !== undefined) for (const listener of this.#listeners) listener(registry, 'removed')
  }

  get revision(): number {
    return this.#revision
  }

  #count(apiVersion: string, by: number): void {
    this.#revision++
    const count = (this.#groupVersions.get(apiVersion) ?? 0) + by
    if (count > 0) this.#groupVersions.set(apiVersion, count)
    else this.#groupVersions.delete(apiVersion)
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#served.get(`${formatGroupVersion({ group, version })}/${resource}`)
  }

  findAction(group: string, version: string, resource: string): ServedAction | undefined {
    return this.#actions.get(`${formatGroupVersion({ group, version })}/${resource}`)
  }

  /** Paths into groups of custom resources that lead to nothing are not known at all. */
  hasGroup(group: string): boolean {
    for (const apiVersion of this.#groupVersions.keys()) {
      if (parseGroupVersion(apiVersion)?.group === group) return true
    }
    return false
  }

  all(): Iterable<Registry> {
    return this.#registries.values()
  }

  get(group: string, resource: string): Registry | undefined {
    return this.#registries.get(resourceKey(group, resource))
  }

  /** The registry of a resource that is always served. */
  need(group: string, resource: string): Registry {
    const registry = this.get(group, resource)
    if (registry === undefined) throw new Error(`${resourceKey(group, resource)} is not served`)
    return registry
  }

  /** The live objects of a resource whose cache is loaded. */
  async source(group: string, resource: string): Promise<ObjectSource> {
    return cacheSource(await this.need(group, resource).storage.cache())
  }
}

const resourceKey = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`)

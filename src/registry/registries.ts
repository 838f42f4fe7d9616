/** All resources that this server serves, and the caches behind them. */

import type { Admission } from '../api/admission.ts'
import { formatGroupVersion, type GroupResource, parseGroupVersion } from '../api/group-version.ts'
import type { ObjectSource } from '../api/object-source.ts'
import { cacheSource } from '../cache/cache-source.ts'
import type { Reflector } from '../cache/reflector.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { unsafeDeletionGate } from './delete-unreadable.ts'
import { type CodecOptions, objectCodec } from './object-codec.ts'
import { ObjectStorage } from './object-storage.ts'
import type { Registry } from './registry.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { ResourceTable, ServedAction, ServedResource } from './served-resource.ts'
import type { UnreadableValue } from './unreadable.ts'

/** A store and the stream of its changes. */
export interface Backend {
  readonly store: Store
  readonly reflector: Reflector
}

export interface RegistriesOptions {
  /** Where the objects of a resource are kept. */
  readonly backend: (resource: GroupResource) => Backend
  readonly clock: Clock
  readonly prefix: string
  readonly codec: (definition: ResourceDefinition) => CodecOptions
  /** How many events of a resource are kept, where not as many as of all. */
  readonly maxEvents?: (resource: GroupResource) => number | undefined
  readonly admission: Admission
  readonly gate: (name: string) => boolean
  /** Called for stored values that cannot be read. */
  readonly onUnreadable?: (definition: ResourceDefinition, value: UnreadableValue) => void
}

export type RegistryListener = (registry: Registry, change: 'added' | 'removed') => void

export class Registries implements ResourceTable {
  readonly #options: RegistriesOptions
  readonly #registries = new Map<string, Registry>()
  /** By the resource's name, which hardly any two share. */
  readonly #served = new Map<string, readonly ServedResource[]>()
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
      this.#serve(definition.resource, version.apiVersion, { registry, version })
      this.#count(version.apiVersion, definition.model.routes.perVersion)
    }
    for (const listener of this.#listeners) listener(registry, 'added')
    return registry
  }

  /** Storage for the objects of a definition, served or not. */
  storage(definition: ResourceDefinition): ObjectStorage {
    const { backend, clock, prefix, codec, maxEvents, gate, onUnreadable } = this.#options
    const { store, reflector } = backend(definition)
    return new ObjectStorage(definition, {
      store,
      reflector,
      clock,
      prefix,
      codec: objectCodec(definition, codec(definition)),
      unsafeDeletion: gate(unsafeDeletionGate),
      onUnreadable: (value) => onUnreadable?.(definition, value),
      maxEvents: maxEvents?.(definition),
    })
  }

  /** Tries again to read what could not be read. */
  async redecode(): Promise<void> {
    const reflectors = new Set([...this.#registries.values()].map(({ storage }) => storage.reflector))
    for (const reflector of reflectors) await reflector.redecode()
  }

  /** Calls back on resources that are added and removed from now on. The result unsubscribes. */
  onChange(listener: RegistryListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  addAction(action: Omit<ServedAction, 'admission'>, apiVersion: string): void {
    const { admission } = this.#options
    this.#actions.set(`${apiVersion}/${action.definition.resource}`, { ...action, admission })
    this.#count(apiVersion, 1)
  }

  remove({ group, resource, versions, model }: ResourceDefinition): void {
    const registry = this.get(group, resource)
    this.#registries.delete(resourceKey(group, resource))
    for (const { apiVersion } of versions) {
      if (this.#serve(resource, apiVersion)) this.#count(apiVersion, -model.routes.perVersion)
    }
    if (registry !== undefined) for (const listener of this.#listeners) listener(registry, 'removed')
  }

  /** Puts what is served in place of what was, if anything. Whether something was is the result. */
  #serve(resource: string, apiVersion: string, served?: ServedResource): boolean {
    const known = this.#served.get(resource) ?? []
    const others = known.filter(({ version }) => version.apiVersion !== apiVersion)
    const now = served === undefined ? others : [...others, served]
    if (now.length > 0) this.#served.set(resource, now)
    else this.#served.delete(resource)
    return others.length < known.length
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
    const known = this.#served.get(resource)
    if (known === undefined) return undefined
    const apiVersion = formatGroupVersion({ group, version })
    for (const served of known) if (served.version.apiVersion === apiVersion) return served
    return undefined
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

  actions(): Iterable<ServedAction> {
    return this.#actions.values()
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

/**
 * The objects of one resource between the cache and the store: how they are encoded, keyed and written. What a write of
 * this process puts into the store comes back from the feed as the same bytes, and is not decoded again.
 */
import type { KubeObject } from '../api/object.ts'
import { type ApiError, serviceUnavailable, timeout, unknownError } from '../api/status-error.ts'
import { CacheEntry, type EntryFacts, type EntryShape, type StoredText } from '../cache/cache-entry.ts'
import type { Feed, ResourceReader } from '../cache/feed.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { entryKey } from '../cache/snapshot.ts'
import type { Clock } from '../lib/clock.ts'
import { type Entry, type Store, StoreError, type WriteOperation, type WriteResult } from '../store/store.ts'
import type { Written } from './registry.ts'
import type { ResourceDefinition } from './resource-definition.ts'

/** How objects of the hub version become text and stored bytes, and back. */
export interface ObjectCodec {
  /** The canonical JSON text without the resourceVersion, if the object has one. */
  encode(object: KubeObject): StoredText
  parse(text: string): KubeObject
  /** The bytes for the store; the text itself where the store holds JSON. */
  toStored(object: KubeObject, text: StoredText, key: string): Uint8Array
  /** The hub object of stored bytes, in any version and encoding that was ever written. */
  fromStored(value: Uint8Array, key: string): KubeObject
}

export interface StorageDependencies {
  readonly store: Store
  readonly feed: Feed
  readonly clock: Clock
  /** `/registry`. */
  readonly prefix: string
  readonly codec: ObjectCodec
}

const historyMs = 5 * 60 * 1000
const snapshotMs = 75_000
const ringBounds = { maxEvents: 20_000, maxAgeMs: historyMs, maxRetiredBytes: 32 * 1024 * 1024 }

export type Replaced = { readonly written: CacheEntry } | { readonly lostTo: CacheEntry | undefined }
export type Removed = { readonly revision: number } | { readonly lostTo: CacheEntry | undefined }

export class ObjectStorage {
  readonly #definition: ResourceDefinition
  readonly #dependencies: StorageDependencies
  readonly #shape: EntryShape
  readonly #reader: ResourceReader
  /** Entries of values on their way into the store, by the very bytes. */
  readonly #underway = new WeakMap<Uint8Array, EntryFacts>()
  readonly #keyPrefix: string

  constructor(definition: ResourceDefinition, dependencies: StorageDependencies) {
    this.#definition = definition
    this.#dependencies = dependencies
    this.#keyPrefix = `${dependencies.prefix}${definition.storage.prefix.slice('/registry'.length)}/`
    const getters = [...definition.storage.fields.values()]
    this.#shape = {
      fieldValues: (object) => (getters.length === 0 ? undefined : getters.map((get) => get(object))),
      parse: (text) => dependencies.codec.parse(text),
    }
    this.#reader = {
      prefix: this.#keyPrefix,
      options: { clock: dependencies.clock, bounds: ringBounds, snapshotMs, indexes: fieldIndexes(definition) },
      read: (key, value, revision) => this.read(key, value, revision),
    }
  }

  /** The cache; a promise only before it was first loaded. */
  cache(): ResourceCache | Promise<ResourceCache> {
    return this.#dependencies.feed.load(this.#reader)
  }

  get loaded(): ResourceCache | undefined {
    return this.#dependencies.feed.loaded(this.#keyPrefix)
  }

  get feed(): Feed {
    return this.#dependencies.feed
  }

  /** Resolves to true when the cache holds everything written before this call, to false when that takes too long. */
  fresh(timeoutMs: number): Promise<boolean> | true {
    const fresh = this.#dependencies.feed.fresh(timeoutMs)
    if (fresh === true) return true
    return fresh.catch((error: unknown) => {
      throw error instanceof StoreError ? storeFailure(error) : error
    })
  }

  get store(): Store {
    return this.#dependencies.store
  }

  get keyPrefix(): string {
    return this.#keyPrefix
  }

  /** The entry of a stored value. A value that cannot be read makes an entry that says so. */
  read(key: string, value: Uint8Array, revision: number): CacheEntry {
    const known = this.#underway.get(value)
    if (known !== undefined) return new CacheEntry(known, revision, this.#shape)
    const object = this.#dependencies.codec.fromStored(value, key)
    return new CacheEntry(this.#encode(object), revision, this.#shape)
  }

  #facts(object: KubeObject, text: StoredText): EntryFacts {
    const { metadata } = object
    const namespace = metadata.namespace ?? ''
    const name = metadata.name ?? ''
    return {
      bytes: text.bytes,
      splice: text.splice,
      key: entryKey(namespace, name),
      namespace,
      name,
      labels: metadata.labels,
      fields: this.#shape.fieldValues(object),
    }
  }

  #encode(object: KubeObject): EntryFacts {
    return this.#facts(object, this.#dependencies.codec.encode(object))
  }

  #prepare(object: KubeObject): { facts: EntryFacts; key: string; value: Uint8Array } {
    const facts = this.#encode(object)
    const key = this.#keyPrefix + facts.key
    const value = this.#dependencies.codec.toStored(object, facts, key)
    // Every store takes the same sizes: what one holds can move to another.
    if (value.byteLength > maxObjectBytes) throw tooLarge()
    this.#underway.set(value, facts)
    return { facts, key, value }
  }

  /** What a write would have given: for dry runs, and for objects that are gone. */
  preview(object: KubeObject): Written {
    const facts = this.#encode(object)
    const revision = Number(object.metadata.resourceVersion ?? 0)
    if (revision > 0) return new CacheEntry(facts, revision, this.#shape)
    return { json: () => facts.bytes, object: () => object }
  }

  /** Undefined when the name is taken. */
  async create(object: KubeObject): Promise<CacheEntry | undefined> {
    const { facts, key, value } = this.#prepare(object)
    const result = await this.#write(this.#withTtl({ type: 'create', key, value }))
    return result.ok ? new CacheEntry(facts, result.revision, this.#shape) : undefined
  }

  async replace(current: CacheEntry, object: KubeObject): Promise<Replaced> {
    const { facts, key, value } = this.#prepare(object)
    const operation = { type: 'replace', key, value, expectedRevision: current.revision } as const
    const result = await this.#write(this.#withTtl(operation))
    if (result.ok) return { written: new CacheEntry(facts, result.revision, this.#shape) }
    return { lostTo: this.#entryOf(result.current) }
  }

  async remove(current: CacheEntry): Promise<Removed> {
    const key = this.#keyPrefix + current.key
    const result = await this.#write({ type: 'delete', key, expectedRevision: current.revision })
    return result.ok ? { revision: result.revision } : { lostTo: this.#entryOf(result.current) }
  }

  #entryOf(entry: Entry | undefined): CacheEntry | undefined {
    return entry === undefined ? undefined : this.read(entry.key, entry.value, entry.revision)
  }

  #withTtl(operation: WriteOperation & { readonly type: 'create' | 'replace' }): WriteOperation {
    const { ttlSeconds } = this.#definition.storage
    return ttlSeconds === undefined ? operation : { ...operation, ttlSeconds }
  }

  async #write(operation: WriteOperation): Promise<WriteResult> {
    try {
      return await this.#dependencies.store.write(operation)
    } catch (error) {
      throw error instanceof StoreError ? storeFailure(error) : error
    }
  }

  /** How the reference words a failed precondition of its storage. */
  invalidObjectMessage(key: string, why: string): string {
    return `StorageError: invalid object, Code: 4, Key: ${this.#keyPrefix}${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  }
}

/** What etcd takes unless it is told otherwise. */
const maxObjectBytes = 1.5 * 1024 * 1024
const tooLarge = (): ApiError => unknownError('etcdserver: request is too large')

/** The few ways in which a store fails, as clients see them. */
function storeFailure(error: StoreError): ApiError {
  switch (error.code) {
    case 'too-large':
      return tooLarge()
    case 'timeout':
      return timeout(error.message)
    case 'unavailable':
    case 'closed':
      return serviceUnavailable(error.message)
    default:
      return unknownError(error.message)
  }
}

function fieldIndexes({ indexes, storage }: ResourceDefinition): ReadonlyMap<string, (entry: CacheEntry) => string> {
  const paths = [...storage.fields.keys()]
  return new Map(indexes.map((path) => [path, (entry: CacheEntry) => entry.fields?.[paths.indexOf(path)] ?? '']))
}

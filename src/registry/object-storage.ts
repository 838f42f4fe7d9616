/**
 * The objects of one resource between the cache and the store: how they are encoded, keyed and written. What a write of
 * this process puts into the store comes back from the reflector as the same bytes, and is not decoded again.
 */

import type { KubeObject } from '../api/object.ts'
import { type ApiError, internalError } from '../api/status-error.ts'
import { CacheEntry, type EntryFacts, type EntryShape, type StoredText } from '../cache/cache-entry.ts'
import { RecentObjects } from '../cache/recent-objects.ts'
import type { Reflector } from '../cache/reflector.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { ResourceReader } from '../cache/resource-reader.ts'
import { entryKey } from '../cache/snapshot.ts'
import { withResourceVersion } from '../codec/store-text.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { inTurns } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import type { Entry, Store, WriteOperation, WriteResult } from '../store/store.ts'
import { fieldIndexes, type KeyParts, keyPartsOf, linksOf, unreadableFacts, withNamesOfKey } from './entry-facts.ts'
import { hintedFacts, hintOf } from './entry-hint.ts'
import type { Written } from './registry.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { EncodedObject, PreparedWrite, StorageDependencies } from './storage-contract.ts'
import { maxObjectBytes, tooLarge, translatingStoreErrors } from './store-failure.ts'
import {
  firstUnreadable,
  ReadError,
  type UnreadableContext,
  unreadableForUpdate,
  unreadableList,
  unreadableObject,
  unreadableValue,
  unreadyCache,
} from './unreadable.ts'
import { preview } from './write-preview.ts'
import { isLarge } from './write-request.ts'

const historyMs = 5 * 60 * 1000
const snapshotMs = 75_000
/** So long a list of the reference waits for its watch cache before it asks its storage. */
const freshnessMs = 3_000
/** Texts of the objects of one resource that are kept in parsed form, too. */
const recentBytes = 4 * 1024 * 1024
const followed = { maxBytes: 64 * 1024 * 1024, maxReplaced: 256 }
const ringBounds = { maxEvents: 20_000, maxAgeMs: historyMs, maxRetiredBytes: 32 * 1024 * 1024 }

export type Replaced = { readonly written: CacheEntry } | { readonly lostTo: CacheEntry | undefined }
export type Removed = { readonly revision: number } | { readonly lostTo: CacheEntry | undefined }

export class ObjectStorage {
  readonly #definition: ResourceDefinition
  readonly #dependencies: StorageDependencies
  /** Of entries whose stored value is as it would be written now. */
  readonly #shape: EntryShape
  /** Of entries whose stored value may be in another form: an older version, another encoding, less filled in. */
  readonly #foundShape: EntryShape
  readonly #reader: ResourceReader
  /** Of large objects that are about to be written. */
  readonly #ahead = new SideTable<KubeObject, EncodedObject>()
  /**
   * Entries of values on their way into the store, by the very bytes, until the cache reads them. A cache that is not loaded never
   * would: a memory store keeps the value.
   */
  readonly #underway = new SideTable<Uint8Array, PreparedWrite>()
  readonly #keyPrefix: string
  readonly #startRevision: number
  #keepsCreated = false

  constructor(definition: ResourceDefinition, dependencies: StorageDependencies) {
    this.#definition = definition
    this.#dependencies = dependencies
    this.#startRevision = dependencies.reflector.revision
    this.#keyPrefix = `${dependencies.prefix}${definition.storage.prefix.slice('/registry'.length)}/`
    const getters = [...definition.storage.fields.values()]
    this.#shape = {
      recent: new RecentObjects(recentBytes),
      fieldValues: (object) => (getters.length === 0 ? undefined : getters.map((get) => get(object))),
      parse: (text) => dependencies.codec.parse(text),
      parseInSteps: (text) => dependencies.codec.parseInSteps(text),
      current: !dependencies.codec.mayAge,
    }
    this.#foundShape = { ...this.#shape, current: false }
    const bounds = { ...ringBounds, maxEvents: dependencies.maxEvents ?? ringBounds.maxEvents }
    this.#reader = {
      prefix: this.#keyPrefix,
      options: { clock: dependencies.clock, bounds, snapshotMs, indexes: fieldIndexes(definition) },
      read: (key, value, revision, hint) => this.read(key, value, revision, hint),
      adopt: (known, revision) => new CacheEntry(known, revision, this.#shape),
    }
  }

  /** The cache; a promise only before it was first loaded. */
  cache(): Awaitable<ResourceCache> {
    return this.#dependencies.reflector.load(this.#reader)
  }

  /** The cache with a history that goes back to a revision, as far as the store still has it. */
  async cacheSince(revision: number): Promise<ResourceCache> {
    const cache = await this.cache()
    if (revision < cache.historyStart) await this.reflector.backfill(this.#keyPrefix, revision)
    return cache
  }

  get loaded(): ResourceCache | undefined {
    return this.#dependencies.reflector.loaded(this.#reader)
  }

  /** The resource is no longer served, or in another form: later readers get nothing of this cache. */
  unload(): void {
    this.#dependencies.reflector.unload(this.#reader)
  }

  get reflector(): Reflector {
    return this.#dependencies.reflector
  }

  /** Says that a part of this server looks at every object as soon as it is made. */
  keepCreated(): void {
    this.#keepsCreated = true
  }

  /** Says that a part of this server follows all changes of this resource, with the states before them. */
  keepFollowed(): void {
    this.keepCreated()
    this.#shape.recent.grow(followed)
  }

  /** Resolves to true when the cache holds everything written before this call, to false when that takes too long. */
  fresh(timeoutMs: number): Promise<boolean> | true {
    const fresh = this.#dependencies.reflector.fresh(timeoutMs)
    return fresh === true ? true : translatingStoreErrors(() => fresh)
  }

  /** Whether the cache may be behind what is written: a refusal found on it must be checked against the store. */
  get mayLag(): boolean {
    return this.#dependencies.reflector.mayLag
  }

  /** The object of a key as the store has it at this moment. Loads no cache. */
  async newest(key: string): Promise<CacheEntry | undefined> {
    const { loaded } = this
    if (loaded !== undefined && !this.mayLag) return loaded.get(key)
    const found = await translatingStoreErrors(() => this.#dependencies.store.get(this.#keyPrefix + key))
    return found.status === 'ok' ? this.#entryOf(found.entry) : undefined
  }

  get store(): Store {
    return this.#dependencies.store
  }

  get keyPrefix(): string {
    return this.#keyPrefix
  }

  /** The entry of a stored value. A value that cannot be read makes an entry that says so. Never rejects. */
  read(key: string, value: Uint8Array, revision: number, hint?: string): Awaitable<CacheEntry> {
    const known = this.#underway.get(value)
    if (known !== undefined) {
      this.#underway.delete(value)
      return this.#written(known, revision)
    }
    if (hint !== undefined) return new CacheEntry(hintedFacts(value, hint), revision, this.#shape)
    const fail = (error: unknown): CacheEntry => this.#unreadable({ key, value, revision }, error)
    if (isLarge(value.byteLength)) return this.#readLarge({ key, value, revision }).catch(fail)
    try {
      const object = this.#dependencies.codec.fromStored(value, key)
      if (!(object instanceof Promise)) return this.#entry({ key, value, revision }, object)
      return object.then((read) => this.#entry({ key, value, revision }, read)).catch(fail)
    } catch (error) {
      return fail(error)
    }
  }

  async #readLarge(stored: StoredValue): Promise<CacheEntry> {
    const { codec } = this.#dependencies
    const object = withNamesOfKey(await codec.fromStoredInTurns(stored.value, stored.key), this.#partsOf(stored.key))
    this.#ahead.set(object, await inTurns(codec.encodeInSteps(object)))
    return this.#entry(stored, object)
  }

  #partsOf(key: string): KeyParts {
    return keyPartsOf(key.slice(this.#keyPrefix.length))
  }

  #entry({ key, value, revision }: StoredValue, object: KubeObject): CacheEntry {
    const parts = this.#partsOf(key)
    const placed = withNamesOfKey(object, parts)
    const facts = this.#facts(placed, this.#encoded(placed), parts)
    return new CacheEntry(facts, revision, facts.bytes.equals(value) ? this.#shape : this.#foundShape)
  }

  #unreadable({ key, value, revision }: StoredValue, error: unknown): CacheEntry {
    const reason = error instanceof ReadError ? error.reason : 'decode'
    const about = { key, revision, reason, why: reasonOf(error) }
    this.#dependencies.onUnreadable?.(about)
    const unreadable = { value, reason, why: about.why, error: () => unreadableObject(about, this.#context) }
    const facts = unreadableFacts(this.#partsOf(key), unreadable)
    return new CacheEntry(facts, revision, this.#shape)
  }

  get #context(): UnreadableContext {
    const { prefix, unsafeDeletion = false } = this.#dependencies
    return { prefix, unsafeDeletion }
  }

  /** The error of an update of an object that cannot be read. */
  refusedUpdate(entry: CacheEntry): ApiError {
    return unreadableForUpdate(unreadableValue(entry, this.#keyPrefix), this.#context)
  }

  /** The error of a list of objects that cannot be read. */
  refusedList(entries: readonly CacheEntry[]): ApiError {
    const values = entries.map((entry) => unreadableValue(entry, this.#keyPrefix))
    return unreadableList(this.#definition, values, this.#context)
  }

  /**
   * Refuses what the reference answers from its watch cache, while anything of the resource cannot be read. Where
   * such objects may be deleted, lists come from its storage for a while after they were written.
   */
  async requireReadable(): Promise<void> {
    const first = firstUnreadable(this.loaded)
    // Keys may have come back.
    if (first !== undefined) await this.redecoded(first)
    const left = firstUnreadable(this.loaded)
    if (left === undefined) return
    const unreadyMs = this.loaded?.unreadableMs ?? 0
    const { unsafeDeletion } = this.#context
    if (unsafeDeletion && left.revision > this.#startRevision && unreadyMs < freshnessMs) return
    throw unreadyCache(this.#definition, unreadableValue(left, this.#keyPrefix), { ...this.#context, unreadyMs })
  }

  /**
   * The entry that the cache has of an object that could not be read, after another attempt to read it: keys may have
   * come back.
   */
  async redecoded(entry: CacheEntry): Promise<CacheEntry | undefined> {
    const { key, revision, unreadable } = entry
    if (unreadable === undefined) return entry
    const again = await this.read(this.#keyPrefix + key, unreadable.value, revision)
    if (again.unreadable !== undefined) return again
    await this.reflector.redecode(this.#keyPrefix)
    return this.loaded?.get(key) ?? again
  }

  /**
   * Whether an object that is as it was should be written again all the same, because of the form that it is stored in.
   * Its stored form must be given.
   */
  async isStale(current: CacheEntry, object: KubeObject): Promise<boolean> {
    const key = this.#keyPrefix + current.key
    const found = await translatingStoreErrors(() => this.#dependencies.store.get(key))
    // Lost race: the compare-and-write fails, and the change is made anew.
    if (found.status !== 'ok' || found.entry?.revision !== current.revision) return true
    return !(await this.#dependencies.codec.isCurrent(found.entry.value, object, key))
  }

  /** The entry of a value that this process wrote, shared by the reflector and the writer: made by whichever comes first. */
  #written(prepared: PreparedWrite, revision: number): CacheEntry {
    const { facts, canonical } = prepared
    if (prepared.entry !== undefined) return prepared.entry
    const entry = new CacheEntry(facts, revision, this.#shape)
    if (canonical !== undefined) entry.keep(withResourceVersion(canonical, String(revision)))
    prepared.entry = entry
    return entry
  }

  /** `there`: where it is stored already, and its links then. */
  #facts(object: KubeObject, text: StoredText, there?: KeyParts & Pick<EntryFacts, 'links'>): EntryFacts {
    const { metadata } = object
    const { namespace = '', name = '' } = there ?? metadata
    return {
      bytes: text.bytes,
      splice: text.splice,
      key: there?.key ?? entryKey(namespace, name),
      namespace,
      name,
      labels: metadata.labels,
      fields: this.#shape.fieldValues(object),
      links: linksOf(metadata, there?.links),
    }
  }

  /** A large object is encoded in turns with other requests, for the write or preview of it that follows. */
  async encodeAhead(object: KubeObject, current?: CacheEntry): Promise<void> {
    const steps = this.#dependencies.codec.encodeInSteps(object, current?.parsed, true)
    this.#ahead.set(object, await inTurns(steps))
  }

  #encoded(object: KubeObject, baseline?: KubeObject, isKept?: boolean): EncodedObject {
    const ahead = this.#ahead.get(object)
    if (ahead === undefined) return this.#dependencies.codec.encode(object, baseline, isKept)
    this.#ahead.delete(object)
    return ahead
  }

  /** `there`: where it is, or is to be. */
  #prepare(object: KubeObject, current?: CacheEntry, there: KeyParts | undefined = current): Awaitable<PreparedWrite> {
    // What was made just now may never be looked at; holding on to it would cost more than it saves. A large one would take long to parse.
    const isKept = current !== undefined || this.#keepsCreated || this.#ahead.get(object) !== undefined
    const encoded = this.#encoded(object, current?.parsed, isKept)
    const facts = this.#facts(object, encoded, there)
    const key = this.#keyPrefix + facts.key
    const canonical = isKept ? encoded.canonical : undefined
    const ready = (value: Uint8Array): PreparedWrite => this.#ready({ facts, canonical, key, value })
    const fail = (error: unknown): never => {
      throw internalError(reasonOf(error))
    }
    let value: Awaitable<Uint8Array>
    try {
      const { codec } = this.#dependencies
      value = isLarge(encoded.bytes.length)
        ? codec.toStoredInTurns(object, facts, key)
        : codec.toStored(object, facts, key)
    } catch (error) {
      return fail(error)
    }
    return value instanceof Promise ? value.catch(fail).then(ready) : ready(value)
  }

  #ready(prepared: PreparedWrite): PreparedWrite {
    // Every store takes the same sizes: what one holds can move to another.
    if (prepared.value.byteLength > maxObjectBytes) throw tooLarge()
    if (this.loaded !== undefined) this.#underway.set(prepared.value, prepared)
    return prepared
  }

  /** What a write would have given: for dry runs, and for objects that are gone. */
  preview(object: KubeObject): Written {
    const encoded = this.#encoded(object)
    return preview(
      { encoded, facts: this.#facts(object, encoded), shape: this.#shape },
      object.metadata.resourceVersion,
    )
  }

  /** Undefined when the name is taken. `at`: a key other than that of its name. */
  async create(object: KubeObject, at?: string): Promise<CacheEntry | undefined> {
    const preparing = this.#prepare(object, undefined, at === undefined ? undefined : keyPartsOf(at))
    const prepared = preparing instanceof Promise ? await preparing : preparing
    const { key, value } = prepared
    const hint = this.#hint(prepared)
    const result = await this.#write(this.#withTtl({ type: 'create', key, value, hint }))
    return result.ok ? this.#written(prepared, result.revision) : undefined
  }

  /** Writes nothing when the stored form is what it was: drafts distinguish empty lists from none, stored objects do not. */
  async replace(current: CacheEntry, object: KubeObject): Promise<Replaced> {
    const preparing = this.#prepare(object, current)
    const prepared = preparing instanceof Promise ? await preparing : preparing
    const { key, value, facts } = prepared
    if (facts.bytes.equals(current.bytes) && (current.isCurrent || !(await this.isStale(current, object)))) {
      return { written: current }
    }
    const hint = this.#hint(prepared)
    const operation = { type: 'replace', key, value, expectedRevision: current.revision, hint } as const
    const result = await this.#write(this.#withTtl(operation))
    if (result.ok) return { written: this.#written(prepared, result.revision) }
    return { lostTo: await this.#entryOf(result.current) }
  }

  async remove(current: CacheEntry): Promise<Removed> {
    const key = this.#keyPrefix + current.key
    const result = await this.#write({ type: 'delete', key, expectedRevision: current.revision })
    return result.ok ? { revision: result.revision } : { lostTo: await this.#entryOf(result.current) }
  }

  /** Only where what is stored is the text: other encodings must be decoded. */
  #hint({ facts, value }: PreparedWrite): string | undefined {
    const isUseful = this.#dependencies.store.takesHints === true && value === facts.bytes
    return isUseful ? hintOf(facts) : undefined
  }

  #entryOf(entry: Entry | undefined): Awaitable<CacheEntry> | undefined {
    if (entry === undefined) return undefined
    const cached = this.loaded?.get(entry.key.slice(this.#keyPrefix.length))
    return cached?.revision === entry.revision ? cached : this.read(entry.key, entry.value, entry.revision)
  }

  #withTtl(operation: WriteOperation & { readonly type: 'create' | 'replace' }): WriteOperation {
    const { ttlSeconds } = this.#definition.storage
    return ttlSeconds === undefined ? operation : Object.assign(operation, { ttlSeconds })
  }

  #write(operation: WriteOperation): Promise<WriteResult> {
    return translatingStoreErrors(() => this.store.write(operation))
  }

  /** How the reference words a failed precondition of its storage; that of dry runs has no place of its own. */
  invalidObjectMessage(key: string, why: string, dryRun = false): string {
    const prefix = dryRun ? this.#keyPrefix.slice(this.#dependencies.prefix.length) : this.#keyPrefix
    return `StorageError: invalid object, Code: 4, Key: ${prefix}${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  }
}

type StoredValue = Pick<Entry, 'key' | 'value' | 'revision'>

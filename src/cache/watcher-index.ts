/**
 * The watchers of a cache by what they can be about, so that an event reaches those that it may concern and not the
 * thousands that watch one other object each. Every watcher is in one bucket: by name, by an indexed field, by
 * namespace, or in the one for all events.
 *
 * Mirrors k8s.io/apiserver/pkg/storage/cacher: indexedWatchers, which knows scopes and one trigger field.
 */
import type { CacheEntry } from './cache-entry.ts'
import type { CacheEvent } from './event-ring.ts'
import type { Selection } from './selection.ts'
import type { Watcher } from './watcher.ts'

type Bucket = Set<Watcher>

export class WatcherIndex {
  readonly #fields: ReadonlyMap<string, (entry: CacheEntry) => string>
  readonly #all: Bucket = new Set()
  /** By the kind of bucket and what it is about; none is empty. */
  readonly #buckets = new Map<string, Bucket>()
  /** Reference counts of the fields by which watchers are indexed. */
  readonly #watchedFields = new Map<string, number>()
  readonly #places = new Map<Watcher, IndexSlot>()

  /** `fields` gives the values of indexed fields. */
  constructor(fields: ReadonlyMap<string, (entry: CacheEntry) => string>) {
    this.#fields = fields
  }

  get size(): number {
    return this.#places.size
  }

  add(watcher: Watcher, selection: Selection): void {
    const place = placeOf(selection, this.#fields)
    this.#places.set(watcher, place)
    if (place.field !== undefined) this.#countField(place.field, 1)
    if (place.key === undefined) {
      this.#all.add(watcher)
      return
    }
    const bucket = this.#buckets.get(place.key)
    if (bucket === undefined) this.#buckets.set(place.key, new Set([watcher]))
    else bucket.add(watcher)
  }

  delete(watcher: Watcher): void {
    const place = this.#places.get(watcher)
    if (place === undefined) return
    this.#places.delete(watcher)
    if (place.field !== undefined) this.#countField(place.field, -1)
    if (place.key === undefined) {
      this.#all.delete(watcher)
      return
    }
    const bucket = this.#buckets.get(place.key)
    bucket?.delete(watcher)
    if (bucket?.size === 0) this.#buckets.delete(place.key)
  }

  #countField(field: string, by: 1 | -1): void {
    const count = (this.#watchedFields.get(field) ?? 0) + by
    if (count === 0) this.#watchedFields.delete(field)
    else this.#watchedFields.set(field, count)
  }

  /** All of them, those too that come or go meanwhile. */
  all(): IterableIterator<Watcher> {
    return this.#places.keys()
  }

  /** Those that some of the events may concern, each once. */
  concerned(events: Iterable<CacheEvent>): IterableIterator<Watcher> {
    if (this.#buckets.size === 0) return this.#all.values()
    const touched = new Set<Bucket>()
    for (const event of events) {
      // What cannot be read has no fields to be found by.
      if (event.isRedecoded || event.entry?.unreadable !== undefined || event.previous?.unreadable !== undefined) {
        return this.all()
      }
      if (event.entry !== undefined) this.#touch(event.entry, touched)
      if (event.previous !== undefined) this.#touch(event.previous, touched)
    }
    return touched.size === 0 ? this.#all.values() : eachOf(this.#all, touched)
  }

  #touch(entry: CacheEntry, touched: Set<Bucket>): void {
    const { namespace, name } = entry
    this.#touchBucket(nameKey(namespace, name), touched)
    this.#touchBucket(anywhereKey(name), touched)
    this.#touchBucket(namespaceKey(namespace), touched)
    for (const field of this.#watchedFields.keys()) {
      this.#touchBucket(fieldKey(field, this.#fields.get(field)?.(entry) ?? ''), touched)
    }
  }

  #touchBucket(key: string, touched: Set<Bucket>): void {
    const bucket = this.#buckets.get(key)
    if (bucket !== undefined) touched.add(bucket)
  }
}

function* eachOf(all: Bucket, touched: ReadonlySet<Bucket>): IterableIterator<Watcher> {
  yield* all
  for (const bucket of touched) yield* bucket
}

interface IndexSlot {
  /** Undefined: in the bucket for all events. */
  readonly key: string | undefined
  readonly field: string | undefined
}

function placeOf({ namespace, name, indexed }: Selection, fields: ReadonlyMap<string, unknown>): IndexSlot {
  if (name !== undefined) {
    return { key: namespace === undefined ? anywhereKey(name) : nameKey(namespace, name), field: undefined }
  }
  if (indexed !== undefined && fields.has(indexed.index)) {
    return { key: fieldKey(indexed.index, indexed.value), field: indexed.index }
  }
  // That of cluster-scoped resources would hold all watchers of them.
  if (namespace !== undefined && namespace !== '') return { key: namespaceKey(namespace), field: undefined }
  return { key: undefined, field: undefined }
}

const nameKey = (namespace: string, name: string): string => `n${namespace}/${name}`
const anywhereKey = (name: string): string => `a${name}`
const namespaceKey = (namespace: string): string => `s${namespace}`
const fieldKey = (field: string, value: string): string => `f${field}=${value}`

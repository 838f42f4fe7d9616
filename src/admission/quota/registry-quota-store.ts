/** Quotas in the registry, as admission reads and charges them. */

import { serverUser } from '../../api/user.ts'
import type { CacheEntry } from '../../cache/cache-entry.ts'
import { everything } from '../../cache/selection.ts'
import { SideTable } from '../../lib/memo.ts'
import { recordUpdate } from '../../registry/managed-fields.ts'
import type { Registry } from '../../registry/registry.ts'
import type { WriteRequest } from '../../registry/write-request.ts'
import type { Quota, QuotaStore } from './quota-object.ts'

/** Written by this process and not yet in the cache; a bound, for caches that stopped. */
const maxAhead = 10_000

export class RegistryQuotaStore implements QuotaStore {
  readonly #registry: () => Registry
  /** What an object was read from: the version that a write of it compares with. */
  readonly #entries = new SideTable<Quota, CacheEntry>()
  /** With a remote store the cache learns of our own writes a moment later. */
  readonly #ahead = new Map<string, CacheEntry>()

  constructor(registry: () => Registry) {
    this.#registry = registry
  }

  async list(namespace: string): Promise<readonly Quota[]> {
    const cache = await this.#registry().storage.cache()
    return [...cache.snapshot().entries({ ...everything, namespace })].map((entry) => this.#read(this.#newest(entry)))
  }

  #newest(entry: CacheEntry): CacheEntry {
    const ahead = this.#ahead.get(entry.key)
    if (ahead === undefined) return entry
    if (ahead.revision > entry.revision) return ahead
    this.#ahead.delete(entry.key)
    return entry
  }

  #read(entry: CacheEntry): Quota {
    const quota = entry.object() as Quota
    this.#entries.set(quota, entry)
    return quota
  }

  async write(quota: Quota, status: Quota['status']): Promise<{ written: Quota } | { current: Quota | undefined }> {
    const { storage } = this.#registry()
    const entry = this.#entries.get(quota) ?? (await this.#entryOf(quota))
    if (entry === undefined) return { current: undefined }
    const draft = { ...quota, metadata: { ...quota.metadata }, status } as Quota
    const owned = recordUpdate(this.#registry(), quota, draft, this.#request(quota))
    const result = await storage.replace(entry, owned)
    if ('lostTo' in result) {
      this.#ahead.delete(entry.key)
      return { current: result.lostTo === undefined ? undefined : this.#read(result.lostTo) }
    }
    if (this.#ahead.size >= maxAhead) this.#ahead.clear()
    if (storage.loaded?.get(entry.key)?.revision !== result.written.revision) this.#ahead.set(entry.key, result.written)
    return { written: this.#read(result.written) }
  }

  /** The entry of an object that somebody else read, if it is still the newest. */
  async #entryOf({ metadata }: Quota): Promise<CacheEntry | undefined> {
    const cache = await this.#registry().storage.cache()
    const entry = cache.get(`${metadata.namespace}/${metadata.name}`)
    return entry?.at(Number(metadata.resourceVersion))
  }

  #request({ metadata }: Quota): WriteRequest {
    return {
      version: this.#registry().definition.hub,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      subresource: 'status',
      user: serverUser,
      dryRun: false,
      fieldManager: 'kube-apiserver',
      options: {},
      warn: () => {},
      annotate: () => {},
    }
  }
}

/** Quotas in the registry, as admission reads and charges them. */

import { ApiError } from '../../api/status-error.ts'
import { serverUser } from '../../api/user.ts'
import { selectEverything } from '../../cache/selection.ts'
import { updateAs } from '../../registry/own-writes.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Quota, QuotaStore } from './quota-object.ts'

/** Written by this process and not yet in the cache; a bound, for caches that stopped. */
const maxAhead = 10_000

/** Mirrors apiserver/pkg/admission/plugin/resourcequota: quotaAccessor.UpdateQuotaStatus, which writes by a client of the server itself. */
const actor = { user: serverUser, fieldManager: 'kube-apiserver' }

const revisionOf = ({ metadata }: Quota): number => Number(metadata.resourceVersion)

export class RegistryQuotaStore implements QuotaStore {
  readonly #registry: () => Registry
  /** With a remote store the cache learns of our own writes a moment later. */
  readonly #ahead = new Map<string, Quota>()

  constructor(registry: () => Registry) {
    this.#registry = registry
  }

  async list(namespace: string): Promise<readonly Quota[]> {
    const cache = await this.#registry().storage.cache()
    const entries = [...cache.snapshot().entries({ ...selectEverything, namespace })]
    return entries.map((entry) => this.#newest(entry.key, entry.object() as Quota))
  }

  #newest(key: string, cached: Quota): Quota {
    const ahead = this.#ahead.get(key)
    if (ahead === undefined) return cached
    if (revisionOf(ahead) > revisionOf(cached)) return ahead
    this.#ahead.delete(key)
    return cached
  }

  /** Writes if the quota is still the newest: who has read an older one has counted by it. */
  async write(quota: Quota, status: Quota['status']): Promise<{ written: Quota } | { current: Quota | undefined }> {
    const { namespace = '', name = '', resourceVersion } = quota.metadata
    const key = `${namespace}/${name}`
    let isNewest = false
    try {
      const result = await updateAs(actor, this.#registry(), { namespace, name, subresource: 'status' }, (current) => {
        isNewest = current.metadata.resourceVersion === resourceVersion
        return isNewest ? { ...current, status } : undefined
      })
      if (isNewest) this.#remember(key, result as Quota)
      else this.#ahead.delete(key)
      return isNewest ? { written: result as Quota } : { current: result as Quota }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
      this.#ahead.delete(key)
      return { current: undefined }
    }
  }

  #remember(key: string, written: Quota): void {
    if (this.#registry().storage.loaded?.get(key)?.revision === revisionOf(written)) return
    if (this.#ahead.size >= maxAhead) this.#ahead.clear()
    this.#ahead.set(key, written)
  }
}

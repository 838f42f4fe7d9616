/** Consistent reads: the cache, once it has everything that was written before the read began. */

import { ApiError } from '../api/status-error.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Registry } from './registry.ts'

/** How long a read waits for a version that is not there yet. */
export const waitMs = 3000

/** The cache when it holds everything written before this call. */
export function freshCache({ storage }: Pick<Registry, 'storage'>): Awaitable<ResourceCache> {
  const cache = storage.cache()
  const fresh = storage.fresh(waitMs)
  if (fresh === true) return cache
  return fresh.then((arrived) => {
    if (!arrived)
      throw new ApiError({ code: 504, reason: 'Timeout', message: 'Timeout: the store is ahead of this server' })
    return cache
  })
}

/** Waiting until the cache is as new as a read asks for. */

import { quote } from '../api/golang/quote.ts'
import { ApiError, badRequest, unknownError } from '../api/status-error.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { freshCache, waitMs } from '../registry/fresh-cache.ts'
import type { Registry } from '../registry/registry.ts'

/**
 * A resourceVersion that is no number of 64 bits: how it is refused depends on the verb. What is too large to be exact
 * here is larger than any version there will be.
 */
export function parseVersion(text: string, refusedAs: 'bad request' | 'failure'): number {
  if (text === '') return 0
  const isNumber = /^\d+$/.test(text)
  if (isNumber && BigInt(text) < 2n ** 64n) return Number(text)
  const problem = isNumber ? 'value out of range' : 'invalid syntax'
  const message = `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${problem}`
  throw refusedAs === 'bad request' ? badRequest(`invalid resource version: ${message}`) : unknownError(message)
}

/** The cache when it holds everything written before this call, for lists, which are counted. */
export async function newestCache(registry: Registry): Promise<ResourceCache> {
  const begin = performance.now()
  try {
    const cache = await freshCache(registry)
    cache.newestReads.fresh++
    cache.newestReads.waits.observe((performance.now() - begin) / 1000)
    return cache
  } catch (error) {
    const { loaded } = registry.storage
    if (loaded !== undefined) loaded.newestReads.timedOut++
    throw error
  }
}

/** The cache as it is, unless the server is to answer with nothing old at all. */
export function cacheOfAnyAge(registry: Registry): Awaitable<ResourceCache> {
  return registry.storage.reflector.alwaysNewest ? freshCache(registry) : registry.storage.cache()
}

/** The cache when it is at least as new as a version, or a 504 that names the version as it was requested. */
export function cacheNotOlderThan(
  registry: Registry,
  revision: number,
  asked = String(revision),
): Awaitable<ResourceCache> {
  const { storage, definition } = registry
  if (storage.reflector.alwaysNewest) return newestNotOlderThan(registry, revision, asked)
  const cache = storage.cache()
  // Objects that expire are not worth waiting for.
  const patience = definition.storage.ttlSeconds === undefined ? waitMs : 0
  const arrived = storage.reflector.waitFor(revision, patience)
  if (arrived === true) return cache
  return arrived.then((there) => {
    if (!there) throw tooLargeVersion(asked, storage.reflector.revision, patience > 0 ? 1 : 0)
    return cache
  })
}

/** What the newest state has not reached will not come soon. */
async function newestNotOlderThan(registry: Registry, revision: number, asked: string): Promise<ResourceCache> {
  const cache = await freshCache(registry)
  const { reflector } = registry.storage
  if (reflector.revision < revision) throw tooLargeVersion(asked, reflector.revision, 1)
  return cache
}

export function tooLargeVersion(asked: string, current: number, retryAfterSeconds: number): ApiError {
  return new ApiError(
    {
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${BigInt(asked)}, current: ${current}`,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
      },
    },
    retryAfterSeconds > 0 ? { 'Retry-After': String(retryAfterSeconds) } : {},
  )
}

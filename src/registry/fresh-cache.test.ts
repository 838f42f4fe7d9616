import { describe, expect, it } from 'vitest'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { freshCache, waitMs } from './fresh-cache.ts'
import type { Registry } from './registry.ts'

const cache = {} as ResourceCache

describe('the cache of a consistent read', () => {
  const read = (loaded: unknown, fresh: (ms: number) => unknown) =>
    freshCache({ storage: { cache: () => loaded, fresh } } as unknown as Pick<Registry, 'storage'>)

  it('is there at once when it holds all that is written', async () => {
    expect(await read(cache, () => true)).toBe(cache)
  })

  it('is waited for', async () => {
    const waited: number[] = []
    const fresh = async (ms: number): Promise<boolean> => {
      waited.push(ms)
      return true
    }
    expect(await read(cache, fresh)).toBe(cache)
    expect(await read(Promise.resolve(cache), fresh)).toBe(cache)
    expect(waited).toEqual([waitMs, waitMs])
  })

  it('is refused when the store stays ahead', async () => {
    await expect((async () => read(cache, async () => false))()).rejects.toMatchObject({ code: 504 })
  })
})

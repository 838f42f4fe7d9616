/** The removal of what cannot be read: only of that, and of whatever of it is newest. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { removeUnreadable } from './delete-unreadable.ts'
import type { Removed } from './object-storage.ts'
import type { Registry } from './registry.ts'

const entry = (revision: number, isReadable = false): CacheEntry =>
  ({ revision, unreadable: isReadable ? undefined : { why: 'x' } }) as unknown as CacheEntry

interface Case {
  readonly newest?: CacheEntry
  readonly redecoded?: CacheEntry
  /** What removals lose to, one after the other; then the object is removed. */
  readonly losses?: (CacheEntry | undefined)[]
}

/** The revisions whose removal was tried; or the refusal. */
async function removed({ newest, redecoded = newest, losses: given = [] }: Case): Promise<unknown> {
  const losses = [...given]
  const tried: unknown[] = []
  const storage = {
    newest: async (key: string) => (key === 'ns/a' ? newest : undefined),
    redecoded: async () => redecoded,
    remove: async ({ revision }: CacheEntry): Promise<Removed> => {
      tried.push(revision)
      return losses.length > 0 ? ({ lostTo: losses.shift() } as Removed) : ({ revision: 99 } as Removed)
    },
  }
  const definition = { group: 'g', resource: 'things' }
  try {
    await removeUnreadable({ storage, definition } as unknown as Registry, 'ns', 'a')
    return tried
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.code} ${error.message} (${tried.length})`
  }
}

describe('an object', () => {
  const refused =
    '422 things.g "a" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option (0)'
  it.each<[string, Case, unknown]>([
    ['that cannot be read is removed', { newest: entry(1) }, [1]],
    ['that is not there is refused', {}, refused],
    ['that can be read is refused', { newest: entry(1, true) }, refused],
    ['that can be read again is refused', { newest: entry(1), redecoded: entry(1, true) }, refused],
    [
      'that another writer wrote is removed as it is now',
      { newest: entry(1), losses: [entry(2), entry(3)] },
      [1, 2, 3],
    ],
    ['that another writer removed is gone', { newest: entry(1), losses: [undefined] }, [1]],
    [
      'that another writer made readable is refused',
      { newest: entry(1), losses: [entry(2, true)] },
      refused.replace('(0)', '(1)'),
    ],
    [
      'that others write without end is a conflict',
      { newest: entry(1), losses: Array.from({ length: 200 }, () => entry(2)) },
      '409 Operation cannot be fulfilled on things.g "a": the object has been modified; please try again (100)',
    ],
  ])('%s', async (_, given, expected) => {
    expect(await removed(given)).toEqual(expected)
  })
})

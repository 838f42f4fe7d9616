/** The retry loop over a cache that lags behind its store: what is believed of the cache, and what is read anew. */
import { describe, expect, it } from 'vitest'
import { internalError } from '../api/status-error.ts'
import { testEntry } from '../cache/testing/test-entry.ts'
import { StoreError } from '../store/store.ts'
import { type Attempt, guaranteedWrite } from './guaranteed-write.ts'
import type { ObjectStorage } from './object-storage.ts'

interface Setting {
  readonly mayLag: boolean
  readonly cached: number | undefined
  /** What the store has at each read. */
  readonly stored?: readonly (number | undefined)[]
  readonly dryRun?: boolean
  readonly name?: string
}

const entry = (revision: number | undefined) => (revision === undefined ? undefined : testEntry('ns/a', revision))

/** Runs the attempts in turn, the last one for ever, and records the revisions that they began with. */
async function run(setting: Setting, attempts: readonly (() => Attempt<string>)[]) {
  const { mayLag, cached, stored = [], dryRun = false, name = 'a' } = setting
  const began: (number | undefined)[] = []
  const reads = [...stored]
  const storage = {
    mayLag,
    cache: () => ({ get: () => entry(cached) }),
    newest: async () => entry(reads.shift()),
  } as unknown as ObjectStorage
  const outcome = await guaranteedWrite({
    storage,
    request: { namespace: 'ns', name, dryRun },
    attempt: async (current) => {
      began.push(current?.revision)
      const next = attempts[Math.min(began.length, attempts.length) - 1]
      if (next === undefined) throw new Error('there is no attempt')
      return next()
    },
    exhausted: () => new Error('exhausted'),
  }).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  return { outcome, began, unread: reads.length }
}

const writes = (): Attempt<string> => ({ result: 'written', wrote: true })
const finds = (): Attempt<string> => ({ result: 'no-op', wrote: false })
const refuses = (): never => {
  throw new Error('refused')
}
const loses = (to: number | undefined) => (): Attempt<string> => ({ lostTo: entry(to) })
const mayHaveWritten = (): never => {
  const cause = new StoreError('unavailable', 'unknown', { maybeApplied: true })
  throw Object.assign(internalError('unknown'), { cause })
}

describe('a guaranteed write', () => {
  const lagging = { mayLag: true, cached: 5 }
  const current = { mayLag: false, cached: 5 }
  it.each<[string, Setting, (() => Attempt<string>)[], Awaited<ReturnType<typeof run>>]>([
    ['writes from the cache', lagging, [writes], { outcome: 'written', began: [5], unread: 0 }],
    ['goes on with what it lost to', lagging, [loses(8), writes], { outcome: 'written', began: [5, 8], unread: 0 }],
    [
      'that lost to a deletion finds nothing',
      current,
      [loses(undefined), finds],
      { outcome: 'no-op', began: [5, undefined], unread: 0 },
    ],
    [
      'believes a no-op on a cache that cannot lag',
      { ...current, stored: [9] },
      [finds],
      { outcome: 'no-op', began: [5], unread: 1 },
    ],
    [
      'believes a no-op once the store says the same',
      { ...lagging, stored: [5] },
      [finds],
      { outcome: 'no-op', began: [5], unread: 0 },
    ],
    [
      'tries a no-op again on what is newer',
      { ...lagging, stored: [9] },
      [finds, writes],
      { outcome: 'written', began: [5, 9], unread: 0 },
    ],
    [
      'believes a no-op on what was read',
      { ...lagging, stored: [9, 11] },
      [finds, finds],
      { outcome: 'no-op', began: [5, 9], unread: 1 },
    ],
    [
      'believes a refusal on a cache that cannot lag',
      { ...current, stored: [9] },
      [refuses],
      { outcome: 'refused', began: [5], unread: 1 },
    ],
    [
      'believes a refusal once the store says the same',
      { ...lagging, stored: [5] },
      [refuses],
      { outcome: 'refused', began: [5], unread: 0 },
    ],
    [
      'tries again what was refused on what is newer',
      { ...lagging, stored: [9] },
      [refuses, writes],
      { outcome: 'written', began: [5, 9], unread: 0 },
    ],
    [
      'finds what the cache does not have yet',
      { mayLag: true, cached: undefined, stored: [3] },
      [refuses, writes],
      { outcome: 'written', began: [undefined, 3], unread: 0 },
    ],
    [
      'is not tried again when its outcome is unknown',
      { ...lagging, stored: [9] },
      [mayHaveWritten],
      { outcome: 'Internal error occurred: unknown', began: [5], unread: 1 },
    ],
    [
      'believes what it lost to',
      { ...lagging, stored: [9] },
      [loses(8), finds],
      { outcome: 'no-op', began: [5, 8], unread: 1 },
    ],
    [
      'that only tries reads what is newest',
      { ...lagging, stored: [9, 11], dryRun: true },
      [finds],
      { outcome: 'no-op', began: [9], unread: 1 },
    ],
    [
      'that only tries takes a cache that cannot lag',
      { ...current, stored: [9], dryRun: true },
      [finds],
      { outcome: 'no-op', began: [5], unread: 1 },
    ],
  ])('%s', async (_, setting, attempts, expected) => {
    expect(await run(setting, attempts)).toEqual(expected)
  })

  it('gives up after a thousand races', async () => {
    const { outcome, began } = await run(current, [loses(6)])
    expect([outcome, began.length]).toEqual(['exhausted', 1000])
  })

  it('of a name that no key can have is refused before the first attempt', async () => {
    const failed = run({ mayLag: false, cached: undefined, name: '..' }, [writes])
    await expect(failed).resolves.toMatchObject({ began: [] })
  })
})

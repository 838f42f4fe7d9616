import { describe, expect, test } from 'vitest'
import { openMemoryStore } from '../store/memory.ts'
import type { RangeOptions, RangeResult, Store } from '../store/store.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import type { CacheEntry } from './cache-entry.ts'
import { EntryTree } from './entry-tree.ts'
import {
  loadEntries,
  possiblePrefixes,
  type ResourceReader,
  readEntries,
  recallFrom,
  recallingReader,
  type StoredValue,
} from './resource-reader.ts'
import { Snapshot } from './snapshot.ts'
import { testEntry } from './testing/test-entry.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test.each([
  ['/registry/pods/default/web', ['/registry/pods/', '/registry/pods/default/']],
  ['/registry/nodes/n1', ['/registry/nodes/', '']],
  ['/registry/example.com/things/default/x', ['/registry/example.com/', '/registry/example.com/things/']],
])('the resource of %s lies under one of %j', (key, prefixes) => {
  expect(possiblePrefixes(key, '/registry/')).toEqual(prefixes)
})

describe('what is known of a value', () => {
  const known = testEntry('x', 3)
  const snapshot = new Snapshot(EntryTree.of([known]), 3)
  const other = testEntry('x', 4)
  const caches = new Map([['/r/', snapshot]])

  test.each<[string, string, string, Uint8Array, CacheEntry | undefined]>([
    ['is its entry when it is the very value', '/r/', '/r/x', known.bytes, known],
    ['is asked for elsewhere when its bytes are others', '/r/', '/r/x', Buffer.from(known.bytes), other],
    ['is asked for elsewhere when there was no such object', '/r/', '/r/y', known.bytes, other],
    ['is asked for elsewhere when there was no such resource', '/s/', '/s/x', known.bytes, other],
  ])('%s', (_, prefix, key, value, expected) => {
    expect(recallFrom(caches, () => other)(prefix, key, value)).toBe(expected)
    expect(recallFrom(caches, undefined)(prefix, key, value)).toBe(expected === known ? known : undefined)
  })

  test('is adopted, and all else is read', () => {
    const done: string[] = []
    const reader: ResourceReader = {
      prefix: '/r/',
      options: {
        clock: new ManualClock(),
        bounds: { maxEvents: 1, maxAgeMs: 1, maxRetiredBytes: 1 },
        snapshotMs: 1,
        indexes: new Map(),
      },
      read(key, _, revision, hint) {
        done.push(`read ${key}@${revision} ${hint}`)
        return testEntry('x', revision)
      },
      adopt(facts, revision) {
        done.push(`adopt ${facts.key}@${revision}`)
        return testEntry('x', revision)
      },
    }
    expect(recallingReader(reader, undefined)).toBe(reader)
    const recalling = recallingReader(reader, recallFrom(caches, undefined))
    void recalling.read('/r/x', known.bytes, 8, 'hint')
    void recalling.read('/r/y', known.bytes, 9, 'hint')
    expect(done).toEqual(['adopt x@8', 'read /r/y@9 hint'])
  })
})

describe('loading a resource', () => {
  /** A store whose ranges are played by the test. */
  const playing = (pages: RangeResult[]) => {
    const asked: RangeOptions[] = []
    const part: Partial<Store> = {
      range: async (_, options = {}) => {
        asked.push(options)
        return pages.shift() as RangeResult
      },
    }
    return { asked, store: part as Store }
  }
  const page = (keys: string[], more: boolean, revision = 7): RangeResult => ({
    status: 'ok',
    revision,
    more,
    items: keys.map((key) => ({ key, value: Buffer.alloc(1), revision: 2, createRevision: 2 })),
  })
  const reader: Parameters<typeof loadEntries>[1] = {
    prefix: '/r/',
    read: (key, _, revision) => testEntry(key, revision),
  }
  const keysOf = async (pages: RangeResult[]) => {
    const { asked, store } = playing(pages)
    const { entries, revision } = await loadEntries(store, reader)
    return { asked, revision, keys: entries.map(({ key }) => key) }
  }

  test('of a store is all that it has under the prefix, at its revision', async () => {
    const store = openMemoryStore()
    for (const key of ['/r/b', '/r/a', '/s/a']) await store.write({ type: 'create', key, value: Buffer.alloc(1) })
    const { entries, revision } = await loadEntries(store, reader)
    expect([entries.map(({ key }) => key), revision]).toEqual([['/r/a', '/r/b'], 4])
    await store.close()
  })

  test('goes on behind the last of a page, at its revision', async () => {
    const found = await keysOf([page(['/r/a', '/r/b'], true), page(['/r/c'], false)])
    expect(found).toEqual({
      keys: ['/r/a', '/r/b', '/r/c'],
      revision: 7,
      asked: [{ limit: 1000 }, { limit: 1000, startKey: '/r/b\0', revision: 7 }],
    })
  })

  test('reads the values of a page before it asks for the next one', async () => {
    const order: string[] = []
    const { store } = playing([page(['/r/a'], true), page(['/r/b'], false)])
    const range: Store['range'] = (...options) => {
      order.push('page')
      return store.range(...options)
    }
    await loadEntries(
      { ...store, range },
      {
        ...reader,
        read: async (key, value, revision) => {
          order.push(key)
          return reader.read(key, value, revision)
        },
      },
    )
    expect(order).toEqual(['page', '/r/a', 'page', '/r/b'])
  })

  test('ends with a page that is empty', async () => {
    expect(await keysOf([page(['/r/a'], true), page([], true)])).toMatchObject({ keys: ['/r/a'] })
  })

  test('begins anew when its revision is compacted meanwhile', async () => {
    const found = await keysOf([page(['/r/a'], true), { status: 'compacted' }, page(['/r/b'], false, 9)])
    expect([found.keys, found.revision, found.asked[2]]).toEqual([['/r/b'], 9, { limit: 1000 }])
  })

  test.each<[string, RangeResult]>([
    ['compacted', { status: 'compacted' }],
    ['future', { status: 'future', currentRevision: 1 }],
  ])('fails when the newest state is %s', async (status, answer) => {
    await expect(keysOf([answer])).rejects.toThrow(`the store answered ${status} to a read of its newest state`)
  })
})

describe('reading values', () => {
  const values = (count: number): StoredValue[] =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: Buffer.alloc(1), revision: i }))

  test('gives their entries in order, at most sixteen at a time where each takes time', async () => {
    const waiting: (() => void)[] = []
    let most = 0
    const reading = readEntries(
      {
        read(key, _, revision) {
          const entry = testEntry(key, revision)
          if (revision % 3 === 0) return entry
          return new Promise((resolve) => {
            most = Math.max(
              most,
              waiting.push(() => resolve(entry)),
            )
          })
        },
      },
      values(60),
    )
    for (let rounds = 0; rounds < 4; rounds++) {
      await turn()
      for (const end of waiting.splice(0).reverse()) end()
    }
    expect((await reading).map(({ key }) => key)).toEqual(values(60).map(({ key }) => key))
    expect(most).toBe(16)
  })

  test('lets others have their turn', async () => {
    let turns = 0
    let isDone = false
    const others = async (): Promise<void> => {
      while (!isDone) {
        turns++
        await turn()
      }
    }
    const running = others()
    const slow = (key: string, _: Uint8Array, revision: number): CacheEntry => {
      const end = performance.now() + 4
      while (performance.now() < end);
      return testEntry(key, revision)
    }
    const entries = await readEntries({ read: slow }, values(12))
    isDone = true
    await running
    expect([entries.length, turns > 2]).toEqual([12, true])
  })
})

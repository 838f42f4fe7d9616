import { describe, expect, test } from 'vitest'
import { openMemoryStore } from '../store/memory.ts'
import type { WatchOptions } from '../store/store.ts'
import { readHistory, ringEvents } from './backfill.ts'
import { testEntry } from './testing/test-entry.ts'

const bounds = { maxEvents: 3, maxAgeMs: 1000, maxRetiredBytes: 100 }
const value = Buffer.alloc(30)

async function written() {
  const store = openMemoryStore()
  await store.write({ type: 'create', key: '/r/a', value })
  await store.write({ type: 'create', key: '/other/a', value })
  await store.write({ type: 'create', key: '/r/b', value })
  await store.write({ type: 'delete', key: '/r/a', expectedRevision: 2 })
  await store.write({ type: 'create', key: '/r/c', value })
  return store
}

describe('the history of a resource', () => {
  test.each([
    ['from before, up to and with the last', { after: 2, upTo: 5 }, {}, [4, 5]],
    ['not beyond the last', { after: 2, upTo: 4 }, {}, [4]],
    ['up to one of another resource', { after: 2, upTo: 3 }, {}, []],
    ['as many as fit', { after: 2, upTo: 6 }, {}, [4, 5, 6]],
    ['more than fit', { after: 2, upTo: 6 }, { maxEvents: 2 }, undefined],
    ['as many bytes as fit', { after: 2, upTo: 6 }, { maxRetiredBytes: 60 }, [4, 5, 6]],
    ['more bytes than fit', { after: 2, upTo: 6 }, { maxRetiredBytes: 59 }, undefined],
    ['none at all', { after: 6, upTo: 6 }, {}, []],
  ])('%s', async (_, range, changed, revisions) => {
    const store = await written()
    const signal = new AbortController().signal
    const found = await readHistory(store, { prefix: '/r/', ...range, bounds: { ...bounds, ...changed }, signal })
    expect(found?.map(({ revision }) => revision)).toEqual(revisions)
    await store.close()
  })

  test.each([
    ['compacted', async (store: Awaited<ReturnType<typeof written>>) => void (await store.compact(5)), false],
    ['given up', async () => undefined, true],
  ])('is unknown when it is %s', async (_, change, isAborted) => {
    const store = await written()
    await change(store)
    const signal = isAborted ? AbortSignal.abort() : new AbortController().signal
    expect(await readHistory(store, { prefix: '/r/', after: 2, upTo: 6, bounds, signal })).toBeUndefined()
    await store.close()
  })
})

test('each state is one entry, shared by the change to it and the change from it', async () => {
  const store = await written()
  const signal = new AbortController().signal
  const events = (await readHistory(store, { prefix: '/r/', after: 2, upTo: 6, bounds, signal })) ?? []
  const reads: string[] = []
  const read = (key: string, _: Uint8Array, revision: number) => {
    reads.push(`${key}@${revision}`)
    return testEntry(key.slice(1), revision)
  }
  const made = (await ringEvents(events, read, 7)) ?? []
  expect(reads).toEqual(['/r/b@4', '/r/a@2', '/r/c@6'])
  expect(made.map(({ revision, entry, previous }) => [revision, entry?.key, previous?.key])).toEqual([
    [4, 'r/b', undefined],
    [5, undefined, 'r/a'],
    [6, 'r/c', undefined],
  ])
  expect(made.every(({ time, isRedecoded }) => time === 7 && !isRedecoded)).toBe(true)
  await store.close()
})

test('a store that sends events alone has told all with the last of them, and is not watched on', async () => {
  const store = await written()
  const told: string[] = []
  const silent = new Proxy(store, {
    get: (target, name: keyof typeof store) =>
      name === 'watch'
        ? (prefix: string, options: WatchOptions) => {
            const watch = target.watch(prefix, { ...options, onProgress: undefined })
            const close = (): void => {
              told.push('closed')
              watch.close()
            }
            return { requestProgress: () => {}, close }
          }
        : Reflect.get(target, name),
  })
  const signal = new AbortController().signal
  const found = await readHistory(silent, { prefix: '/r/', after: 2, upTo: 6, bounds, signal })
  expect([found?.map(({ revision }) => revision), told]).toEqual([[4, 5, 6], ['closed']])
  await store.close()
})

test('a large state that was replaced is held as its difference from the next', async () => {
  const text = 'row '.repeat(5_000)
  const store = openMemoryStore()
  await store.write({ type: 'create', key: '/other/a', value })
  await store.write({ type: 'create', key: '/r/a', value })
  await store.write({ type: 'replace', key: '/r/a', value, expectedRevision: 3 })
  const signal = new AbortController().signal
  const events = (await readHistory(store, { prefix: '/r/', after: 2, upTo: 4, bounds, signal })) ?? []
  const made = (await ringEvents(events, (_, __, revision) => testEntry('a', revision, { text }), 7)) ?? []
  const looks = made.map(({ entry }) => [entry?.bytes, entry?.bytes])
  expect(looks.map(([one, other]) => one === other)).toEqual([false, true])
  await store.close()
})

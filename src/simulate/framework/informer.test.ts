import { expect, test } from 'vitest'
import { CacheEntry } from '../../cache/cache-entry.ts'
import { EntryTree } from '../../cache/entry-tree.ts'
import { RecentObjects } from '../../cache/recent-objects.ts'
import { ResourceCache } from '../../cache/resource-cache.ts'
import type { ServedRegistries } from '../../controllers/live-resources.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Index, ResourceInformer } from './informer.ts'

interface Named {
  readonly metadata: { readonly name: string }
}

const shape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text: string) => JSON.parse(text),
  recent: new RecentObjects(0),
}

function entry(name: string, revision: number): CacheEntry {
  const head = `{"metadata":{"name":"${name}",`
  const bytes = Buffer.from(`${head}"creationTimestamp":null}}`)
  const facts = { key: name, namespace: '', name, labels: {}, fields: undefined, bytes, splice: head.length }
  return new CacheEntry(facts, revision, shape)
}

const onError = (error: unknown): void => {
  throw error
}
const byName: Index<Named> = { name: 'name', keys: ({ metadata }) => [metadata.name] }

test('after its watch has expired it sees how the state differs, deletions included', async () => {
  const bounds = { maxEvents: 2, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 }
  const options = { clock: systemClock, bounds, snapshotMs: 1000, indexes: new Map() }
  const cache = new ResourceCache(EntryTree.of(['a', 'b', 'c'].map((name) => entry(name, 1))), 1, options)
  const registry = {
    definition: { group: '', resource: 'things', namespaced: false },
    storage: { keepFollowed: () => {}, cache: () => Promise.resolve(cache) },
  } as unknown as Registry
  const resources = {
    all: () => [registry],
    get: () => registry,
    onChange: () => () => {},
  } as unknown as ServedRegistries
  const informer = new ResourceInformer<Named>({
    resources,
    group: '',
    resource: 'things',
    clock: systemClock,
    onError,
  })
  await informer.synced
  const seen: string[] = []
  informer.subscribe(
    ({ type, name, old }) => void seen.push(`${type} ${name}${old === undefined ? '' : ' from another'}`),
  )
  expect(seen.splice(0)).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
  expect(informer.byIndex(byName, 'a')).toHaveLength(1)

  // Five changes in one turn, of which the ring holds two.
  const changes = [entry('b', 2), undefined, entry('d', 4), entry('e', 5), entry('e', 6)]
  const keys = ['b', 'a', 'd', 'e', 'e']
  cache.apply(
    changes.map((changed, i) => ({ key: keys[i] ?? '', revision: i + 2, entry: changed })),
    6,
  )
  cache.notify()
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen.toSorted()).toEqual(['ADDED d', 'ADDED e', 'DELETED a', 'MODIFIED b from another'])
  expect([informer.get('', 'a'), informer.byIndex(byName, 'a')]).toEqual([undefined, []])
  expect([...informer.counts(byName)].sort()).toEqual(['b', 'c', 'd', 'e'].map((name) => [name, 1]))
  informer.stop()
})

test('a cache that cannot be loaded is tried again, and nothing is rejected', async () => {
  const bounds = { maxEvents: 10, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 }
  const options = { clock: systemClock, bounds, snapshotMs: 1000, indexes: new Map() }
  const cache = new ResourceCache(EntryTree.of([entry('a', 1)]), 1, options)
  let isAway = true
  const registry = {
    definition: { group: '', resource: 'things', namespaced: false },
    storage: { keepFollowed: () => {}, cache: () => (isAway ? Promise.reject(new Error('away')) : cache) },
  } as unknown as Registry
  const resources = {
    all: () => [registry],
    get: () => registry,
    onChange: () => () => {},
  } as unknown as ServedRegistries
  const retries: (() => void)[] = []
  const setTimeout = (fn: () => void) => {
    retries.push(fn)
    return () => undefined
  }
  const clock = { ...systemClock, setTimeout }
  const errors: unknown[] = []
  const informer = new ResourceInformer<Named>({
    resources,
    group: '',
    resource: 'things',
    clock,
    onError: (error) => errors.push(error),
  })
  const seen: string[] = []
  informer.subscribe(({ type, name }) => void seen.push(`${type} ${name}`))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn()
  expect([errors.length, informer.list(), seen]).toEqual([1, [], []])
  retries.shift()?.()
  await turn()
  expect(errors).toHaveLength(2)
  isAway = false
  retries.shift()?.()
  await informer.synced
  expect([informer.list().length, seen]).toEqual([1, ['ADDED a']])
  informer.stop()
})

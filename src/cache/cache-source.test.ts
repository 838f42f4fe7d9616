import { describe, expect, test } from 'vitest'
import type { ObjectChange } from '../api/object-source.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import type { CacheEntry } from './cache-entry.ts'
import { cacheSource } from './cache-source.ts'
import type { ResourceCache } from './resource-cache.ts'
import { testCache, testEntry, testShape, unreadableEntry } from './testing/test-entry.ts'

const makeCache = (entries: readonly CacheEntry[] = []): ResourceCache =>
  testCache({ clock: new ManualClock(), entries })

function write(cache: ResourceCache, entry: CacheEntry): void {
  cache.apply([{ key: entry.key, revision: entry.revision, entry }], entry.revision)
  cache.notify()
}

const names = (objects: Iterable<{ metadata: { name?: string | undefined } }>): (string | undefined)[] =>
  Array.from(objects, ({ metadata }) => metadata.name)

describe('one object', () => {
  test.each([
    ['of a namespace', 'a', 'x', 'x'],
    ['of another namespace', 'b', 'x', undefined],
    ['of no namespace', '', 'cluster', 'cluster'],
    ['that cannot be read', 'a', 'bad', undefined],
  ])('%s', (_, namespace, name, found) => {
    const cache = makeCache([testEntry('a/x', 2), testEntry('cluster', 2), unreadableEntry('a/bad', 3)])
    expect(cacheSource(cache).get(namespace, name)?.metadata.name).toBe(found)
  })
})

describe('a list', () => {
  const many = (count: number): CacheEntry[] =>
    Array.from({ length: count }, (_, i) => testEntry(`${i % 2 === 0 ? 'a' : 'b'}/x${i}`, i + 2))

  test.each([
    [0, true],
    [64, true],
    [65, false],
  ])('of %i objects is kept until something changes: %s', (count, isKept) => {
    const cache = makeCache(many(count))
    const source = cacheSource(cache)
    const looks = [source.list(), source.list()]
    expect(looks[0] === looks[1]).toBe(isKept)
    expect([...source.list()]).toHaveLength(count)
    expect([...source.list('a')]).toHaveLength(Math.ceil(count / 2))
    expect([...source.list('none')]).toEqual([])
  })

  test('of the objects without a namespace', () => {
    const source = cacheSource(makeCache([testEntry('cluster', 2), testEntry('a/x', 2)]))
    expect(names(source.list(''))).toEqual(['cluster'])
  })

  test('leaves out what cannot be read', () => {
    const source = cacheSource(makeCache([...many(80), unreadableEntry('a/bad', 3)]))
    expect([...source.list()]).toHaveLength(80)
    expect([...source.list('a')]).toHaveLength(40)
  })
})

describe('a subscription', () => {
  const follow = (cache: ResourceCache) => {
    const seen: string[] = []
    const version = ({ metadata }: ObjectChange['object']): string => `${metadata.name}@${metadata.resourceVersion}`
    const end = cacheSource(cache).subscribe((change) => {
      const from = change.type === 'MODIFIED' ? ` from ${version(change.previous)}` : ''
      seen.push(`${change.type} ${version(change.object)}${from}`)
    })
    return { seen, end }
  }

  test('is called for what is there and for every change, until it ends', () => {
    const cache = makeCache([testEntry('a/x', 2)])
    const { seen, end } = follow(cache)
    expect(seen).toEqual(['ADDED x@2'])
    write(cache, testEntry('a/x', 3))
    write(cache, testEntry('a/y', 4))
    cache.apply([{ key: 'a/x', revision: 5, entry: undefined }], 5)
    cache.notify()
    expect(seen).toEqual(['ADDED x@2', 'MODIFIED x@3 from x@2', 'ADDED y@4', 'DELETED x@3'])
    end()
    write(cache, testEntry('a/y', 6))
    expect([seen.length, cache.watcherCount]).toEqual([4, 0])
  })

  test('parses the state before only for who asks for it', () => {
    let parsed = 0
    const shape = testShape(0, {
      parse: (text) => {
        parsed++
        return JSON.parse(text)
      },
    })
    const cache = makeCache([testEntry('a/x', 2, { shape })])
    const changes: ObjectChange[] = []
    cacheSource(cache).subscribe((change) => void changes.push(change))
    write(cache, testEntry('a/x', 3))
    expect(parsed).toBe(1)
    const [, change] = changes
    expect(change?.type === 'MODIFIED' && change.previous.metadata.resourceVersion).toBe('2')
    expect(parsed).toBe(2)
  })

  test('is told of a change from the state that could last be read', () => {
    const cache = makeCache([testEntry('a/x', 2)])
    const { seen } = follow(cache)
    write(cache, unreadableEntry('a/x', 3))
    write(cache, testEntry('a/x', 4))
    expect(seen).toEqual(['ADDED x@2', 'MODIFIED x@4 from x@2'])
  })
})

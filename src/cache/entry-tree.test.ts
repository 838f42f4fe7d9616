import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CacheEntry, type EntryShape } from './cache-entry.ts'
import { EntryTree } from './entry-tree.ts'
import { RecentObjects } from './recent-objects.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}
const bytes = Buffer.from('{"name":"a"}')
const entry = (key: string, revision = 1): CacheEntry =>
  new CacheEntry(
    { key, namespace: '', name: key, labels: undefined, fields: undefined, bytes, splice: bytes.length - 1 },
    revision,
    shape,
  )
const keysOf = (tree: EntryTree): string[] => [...tree.values()].map(({ key }) => key)

test('order, counts, slices and clones are those of a sorted map', () => {
  const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${n}`)
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), key }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('clone' as const), key }) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 300, maxLength: 900 }), (steps) => {
      const tree = EntryTree.of([])
      const model = new Set<string>()
      const clones: { tree: EntryTree; keys: string[] }[] = []
      for (const { do: verb, key: name } of steps) {
        if (verb === 'clone') {
          clones.push({ tree: tree.clone(), keys: [...model].sort() })
        } else if (verb === 'set') {
          tree.set(entry(name))
          model.add(name)
        } else {
          tree.delete(name)
          model.delete(name)
        }
      }
      const sorted = [...model].sort()
      expect(keysOf(tree)).toEqual(sorted)
      expect(tree.size).toBe(sorted.length)
      for (const clone of clones) expect(keysOf(clone.tree)).toEqual(clone.keys)
      for (const probe of ['', 'k1', 'k250', 'k399', 'z']) {
        const rank = sorted.filter((each) => each < probe).length
        expect(tree.rankOf(probe)).toBe(rank)
        expect(tree.slice(probe, 7).map((each) => each.key)).toEqual(sorted.slice(rank, rank + 7))
        expect(tree.get(probe)?.key).toBe(model.has(probe) ? probe : undefined)
      }
    }),
    { numRuns: 30 },
  )
})

test('a clone that is written to leaves the original alone, and the other way round', () => {
  const tree = EntryTree.of([entry('a'), entry('b')])
  const clone = tree.clone()
  clone.set(entry('b', 7))
  tree.delete('a')
  clone.set(entry('c'))
  expect(keysOf(tree)).toEqual(['b'])
  expect(tree.get('b')?.revision).toBe(1)
  expect(clone.get('b')?.revision).toBe(7)
  expect(keysOf(clone)).toEqual(['a', 'b', 'c'])
})

test('the differences of two trees are reported in key order, whatever they share', () => {
  const key = fc.integer({ min: 0, max: 600 }).map((n) => `k${String(n).padStart(3, '0')}`)
  const step = fc.record({ removes: fc.boolean(), key })
  const change = (tree: EntryTree, steps: readonly { removes: boolean; key: string }[], revision: number): void => {
    for (const { removes, key: name } of steps) {
      if (removes) tree.delete(name)
      else tree.set(entry(name, revision))
    }
  }
  const steps = (maxLength: number) => fc.array(step, { maxLength })
  fc.assert(
    fc.property(steps(700), steps(30), steps(30), (before, here, there) => {
      const tree = EntryTree.of([])
      change(tree, before, 1)
      const other = tree.clone()
      change(tree, here, 2)
      change(other, there, 3)
      const reported: string[] = []
      tree.differences(other, (own, theirs) => {
        reported.push(`${(own ?? theirs)?.key} ${own?.revision} ${theirs?.revision}`)
        expect(own).toBe(tree.get((own ?? theirs)?.key ?? ''))
        expect(theirs).toBe(other.get((own ?? theirs)?.key ?? ''))
      })
      const all = [...new Set([...keysOf(tree), ...keysOf(other)])].sort()
      expect(reported).toEqual(
        all
          .filter((name) => tree.get(name) !== other.get(name))
          .map((name) => `${name} ${tree.get(name)?.revision} ${other.get(name)?.revision}`),
      )
    }),
    { numRuns: 60 },
  )
})

test.each([1, 9, 10, 12345, 999_999_999, 10_000_000_000, Number.MAX_SAFE_INTEGER])(
  'version %i is written whole',
  (revision) => {
    const text = `{"name":"a","resourceVersion":"${revision}"}`
    expect(entry('a', revision).json().toString()).toBe(text)
    expect(entry('a', revision).jsonLine().toString()).toBe(`${text}\n`)
  },
)

describe('leaves', () => {
  const key = (i: number): string => `k${String(i).padStart(4, '0')}`
  const filled = (count: number): EntryTree => EntryTree.of(Array.from({ length: count }, (_, i) => entry(key(i))))
  /** How many entries two trees do not share. */
  const unshared = (tree: EntryTree, other: EntryTree): number => {
    let visited = 0
    tree.differences(other, () => visited++)
    return visited
  }

  test.each([1, 127, 128, 129, 256, 257, 400])(
    'hold %i entries that come in order, backwards and from the middle',
    (count) => {
      const keys = Array.from({ length: count }, (_, i) => key(i))
      const middle = keys.toSorted(
        (a, b) => Math.abs(Number(a.slice(1)) - count / 2) - Math.abs(Number(b.slice(1)) - count / 2),
      )
      for (const order of [keys, keys.toReversed(), middle]) {
        const tree = EntryTree.of(order.map((each) => entry(each)))
        expect(keysOf(tree)).toEqual(keys)
        expect([tree.size, tree.rankOf(key(count)), tree.get(key(count - 1))?.key]).toEqual([
          count,
          count,
          key(count - 1),
        ])
        expect(keys.map((each) => tree.rankOf(each))).toEqual(keys.map((_, i) => i))
      }
    },
  )

  test.each([130, 200, 300])('shrink to nothing, %i entries from the front, the back and the middle', (count) => {
    const keys = Array.from({ length: count }, (_, i) => key(i))
    const third = keys.filter((_, i) => i % 3 !== 0).concat(keys.filter((_, i) => i % 3 === 0))
    for (const order of [keys, keys.toReversed(), third]) {
      const tree = filled(count)
      const left = new Set(keys)
      for (const each of order) {
        expect(tree.delete(each)?.key).toBe(each)
        left.delete(each)
        if (left.size % 37 === 0) expect(keysOf(tree)).toEqual([...left].sort())
      }
      expect([tree.size, keysOf(tree), tree.get(key(0)), tree.delete(key(0))]).toEqual([0, [], undefined, undefined])
    }
  })

  test('that are replaced give back what made way', () => {
    const tree = filled(200)
    expect(tree.set(entry(key(150), 7))?.revision).toBe(1)
    expect([tree.set(entry('zzz')), tree.size, tree.get(key(150))?.revision]).toEqual([undefined, 201, 7])
  })

  test('of clones are apart, whichever is written to, again and again', () => {
    const tree = filled(300)
    const first = tree.clone()
    tree.set(entry(key(5), 2))
    const second = tree.clone()
    tree.set(entry(key(5), 3))
    second.set(entry(key(299), 4))
    first.delete(key(0))
    expect(
      [tree, first, second].map((each) => [each.get(key(5))?.revision, each.get(key(299))?.revision, each.size]),
    ).toEqual([
      [3, 1, 300],
      [1, 1, 299],
      [2, 4, 300],
    ])
    expect([unshared(tree, second), unshared(first, first.clone())]).toEqual([2, 0])
  })

  test('a page begins and ends anywhere', () => {
    const tree = filled(300)
    const keys = Array.from({ length: 300 }, (_, i) => key(i))
    for (const [low, count] of [
      ['', 0],
      ['', 1],
      ['', 300],
      ['', 999],
      [key(127), 3],
      [key(128), 3],
      [`${key(128)}a`, 2],
      [key(299), 5],
      ['z', 5],
    ] as const) {
      const from = keys.filter((each) => each >= low)
      expect(tree.slice(low, count).map((each) => each.key)).toEqual(from.slice(0, count))
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { EntryTree } from './entry-tree.ts'
import { type Selection, selectEverything, selects } from './selection.ts'
import { Snapshot } from './snapshot.ts'
import { testEntry } from './testing/test-entry.ts'

const names = ['a', 'b', 'b-c', 'c', 'z']
const namespaces = ['default', 'default-two', 'kube']
const red = {
  matches: (labels: Readonly<Record<string, string>> | undefined) => labels?.['color'] === 'red',
  equalities: [],
}

const keyOf = fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map((parts) => parts.join('/'))
const state = fc.dictionary(keyOf, fc.constantFrom('red', 'blue'))
const selection: fc.Arbitrary<Selection> = fc
  .record({
    namespace: fc.option(fc.constantFrom(...namespaces), { nil: undefined }),
    name: fc.option(fc.constantFrom(...names), { nil: undefined }),
    labels: fc.option(fc.constant(red), { nil: undefined }),
  })
  .map((given) => ({ ...selectEverything, ...given }))

const snapshotOf = (colors: Readonly<Record<string, string>>): Snapshot =>
  new Snapshot(EntryTree.of(Object.entries(colors).map(([key, color]) => testEntry(key, 2, { labels: { color } }))), 2)

describe('a page', () => {
  test('has what a filter of all entries in key order has, from its start up to its limit', () => {
    fc.assert(
      fc.property(
        state,
        selection,
        fc.option(keyOf, { nil: undefined }),
        fc.nat(4),
        (colors, wanted, startKey, limit) => {
          const snapshot = snapshotOf(colors)
          const inRange = [...snapshot.entries(selectEverything)].filter(
            ({ key }) => startKey === undefined || key >= startKey,
          )
          const expected = inRange.filter((entry) => selects(wanted, entry))
          const page = snapshot.page({ selection: wanted, startKey, limit })
          const shown = limit === 0 ? expected : expected.slice(0, limit)
          expect(page.entries.map(({ key }) => key)).toEqual(shown.map(({ key }) => key))
          if (shown.length < expected.length) expect(page.more).toBe(true)
          if (limit === 0 || shown.length < limit) expect(page.more).toBe(false)
          const isCounted = wanted.name === undefined && wanted.labels === undefined
          if (isCounted) expect(page.more ? page.remaining : 0).toBe(expected.length - shown.length)
          else expect(page.remaining).toBeUndefined()
        },
      ),
    )
  })

  test.each([
    ['of a namespace whose last is shown', { namespace: 'a', labels: red }, 2, false],
    ['of a namespace with more that is not selected', { namespace: 'b', labels: red }, 1, true],
    ['of one object', { namespace: 'a', name: 'x' }, 1, false],
    ['of one name in all namespaces', { name: 'x' }, 1, true],
  ])('%s says whether the range goes on', (_, wanted, limit, more) => {
    const snapshot = snapshotOf({ 'a/x': 'red', 'a/y': 'red', 'b/x': 'red', 'b/y': 'blue' })
    expect(snapshot.page({ selection: { ...selectEverything, ...wanted }, startKey: undefined, limit }).more).toBe(more)
  })

  it('of one object goes on where it went on itself', () => {
    const snapshot = snapshotOf({ 'a/x': 'red', 'a/y': 'red', 'a/z': 'red' })
    const selection = { ...selectEverything, namespace: 'a', name: 'y' }
    expect(snapshot.page({ selection, startKey: 'a/x\0', limit: 1 }).more).toBe(true)
    expect(snapshot.page({ selection: { ...selection, name: 'z' }, startKey: 'a/x\0', limit: 1 }).more).toBe(false)
  })
})

test.each([
  [{ namespace: 'a', name: 'x' }, 'a/x', false],
  [{ namespace: 'a' }, 'a/x', true],
  [{ namespace: 'a' }, 'a/y', false],
  [{}, 'a/y', true],
  [{}, 'b/x', false],
])('the range of %j after %s has more: %s', (wanted, key, more) => {
  const snapshot = snapshotOf({ 'a/x': 'red', 'a/y': 'red', 'b/x': 'red' })
  expect(snapshot.hasMore({ ...selectEverything, ...wanted }, key, undefined)).toBe(more)
})

test.each<[string, Partial<Selection>, string | undefined, string[]]>([
  ['of all', {}, undefined, ['a/x', 'a/y', 'a0', 'b/x']],
  ['of all from a key', {}, 'a/y', ['a/y', 'a0', 'b/x']],
  ['of a namespace, and not what follows it in key order', { namespace: 'a' }, undefined, ['a/x', 'a/y']],
  ['of a namespace from before it', { namespace: 'b' }, 'a/y', ['b/x']],
  ['of a namespace from behind it', { namespace: 'a' }, 'b', []],
  ['of one object', { namespace: 'a', name: 'x' }, undefined, ['a/x']],
  ['of one object from before it', { namespace: 'a', name: 'y' }, 'a/x', ['a/y']],
  ['of one object from itself', { namespace: 'a', name: 'y' }, 'a/y', ['a/y']],
  ['of one object from behind it', { namespace: 'a', name: 'x' }, 'a/y', []],
  ['of one that is not there', { namespace: 'a', name: 'w' }, undefined, []],
  ['of what has no namespace', { namespace: '', name: 'a0' }, undefined, ['a0']],
])('a cursor goes over the keys %s', (_, wanted, startKey, keys) => {
  const snapshot = snapshotOf({ 'a/x': 'red', 'a/y': 'red', a0: 'red', 'b/x': 'red' })
  const cursor = snapshot.cursor({ ...selectEverything, ...wanted }, startKey)
  const seen: string[] = []
  for (let entry = cursor.next(); entry !== undefined; entry = cursor.next()) seen.push(entry.key)
  expect(seen).toEqual(keys)
  const page = snapshot.page({ selection: { ...selectEverything, ...wanted }, startKey, limit: 0 })
  expect(page.entries.map(({ key }) => key)).toEqual(keys)
})

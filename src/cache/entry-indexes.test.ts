import { describe, expect, test } from 'vitest'
import type { CacheEntry } from './cache-entry.ts'
import { EntryIndexes, pageOf } from './entry-indexes.ts'
import { EntryTree } from './entry-tree.ts'
import { type Selection, selectEverything } from './selection.ts'
import { testEntry } from './testing/test-entry.ts'

const nodeOf = ({ fields }: CacheEntry): string => fields?.[0] ?? ''
const withLabels = (wanted: Readonly<Record<string, string>>): Selection => ({
  ...selectEverything,
  labels: {
    matches: (labels) => Object.entries(wanted).every(([key, value]) => labels?.[key] === value),
    equalities: Object.entries(wanted).map(([key, value]) => ({ key, value })),
  },
})
const onNode = (value: string, index = 'spec.nodeName'): Selection => ({
  ...selectEverything,
  indexed: { index, value },
})
const keysOf = (entries: readonly CacheEntry[] | undefined): string[] | undefined => entries?.map(({ key }) => key)

function setUp() {
  const entries = [
    testEntry('a/x', 2, { labels: { app: 'web', tier: 'front' }, fields: ['n1'] }),
    testEntry('a/y', 3, { labels: { app: 'web' }, fields: ['n2'] }),
    testEntry('b/x', 4, { labels: { app: 'web', tier: 'back' }, fields: ['n1'] }),
    testEntry('b/y', 5, { labels: { app: 'db', tier: 'back' }, fields: ['n1'] }),
  ]
  const tree = EntryTree.of(entries)
  const indexes = new EntryIndexes(new Map([['spec.nodeName', nodeOf]]))
  return { entries, tree, indexes, found: (of: Selection) => keysOf(indexes.candidates(tree, of)) }
}

describe('the entries among which those of a selection are', () => {
  test.each<[string, Selection, string[] | undefined]>([
    ['all', selectEverything, undefined],
    ['labels without a value', { ...selectEverything, labels: { matches: () => true, equalities: [] } }, undefined],
    ['one label', withLabels({ app: 'web' }), ['a/x', 'a/y', 'b/x']],
    ['the rarest of some labels', withLabels({ app: 'web', tier: 'back' }), ['b/x', 'b/y']],
    ['the first of labels that are as rare', withLabels({ tier: 'front', app: 'db' }), ['a/x']],
    ['a label that nothing has', withLabels({ app: 'web', tier: 'none' }), []],
    ['a field', onNode('n1'), ['a/x', 'b/x', 'b/y']],
    ['a value of a field that nothing has', onNode('n9'), []],
    ['a field without an index', onNode('n1', 'status.phase'), undefined],
    ['a field rather than a label', { ...withLabels({ app: 'db' }), ...onNode('n2'), labels: undefined }, ['a/y']],
  ])('%s', (_, selection, keys) => {
    const { found } = setUp()
    expect(found(selection)).toEqual(keys)
    expect(found(selection)).toEqual(keys)
  })

  test('follow every change once they were asked for, by label and by field', () => {
    const { entries, tree, indexes, found } = setUp()
    const selections = [withLabels({ app: 'web' }), onNode('n1')]
    for (const each of selections) found(each)
    const replace = (previous: CacheEntry | undefined, entry: CacheEntry | undefined): void => {
      if (entry !== undefined) tree.set(entry)
      else if (previous !== undefined) tree.delete(previous.key)
      indexes.replace(previous, entry)
    }
    replace(entries[0], testEntry('a/x', 6, { labels: { app: 'db' }, fields: ['n2'] }))
    replace(undefined, testEntry('a/a', 7, { labels: { app: 'web' }, fields: ['n1'] }))
    replace(entries[2], undefined)
    expect(selections.map(found)).toEqual([
      ['a/a', 'a/y'],
      ['a/a', 'b/y'],
    ])
  })
})

describe('a page of candidates', () => {
  const page = (selection: Selection, startKey: string | undefined, limit: number) => {
    const { entries } = setUp()
    const asked: string[] = []
    const made = pageOf(entries, { selection, startKey, limit }, (key) => asked.push(key) > 0)
    return { keys: keysOf(made.entries), more: made.more, remaining: made.remaining, asked }
  }

  test.each<[string, Selection, string | undefined, number, string[], boolean]>([
    ['all', selectEverything, undefined, 0, ['a/x', 'a/y', 'b/x', 'b/y'], false],
    ['a namespace', { ...selectEverything, namespace: 'b' }, undefined, 0, ['b/x', 'b/y'], false],
    ['from a key on', selectEverything, 'a/y', 0, ['a/y', 'b/x', 'b/y'], false],
    ['from between two keys on', selectEverything, 'a/x\0', 0, ['a/y', 'b/x', 'b/y'], false],
    ['up to a limit', selectEverything, undefined, 2, ['a/x', 'a/y'], true],
    ['of what is selected, up to a limit', { ...selectEverything, name: 'y' }, undefined, 1, ['a/y'], true],
    ['less than the limit', { ...selectEverything, name: 'y' }, undefined, 3, ['a/y', 'b/y'], false],
  ])('%s', (_, selection, startKey, limit, keys, more) => {
    const found = page(selection, startKey, limit)
    expect(found).toEqual({ keys, more, remaining: undefined, asked: more ? [keys.at(-1)] : [] })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OwnerReference } from '../../api/object.ts'
import { OwnerGraph } from './owner-graph.ts'

const owner = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
})

const keysOf = (dependents: readonly { key: string }[]): string[] => dependents.map(({ key }) => key).sort()

describe('the graph of owners', () => {
  it('finds dependents and those that block', () => {
    const graph = new OwnerGraph()
    graph.set('a', [owner('x'), owner('y', true)])
    graph.set('b', [owner('y', false)])
    expect(keysOf(graph.dependentsOf('y'))).toEqual(['a', 'b'])
    expect(keysOf(graph.blockersOf('y'))).toEqual(['a'])
    expect(graph.blockersOf('x')).toEqual([])
    expect(['x', 'y', 'z'].map((name) => graph.namesOwner(name))).toEqual([true, true, false])
    graph.set('a', [owner('x')])
    expect(keysOf(graph.dependentsOf('y'))).toEqual(['b'])
    expect(graph.namesOwner('y')).toBe(true)
    graph.remove('b')
    expect(graph.namesOwner('y')).toBe(false)
  })

  it.each<[string, OwnerReference[], OwnerReference[], added: string[], left: string[]]>([
    ['nothing', [], [], [], []],
    ['the same', [owner('x'), owner('y', true)], [owner('y', true), owner('x')], [], []],
    ['one more', [owner('x')], [owner('x'), owner('y')], ['y'], []],
    ['one less', [owner('x'), owner('y')], [owner('x')], [], ['y']],
    ['others', [owner('x')], [owner('y')], ['y'], ['x']],
    ['one that blocks now', [owner('x')], [owner('x', true)], [], ['x']],
    ['one that no longer blocks', [owner('x', true)], [owner('x', false)], [], ['x']],
    ['one twice, of which the first counts', [owner('x', true)], [owner('x', true), owner('x')], [], []],
  ])('tells how owners change: %s', (_, before, after, added, left) => {
    const graph = new OwnerGraph()
    graph.set('a', before)
    const change = graph.change('a', after)
    expect([change.added, change.left].map((owners) => owners.map(({ uid }) => uid))).toEqual([added, left])
    expect(graph.get('a')?.owners ?? []).toEqual(after)
  })

  it('forgets a whole resource', () => {
    const graph = new OwnerGraph()
    graph.set('pods a', [owner('x')])
    graph.set('podtemplates a', [owner('x')])
    graph.removeAll('pods ')
    expect(keysOf(graph.dependentsOf('x'))).toEqual(['podtemplates a'])
  })

  it('agrees with a list of references after any changes', () => {
    const uid = fc.constantFrom('x', 'y', 'z')
    const change = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), owners: fc.uniqueArray(uid) })
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const graph = new OwnerGraph()
        const model = new Map<string, readonly string[]>()
        for (const { key, owners } of changes) {
          graph.set(
            key,
            owners.map((each) => owner(each)),
          )
          if (owners.length === 0) model.delete(key)
          else model.set(key, owners)
        }
        expect(graph.size).toBe(model.size)
        for (const each of ['x', 'y', 'z']) {
          const expected = [...model].filter(([, owners]) => owners.includes(each)).map(([key]) => key)
          expect(keysOf(graph.dependentsOf(each))).toEqual(expected.sort())
          expect(graph.hasDependents(each)).toBe(expected.length > 0)
        }
      }),
    )
  })
})

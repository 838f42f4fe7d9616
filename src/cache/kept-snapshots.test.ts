import { expect, test } from 'vitest'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { EntryTree } from './entry-tree.ts'
import { KeptSnapshots } from './kept-snapshots.ts'
import { Snapshot } from './snapshot.ts'

const at = (revision: number): Snapshot => new Snapshot(EntryTree.of([]), revision)

function setUp() {
  const clock = new ManualClock()
  const kept = new KeptSnapshots(clock, 1000)
  const revisions = (look: 'get' | 'peek', upTo: number): number[] =>
    Array.from({ length: upTo }, (_, i) => i + 1).filter((revision) => kept[look](revision)?.revision === revision)
  return { clock, kept, revisions }
}

test('a snapshot is given for its time; until the next is kept it can still be looked at', async () => {
  const { clock, kept, revisions } = setUp()
  kept.add(at(1))
  await clock.advance(500)
  kept.add(at(2))
  expect(revisions('get', 3)).toEqual([1, 2])
  await clock.advance(499)
  expect(revisions('get', 3)).toEqual([1, 2])
  await clock.advance(1)
  expect([revisions('get', 3), revisions('peek', 3)]).toEqual([[2], [1, 2]])
  kept.add(at(3))
  expect([revisions('get', 3), revisions('peek', 3)]).toEqual([
    [2, 3],
    [2, 3],
  ])
})

test('all whose time is over go at once', async () => {
  const { clock, kept, revisions } = setUp()
  for (const revision of [1, 2, 3]) kept.add(at(revision))
  await clock.advance(1000)
  kept.add(at(4))
  expect(revisions('peek', 4)).toEqual([4])
})

test('beyond 64 the oldest goes', () => {
  const { kept, revisions } = setUp()
  for (let revision = 1; revision <= 64; revision++) kept.add(at(revision))
  expect(revisions('get', 70)).toHaveLength(64)
  kept.add(at(65))
  kept.add(at(66))
  expect(revisions('get', 70)).toEqual(Array.from({ length: 64 }, (_, i) => i + 3))
})

test('none is left when they are cleared', () => {
  const { kept, revisions } = setUp()
  kept.add(at(1))
  kept.clear()
  expect(revisions('peek', 2)).toEqual([])
})

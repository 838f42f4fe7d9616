import { expect, test } from 'vitest'
import { checkHistory } from './checker.ts'
import { type Attempt, History, type WatchEvent } from './history.ts'

/** Creates a, updates it to b, has an unknown update to c, deletes b or c. */
function sample(): { history: History; unknown: Attempt; events: WatchEvent[] } {
  const history = new History()
  history.addKey('k')
  history.acknowledge(history.begin('k', 'put', 'a'), 1)
  history.acknowledge(history.begin('k', 'put', 'b'), 2)
  const unknown = history.begin('k', 'put', 'c')
  unknown.outcome = 'unknown'
  const event = (type: string, value: string, revision: number): WatchEvent => ({ type, key: 'k', value, revision })
  return { history, unknown, events: [event('ADDED', 'a', 1), event('MODIFIED', 'b', 2), event('MODIFIED', 'c', 3)] }
}

const kinds = (history: History): string[] => checkHistory(history).findings.map(({ kind }) => kind)

test.each([['b'], ['c']])('an attempt without an answer may be applied or not: %s', (value) => {
  const { history, events } = sample()
  history.beginRead('k', 'final')(value)
  history.watches.push({ events: events.slice(0, value === 'b' ? 2 : 3), gaps: [] })
  expect(checkHistory(history)).toMatchObject({ findings: [] })
  expect(checkHistory(history).checks).toBeGreaterThan(5)
})

test.each([['a'], [undefined], ['z']])('an acknowledged write that is not there is lost: %s', (value) => {
  const { history } = sample()
  history.beginRead('k', 'final')(value)
  history.beginRead('k', 'live')(value)
  expect(kinds(history)).toEqual(['lost', 'stale'])
})

test('a read may return what was acknowledged while it went on', () => {
  const history = new History()
  history.addKey('k')
  const attempt = history.begin('k', 'put', 'a')
  const [early, late] = [history.beginRead('k', 'live'), history.beginRead('k', 'live')]
  history.acknowledge(attempt, 1)
  early(undefined)
  late('a')
  expect(kinds(history)).toEqual([])
})

test('a refused write that shows is found', () => {
  const { history, unknown, events } = sample()
  unknown.outcome = 'refused'
  history.beginRead('k', 'final')('c')
  history.watches.push({ events, gaps: [] })
  expect(kinds(history)).toEqual(['lost', 'invented'])
})

test('a delete without a revision gets it from the first watch that has it', () => {
  const { history, events } = sample()
  history.acknowledge(history.begin('k', 'delete', 'b'), 0)
  const deleted = (revision: number): WatchEvent => ({ type: 'DELETED', key: 'k', value: 'b', revision })
  history.watches.push({ events: [...events.slice(0, 2), deleted(3)], gaps: [] })
  expect(kinds(history)).toEqual([])
  history.watches.push({ events: [...events.slice(0, 2), deleted(4)], gaps: [] })
  expect(kinds(history)).toEqual(['revision'])
})

test('watches that miss, repeat or reorder changes are found', () => {
  const { history, events } = sample()
  const [a, b, c] = events as [WatchEvent, WatchEvent, WatchEvent]
  const found = (...of: WatchEvent[]): string[] => {
    history.watches.splice(0, 1, { events: of, gaps: [] })
    return kinds(history)
  }
  expect(found(a, b, c)).toEqual([])
  expect(found(a, c)).toEqual(['missed'])
  expect(found(a, b, b)).toEqual(['doubled'])
  expect(found(b, a)).toEqual(['disordered'])
  expect(found(a, { ...b, revision: 9 })).toEqual(['revision'])
})

test('a watch that listed again is excused for what it skipped and nothing else', () => {
  const { history, events } = sample()
  history.watches.push({ events: events.slice(1), gaps: [{ from: 0, to: 1 }] })
  expect(kinds(history)).toEqual([])
  history.watches.push({ events: [], gaps: [{ from: 0, to: 1 }] })
  expect(kinds(history)).toEqual(['missed'])
})

test('a delete that no watch has seen is excused by a gap in which it may lie', () => {
  const { history, events } = sample()
  history.acknowledge(history.begin('k', 'delete', 'b'), 0)
  // Others wrote up to 5 while the delete went on.
  history.saw(5)
  history.watches.push({ events: events.slice(0, 2), gaps: [{ from: 5, to: 8 }] })
  expect(kinds(history)).toEqual([])
  history.acknowledge(history.begin('k', 'put', 'd'), 4)
  history.watches[0]?.events.push({ type: 'ADDED', key: 'k', value: 'd', revision: 4 })
  expect(kinds(history)).toContain('missed')
})

test('revisions that go back or are given twice are found', () => {
  const { history } = sample()
  history.lists.push({ floor: 2, revision: 2 }, { floor: 2, revision: 1 })
  expect(kinds(history)).toEqual(['revision'])
  history.addKey('l')
  history.acknowledge(history.begin('l', 'put', 'd'), 2)
  expect(kinds(history)).toEqual(['revision', 'revision', 'revision'])
})

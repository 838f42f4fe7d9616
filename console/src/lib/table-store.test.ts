import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareCells, matches, type Row, type RowChange, TableStore } from './table-store.ts'

const row = (uid: string, name = uid, cells: Row['cells'] = [name]): Row => ({
  uid,
  name,
  namespace: 'default',
  labels: { app: name },
  created: '2026-01-01T00:00:00Z',
  deleting: false,
  cells,
})

const names = (store: TableStore) => store.shown.map(({ name }) => name)

describe('TableStore', () => {
  it('keeps rows in order, whatever order changes come in', () => {
    const change = fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
      uid: fc.integer({ min: 0, max: 30 }).map(String),
      cell: fc.integer({ min: 0, max: 5 }),
    })
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 20 }), { maxLength: 20 }),
        fc.constantFrom(-1, 0),
        (batches, column) => {
          const store = new TableStore()
          store.sort({ column, descending: false })
          const model = new Map<string, Row>()
          for (const batch of batches) {
            const changes = batch.map(
              ({ type, uid, cell }) => ({ type, item: row(uid, `n${uid}`, [cell]) }) as RowChange,
            )
            store.changes(changes)
            for (const { type, item } of changes)
              type === 'DELETED' ? model.delete(item.uid) : model.set(item.uid, item)
          }
          const key = ({ name, cells }: Row) => (column < 0 ? name : `${cells[0]} ${name}`)
          const wanted = [...model.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
          expect(store.shown).toEqual(wanted)
        },
      ),
    )
  })

  it('drops at the end of a list what it did not name, and shows it until then', () => {
    const store = new TableStore()
    store.page([row('a'), row('b'), row('c')])
    store.begin()
    store.page([row('a')])
    expect(names(store)).toEqual(['a', 'b', 'c'])
    store.page([row('c'), row('d')])
    store.end()
    expect(names(store)).toEqual(['a', 'c', 'd'])
  })

  it('sorts by a column either way', () => {
    const store = new TableStore()
    store.page([row('a', 'a', [3]), row('b', 'b', [1]), row('c', 'c', [2])])
    store.sort({ column: 0, descending: true })
    expect(names(store)).toEqual(['a', 'c', 'b'])
    store.changes([{ type: 'MODIFIED', item: row('b', 'b', [9]) }])
    expect(names(store)).toEqual(['b', 'a', 'c'])
  })

  it('shows what passes the filter, also of what comes later', () => {
    const store = new TableStore()
    store.page([row('web-1'), row('db-1')])
    store.filter('WEB')
    store.changes([{ type: 'ADDED', item: row('web-2') }])
    expect(names(store)).toEqual(['web-1', 'web-2'])
    expect(store.size).toBe(3)
  })
})

it.each([
  ['web', true],
  ['app=web', true],
  ['!web', false],
  ['running web', true],
  ['running !default', false],
  ['nothing', false],
])('a row matches “%s”: %s', (filter, wanted) => {
  expect(matches(row('web', 'web', ['web', 'Running']), filter)).toBe(wanted)
})

it.each([
  ['5m', '2h', -1],
  ['119s', '2m', -1],
  ['1d1h', '30h', -1],
  [10, 9, 1],
  ['9', '10', -1],
  ['1/3', '2/2', -1],
  ['a', 'b', -1],
  [null, 'a', -1],
])('%s and %s compare as %s', (a, b, wanted) => {
  expect(Math.sign(compareCells(a, b))).toBe(wanted)
})

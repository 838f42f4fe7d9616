import { describe, expect, test } from 'vitest'
import { customTable } from '../api/custom-table.ts'
import type { JsonObject } from '../api/json.ts'
import type { TableDefinition } from '../api/table.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { defaultTable } from './table.ts'
import { showList, showObject, viewOf, WatchView } from './views.ts'

const shownObject = (...given: Parameters<typeof showObject>) => runToEnd(showObject(...given))
const shownList = (...given: Parameters<typeof showList>) => runToEnd(showList(...given))

const table: TableDefinition = {
  columns: [{ name: 'Name', type: 'string', format: 'name', description: 'd', priority: 0 }],
  cells: (object) => [(object['metadata'] as JsonObject)['name'] ?? ''],
}
const context = { table, goType: 'core.ConfigMap', now: Date.parse('2024-01-01T00:00:10Z') }
const convert = (kind: string, version = 'v1') => ({ kind, group: 'meta.k8s.io', version })
const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', resourceVersion: '5' }, data: { k: 'v' } }
const list = {
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9', continue: 'more', remainingItemCount: 1 },
  items: [object],
}
const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
const columnDefinitions = [{ name: 'Name', type: 'string', format: 'name', description: 'd', priority: 0 }]

describe('tables', () => {
  test.each([
    [undefined, partial],
    ['Metadata', partial],
    ['None', null],
    ['Object', object],
  ])('a list with includeObject=%s', (include, shown) => {
    expect(shownList(list, viewOf(convert('Table'), include), context)).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: list.metadata,
      columnDefinitions,
      rows: [{ cells: ['a'], object: shown }],
    })
  })

  test('one object', () => {
    expect(shownObject(object, viewOf(convert('Table', 'v1beta1'), 'None'), context)).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { resourceVersion: '5' },
      columnDefinitions,
      rows: [{ cells: ['a'], object: null }],
    })
  })

  test('an unknown includeObject is a 400', () => {
    expect(() => viewOf(convert('Table'), 'Bogus')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Bogus": must be 'Metadata', 'Object', 'None', or empty`,
    )
    expect(viewOf(convert('PartialObjectMetadata'), 'Bogus').kind).toBe('PartialObjectMetadata')
  })

  test('a watch sends the columns once', () => {
    const view = new WatchView(viewOf(convert('Table'), 'None'))
    expect(runToEnd(view.show(object, context))['columnDefinitions']).toEqual(columnDefinitions)
    expect(runToEnd(view.show(object, context))['columnDefinitions']).toBeNull()
    const end = { ...object, metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } }
    expect(runToEnd(view.show(end, context))['rows']).toMatchObject([{ object: { kind: 'PartialObjectMetadata' } }])
  })

  test('rows in an order of their own, with conditions', () => {
    const ordered: TableDefinition = {
      ...table,
      compare: (a, b) => Number(b['n']) - Number(a['n']),
      conditions: ({ n }) => (n === 2 ? [{ type: 'Completed', status: 'True', reason: 'r', message: 'm' }] : undefined),
    }
    const items = [1, 2].map((n) => ({ metadata: { name: `x${n}` }, n }))
    const shown = shownList({ items }, viewOf(convert('Table'), 'None'), { ...context, table: ordered })
    expect(shown['rows']).toEqual([
      { cells: ['x2'], conditions: [{ type: 'Completed', status: 'True', reason: 'r', message: 'm' }], object: null },
      { cells: ['x1'], object: null },
    ])
  })
})

describe('metadata only', () => {
  test('an object and a list', () => {
    expect(shownObject(object, viewOf(convert('PartialObjectMetadata'), undefined), context)).toEqual(partial)
    expect(shownList(list, viewOf(convert('PartialObjectMetadataList'), undefined), context)).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: list.metadata,
      items: [partial],
    })
  })

  test('the wrong one of the two is a 406', () => {
    expect(() => shownList(list, viewOf(convert('PartialObjectMetadata'), undefined), context)).toThrow(
      'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    )
    expect(() => shownObject(object, viewOf(convert('PartialObjectMetadataList'), undefined), context)).toThrow(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    )
  })
})

test('a Status stays what it is', () => {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Success' }
  expect(shownObject(status, viewOf(convert('Table'), undefined), context)).toBe(status)
})

test('the default table', () => {
  expect(defaultTable.columns.map(({ name, type }) => [name, type])).toEqual([
    ['Name', 'string'],
    ['Created At', 'date'],
  ])
  const created = { metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' } }
  expect(defaultTable.cells(created, 0)).toEqual(['a', '2024-01-01T00:00:00Z'])
})

describe('custom columns', () => {
  const column = (type: string, jsonPath: string) => ({ name: type, type, jsonPath })
  test.each([
    ['string', '.spec.text', 'red'],
    ['string', '.spec.number', '5'],
    ['string', '.spec.map', '{"a":1}'],
    ['string', '.spec.missing', null],
    ['integer', '.spec.number', 5],
    ['integer', '.spec.ratio', 1],
    ['integer', '.spec.text', null],
    ['number', '.spec.ratio', 1.5],
    ['boolean', '.spec.on', true],
    ['boolean', '.spec.text', null],
    ['date', '.spec.since', '10s'],
    ['date', '.spec.text', '<invalid>'],
    ['date', '.spec.number', null],
  ])('%s of %s', (type, path, cell) => {
    const spec = { text: 'red', number: 5, ratio: 1.5, on: true, map: { a: 1 }, since: '2024-01-01T00:00:00Z' }
    const definition = customTable([column(type, path)])
    expect(definition.cells({ metadata: { name: 'x' }, spec }, context.now)).toEqual(['x', cell])
  })

  test('descriptions, and an age when there are no columns', () => {
    expect(customTable([column('string', '.a')]).columns[1]).toEqual({
      name: 'string',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .a',
      priority: 0,
    })
    const plain = customTable([])
    expect(plain.columns.map(({ name }) => name)).toEqual(['Name', 'Age'])
    const created = { metadata: { name: 'x', creationTimestamp: '2024-01-01T00:00:00Z' } }
    expect(plain.cells(created, context.now)).toEqual(['x', '10s'])
  })
})

test('nothing to show is no list at all, but for tables of their own', () => {
  const empty = { metadata: {}, items: [] }
  expect(shownList(empty, viewOf(convert('PartialObjectMetadataList'), undefined), context)['items']).toBeNull()
  expect(shownList(empty, viewOf(convert('Table'), undefined), { ...context, table: defaultTable })['rows']).toBeNull()
  const own = { ...defaultTable }
  expect(shownList(empty, viewOf(convert('Table'), undefined), { ...context, table: own })['rows']).toEqual([])
})

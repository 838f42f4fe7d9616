import { expect, test } from 'vitest'
import { isWholeRange, type Selection, selectEverything, selects } from './selection.ts'
import { testEntry } from './testing/test-entry.ts'

const entry = testEntry('a/x', 2, { labels: { app: 'web' }, fields: ['n1'] })
const app = (value: string): Selection['labels'] => ({ matches: (labels) => labels?.['app'] === value, equalities: [] })
const node =
  (value: string): Selection['fields'] =>
  ({ fields }) =>
    fields?.[0] === value

test.each<[string, Partial<Selection>, boolean, boolean]>([
  ['everything', {}, true, true],
  ['its namespace', { namespace: 'a' }, true, true],
  ['another namespace', { namespace: 'b' }, false, true],
  ['no namespace', { namespace: '' }, false, true],
  ['its name', { name: 'x' }, true, false],
  ['another name', { name: 'y' }, false, false],
  ['its label', { labels: app('web') }, true, false],
  ['another label', { labels: app('db') }, false, false],
  ['its field', { fields: node('n1') }, true, false],
  ['another field', { fields: node('n2') }, false, false],
  ['all that it has', { namespace: 'a', name: 'x', labels: app('web'), fields: node('n1') }, true, false],
  ['all but one', { namespace: 'a', name: 'x', labels: app('web'), fields: node('n2') }, false, false],
])('%s', (_, wanted, isSelected, isWhole) => {
  const selection = { ...selectEverything, ...wanted }
  expect([selects(selection, entry), isWholeRange(selection)]).toEqual([isSelected, isWhole])
})

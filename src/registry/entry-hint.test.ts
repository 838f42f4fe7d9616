import { expect, it } from 'vitest'
import type { EntryFacts } from '../cache/cache-entry.ts'
import { hintedFacts, hintOf } from './entry-hint.ts'

const bytes = Buffer.from('{"kind":"ConfigMap"}')
const links = { owners: ['u'], isTerminating: true } as unknown as NonNullable<EntryFacts['links']>

it.each<[string, Partial<EntryFacts>]>([
  ['all there is', { labels: { a: 'b' }, fields: ['x', ''], links }],
  ['nothing', { labels: undefined, fields: undefined, links: undefined }],
  ['no namespace', { key: 'a', namespace: '', labels: undefined, fields: undefined, links: undefined }],
])('a hint tells the facts of a value that has %s', (_, more) => {
  const facts = { key: 'ns/a', namespace: 'ns', name: 'a', bytes, splice: 7, ...more } as EntryFacts
  for (const value of [bytes, new Uint8Array(bytes)]) expect(hintedFacts(value, hintOf(facts))).toEqual(facts)
})

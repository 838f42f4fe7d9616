import { expect, it } from 'vitest'
import { runToEnd } from '../lib/in-turns.ts'
import { emptyList, emptyMap, type JsonObject, type JsonValue, withoutOmitted } from './json.ts'
import { withoutOmittedInSteps } from './large-values.ts'

const many = (item: (i: number) => JsonValue): JsonObject =>
  Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, item(i)]))

const listOf = (item: (i: number) => JsonValue): JsonValue[] => Object.values(many(item)) as JsonValue[]

it.each<[string, JsonObject]>([
  ['nothing', {}],
  ['little', { a: emptyList, b: [1, { c: emptyMap }], d: null }],
  ['a map of which nothing is left out', { data: many((i) => `${i}`) }],
  [
    'a map of which some is left out',
    { data: many((i) => (i % 7 === 0 ? emptyMap : { a: i % 5 === 0 ? emptyList : i })) },
  ],
  ['a list of which nothing is left out', { items: listOf((i) => ({ i })) }],
  [
    'a list of which some is left out',
    { items: listOf((i) => ({ i, empty: i % 3 === 0 ? emptyMap : {} })), a: emptyList },
  ],
  ['a large list in a large map', { data: many((i) => (i === 9 ? listOf(() => ({ a: emptyList })) : null)) }],
])('%s, in steps and at once', (_, value) => {
  const [inSteps, atOnce] = [runToEnd(withoutOmittedInSteps(value)), withoutOmitted(value)]
  expect(JSON.stringify(inSteps)).toBe(JSON.stringify(atOnce))
  expect(inSteps === value).toBe(atOnce === value)
})

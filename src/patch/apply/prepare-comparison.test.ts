/** Large objects compare alike whether their sets were made in steps before or not. */
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues } from './compare.ts'
import { toFullSet } from './full-set.ts'
import { prepareComparison } from './prepare-comparison.ts'
import { integer, keyed, map, object, set, text } from './test-schemas.ts'
import { ListItemError } from './topology.ts'

const schema = object({
  texts: map(text),
  inner: object({ names: set(), items: keyed(['id'], object({ id: integer, v: text })) }),
  free: map(object({ a: text })),
})

const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 2_500 }, (_, i) => item(i))
const texts = (): JsonObject => Object.fromEntries(many((i) => [`k${i}`, `v${i}`]))

/** Anew each time: what is kept is kept by identity. */
const cases: Readonly<Record<string, () => readonly [before: JsonObject, after: JsonObject]>> = {
  'a map that is new': () => [{}, { texts: texts() }],
  'a map that is gone': () => [{ texts: texts() }, {}],
  'a map that is another': () => [{ texts: texts() }, { texts: { ...texts(), k1: 'other', more: 'm' } }],
  'a set in a struct': () => [{ inner: {} }, { inner: { names: many((i) => `n${i}`) } }],
  'a keyed list': () => [{ inner: {} }, { inner: { items: many((id) => ({ id, v: 'a' })) } }],
  'elements that repeat': () => [{ inner: {} }, { inner: { items: many((i) => ({ id: i % 10, v: 'a' })) } }],
  'elements without a name': () => [{ inner: {} }, { inner: { items: many(() => ({ v: 'a' })) } }],
  'a map of structs': () => [{}, { free: Object.fromEntries(many((i) => [`k${i}`, { a: 'b' }])) }],
  'fields that the type has not': () => [{}, { odd: texts() }],
}

const outcome = (type: Schema, before: JsonValue, after: JsonValue): unknown => {
  try {
    const { added, modified, removed } = compareValues(type, before, after)
    return [added, modified, removed].map(String)
  } catch (error) {
    if (error instanceof ListItemError) return error.message
    throw error
  }
}

describe('a prepared comparison', () => {
  it.each(Object.entries(cases))('is that of an unprepared one: %s', (_, make) => {
    const plain = outcome(schema, ...make())
    const [before, after] = make()
    runToEnd(prepareComparison(schema, before, after))
    expect(outcome(schema, before, after)).toEqual(plain)
  })

  it('keeps sets by type', () => {
    const value = texts()
    runToEnd(prepareComparison(schema, {}, { texts: value }))
    expect(toFullSet(map(text), value)?.entries.length).toBe(2_500)
    expect(toFullSet(text, value)).toBeUndefined()
  })
})

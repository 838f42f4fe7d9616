/** Where raw JSON is in a type, which patches reach it, and the order of its keys afterwards. */
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { toTree } from '../schema/json-tree.ts'
import type { Schema } from '../schema/schema.ts'
import { anything, copySchema, keyed, list, map, object, text } from './apply/testing/test-schemas.ts'
import { leadsToRaw, mergesRaw, pointsToRaw, withSortedRaw } from './raw-json.ts'

const raw: Schema = { kind: 'any', name: 'machinery.runtime.RawExtension' }
/** A type that contains itself, and raw JSON only beside that. */
const tree: Schema = object(() => ({ children: list(tree), name: text, parameters: raw }))
const loop: Schema = object(() => ({ next: loop, name: text }))
const holder = object({
  name: text,
  raw,
  any: anything,
  items: keyed(['name'], object({ name: text, raw })),
  byName: map(raw),
})

describe('a type leads to raw JSON', () => {
  it.each<[string, Schema, boolean]>([
    ['when it is raw', raw, true],
    ['not when it is any other JSON', anything, false],
    [
      'not when it is an object that only has the name of it',
      { ...object({ name: text }), name: 'machinery.runtime.RawExtension' },
      false,
    ],
    ['by a field', object({ raw }), true],
    ['not by a field of another type', object({ name: text }), false],
    ['by the items of a list', list(object({ raw })), true],
    ['by the values of a map', map(raw), true],
    ['not by scalars in lists and maps', object({ a: list(text), b: map(text) }), false],
    ['beside itself', tree, true],
    ['not by itself alone', loop, false],
    ['from what lies below itself', list(object(() => ({ tree, name: text }))), true],
  ])('%s', (_, given, expected) => {
    const schema = copySchema(given)
    expect([leadsToRaw(schema), leadsToRaw(schema)]).toEqual([expected, expected])
  })
})

it('leads to raw JSON from any type of a circle that does', () => {
  const children = list(object(() => ({ parent: circle })))
  const circle: Schema = object(() => ({ children, parameters: raw }))
  expect([circle, children, children.items].map(leadsToRaw)).toEqual([true, true, true])
})

describe('a merge patch changes raw JSON', () => {
  it.each<[string, JsonValue, Schema | undefined, boolean]>([
    ['when it names it', { raw: { a: 1 } }, holder, true],
    ['also to take it away', { raw: null }, holder, true],
    ['when it is all that there is', 1, raw, true],
    ['in an item', { items: [{ name: 'x' }, { raw: 1 }] }, holder, true],
    ['in a map', { byName: { x: {} } }, holder, true],
    ['not when it names another field', { name: 'x', any: { raw: 1 } }, holder, false],
    ['not when no item names it', { items: [{ name: 'x' }] }, holder, false],
    ['not when it has nothing', {}, holder, false],
    ['not when a scalar takes the place of what holds it', { items: 'x' }, holder, false],
    ['not in a field that the type does not have', { other: { raw: 1 } }, holder, false],
    ['not where nothing is known of the type', { raw: 1 }, undefined, false],
    ['not in a type without', { name: 'x' }, object({ name: text }), false],
  ])('%s', (_, patch, schema, expected) => {
    expect(mergesRaw(toTree(patch), schema && copySchema(schema))).toBe(expected)
  })
})

describe('a JSON pointer leads to raw JSON', () => {
  const escaped = object({ 'a/b': object({ 'c~d': raw }), 'a~1b': text })
  it.each<[string, string, Schema, boolean]>([
    ['at it', '/raw', holder, true],
    ['within it', '/raw/a/0/b', holder, true],
    ['at what may hold it', '', holder, true],
    ['at a list of such', '/items', holder, true],
    ['at an item', '/items/3', holder, true],
    ['through an item', '/items/-/raw/x', holder, true],
    ['through a map', '/byName/x', holder, true],
    ['not at another field', '/name', holder, false],
    ['not below a scalar', '/name/x', holder, false],
    ['not within other JSON', '/any/raw', holder, false],
    ['not at what the type does not have', '/other', holder, false],
    ['not below what the type does not have', '/other/raw', holder, false],
    ['with escaped names', '/a~1b/c~0d', escaped, true],
    ['not with other escaped names', '/a~01b', escaped, false],
  ])('%s', (_, pointer, schema, expected) => {
    expect(pointsToRaw(pointer, copySchema(schema))).toBe(expected)
  })
})

describe('the keys of raw JSON are sorted', () => {
  it.each<[string, JsonValue, Schema, string]>([
    [
      'at every depth',
      { b: [{ d: 1, c: [2, { f: 1, e: 2 }] }], a: null },
      raw,
      '{"a":null,"b":[{"c":[2,{"e":2,"f":1}],"d":1}]}',
    ],
    [
      'where only the second of two is out of order',
      { a: { b: 1, c: 2 }, d: { f: 1, e: 2 } },
      raw,
      '{"a":{"b":1,"c":2},"d":{"e":2,"f":1}}',
    ],
    ['in lists of lists', [[1, { b: 1, a: 2 }]], raw, '[[1,{"a":2,"b":1}]]'],
    ['where a list holds it', [{ b: 1, a: 2 }, 'x'], raw, '[{"a":2,"b":1},"x"]'],
    [
      'and those of the rest are not',
      { raw: { b: 1, a: 2 }, name: 'x', any: { b: 1, a: 2 } },
      holder,
      '{"raw":{"a":2,"b":1},"name":"x","any":{"b":1,"a":2}}',
    ],
    [
      'in items and maps',
      { items: [{ raw: { a: 1 } }, { raw: { b: 1, a: 2 } }], byName: { z: { b: 1, a: 2 }, y: {} } },
      holder,
      '{"items":[{"raw":{"a":1}},{"raw":{"a":2,"b":1}}],"byName":{"z":{"a":2,"b":1},"y":{}}}',
    ],
    ['and what no type describes stays', { other: { b: 1, a: 2 } }, holder, '{"other":{"b":1,"a":2}}'],
    ['and a scalar in its place stays', 'x', raw, '"x"'],
    ['and a list in place of an object stays', [{ raw: { b: 1, a: 2 } }], holder, '[{"raw":{"b":1,"a":2}}]'],
  ])('%s', (_, value, schema, expected) => {
    const before = JSON.stringify(value)
    expect(JSON.stringify(withSortedRaw(value, copySchema(schema)))).toBe(expected)
    expect(JSON.stringify(value)).toBe(before)
  })

  it.each<[string, JsonValue, Schema]>([
    ['that are in order', { raw: { a: [{ b: 1, c: 2 }], d: null } }, holder],
    ['of items that are in order', [{ a: 1, b: [1, 2] }], raw],
    ['of lists that are in order', { items: [{ raw: { a: 1 } }], byName: { x: { a: 1 } } }, holder],
    ['of types without', { name: 'x' }, object({ name: text })],
    ['of nothing', null, raw],
    ['of a text', 'x', holder],
    ['of a list of texts', ['b', 'a'], raw],
    ['of an empty object', {}, raw],
  ])('and the very value is given back, %s', (_, value, schema) => {
    expect(withSortedRaw(value, copySchema(schema))).toBe(value)
  })

  it('and what has changed shares what has not', () => {
    const value = { items: [{ raw: { a: 1 } }, { raw: { b: 1, a: 2 } }], byName: { x: { a: 1 } } }
    const sorted = withSortedRaw(value, holder)
    expect(sorted.items[0]).toBe(value.items[0])
    expect(sorted.byName).toBe(value.byName)
  })
})

it('what leads nowhere is known of all that was looked at', () => {
  const inner = object({ name: text })
  const outer = object({ inner, again: list(inner) })
  expect([leadsToRaw(outer), leadsToRaw(inner), leadsToRaw(list(inner))]).toEqual([false, false, false])
  const both = object({ inner, raw })
  expect([leadsToRaw(both), leadsToRaw(inner)]).toEqual([true, false])
})

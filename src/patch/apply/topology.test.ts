import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap, type JsonObject, type JsonValue } from '../../api/json.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { ListSchema, ScalarKind, ScalarSchema, Schema } from '../../schema/schema.ts'
import { formatElement } from './path-element.ts'
import {
  anything,
  atomicMap,
  integer,
  keyed,
  list,
  map,
  object,
  set,
  text,
  withDefault,
} from './testing/test-schemas.ts'
import {
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
  isFreeForm,
  isList,
  isMap,
  isNamedField,
  itemElement,
  memberOf,
  memberSchema,
  rawSchema,
  sameValue,
  sameValueInSteps,
  scalarType,
  shapeOf,
} from './topology.ts'

describe('what a value is treated as', () => {
  it.each<[string, Schema, JsonValue | undefined, string]>([
    ['a struct', object({}), {}, 'map'],
    ['a struct, whatever is there', object({}), 'x', 'map'],
    ['a map', map(text), {}, 'map'],
    ['a list', list(text), [], 'list'],
    ['a list, whatever is there', list(text), {}, 'list'],
    ['a scalar', text, 'x', 'scalar'],
    ['a scalar, whatever is there', text, {}, 'scalar'],
    ['any object', anything, {}, 'map'],
    ['any null', anything, null, 'map'],
    ['any list', anything, [], 'list'],
    ['any text', anything, 'x', 'scalar'],
    ['any number', anything, 1, 'scalar'],
    ['nothing', anything, undefined, 'scalar'],
  ])('%s', (_, schema, value, shape) => {
    expect(shapeOf(schema, value)).toBe(shape)
  })

  it.each<[JsonValue | undefined, boolean, boolean]>([
    [{}, true, false],
    [[], false, true],
    [null, false, false],
    ['x', false, false],
    [undefined, false, false],
  ])('%j is a map: %s, a list: %s', (value, map_, list_) => {
    expect([isMap(value), isList(value)]).toEqual([map_, list_])
  })
})

it.each<[string, Schema, boolean, boolean]>([
  ['a struct', object({ a: text }), false, true],
  ['a struct in one piece', object({ a: text }, { atomic: true }), true, true],
  ['a map', map(text), false, true],
  ['a map in one piece', atomicMap(text), true, true],
  ['anything', anything, false, true],
  ['raw JSON', rawSchema, true, true],
  ['a list in one piece', list(text), false, true],
  ['a set', set(), false, false],
  ['a list with keys', keyed(['a'], object({ a: text })), false, false],
  ['a scalar', text, false, true],
])('%s is a whole map: %s, a whole list: %s', (_, schema, wholeMap, wholeList) => {
  expect([isAtomicMap(schema), isAtomicList(schema)]).toEqual([wholeMap, wholeList])
})

describe('the type of a member', () => {
  const struct = object({ a: text })
  const open = object({ a: text }, { preserveUnknown: true })
  it.each<[string, Schema, string, string | undefined, boolean]>([
    ['a field', struct, 'a', 'string', true],
    ['an unknown field', struct, 'b', undefined, false],
    ['an unknown field that is kept', open, 'b', 'any', false],
    ['a field of a type that keeps others', open, 'a', 'string', true],
    ['a field of a type that declares none', object({}), 'b', 'any', false],
    ['a key of a map', map(integer), 'b', 'integer', false],
    ['of anything', anything, 'b', 'any', false],
    ['of a list', list(text), '0', undefined, false],
    ['of a scalar', text, 'a', undefined, false],
  ])('%s', (_, schema, name, kind, isNamed) => {
    expect([memberSchema(schema, name)?.kind, isNamedField(schema, name)]).toEqual([kind, isNamed])
  })

  it('is free where the type keeps what it does not know, or knows nothing', () => {
    expect([struct, open, object({})].map(isFreeForm)).toEqual([false, true, true])
  })
})

describe('a member', () => {
  const odd = JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":null}') as JsonObject
  it.each<[string, JsonObject, string, JsonValue | undefined]>([
    ['that is there', { a: 1 }, 'a', 1],
    ['that is not', { a: 1 }, 'b', undefined],
    ['that is null', { a: null }, 'a', null],
    ['that JSON does not show', { a: emptyList }, 'a', undefined],
    ['that every object has', {}, 'toString', undefined],
    ['that every object has, as a text', odd, 'constructor', 'c'],
    ['that every object has, as null', odd, 'toString', null],
    ['that is the prototype to others', odd, '__proto__', { a: 1 }],
    ['that is the prototype', {}, '__proto__', undefined],
  ])('%s', (_, value, name, expected) => {
    expect(memberOf(value, name)).toEqual(expected)
  })

  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ a: undefined }, true],
    [{ a: null }, false],
    [{ a: emptyMap }, false],
    [Object.fromEntries(Array.from({ length: 2 }, (_, i) => [`k${i}`, undefined])), true],
  ])('%j has none: %s', (value, isEmpty) => {
    expect(isEmptyMap(value)).toBe(isEmpty)
  })
})

describe('the name of an element', () => {
  const named = (list_: ListSchema, item: JsonValue): string => {
    try {
      return formatElement(itemElement(list_, item))
    } catch (error) {
      return (error as Error).message
    }
  }
  const builtIn = (fields: Record<string, Schema>): ListSchema =>
    keyed(
      Object.keys(fields),
      object(Object.fromEntries(Object.entries(fields).map(([key, emit]) => [key, { emit }])), { name: 'x.Item' }),
    )
  const omits = (key: string) =>
    `associative list with keys has an element that omits key field "${key}" (and doesn't have default value)`
  const port = keyed(['port', 'protocol'], object({ port: integer, protocol: withDefault(text, 'TCP') }))

  it.each<[string, ListSchema, JsonValue, string]>([
    ['a text of a set', set(), 'a', '[="a"]'],
    ['a number of a set', set(integer), 1, '[=1]'],
    ['false of a set', set({ kind: 'boolean' }), false, '[=false]'],
    ['null of a set', set(), null, "associative list without keys has an element that's an explicit null"],
    ['a map of a set', set(), {}, "associative list without keys has an element that's a map type"],
    ['a list of a set', set(), [], 'not supported: associative list with lists as elements'],
    ['one key', keyed(['name'], object({ name: text })), { name: 'x' }, '[name="x"]'],
    ['one key that is a number', keyed(['id'], object({ id: integer })), { id: 0 }, '[id=0]'],
    ['one key that is null', keyed(['id'], object({ id: integer })), { id: null }, '[id=null]'],
    ['no key', keyed(['name'], object({ name: text })), {}, omits('name')],
    ['no key of an unknown type', keyed(['name'], anything), {}, omits('name')],
    ['a key that the type does not have', keyed(['other'], object({ name: text })), {}, omits('other')],
    ['two keys', port, { protocol: 'UDP', port: 80 }, '[port=80,protocol="UDP"]'],
    ['a key by default', port, { port: 80 }, '[port=80,protocol="TCP"]'],
    ['one of two keys missing', port, { protocol: 'TCP' }, omits('port')],
    ['no object', port, 'x', 'associative list with keys may not have non-map elements'],
    ['a list', port, [], 'associative list with keys may not have non-map elements'],
    ['null', port, null, 'associative list with keys may not have a null element'],
    ['a text that is always written', builtIn({ name: text }), {}, '[name=""]'],
    ['a number that is always written', builtIn({ id: integer }), {}, '[id=0]'],
    ['a float that is always written', builtIn({ id: { kind: 'number' } }), {}, '[id=0]'],
    ['a flag that is always written', builtIn({ is: { kind: 'boolean' } }), {}, '[is=false]'],
    ['a time that is always written', builtIn({ at: { kind: 'time' } }), {}, omits('at')],
    ['what a custom type always writes', keyed(['a'], object({ a: { emit: text } })), {}, omits('a')],
  ])('%s', (_, list_, item, expected) => {
    expect(named(list_, item)).toBe(expected)
  })

  it('is made of the keys that there are, where a later release takes that', () => {
    const items = { ...object({ port: integer, name: text }), release: 34 } as Schema
    const later = keyed(['port', 'name'], items)
    expect([named(later, { port: 1 }), named(later, { name: 'x' })]).toEqual(['[port=1]', '[name="x"]'])
    expect(named(later, {})).toBe(
      'associative list with keys has an element that omits all key fields ["port" "name"] (and doesn\'t have default values for any key fields)',
    )
  })
})

it.each<[ScalarKind, string | undefined, string]>([
  ['integer', undefined, 'numeric'],
  ['number', undefined, 'numeric'],
  ['boolean', undefined, 'boolean'],
  ['string', undefined, 'string'],
  ['string', 'byte', 'string'],
  ['string', 'uri', 'untyped'],
  ['duration', undefined, 'string'],
  ['bytes', undefined, 'string'],
  ['int-or-string', undefined, 'untyped'],
  ['quantity', undefined, 'untyped'],
  ['time', undefined, 'untyped'],
])('a %s of format %s is checked as %s', (kind, format, expected) => {
  expect(scalarType({ kind, ...(format === undefined ? {} : { format }) } as ScalarSchema)).toBe(expected)
})

describe('two whole values are the same', () => {
  const many = (last: JsonValue): JsonValue[] => [...Array.from({ length: 1_100 }, (_, i) => i), last]
  it.each<[string, JsonValue | undefined, JsonValue | undefined, boolean]>([
    ['nothing', undefined, undefined, true],
    ['nothing and null', undefined, null, false],
    ['equal', { a: [1] }, { a: [1] }, true],
    ['different', { a: [1] }, { a: [2] }, false],
    ['one with what JSON does not show', { a: 1, b: emptyMap }, { a: 1 }, true],
    ['the other with what JSON does not show', { a: 1 }, { a: 1, b: emptyMap }, true],
    ['an explicit empty', { a: 1, b: {} }, { a: 1 }, false],
    ['long', many(1), many(1), true],
    ['long, with another end', many(1), many(2), false],
    ['long, with what JSON does not show', many({ a: emptyList }), many({}), true],
  ])('%s', (_, a, b, expected) => {
    expect([sameValue(a, b), runToEnd(sameValueInSteps(a, b))]).toEqual([expected, expected])
  })
})

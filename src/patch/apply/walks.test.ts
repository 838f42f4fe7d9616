// The walks over one or two values, case by case: value in, paths or value out.
import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap, type JsonValue } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues } from './compare.ts'
import { FieldSet } from './field-set.ts'
import { decodeFieldsV1 } from './fields-v1.ts'
import { toFullSet } from './full-set.ts'
import { mergeValues } from './merge.ts'
import { formatPath } from './path-element.ts'
import { removeItems } from './remove-items.ts'
import {
  anything,
  atomicMap,
  copySchema,
  integer,
  intOrString,
  keyed,
  list,
  map,
  object,
  set,
  text,
} from './testing/test-schemas.ts'
import { toFieldSet } from './to-field-set.ts'
import { validateConfig } from './validate-config.ts'

const schema = object(() => ({
  leaf: text,
  either: intOrString,
  struct: object({ a: text, b: integer }),
  whole: object({ a: text }, { atomic: true }),
  free: map(text),
  nested: map(map(text)),
  wholeMap: atomicMap(text),
  names: set(),
  numbers: set(integer),
  wholeList: list(object({ a: text })),
  items: keyed(
    ['name'],
    object({ name: text, value: integer, inner: keyed(['id'], object({ id: integer, v: text })) }),
  ),
  any: anything,
}))

const paths = (fields: FieldSet): string[] => [...fields.paths()].map(formatPath)
const some = (json: JsonValue): FieldSet => decodeFieldsV1(json)

describe('claims', () => {
  it.each<[JsonValue, string[]]>([
    [{}, []],
    [{ leaf: 'x', either: 1 }, ['.either', '.leaf']],
    [{ leaf: null }, ['.leaf']],
    [{ struct: { a: 'x' } }, ['.struct.a']],
    [{ struct: {} }, ['.struct']],
    [{ struct: null }, ['.struct']],
    [{ free: { k: 'v' } }, ['.free.k']],
    [{ nested: { k: { l: 'v' }, m: {} } }, ['.nested.k', '.nested.m', '.nested.k.l']],
    [{ whole: { a: 'x' }, wholeMap: {}, wholeList: [] }, ['.whole', '.wholeList', '.wholeMap']],
    [{ names: ['b', 'a'], numbers: [10, 9] }, ['.names[="a"]', '.names[="b"]', '.numbers[=9]', '.numbers[=10]']],
    [{ names: [] }, []],
    [
      { items: [{ name: 'x', inner: [{ id: 1 }] }] },
      ['.items[name="x"]', '.items[name="x"].name', '.items[name="x"].inner[id=1]', '.items[name="x"].inner[id=1].id'],
    ],
    [{ any: { k: [1], l: { m: null } } }, ['.any.k', '.any.l', '.any.l.m']],
    [{ any: [1] }, ['.any']],
  ])('%j', (value, expected) => {
    expect(paths(toFieldSet(schema, value))).toEqual(expected)
  })
})

describe('comparison', () => {
  it.each<[JsonValue, JsonValue, { added?: string[]; modified?: string[]; removed?: string[] }]>([
    [{ leaf: 'a' }, { leaf: 'a' }, {}],
    [{ leaf: 'a' }, { leaf: 'b' }, { modified: ['.leaf'] }],
    [{ either: 1 }, { either: '1' }, { modified: ['.either'] }],
    [{}, { struct: { a: 'x' } }, { added: ['.struct', '.struct.a'] }],
    [{ struct: {} }, { struct: { a: 'x' } }, { added: ['.struct.a'] }],
    [{ struct: null }, { struct: { a: 'x' } }, { added: ['.struct.a'] }],
    [{ struct: {} }, { struct: null }, { modified: ['.struct'] }],
    [{ struct: { a: 'x', b: 1 } }, { struct: { b: 2 } }, { modified: ['.struct.b'], removed: ['.struct.a'] }],
    [{ whole: { a: 'x' } }, { whole: {} }, { modified: ['.whole'] }],
    [{ wholeList: [{ a: 'x' }] }, { wholeList: [{ a: 'y' }] }, { modified: ['.wholeList'] }],
    [{ wholeList: [{ a: 'x' }] }, { wholeList: [{ a: 'x', b: emptyList }] }, { modified: ['.wholeList'] }],
    [{ whole: { a: 'x' } }, { whole: { a: 'x', b: emptyMap } }, {}],
    [{ whole: { a: ['x'] } }, { whole: { a: ['x'], b: emptyMap, c: 'y' } }, { modified: ['.whole'] }],
    [{ names: ['a', 'b'] }, { names: ['b', 'a'] }, {}],
    [{ names: ['a'] }, { names: ['b'] }, { added: ['.names[="b"]'], removed: ['.names[="a"]'] }],
    [{ names: ['a', 'a'] }, { names: ['a'] }, { added: ['.names[="a"]'], removed: ['.names[="a"]'] }],
    [{ names: ['a', 'a'] }, { names: ['a', 'a', 'a'] }, { modified: ['.names[="a"]'] }],
    [
      { items: [{ name: 'x', value: 1 }] },
      { items: [{ name: 'x', value: 2 }] },
      { modified: ['.items[name="x"].value'] },
    ],
    [{ items: [{ name: 'x' }] }, {}, { removed: ['.items', '.items[name="x"]', '.items[name="x"].name'] }],
    [{ any: { a: 1 } }, { any: 'x' }, { modified: ['.any'], removed: ['.any.a'] }],
    [{ any: 'x' }, { any: { a: 1 } }, { added: ['.any.a'], modified: ['.any'] }],
    [{ any: [1] }, { any: { a: 1 } }, { added: ['.any.a'], modified: ['.any'] }],
    [{ any: [1, 2] }, { any: [2, 1] }, { modified: ['.any'] }],
  ])('%j to %j', (before, after, expected) => {
    const { added, modified, removed } = compareValues(schema, before, after)
    const got = { added: paths(added), modified: paths(modified), removed: paths(removed) }
    expect(got).toEqual({ added: [], modified: [], removed: [], ...expected })
  })
})

describe('merge', () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    [{ leaf: 'a' }, {}, { leaf: 'a' }],
    [{ leaf: 'a' }, { leaf: null }, { leaf: null }],
    [{ struct: { a: 'x' } }, { struct: { b: 1 } }, { struct: { a: 'x', b: 1 } }],
    [{ struct: { a: 'x' } }, { struct: null }, { struct: { a: 'x' } }],
    [{ struct: {} }, { struct: null }, { struct: null }],
    [{ whole: { a: 'x' } }, { whole: {} }, { whole: {} }],
    [{ wholeMap: { a: 'x' } }, { wholeMap: { b: 'y' } }, { wholeMap: { b: 'y' } }],
    [{ wholeList: [{ a: 'x' }] }, { wholeList: null }, { wholeList: null }],
    [{ names: ['a', 'b', 'c'] }, { names: ['c', 'a'] }, { names: ['b', 'c', 'a'] }],
    [{ names: ['a', 'b'] }, { names: ['x', 'b'] }, { names: ['a', 'x', 'b'] }],
    [{ names: ['a', 'b'] }, { names: ['b', 'x', 'a'] }, { names: ['b', 'x', 'a'] }],
    [{ names: ['a', 'b', 'a'] }, { names: ['a', 'b'] }, { names: ['a', 'b'] }],
    [{ names: ['a'] }, { names: [] }, { names: ['a'] }],
    [
      { items: [{ name: 'x', value: 1 }, { name: 'y' }] },
      { items: [{ name: 'y', value: 2 }] },
      {
        items: [
          { name: 'x', value: 1 },
          { name: 'y', value: 2 },
        ],
      },
    ],
    [{ any: { a: 1, l: [1] } }, { any: { b: 2, l: [2] } }, { any: { a: 1, b: 2, l: [2] } }],
    [{ any: { a: 1 } }, { any: 'x' }, { any: 'x' }],
    [{ any: 'x' }, { any: { a: 1 } }, { any: { a: 1 } }],
    [{ any: [1] }, { any: null }, { any: null }],
  ])('%j and %j', (live, patch, expected) => {
    expect(mergeValues(schema, live, patch)).toEqual(expected)
  })

  it('keeps the live objects that it does not change', () => {
    const live = { struct: { a: 'x' }, items: [{ name: 'x', value: 1 }, { name: 'y' }] }
    const merged = mergeValues(schema, live, { items: [{ name: 'x', value: 2 }] }) as typeof live
    expect(merged.struct).toBe(live.struct)
    expect(merged.items[1]).toBe(live.items[1])
    expect(mergeValues(schema, live, { struct: { a: 'x' }, items: [{ name: 'y' }] })).toBe(live)
  })
})

describe('removing', () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    [{ leaf: 'a', either: 1 }, { 'f:leaf': {} }, { either: 1 }],
    [{ struct: { a: 'x', b: 1 } }, { 'f:struct': { 'f:a': {} } }, { struct: { b: 1 } }],
    [{ struct: { a: 'x' } }, { 'f:struct': { 'f:a': {} } }, { struct: null }],
    [{ struct: { a: 'x' } }, { 'f:struct': {} }, null],
    [{ names: ['a', 'b'] }, { 'f:names': { 'v:"a"': {} } }, { names: ['b'] }],
    [{ names: ['a'] }, { 'f:names': { 'v:"a"': {} } }, { names: null }],
    [
      { items: [{ name: 'x', value: 1 }, { name: 'y' }] },
      { 'f:items': { 'k:{"name":"x"}': { 'f:value': {}, 'f:name': {} } } },
      { items: [null, { name: 'y' }] },
    ],
    [{ whole: { a: 'x' } }, { 'f:whole': { 'f:a': {} } }, { whole: null }],
    [{ leaf: 'a' }, { 'f:nope': { 'f:x': {} } }, { leaf: 'a' }],
    [{ any: { a: { b: 1, c: 2 } } }, { 'f:any': { 'f:a': { 'f:b': {} } } }, { any: { a: { c: 2 } } }],
  ])('%j with %j', (value, fields, removed) => {
    expect(removeItems(schema, value, some(fields))).toEqual(removed)
  })
})

describe('validation', () => {
  it('drops unknown fields wherever they are, and shares the rest', () => {
    const struct = { a: 'x' }
    const config = {
      bogus: 1,
      struct,
      items: [{ name: 'x', nope: 1 }, { name: 'y' }],
      wholeList: [{ a: 'x', b: 'y' }],
      any: { free: 1 },
    }
    const { errors, unknown, known } = validateConfig(schema, config)
    expect(errors).toEqual([])
    expect(unknown).toEqual(['.bogus', '.items[name="x"].nope', '.wholeList[0].b'])
    expect(known).toEqual({ struct, items: [{ name: 'x' }, { name: 'y' }], wholeList: [{ a: 'x' }], any: { free: 1 } })
    expect(known['struct']).toBe(struct)
  })

  it('takes null for anything, and any scalar where the type leaves it open', () => {
    const config = { leaf: null, struct: null, names: null, either: true, any: null }
    expect(validateConfig(schema, config)).toEqual({ errors: [], unknown: [], known: config })
    for (const either of [{}, { a: 1 }, [[]]]) expect(validateConfig(schema, { either }).errors).toEqual([])
  })
})

describe('what is added takes', () => {
  const many = Array.from({ length: 12 }, (_, i) => `n${i}`)
  const formatted: Schema = { kind: 'string', format: 'uri' }
  const open = object({ a: text }, { preserveUnknown: true })
  const whole = object(() => ({ next: whole, names: set(), open, closed: object({ a: text }), formatted }))

  it.each<[string, JsonValue, string[]]>([
    ['nothing', {}, []],
    ['null', { names: null }, ['.names']],
    ['what JSON does not show', { names: emptyList, next: emptyMap, open: { a: emptyMap } }, ['.open']],
    ['a struct with nothing', { next: {} }, ['.next']],
    ['a list with nothing', { names: [] }, ['.names']],
    [
      'a type that contains itself',
      { next: { next: { names: ['a'] } } },
      ['.next', '.next.next', '.next.next.names', '.next.next.names[="a"]'],
    ],
    ['another shape', { names: 'x', next: [1], open: 'y' }, ['.names', '.next', '.open']],
    ['a map for a list', { names: { a: 1 } }, ['.names']],
    ['an unknown field in a struct', { closed: { other: { a: 1 } } }, ['.closed', '.closed.other']],
    [
      'an unknown field that is kept',
      { open: { other: { a: { b: [1] } } } },
      ['.open', '.open.other', '.open.other.a', '.open.other.a.b'],
    ],
    ['an element twice', { names: ['b', 'a', 'b'] }, ['.names', '.names[="a"]', '.names[="b"]']],
    ['the first of all twice', { names: ['a', 'a'] }, ['.names', '.names[="a"]']],
    ['many elements', { names: many }, ['.names', ...many.toSorted().map((name) => `.names[="${name}"]`)]],
    [
      'many elements, one twice',
      { names: [...many, 'n5'] },
      ['.names', ...many.toSorted().map((name) => `.names[="${name}"]`)],
    ],
    ['a text with a format', { formatted: 'x' }, ['.formatted']],
    ['null for a text with a format', { formatted: null }, ['.formatted']],
  ])('%s', (_, value, expected) => {
    for (const type of [whole, copySchema(whole)]) {
      expect(paths(toFullSet(type, value) ?? FieldSet.empty)).toEqual(expected)
      expect(paths(compareValues(type, {}, value).added)).toEqual(expected)
    }
  })

  it('fields in another order than the last time', () => {
    const type = copySchema(whole)
    const full = (value: JsonValue): string[] => paths(toFullSet(type, value) ?? FieldSet.empty)
    const first = full({ names: ['a'], open: { a: 'x' }, next: {} })
    expect(full({ next: {}, open: { a: 'x' }, names: ['a'] })).toEqual(first)
    expect(full({ open: { a: 'y' }, next: {}, names: ['a'] })).toEqual(first)
  })

  it.each<[string, JsonValue]>([
    ['a text', 'x'],
    ['null', null],
    ['nothing', {}],
  ])('nothing of %s', (_, value) => {
    expect(toFullSet(whole, value)).toBeUndefined()
  })
})

describe('removing by hand', () => {
  const all = some({ 'f:struct': { '.': {}, 'f:a': {} }, 'f:names': { 'v:"a"': {} }, 'f:free': { 'f:k': {} } })
  it.each<[string, JsonValue, JsonValue]>([
    ['what is not there', { leaf: 'x' }, { leaf: 'x' }],
    ['from an empty map', { free: {} }, { free: null }],
    ['from an empty list', { names: [] }, { names: null }],
    ['from null', { names: null, free: null }, { names: null, free: null }],
    ['from another shape', { names: 'a', free: ['k'] }, { names: null, free: null }],
    ['what JSON does not show', { names: emptyList, leaf: 'x' }, { names: emptyList, leaf: 'x' }],
  ])('%s', (_, value, expected) => {
    expect(removeItems(schema, value, all)).toEqual(expected)
  })
})

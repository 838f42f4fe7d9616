/** What keeps a merged value from becoming an object of its type: small values, and the same beside many others. */
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { runToEnd } from '../lib/in-turns.ts'
import type { Field, ScalarKind, Schema } from '../schema/schema.ts'
import { list, map, object } from './apply/testing/test-schemas.ts'
import { restoreError, restoreErrorInSteps } from './restore-error.ts'

const of = (kind: ScalarKind, format?: string): Schema => ({ kind, ...(format ? { format } : {}) })
const text = of('string')
const integer = of('integer', 'int32')

describe('a scalar', () => {
  it.each<[Schema, JsonValue, string | undefined]>([
    [text, 'x', undefined],
    [text, 7, 'cannot convert int64 to string'],
    [text, 7.5, 'unrecognized type: string'],
    [text, true, 'unrecognized type: string'],
    [text, {}, 'unrecognized type: string'],
    [text, [], 'unrecognized type: string'],
    [text, null, undefined],
    [integer, 7, undefined],
    [integer, 7.5, 'cannot convert float64 to int32'],
    [integer, '7', 'unrecognized type: int32'],
    [of('integer'), 2n ** 60n, undefined],
    [of('integer'), 'x', 'unrecognized type: int64'],
    [of('integer'), 1.5, 'cannot convert float64 to int64'],
    [of('number'), 1, undefined],
    [of('number'), 1.5, undefined],
    [of('number'), '1', 'unrecognized type: float64'],
    [of('boolean'), false, undefined],
    [of('boolean'), 'true', 'unrecognized type: bool'],
    [of('bytes'), 'aGk=', undefined],
    [of('bytes'), '', undefined],
    [of('bytes'), 'a', 'error decoding from json: illegal base64 data at input byte 0'],
    [of('bytes'), [1, 2], undefined],
    [of('bytes'), [1, 'x'], 'unrecognized type: uint8'],
    [of('bytes'), [1.5], 'cannot convert float64 to uint8'],
    [of('bytes'), 7, 'cannot restore slice from int64'],
    [of('bytes'), {}, 'cannot restore slice from map'],
    [of('int-or-string'), 'x', undefined],
    [of('int-or-string'), 2 ** 31 - 1, undefined],
    [of('int-or-string'), -(2 ** 31), undefined],
    [of('int-or-string'), 2 ** 31, 'json: cannot unmarshal number 2147483648 into Go value of type int32'],
    [of('int-or-string'), -(2 ** 31) - 1, 'json: cannot unmarshal number -2147483649 into Go value of type int32'],
    [of('int-or-string'), 1.5, 'json: cannot unmarshal number 1.5 into Go value of type int32'],
    [of('int-or-string'), 2n ** 60n, 'json: cannot unmarshal number 1152921504606846976 into Go value of type int32'],
    [of('int-or-string'), true, 'json: cannot unmarshal bool into Go value of type int32'],
    [of('int-or-string'), [], 'json: cannot unmarshal array into Go value of type int32'],
    [of('quantity'), '1Gi', undefined],
    [of('quantity'), 5, undefined],
    [of('quantity'), 2n ** 60n, undefined],
    [of('time'), '2026-01-01T00:00:00Z', undefined],
    [of('time'), 7, 'json: cannot unmarshal number into Go value of type string'],
    [of('time'), {}, 'json: cannot unmarshal object into Go value of type string'],
    [of('micro-time'), '2026-01-01T00:00:00.000000Z', undefined],
    [of('duration'), '1h', undefined],
    [of('duration'), true, 'json: cannot unmarshal bool into Go value of type string'],
  ])('%o of %o', (schema, value, expected) => {
    expect(restoreError(value, { schema })).toBe(expected)
    expect(runToEnd(restoreErrorInSteps(value, { schema }))).toBe(expected)
  })

  it.each<[ScalarKind, string, string]>([
    ['quantity', 'lots', 'quantities must match'],
    ['time', 'x', 'parsing time "x"'],
    ['micro-time', 'x', 'parsing time "x"'],
    ['duration', 'x', 'time: invalid duration "x"'],
  ])('%s of %j', (kind, value, expected) => {
    expect(restoreError(value, { schema: of(kind) })).toContain(expected)
  })

  it('is called what its field calls it', () => {
    expect(restoreError(7, { schema: text, name: 'v1.Phase' })).toBe('cannot convert int64 to v1.Phase')
    expect(restoreError(1.5, { schema: integer, name: 'v1.Count' })).toBe('cannot convert float64 to v1.Count')
    expect(restoreError([7], { schema: list(text), name: '[]v1.Phase' })).toBe('cannot convert int64 to v1.Phase')
    expect(restoreError({ a: 7 }, { schema: map(text), name: 'map[string]v1.Phase' })).toBe(
      'cannot convert int64 to v1.Phase',
    )
  })
})

const inner = object({ id: text, count: integer })
const schema = object({
  first: text,
  struct: inner,
  items: list(inner),
  texts: map(text),
  numbers: list(integer),
  raw: { kind: 'any' },
  filler: list(text),
  fillerMap: map(text),
})

const many = Array.from({ length: 1_001 }, (_, i) => `${i}`)
const manyItems = (): JsonObject[] => many.map((id) => ({ id }))
const manyTexts = (): JsonObject => Object.fromEntries(many.map((id) => [id, 'v']))

describe.each<[string, JsonObject]>([
  ['alone', {}],
  ['beside a long list', { filler: many }],
  ['beside a large map', { fillerMap: manyTexts() }],
])('%s', (_, beside) => {
  it.each<[string, JsonObject, string | undefined]>([
    ['nothing', {}, undefined],
    ['a struct', { struct: { id: 'x', count: 1 } }, undefined],
    ['no struct', { struct: 'x' }, 'cannot restore struct from: string'],
    ['a list for a struct', { struct: [] }, 'cannot restore struct from: slice'],
    ['a wrong field', { struct: { id: 'x', count: 'y' } }, 'unrecognized type: int32'],
    ['an unknown field', { struct: { other: 1 }, other: 2 }, undefined],
    ['no list', { items: 'x' }, 'cannot restore slice from string'],
    ['a map for a list', { items: {} }, 'cannot restore slice from map'],
    ['a wrong item', { items: [{ id: 'x' }, { id: true }] }, 'unrecognized type: string'],
    ['an item of another kind', { items: [{ id: 'x' }, 'y'] }, 'cannot restore struct from: string'],
    ['null for an item', { items: [null] }, undefined],
    ['no map', { texts: ['x'] }, 'cannot restore map from slice'],
    ['a text for a map', { texts: 'x' }, 'cannot restore map from string'],
    ['a wrong value', { texts: { a: 'x', b: true } }, 'unrecognized type: string'],
    ['anything', { raw: { a: [1] } }, undefined],
    [
      'the first in the order of the type',
      { numbers: ['x'], texts: 7, struct: 1.5 },
      'cannot restore struct from: float64',
    ],
    ['many items with a wrong one', { items: [...manyItems(), { count: 'x' }] }, 'unrecognized type: int32'],
    ['many items', { items: manyItems() }, undefined],
    ['many values with a wrong one', { texts: { ...manyTexts(), last: 7 } }, 'cannot convert int64 to string'],
    ['many values', { texts: manyTexts() }, undefined],
    ['many where a struct belongs', { struct: manyTexts() }, undefined],
    ['many items where a struct belongs', { struct: many }, 'cannot restore struct from: slice'],
    ['many values where a list belongs', { items: manyTexts() }, 'cannot restore slice from map'],
    ['many items where a map belongs', { texts: many }, 'cannot restore map from slice'],
    ['many items where a text belongs', { first: many }, 'unrecognized type: string'],
    ['an item with many', { items: [{ id: 'x' }, { id: many }] }, 'unrecognized type: string'],
    ['anything large', { raw: many }, undefined],
  ])('%s', (_name, members, expected) => {
    const value = { ...members, ...beside }
    expect(restoreError(value, { schema })).toBe(expected)
    expect(runToEnd(restoreErrorInSteps(value, { schema }))).toBe(expected)
  })

  it.each<[string, (before: JsonObject) => JsonObject, string | undefined]>([
    ['the very same', (before) => before, undefined],
    ['with the same parts', (before) => ({ ...before }), undefined],
    [
      'with the same item among others',
      ({ items, ...rest }) => ({ ...rest, items: [...(items as JsonValue[]), { id: 'y' }] }),
      undefined,
    ],
    [
      'with a wrong item more',
      ({ items, ...rest }) => ({ ...rest, items: [...(items as JsonValue[]), { id: 1 }] }),
      'cannot convert int64 to string',
    ],
    ['with its parts copied', (before) => structuredClone(before), 'unrecognized type: int32'],
    [
      'with a copy of a part elsewhere',
      ({ struct, ...rest }) => ({ ...rest, items: [{ ...(struct as JsonObject) }] }),
      'unrecognized type: int32',
    ],
    [
      'with the same wrong value of a map',
      ({ texts }) => ({ texts: { ...(texts as JsonObject) } }),
      'unrecognized type: string',
    ],
  ])('what was there is not looked at again: %s', (_name, change, expected) => {
    const wrong = { id: 'x', count: 'y' }
    const before: JsonObject = { struct: wrong, items: [wrong], texts: { a: true }, ...beside }
    const value = { ...change(before), ...beside }
    expect(restoreError(value, { schema, before })).toBe(expected)
    expect(runToEnd(restoreErrorInSteps(value, { schema, before }))).toBe(expected)
    expect(restoreError(value, { schema, before: 'x' })).not.toBeUndefined()
  })
})

it('what many items of a list were before is not looked at again', () => {
  const schemaOfItems = list(inner)
  const before = [{ id: 7 }, ...manyItems()]
  const value = [...before, { id: 'new' }]
  expect(runToEnd(restoreErrorInSteps(value, { schema: schemaOfItems, before }))).toBeUndefined()
  expect(runToEnd(restoreErrorInSteps(value, { schema: schemaOfItems }))).toBe('cannot convert int64 to string')
  expect(runToEnd(restoreErrorInSteps([...value, { id: 8 }], { schema: schemaOfItems, before }))).toBe(
    'cannot convert int64 to string',
  )
})

it('long values go in steps that are not many', () => {
  const steps = restoreErrorInSteps({ items: Array.from({ length: 5_000 }, () => ({ id: 'x' })) }, { schema })
  let count = 0
  while (steps.next().done !== true) count++
  expect(count).toBeGreaterThan(10)
  expect(count).toBeLessThan(100)
})

it('fields are called what the type calls them', () => {
  const phase: Field = { name: 'phase', schema: text, required: false, pointer: false, emit: false, goType: 'v1.Phase' }
  const phased: Schema = { ...object({ filler: list(text) }), fields: new Map([['phase', phase]]) }
  expect(restoreError({ phase: 7 }, { schema: phased })).toBe('cannot convert int64 to v1.Phase')
  expect(runToEnd(restoreErrorInSteps({ phase: 7, other: many }, { schema: phased }))).toBe(
    'cannot convert int64 to v1.Phase',
  )
})

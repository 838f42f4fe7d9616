import { types } from 'node:util'
import { describe, expect, it } from 'vitest'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { knownText } from '../../api/known-text.ts'
import { materialize, materializeAll } from '../../api/large-values.ts'
import { encodeJson } from '../../codec/json.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import { FieldSet } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1, fieldsV1Text, prepareFieldsV1Text, sortedFieldsV1Text } from './fields-v1.ts'

/** Keys of all kinds, whose order as elements is not that of their texts. */
function fieldsOf(count: number): JsonObject {
  const items = Array.from({ length: count }, (_, i) => [`k:{"port":${i}}`, { '.': {}, 'f:port': {}, 'f:name': {} }])
  const values = Array.from({ length: count }, (_, i) => [`v:"v${i}"`, {}])
  return {
    'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
    'f:spec': { 'f:ports': { '.': {}, ...Object.fromEntries(items) }, 'f:set': Object.fromEntries(values) },
  }
}

/** The set of fields, which does not know them: only what is decoded from its canonical form is remembered in it. */
const setOf = (fields: JsonObject): FieldSet => decodeFieldsV1({ '.': {}, ...fields })

it.each([3, 300, 5000])('writes %d fields as the text of the object that they are, sorted and not', (count) => {
  const set = setOf(fieldsOf(count))
  const fields = encodeFieldsV1(set)
  const text = fieldsV1Text(fields, encodeJson)
  const sorted = sortedFieldsV1Text(fields, encodeJson)
  expect(sorted === undefined).toBe(count < 256)
  expect(text).toBe(encodeJson(fields))
  if (sorted !== undefined) expect(sorted).toBe(encodeJson(sortKeys(fields)))
  expect(equalJson(fields, fieldsOf(count))).toBe(true)
  expect(decodeFieldsV1(fields)).toBe(set)
})

it('makes of a huge set what is a plain object to everybody', () => {
  const huge = (): JsonObject => encodeFieldsV1(setOf(fieldsOf(5000)))
  const plain = JSON.parse(JSON.stringify(fieldsOf(5000))) as JsonObject
  expect(Object.keys(huge())).toEqual(Object.keys(plain))
  expect('f:spec' in huge()).toBe(true)
  expect(Object.hasOwn(huge(), 'f:none')).toBe(false)
  expect(equalJson({ ...huge() }, plain)).toBe(true)
  expect(equalJson(JSON.parse(JSON.stringify(huge())) as JsonObject, plain)).toBe(true)
  expect(Object.isFrozen(Object.freeze(huge()))).toBe(true)
  const names: string[] = []
  for (const name in huge()) names.push(name)
  expect(names).toEqual(Object.keys(plain))
})

describe('the form of fields', () => {
  it.each<[string, JsonObject, boolean]>([
    ['nothing', {}, true],
    ['a leaf', { 'f:a': {} }, true],
    ['leaves in order', { 'f:a': {}, 'f:b': {} }, true],
    ['leaves out of order', { 'f:b': {}, 'f:a': {} }, false],
    ['all kinds in order', { 'f:a': {}, 'k:{"b":1}': {}, 'v:"c"': {}, 'i:3': {} }, true],
    ['all kinds out of order', { 'k:{"b":1}': {}, 'f:a': {}, 'v:"c"': {}, 'i:3': {} }, false],
    ['a member with members', { 'f:a': { '.': {}, 'f:b': {} } }, true],
    ['a parent that is no member', { 'f:a': { 'f:b': {} } }, true],
    ['a dot that does not come first', { 'f:a': { 'f:b': {}, '.': {} } }, false],
    ['a dot that holds something', { 'f:a': { '.': { 'f:x': {} }, 'f:b': {} } }, false],
    ['a dot that is no object', { 'f:a': { '.': 1, 'f:b': {} } }, false],
    ['a dot at the top', { '.': {}, 'f:a': {} }, false],
    ['a leaf that says so', { 'f:a': { '.': {} } }, false],
    ['null for a leaf', { 'f:a': null }, false],
    ['a kind that is unknown', { 'f:a': {}, 'z:b': {} }, false],
    ['nothing but a kind that is unknown', { 'f:a': { 'z:b': {} } }, false],
    ['a key with a space', { 'k:{"a": 1}': {} }, false],
    ['a value with a space', { 'v: 1': {} }, false],
    ['an index with a zero before it', { 'i:03': {} }, false],
    ['a number as a text of the same length', { 'v:1e2': {} }, false],
    ['one key in two spellings', { 'k:{"a":1}': {}, 'k:{"a":1.0}': {} }, false],
  ])('%s', (_, given, isCanonical) => {
    const fields = structuredClone(given)
    const set = decodeFieldsV1(fields)
    expect(encodeFieldsV1(set) === fields).toBe(isCanonical)
    expect(decodeFieldsV1(fields)).toBe(set)
    expect(decodeFieldsV1(structuredClone(encodeFieldsV1(set))).equals(set)).toBe(true)
    expect(fieldsV1Text(fields, encodeJson)).toBe(encodeJson(given))
    expect(sortedFieldsV1Text(fields, encodeJson)).toBeUndefined()
  })

  it.each<[string, JsonValue, string]>([
    ['text', 'x', 'ReadMapCB: expect { or n, but found "'],
    ['a number', 7, 'ReadMapCB: expect { or n, but found 7'],
    ['a list', [], 'ReadMapCB: expect { or n, but found ['],
    ['a number for a leaf', { 'f:a': 1 }, 'ReadMapCB: expect { or n, but found 1'],
    ['no element', { a: {} }, 'key must be 2 characters long:'],
    ['no colon', { data: {} }, 'missing colon: data'],
  ])('%s is refused', (_, fields, message) => {
    expect(() => decodeFieldsV1(structuredClone(fields))).toThrow(message)
  })

  it.each([undefined, null])('%s is nothing', (fields) => {
    expect(decodeFieldsV1(fields)).toBe(FieldSet.empty)
  })

  it('nests as deep as an object may, and not deeper', () => {
    const nested = (depth: number): JsonObject => {
      let fields: JsonObject = {}
      for (let i = 0; i < depth; i++) fields = { 'f:a': fields }
      return fields
    }
    expect([...decodeFieldsV1(nested(1_000)).paths()]).toHaveLength(1)
    expect(() => decodeFieldsV1(nested(1_001))).toThrow('fields are nested too deeply')
  })

  it.each<[string, JsonObject, string[]]>([
    ['two keys that are one', { 'k:{"a":1}': { 'f:x': {} }, 'k:{"a": 1}': { 'f:y': {} } }, ['[a=1].x', '[a=1].y']],
    ['of which one is a leaf', { 'k:{"a":1}': {}, 'k:{"a": 1}': { 'f:y': {} } }, ['[a=1]', '[a=1].y']],
    ['of which the other is a leaf', { 'k:{"a":1}': { 'f:x': {} }, 'k:{"a": 1}': {} }, ['[a=1]', '[a=1].x']],
    ['of which none is a member', { 'k:{"a":1}': { 'f:x': {} }, 'k:{"a": 1}': { 'f:x': {} } }, ['[a=1].x']],
    ['beside others', { 'v:2': {}, 'v: 2': {}, 'v:1': {}, 'v: 3': {} }, ['[=1]', '[=2]', '[=3]']],
  ])('%s', (_, fields, paths) => {
    expect(String(decodeFieldsV1(structuredClone(fields))).split('\n')).toEqual(paths)
  })
})

describe('the text of fields', () => {
  const wide = (count: number): JsonObject => ({
    'f:b': Object.fromEntries(Array.from({ length: count }, (_, i) => [`f:n${i}`, { '.': {}, 'f:z': {} }])),
    'f:a': { 'f:x': { '.': {}, 'f:y': {} }, 'v:"<"': {} },
  })
  const encodeKey = (key: unknown): string => encodeJson(key as JsonValue)
  const plainOf = (count: number): JsonObject =>
    JSON.parse(JSON.stringify(encodeFieldsV1(setOf(wide(count))))) as JsonObject

  it.each([
    [255, false],
    [256, false],
    [257, true],
    [600, true],
  ])('of %i below one is written entry by entry: %s', (count, isWide) => {
    const fields = encodeFieldsV1(setOf(wide(count)))
    const encoded: unknown[] = []
    const noting = (value: unknown): string => {
      encoded.push(value)
      return encodeKey(value)
    }
    const text = fieldsV1Text(fields, noting)
    expect(text).toBe(encodeJson(plainOf(count)))
    expect(encoded.includes(fields)).toBe(!isWide)
    encoded.length = 0
    expect([fieldsV1Text(fields, noting), encoded]).toEqual([text, []])
    const sorted = sortedFieldsV1Text(fields, encodeKey)
    expect(sorted).toBe(isWide ? encodeJson(sortKeys(plainOf(count))) : undefined)
  })

  it('is that of an object whose keys are out of their order', () => {
    const keys = ['v:"b"', 'k:{"a":10}', 'k:{"a":9}', 'f:z', 'f:"', 'i:10', 'i:9']
    const many = Array.from({ length: 300 }, (_, i) => `v:${i}`)
    const fields = encodeFieldsV1(setOf(Object.fromEntries([...keys, ...many].map((key) => [key, {}]))))
    const plain = JSON.parse(JSON.stringify(fields)) as JsonObject
    expect(fieldsV1Text(fields, encodeJson)).toBe(encodeJson(plain))
    expect(sortedFieldsV1Text(fields, encodeJson)).toBe(encodeJson(sortKeys(plain)))
  })

  it.each([
    [3, false, false],
    [3, true, false],
    [600, false, true],
    [600, true, true],
    [5_000, false, true],
  ])('of %i can be made in steps (sorted: %s)', (count, sorted, isMade) => {
    const fields = encodeFieldsV1(setOf(wide(count)))
    const steps = prepareFieldsV1Text(fields, sorted, encodeKey)
    const made = countSteps(steps)
    expect(made >= (isMade ? count / 200 : 0)).toBe(true)
    expect(made <= (isMade ? count / 10 : 0)).toBe(true)
    const plain = encodeJson(plainOf(count))
    expect(knownText(fields)).toBe(isMade && !sorted ? plain : undefined)
    const asked: unknown[] = []
    const noting = (key: unknown): string => {
      asked.push(key)
      return encodeKey(key)
    }
    const text = sorted ? sortedFieldsV1Text(fields, noting) : fieldsV1Text(fields, noting)
    expect(text).toBe(sorted ? (isMade ? encodeJson(sortKeys(plainOf(count))) : undefined) : plain)
    // The text of a small set may be known from one that was the same.
    if (isMade) expect(asked).toEqual([])
    expect(countSteps(prepareFieldsV1Text(fields, sorted, encodeKey))).toBe(0)
  })

  it('is not made of fields that are written otherwise', () => {
    const loose = { 'f:b': {}, 'f:a': Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`v:${i}`, {}])) }
    decodeFieldsV1(loose)
    expect(countSteps(prepareFieldsV1Text(loose, false, encodeKey))).toBe(0)
    expect([knownText(loose), fieldsV1Text(loose, () => 'as given')]).toEqual([undefined, 'as given'])
    expect(countSteps(prepareFieldsV1Text({ 'f:a': {} }, false, encodeKey))).toBe(0)
  })
})

function countSteps(steps: Steps<unknown>): number {
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

describe('fields that are made when they are looked at', () => {
  const huge = (count: number): { fields: JsonObject; plain: JsonObject } => {
    const plain = {
      'f:metadata': { 'f:labels': {} },
      'f:spec': { '.': {}, 'f:a': {} },
      'f:z': Object.fromEntries(Array.from({ length: count }, (_, i) => [`v:${i}`, {}])),
    }
    return { fields: encodeFieldsV1(setOf(plain)), plain }
  }

  it.each([
    [4_091, false],
    [4_092, true],
  ])('are made in steps where they are settled: %i, %s', (count, isHuge) => {
    const { fields, plain } = huge(count)
    const steps = countSteps(materialize(fields))
    expect([steps > 10, steps < 400]).toEqual([isHuge, true])
    expect(Object.keys(fields)).toEqual(Object.keys(plain))
    expect(equalJson(fields, plain)).toBe(true)
    expect(encodeJson(JSON.parse(JSON.stringify(fields)) as JsonValue)).toBe(encodeJson(plain))
    expect(countSteps(materialize(fields))).toBe(0)
  })

  it.each([
    [60, 60, false],
    [70, 60, true],
    [2_000, 3, true],
  ])('are huge by all levels together: %i of %i each, %s', (wide, below, isHuge) => {
    const names = (count: number): number[] => Array.from({ length: count }, (_, i) => 1000 + i)
    const each = Object.fromEntries(names(below).map((i) => [`f:n${i}`, {}]))
    const plain: JsonObject = Object.fromEntries(names(wide).map((i) => [`f:k${i}`, { ...each }]))
    const fields = encodeFieldsV1(setOf(plain))
    expect(types.isProxy(fields)).toBe(isHuge)
    const steps = countSteps(prepareFieldsV1Text(fields, false, encodeJson))
    expect(knownText(fields) !== undefined).toBe(isHuge)
    if (wide > 1000) expect(steps).toBeGreaterThan(10)
    expect(fieldsV1Text(fields, encodeJson)).toBe(encodeJson(plain))
    runToEnd(materialize(fields))
    expect(equalJson(fields, plain)).toBe(true)
  })

  it('may have been looked at before they are settled', () => {
    const { fields, plain } = huge(5_000)
    const below = fields['f:z']
    expect(countSteps(materialize(fields))).toBe(0)
    expect(fields['f:z']).toBe(below)
    expect(Object.keys(fields)).toEqual(Object.keys(plain))
    runToEnd(materializeAll(fields))
  })

  it.each<[string, (fields: JsonObject) => unknown, unknown]>([
    ['asked for a key', (fields) => fields['f:metadata'] !== undefined, true],
    ['asked whether they have one', (fields) => 'f:metadata' in fields, true],
    ['asked whether they own one', (fields) => Object.hasOwn(fields, 'f:metadata'), true],
    ['listed', (fields) => Object.keys(fields), ['f:metadata', 'f:spec', 'f:z']],
    [
      'set',
      (fields) => {
        fields['f:metadata'] = {}
        return Object.keys(fields).length
      },
      3,
    ],
    [
      'rid of one',
      (fields) => {
        delete fields['f:metadata']
        return Object.keys(fields)
      },
      ['f:spec', 'f:z'],
    ],
    [
      'defined',
      (fields) => {
        Object.defineProperty(fields, 'f:metadata', { value: 1, configurable: true })
        return fields['f:metadata']
      },
      1,
    ],
    [
      'sealed',
      (fields) => {
        Object.preventExtensions(fields)
        return Object.keys(fields).length
      },
      3,
    ],
  ])('are there when they are %s', (_, touch, expected) => {
    expect(touch(huge(5_000).fields)).toEqual(expected)
  })

  it('share the form of a part that was written before', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`v:"s${i + 100}"`, {}]))
    const plain: JsonObject = { 'f:part': { '.': {}, ...many }, 'f:rest': { ...many }, ...huge(5_000).plain }
    const fields = encodeFieldsV1(setOf(plain))
    runToEnd(materialize(fields))
    expect(JSON.stringify(fields['f:part'])).toBe(JSON.stringify(plain['f:part']))
    expect(JSON.stringify(fields['f:rest'])).toBe(JSON.stringify(plain['f:rest']))
  })
})

import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { schemaFromOpenApi } from './from-openapi.ts'
import { validateLists } from './list-keys.ts'
import { validateValue } from './validate.ts'

const texts = (spec: JsonObject, value: JsonValue, old?: JsonValue): string[] =>
  runToEnd(
    validateValue(
      { spec: value },
      schemaFromOpenApi({ type: 'object', properties: { spec } }),
      old === undefined ? undefined : { spec: old },
    ),
  )
    .map(({ field, message }) => `${field}: ${message}`)
    .sort()

const cases: { name: string; spec: JsonObject; value: JsonValue; errors: string[] }[] = [
  { name: 'a value of the right type', spec: { type: 'string' }, value: 'x', errors: [] },
  {
    name: 'a value of the wrong type',
    spec: { type: 'string' },
    value: 5,
    errors: ['spec: Invalid value: "integer": spec in body must be of type string: "integer"'],
  },
  { name: 'a whole number where any is allowed', spec: { type: 'number' }, value: 5, errors: [] },
  {
    name: 'a fraction where a whole number belongs',
    spec: { type: 'integer', multipleOf: 2 },
    value: 2.5,
    errors: [
      'spec: Invalid value: "number": spec in body must be of type integer: "number"',
      'spec: Invalid value: 2.5: spec in body should be a multiple of 2',
    ],
  },
  { name: 'the last float that is a whole number', spec: { type: 'integer' }, value: 2 ** 53 - 1, errors: [] },
  { name: 'a whole number beyond it', spec: { type: 'integer' }, value: 2n ** 53n, errors: [] },
  {
    name: 'a float beyond it',
    spec: { type: 'integer' },
    value: 2 ** 53,
    errors: ['spec: Invalid value: "number": spec in body must be of type integer: "number"'],
  },
  {
    name: 'neither number nor text',
    spec: { 'x-kubernetes-int-or-string': true },
    value: true,
    errors: ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
  },
  {
    name: 'a null that is not allowed',
    spec: { type: 'string' },
    value: null,
    errors: ['spec: Invalid value: "null": spec in body must be of type string: "null"'],
  },
  { name: 'a null that is allowed', spec: { type: 'string', nullable: true }, value: null, errors: [] },
  {
    name: 'required keys',
    spec: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' } } },
    value: { a: '' },
    errors: ['spec.b: Required value'],
  },
  {
    name: 'an enum of texts',
    spec: { type: 'string', enum: ['red', 'blue'] },
    value: 'green',
    errors: ['spec: Unsupported value: "green": supported values: "red", "blue"'],
  },
  {
    name: 'an enum of numbers',
    spec: { type: 'integer', enum: [1, 2] },
    value: 4,
    errors: ['spec: Unsupported value: 4: supported values: "1", "2"'],
  },
  {
    name: 'a text that is too long, whatever its pattern',
    spec: { type: 'string', maxLength: 3, pattern: '^[a-z]+$' },
    value: 'LONG',
    errors: ['spec: Too long: may not be more than 3 bytes'],
  },
  { name: 'length in characters', spec: { type: 'string', maxLength: 1 }, value: '😀', errors: [] },
  {
    name: 'a text that is too short',
    spec: { type: 'string', minLength: 2 },
    value: 'x',
    errors: ['spec: Invalid value: "x": spec in body should be at least 2 chars long'],
  },
  {
    name: 'a pattern that would take for ever to match backwards',
    spec: { type: 'string', pattern: '^(a+)+$' },
    value: `${'a'.repeat(50)}!`,
    errors: [`spec: Invalid value: "${'a'.repeat(50)}!": spec in body should match '^(a+)+$'`],
  },
  {
    name: 'bounds',
    spec: { type: 'integer', minimum: 1, maximum: 10 },
    value: 13,
    errors: ['spec: Invalid value: 13: spec in body should be less than or equal to 10'],
  },
  {
    name: 'open bounds',
    spec: { type: 'number', minimum: 0, exclusiveMinimum: true },
    value: 0,
    errors: ['spec: Invalid value: 0: spec in body should be greater than 0'],
  },
  {
    name: 'elements and length of a list',
    spec: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 3 } },
    value: ['ok', 'toolong', 3],
    errors: [
      'spec: Too many: 3: must have at most 2 items',
      'spec[1]: Too long: may not be more than 3 bytes',
      'spec[2]: Invalid value: "integer": spec[2] in body must be of type string: "integer"',
    ],
  },
  {
    name: 'values and size of a map',
    spec: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer' } },
    value: { a: 1, b: 'two' },
    errors: [
      'spec.b: Invalid value: "string": spec.b in body must be of type integer: "string"',
      'spec: Too many: 2: must have at most 1 items',
    ],
  },
  {
    name: 'none of one',
    spec: { type: 'object', oneOf: [{ required: ['x'] }, { required: ['y'] }] },
    value: {},
    errors: [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.x: Required value',
    ],
  },
  {
    name: 'two of one',
    spec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      oneOf: [{ required: ['x'] }, { required: ['y'] }],
    },
    value: { x: 1, y: 2 },
    errors: [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  },
  {
    name: 'some of all',
    spec: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }] },
    value: 2,
    errors: [
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
      'spec: Invalid value: 2: spec in body should be greater than or equal to 3',
    ],
  },
  {
    name: 'what must not be',
    spec: { type: 'integer', not: { enum: [4] } },
    value: 4,
    errors: ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
  },
  {
    name: 'a format',
    spec: { type: 'string', format: 'ipv4' },
    value: 'here',
    errors: ['spec: Invalid value: "here": spec in body must be of type ipv4: "here"'],
  },
  { name: 'a format that nobody knows', spec: { type: 'string', format: 'shoe-size' }, value: 'x', errors: [] },
  {
    name: 'no bound from the format of a number',
    spec: { type: 'integer', format: 'int32' },
    value: 2 ** 40,
    errors: [],
  },
]

describe('validateValue', () => {
  it.each(cases)('$name', ({ spec, value, errors }) => {
    expect(texts(spec, value)).toEqual(errors)
  })

  it('refuses keys where there must be none', () => {
    expect(texts({ type: 'object', additionalProperties: false }, { a: 1 })).toEqual([
      'spec: Invalid value: "a": spec.a in body is a forbidden property',
    ])
  })

  it('forgives what has not changed, also inside of keyed lists', () => {
    const spec: JsonObject = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: { type: 'object', properties: { id: { type: 'integer' }, size: { type: 'integer', maximum: 5 } } },
    }
    expect(
      texts(
        spec,
        [
          { id: 2, size: 9 },
          { id: 1, size: 9 },
        ],
        [{ id: 1, size: 9 }],
      ),
    ).toEqual(['spec[0].size: Invalid value: 9: spec[0].size in body should be less than or equal to 5'])
  })

  const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'], maxItems: 1 }
  const ids: JsonObject = { type: 'object', properties: { id: { type: 'integer' } } }
  const needy: JsonObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }
  const either: JsonObject = {
    type: 'object',
    properties: { a: needy },
    anyOf: [{ properties: { a: { required: ['b'] } } }],
  }
  const short: JsonObject = {
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer' } },
    anyOf: [{ properties: { a: { maxLength: 1 } } }],
  }
  it.each<[string, JsonObject, JsonValue, JsonValue, number]>([
    [
      'elements with keys in another order',
      { ...keyed, items: ids },
      [{ id: 2 }, { id: 1 }],
      [{ id: 1 }, { id: 2 }],
      0,
    ],
    [
      'elements without keys in another order',
      { type: 'array', maxItems: 1, items: ids },
      [{ id: 2 }, { id: 1 }],
      [{ id: 1 }, { id: 2 }],
      1,
    ],
    ['an object that is described', needy, { a: 'x' }, { a: 'x' }, 0],
    [
      'an object with a key of which nothing is said',
      { ...needy, 'x-kubernetes-preserve-unknown-fields': true },
      { z: 1 },
      { z: 1 },
      1,
    ],
    ['values of any kind', { type: 'object', additionalProperties: true, minProperties: 2 }, { z: 1 }, { z: 1 }, 1],
    ['a value with alternatives', either, { a: { a: 'x' } }, { a: { a: 'x' } }, 0],
    ['a part of an alternative', short, { a: 'xx', n: 2 }, { a: 'xx', n: 1 }, 2],
  ])('counts as unchanged or not: %s', (_, spec, value, old, errors) => {
    expect(texts(spec, value, old)).toHaveLength(errors)
  })
})

describe('validateLists', () => {
  const lists = (list: JsonObject, value: JsonValue): string[] =>
    runToEnd(
      validateLists({ a: value }, schemaFromOpenApi({ type: 'object', properties: { a: { type: 'array', ...list } } })),
    ).map(({ field, message }) => `${field}: ${message}`)

  it('names the second of several equals in a set', () => {
    const set: JsonObject = { 'x-kubernetes-list-type': 'set', items: { type: 'string' } }
    expect(lists(set, ['a', 'b', 'a', 'a'])).toEqual(['a[2]: Duplicate value: "a"'])
  })

  it('shows the keys of equals in a map', () => {
    const map: JsonObject = {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string' } } },
    }
    expect(
      lists(map, [
        { port: 80, protocol: 'TCP' },
        { port: 80, protocol: 'UDP' },
        { port: 80, protocol: 'TCP' },
      ]),
    ).toEqual(['a[2]: Duplicate value: map[string]interface {}{"port":80, "protocol":"TCP"}'])
  })
})

import { expect, it } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import type { Field, ScalarKind, Schema } from '../../schema/schema.ts'
import { emptyObject } from './empty-object.ts'
import { anything, list, map, object, text } from './testing/test-schemas.ts'

const always = (schema: Schema) => ({ emit: schema })
const scalar = (kind: ScalarKind): Schema => ({ kind })

it.each<[string, Schema, JsonValue]>([
  ['a built-in type has what is always written', object({ a: always(text), b: text }, { name: 'x.X' }), { a: '' }],
  ['a custom type has nothing', object({ a: always(text) }), {}],
  ['what is no struct has nothing', map(text), {}],
  [
    'a struct in it',
    object({ a: always(object({ b: always(text) }, { name: 'y' })) }, { name: 'x' }),
    { a: { b: '' } },
  ],
  ...(
    [
      ['string', ''],
      ['duration', ''],
      ['integer', 0],
      ['number', 0],
      ['int-or-string', 0],
      ['boolean', false],
      ['quantity', '0'],
      ['time', null],
      ['bytes', null],
    ] as const
  ).map(([kind, zero]): [string, Schema, JsonValue] => [
    `the zero of a ${kind}`,
    object({ a: always(scalar(kind)) }, { name: 'x' }),
    { a: zero },
  ]),
  [
    'no list',
    object({ a: always(list(text)), b: always(map(text)), c: always(anything) }, { name: 'x' }),
    { a: null, b: null, c: null },
  ],
])('%s', (_, schema, expected) => {
  expect(emptyObject({ ...schema })).toEqual(expected)
})

it('a pointer is null', () => {
  const field: Field = { name: 'a', schema: text, required: false, pointer: true, emit: true }
  expect(emptyObject({ ...object({}, { name: 'x' }), fields: new Map([['a', field]]) })).toEqual({ a: null })
})

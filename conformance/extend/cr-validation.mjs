// Custom resources that break their schema: type, range, length, pattern, enum, required and combined rules, with exact causes.
import { crd, install } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'validation.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
          colour: { type: 'string', enum: ['red', 'blue'] },
          level: { type: 'integer', enum: [1, 2, 3] },
          count: { type: 'integer', minimum: 1, maximum: 10, multipleOf: 2 },
          ratio: { type: 'number', minimum: 0, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: true },
          on: { type: 'boolean' },
          list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 3 } },
          map: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'integer' } },
          nested: {
            type: 'object',
            required: ['a', 'b'],
            properties: {
              a: { type: 'string' },
              b: { type: 'string' },
              rows: {
                type: 'array',
                items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
              },
            },
          },
          pick: {
            type: 'object',
            properties: { x: { type: 'string' }, y: { type: 'string' } },
            oneOf: [{ required: ['x'] }, { required: ['y'] }],
          },
          some: {
            type: 'object',
            properties: { x: { type: 'string' }, y: { type: 'string' } },
            anyOf: [{ required: ['x'] }, { required: ['y'] }],
          },
          both: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }], not: { enum: [4] } },
        },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const post = (spec) =>
    t.post(
      url,
      { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec: { name: 'abc', ...spec } },
      { pick: unordered },
    )

  await post({ name: undefined })
  await post({ name: 'x' })
  await post({ name: 'TOOLONG' })
  await post({ name: 5 })
  await post({ colour: 'green', level: 4 })
  await post({ count: 0 })
  await post({ count: 13 })
  await post({ count: 2.5 })
  await post({ count: '2' })
  await post({ ratio: 0 })
  await post({ ratio: 1.5, on: 'yes' })
  await post({ list: [] })
  await post({ list: ['ok', 'toolong', 3] })
  await post({ list: 'x', map: [] })
  await post({ map: {} })
  await post({ map: { a: 1, b: 'two', c: 3 } })
  await post({ nested: { rows: [{ id: 1 }, {}, { id: 'x' }] } })
  await post({ pick: {} })
  await post({ pick: { x: '1', y: '2' }, some: {} })
  await post({ both: 2 })
  await post({ both: 4 })
  await post({ name: null, nested: null })
  await t.post(url, { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec: 'text' })
  await t.post(url, { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a', labels: { x: 5 } }, spec: {} })
  await t.post(
    url,
    {
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name: 'a', labels: { 'b@d': 'v' }, annotations: { '': '' } },
      spec: { name: 'abc' },
    },
    { pick: unordered },
  )
}

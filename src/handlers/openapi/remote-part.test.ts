import { expect, it } from 'vitest'
import { remotePart } from './remote-part.ts'

it('a type that is not what has its name here gets another name, wherever it is referred to', () => {
  const own = {
    paths: '',
    definitions: new Map([
      ['Meta', '{"type":"object"}'],
      ['Same', '{"type":"string"}'],
    ]),
    parameters: new Map<string, string>(),
  }
  const part = remotePart(
    {
      paths: { '/a': { $ref: '#/definitions/Thing' } },
      definitions: {
        Thing: { properties: { a: { $ref: '#/definitions/Meta' }, b: { $ref: '#/definitions/Same' } } },
        Meta: { type: 'object', description: 'other' },
        Same: { type: 'string' },
      },
      parameters: {},
    },
    [own],
  )
  expect([...part.definitions]).toEqual([
    ['Thing', '{"properties":{"a":{"$ref":"#/definitions/Meta_v2"},"b":{"$ref":"#/definitions/Same"}}}'],
    ['Meta_v2', '{"type":"object","description":"other"}'],
    ['Same', '{"type":"string"}'],
  ])
})

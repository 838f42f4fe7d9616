import { describe, expect, it } from 'vitest'
import type { Schema } from '../api/openapi.ts'
import { exampleOf, pathOfText, pathText, pathTitle, schemaAt, schemaPaths, valueAt } from './schema-paths.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        ports: { type: 'array', items: { type: 'object', properties: { number: { type: 'integer', minimum: 1 } } } },
        'a.b/c': { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
}

describe('places of a schema', () => {
  it('are all found, outer ones first', () => {
    expect(schemaPaths(schema).map(pathTitle)).toEqual([
      'the whole object',
      'spec',
      'spec.ports',
      'spec.a.b/c',
      'spec.ports[*]',
      'spec.a.b/c[*]',
      'spec.ports[*].number',
    ])
  })
  it('go through an address and back', () => {
    for (const path of schemaPaths(schema)) expect(pathOfText(pathText(path))).toEqual(path)
    expect(pathOfText('%zz')).toEqual(['%zz'])
  })
  it('have a schema and a value', () => {
    expect(schemaAt(schema, ['spec', 'ports', '*', 'number'])).toEqual({ type: 'integer', minimum: 1 })
    expect(schemaAt(schema, ['spec', 'constructor'])).toBeUndefined()
    expect(exampleOf(schema)).toEqual({ spec: { ports: [{ number: 1 }], 'a.b/c': {} } })
    expect(valueAt({ spec: { ports: [{ number: 7 }] } }, ['spec', 'ports', '*', 'number'])).toBe(7)
    expect(valueAt({ spec: 1 }, ['spec', 'toString'])).toBeUndefined()
  })
  it('are bounded', () => {
    const wide: Schema = { properties: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`p${i}`, {}])) }
    expect(schemaPaths(wide)).toHaveLength(500)
  })
})

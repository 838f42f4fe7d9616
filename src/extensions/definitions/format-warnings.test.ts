import { expect, test } from 'vitest'
import type { CustomResourceDefinitionSpec } from '../../catalog/types/apiextensions-v1.ts'
import { formatWarnings } from './format-warnings.ts'

const specOf = (properties: object): CustomResourceDefinitionSpec =>
  ({ versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties } } }] }) as never

const text = (format: string): object => ({ type: 'string', format })

test.each<[string, object, string[]]>([
  ['formats that are checked', { a: text('date-time'), b: text('uuid') }, []],
  ['a format of numbers', { a: { type: 'integer', format: 'int128' } }, []],
  [
    'in a list of maps',
    { a: { type: 'array', items: { type: 'object', additionalProperties: text('odd') } } },
    ['odd'],
  ],
  [
    'a property of that name',
    { format: text('x'), properties: { type: 'object', properties: { p: text('y') } } },
    ['x', 'y'],
  ],
  ['in an alternative', { a: { type: 'string', anyOf: [text('z')] } }, ['z']],
])('%s', (_name, properties, formats) => {
  const warnings = formats.map((format) => `unrecognized format "${format}"`)
  expect(formatWarnings({ spec: specOf(properties) }, 35)).toEqual(warnings)
  expect(formatWarnings({ spec: specOf(properties), old: specOf(properties) }, 35)).toEqual([])
  expect(formatWarnings({ spec: specOf(properties), old: specOf({}) }, 35)).toEqual(warnings)
})

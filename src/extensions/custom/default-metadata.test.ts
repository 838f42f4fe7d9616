import { expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { withTypedDefaults } from './default-metadata.ts'

const whole = { apiVersion: 'v1', kind: 'X' }
const embedded = (value: JsonObject): JsonObject => ({
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
  default: value,
})
const at = (inner: JsonObject): JsonObject => ({
  type: 'object',
  properties: { list: { type: 'array', items: inner } },
})

it('drops what no metadata has from the defaults of embedded objects, wherever they are', () => {
  const given = { ...whole, metadata: { name: 'a', bogus: 1, creationTimestamp: null }, extra: 1 }
  expect(withTypedDefaults(at(embedded(given)))).toEqual(at(embedded({ ...whole, metadata: { name: 'a' }, extra: 1 })))
})

it.each([
  ['no object is embedded', at({ type: 'object', default: { metadata: { bogus: 1 } } })],
  ['there is nothing to drop', at(embedded({ ...whole, metadata: { name: 'a' } }))],
  ['the metadata is malformed: validation says so', at(embedded({ ...whole, metadata: { name: 5 } }))],
])('leaves a schema as it is where %s', (_, schema) => {
  expect(withTypedDefaults(schema)).toBe(schema)
})

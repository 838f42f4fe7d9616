import { expect, it } from 'vitest'
import { equalJson, type JsonObject } from '../../api/json.ts'
import { encodeJson } from '../../codec/json.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import { FieldSet } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1, fieldsV1Text, sortedFieldsV1Text } from './fields-v1.ts'

/** Keys of all kinds, whose order as elements is not that of their texts. */
function fieldsOf(count: number): JsonObject {
  const items = Array.from({ length: count }, (_, i) => [`k:{"port":${i}}`, { '.': {}, 'f:port': {}, 'f:name': {} }])
  const values = Array.from({ length: count }, (_, i) => [`v:"v${i}"`, {}])
  return {
    'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
    'f:spec': { 'f:ports': { '.': {}, ...Object.fromEntries(items) }, 'f:set': Object.fromEntries(values) },
  }
}

it.each([3, 300, 5000])('writes %d fields as the text of the object that they are, sorted and not', (count) => {
  // Anew: what is decoded is remembered in the form that it came in.
  const set = FieldSet.from([...decodeFieldsV1(fieldsOf(count)).entries])
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
  const huge = (): JsonObject => encodeFieldsV1(FieldSet.from([...decodeFieldsV1(fieldsOf(5000)).entries]))
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

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { coerceObject } from './coerce-object.ts'

const schema = schemaFromOpenApi({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
})

const coerce = (object: JsonObject, malformed: 'refuse' | 'drop' = 'refuse') =>
  coerceObject(object, { schema, preserveUnknown: false, malformed })

describe('custom objects on their way in', () => {
  test('unknown fields go, and are named', () => {
    const { object, unknown } = coerce({
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'x', colour: 'red' },
      spec: { size: null, what: 1, pod: { kind: 'Pod', metadata: { name: 'p', nope: 1 }, free: true } },
    })
    expect(object).toEqual({
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'x', creationTimestamp: null },
      spec: { pod: { kind: 'Pod', metadata: { name: 'p' }, free: true } },
    })
    expect(unknown).toEqual(['metadata.colour', 'spec.what', 'spec.pod.metadata.nope'])
  })

  test('metadata of an embedded object that is null is a struct without fields', () => {
    const { object, error } = coerce({ apiVersion: 'a/v1', kind: 'A', spec: { pod: { kind: 'Pod', metadata: null } } })
    expect([object['spec'], error]).toEqual([{ pod: { kind: 'Pod', metadata: {} } }, undefined])
  })

  test('malformed metadata is refused in a body and dropped in the store', () => {
    const object = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x', labels: { a: 5 } } }
    expect(coerce(object).error).toBe(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    )
    expect(coerce(object, 'drop').object['metadata']).toEqual({ name: 'x', creationTimestamp: null })
    // The first in the order of keys, not of the body.
    const { error } = coerce({ ...object, metadata: { ...object.metadata, finalizers: [{}] } })
    expect(error).toBe('json: cannot unmarshal object into Go struct field ObjectMeta.finalizers of type string')
  })

  test('what an apply makes keeps the nulls of its types, for validation to refuse', () => {
    const object = { apiVersion: 'a/v1', kind: 'A', spec: { size: null } }
    const keep = { schema, preserveUnknown: false, malformed: 'refuse', keepsNulls: true } as const
    expect(coerceObject(object, keep).object['spec']).toEqual({ size: null })
    expect(coerce(object).object['spec']).toEqual({})
  })

  test('keys of strangers are plain keys', () => {
    const body = JSON.parse('{"apiVersion":"a/v1","kind":"A","spec":{"__proto__":{"size":1},"size":2}}') as JsonObject
    const { object, unknown } = coerce(body)
    expect(unknown).toEqual(['spec.__proto__'])
    expect(object['spec']).toEqual({ size: 2 })
  })
})

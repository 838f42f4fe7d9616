// How custom objects are kept: as text or as CBOR, and read whichever it was.
import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { objectCodec } from '../../registry/object-codec.ts'
import { customResource } from './custom-resource.ts'

const definition = customResource({
  group: 'example.com',
  names: { plural: 'things', kind: 'Thing', singular: 'thing' },
  namespaced: true,
  preserveUnknown: false,
  versions: [{ name: 'v1', served: true, storage: true }],
  schemaOf: () => ({
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }),
  ratcheting: true,
  isTerminating: () => false,
})
const object: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'b', uid: 'c', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { text: 'é', number: 1.5, integer: 2, list: [true, null], large: 9007199254740993n },
}
const key = '/registry/example.com/things/b/a'
const codecs = {
  json: objectCodec(definition, { layout: 'reference' }),
  cbor: objectCodec(definition, { layout: 'reference', cbor: true }),
}

it.each(['json', 'cbor'] as const)('reads what was stored as %s, whatever it would store itself', async (kind) => {
  const codec = codecs[kind]
  const value = codec.toStored(object, codec.encode(object), key)
  const isCbor = Buffer.from(value).subarray(0, 3).toString('hex') === 'd9d9f7'
  expect(isCbor).toBe(kind === 'cbor')
  expect(await codec.toStoredInTurns(object, codec.encode(object), key)).toEqual(value)
  for (const reader of Object.values(codecs)) {
    expect(reader.fromStored(value, key)).toEqual(object)
    expect(await reader.fromStoredInTurns(value, key)).toEqual(object)
  }
  expect(codec.isCurrent(value, object, key)).toBe(true)
  expect(codecs[kind === 'json' ? 'cbor' : 'json'].isCurrent(value, object, key)).toBe(false)
})

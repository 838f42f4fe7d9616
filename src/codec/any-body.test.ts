import { expect, it } from 'vitest'
import { schemaForKind } from '../catalog/catalog.ts'
import { decodedBody } from './any-body.ts'
import { encodeCbor } from './cbor.ts'
import { encodeProtobuf } from './protobuf.ts'

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }
const options = { apiVersion: 'apps/v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan' }
const protobuf = (object: typeof pod | typeof options, group: string) => {
  const schema = schemaForKind({ group, version: 'v1', kind: object.kind })
  if (schema === undefined) throw new Error('no such kind')
  return encodeProtobuf(object, schema)
}
const bytes = Buffer.from([1, 2, 3])

it.each([
  ['application/json', Buffer.from(JSON.stringify(pod)), pod],
  ['application/strategic-merge-patch+json', Buffer.from('{"data":null}'), { data: null }],
  ['application/apply-patch+yaml', Buffer.from('kind: Pod'), { kind: 'Pod' }],
  ['application/cbor', encodeCbor(pod), pod],
  ['application/apply-patch+cbor', encodeCbor(pod), pod],
  ['application/vnd.kubernetes.protobuf', protobuf(options, 'apps'), options],
  ['application/json', Buffer.from('{'), '{'],
  ['text/plain', Buffer.from('ok'), 'ok'],
  ['application/vnd.kubernetes.protobuf', bytes, bytes],
  ['application/cbor', bytes, bytes],
  ['application/octet-stream', bytes, bytes],
])('reads %s', (contentType, body, expected) => {
  expect(decodedBody(body, contentType)).toEqual(expected)
})

it('reads a whole object of Protobuf', () => {
  expect(decodedBody(protobuf(pod, ''), 'application/vnd.kubernetes.protobuf')).toMatchObject(pod)
})

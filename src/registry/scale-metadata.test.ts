import { expect, it } from 'vitest'
import type { ObjectMeta } from '../api/object.ts'
import { scaleMetadata } from './scale-metadata.ts'

const identity = {
  name: 'a',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '1970-01-01T00:00:00Z',
}

it.each<[string, ObjectMeta, ObjectMeta]>([
  ['what identifies the object', { ...identity, labels: { a: 'b' }, generation: 2 } as ObjectMeta, identity],
  ['nothing that the object does not have', { labels: { a: 'b' } }, { creationTimestamp: null }],
])('a scale has %s', (_, scaled, expected) => {
  const metadata = scaleMetadata(scaled)
  expect(metadata).toEqual(expected)
  expect(Object.keys(metadata)).toEqual(Object.keys(expected))
})

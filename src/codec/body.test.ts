import { describe, expect, test } from 'vitest'
import { typeSchema } from '../catalog/catalog.ts'
import { parseBody } from './body.ts'
import { DecodeError } from './decode-error.ts'
import { encodeEvent, encodeObject } from './encode.ts'
import type { Encoding } from './negotiation.ts'

const schema = typeSchema('core.v1.ConfigMap')
const type = { apiVersion: 'v1', kind: 'ConfigMap' }
const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v', on: 'yes' } }
const encodings: Encoding[] = ['json', 'yaml', 'protobuf', 'cbor']

describe('one object in every encoding', () => {
  test.each(encodings)('%s', (encoding) => {
    const body = parseBody(encodeObject(object, { encoding, schema }), encoding)
    expect(body.typeMeta()).toEqual(type)
    const { object: read, strict } = body.decode(schema, type)
    expect(strict).toEqual([])
    expect(read).toMatchObject({ ...object, metadata: { name: 'a' } })
  })
})

test('duplicate keys of YAML come before unknown fields', () => {
  const body = parseBody(Buffer.from('kind: ConfigMap\ndata:\n  a: "1"\n  a: "2"\nbogus: x\n'), 'yaml')
  expect(body.decode(schema, type).strict).toEqual([
    'yaml: unmarshal errors:\n  line 4: key "a" already set in map',
    'unknown field "bogus"',
  ])
})

test('an empty YAML body states no type', () => {
  expect(parseBody(Buffer.from(''), 'yaml').value()).toBeNull()
})

test.each<[Encoding, string]>([
  ['json', 'apiVersion: v1'],
  ['yaml', '['],
  ['protobuf', 'no envelope'],
  ['cbor', '\xff\xff'],
])('bytes that are no %s are a DecodeError', (encoding, text) => {
  expect(() => parseBody(Buffer.from(text, 'latin1'), encoding)).toThrow(DecodeError)
})

test('the shape of JSON', () => {
  expect(encodeObject({ a: 1 }, { encoding: 'json' }).toString()).toBe('{"a":1}\n')
  expect(encodeObject({ a: 1 }, { encoding: 'json', pretty: true }).toString()).toBe('{\n  "a": 1\n}')
})

test('events', () => {
  const json = encodeEvent('ADDED', Buffer.from('{"a":1}'), 'json')
  expect(json.toString()).toBe('{"type":"ADDED","object":{"a":1}}\n')
  const cbor = encodeEvent('ADDED', encodeObject({ a: 1 }, { encoding: 'cbor' }), 'cbor')
  expect(parseBody(cbor, 'cbor').value()).toEqual({ type: 'ADDED', object: { a: 1 } })
  const frame = encodeEvent('ADDED', encodeObject(object, { encoding: 'protobuf', schema }), 'protobuf')
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
})

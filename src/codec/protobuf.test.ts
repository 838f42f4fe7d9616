import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { setKey } from '../api/json.ts'
import { typeNames, typeSchema } from '../catalog/catalog.ts'
import type { Field, ObjectSchema, Schema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import {
  decodeEnvelope,
  decodeMessage,
  encodeListParts,
  encodeMessage,
  encodeProtobuf,
  encodeWatchFrame,
  hasProtobuf,
} from './protobuf.ts'

const type = { apiVersion: 'v1', kind: 'Thing' }
const roundTrip = (object: JsonObject, schema: ObjectSchema): JsonObject => {
  const envelope = decodeEnvelope(encodeProtobuf({ ...type, ...object }, schema))
  return decodeMessage(envelope.raw, schema, envelope)
}

/** Makes canonical JSON of a type: keys in wire order, zero values only where they are written. */
class Generator {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
  pick<T>(...items: T[]): T {
    return items[this.below(items.length)] as T
  }
  object(schema: ObjectSchema, depth: number): JsonObject {
    const object: JsonObject = {}
    for (const field of schema.fields.values()) {
      if (field.proto === undefined) continue
      const value = this.field(field, depth)
      if (value !== undefined) object[field.name] = value
    }
    return object
  }
  field({ schema, pointer, emit }: Field, depth: number): JsonValue | undefined {
    const byValue = schema.kind === 'object' && !pointer
    const absent = !byValue && (depth > 5 || this.below(3) === 0)
    if (absent) return emit ? (pointer ? null : this.zero(schema)) : undefined
    const value = this.value(schema, depth)
    if (pointer || byValue) return value
    const empty = value === '' || value === 0 || value === false || value === null || isEmpty(value)
    if (!empty) return value
    return emit ? this.zero(schema) : undefined
  }
  zero(schema: Schema): JsonValue {
    if (schema.kind === 'string') return ''
    if (schema.kind === 'integer' || schema.kind === 'number' || schema.kind === 'int-or-string') return 0
    if (schema.kind === 'boolean') return false
    if (schema.kind === 'quantity') return '0'
    return null
  }
  value(schema: Schema, depth: number): JsonValue {
    switch (schema.kind) {
      case 'object':
        return this.object(schema, depth + 1)
      case 'list':
        return Array.from({ length: this.below(3) }, () => this.value(schema.items, depth + 1))
      case 'map':
        return this.map(schema.values, depth)
      case 'string':
        return this.pick('', 'a', 'some text', 'größe', '日本', '😀', 'x'.repeat(60), 'é'.repeat(40), '\0')
      case 'integer':
        return schema.format === 'int64'
          ? this.pick<number | bigint>(0, 1, -1, 2 ** 40, -(2 ** 40), 2n ** 63n - 1n, -(2n ** 63n), 2 ** 53 - 1)
          : this.pick(0, 1, -1, 127, 128, 65536, 2 ** 31 - 1, -(2 ** 31))
      case 'number':
        return this.pick(0.5, -1, 1e300)
      case 'boolean':
        return this.pick(true, false)
      case 'int-or-string':
        return this.pick<JsonValue>(0, 80, -1, 'http', '50%')
      case 'quantity':
        return this.pick('0', '100m', '1Gi', '1500m', '12e6', '1')
      case 'time':
        return this.pick('2024-05-06T07:08:09Z', '1970-01-01T00:00:00Z', '1969-12-31T23:59:59Z')
      case 'micro-time':
        return this.pick('2024-05-06T07:08:09.123456Z', '1970-01-01T00:00:00.000000Z')
      case 'duration':
        return this.pick('1m30s', '0s')
      case 'bytes':
        return this.pick('aGk=', 'AAEC')
      case 'any':
        return this.any(schema.object, schema.name ?? '', depth)
    }
  }
  map(values: Schema, depth: number): JsonObject {
    const map: JsonObject = {}
    const keys = ['', '__proto__', 'a', 'b', 'constructor', 'é', '😀'].filter(() => this.below(3) === 0)
    for (const key of keys) setKey(map, key, this.value(values, depth + 1))
    return map
  }
  any(inner: ObjectSchema | undefined, name: string, depth: number): JsonValue {
    if (inner === undefined) return this.pick<JsonValue>({ a: [1, 'x', null] }, [true], 'text', 5, { 'f:x': {} })
    if (name.endsWith('OrBool')) return this.pick<JsonValue>(true, false, this.object(inner, depth + 1))
    if (name.endsWith('OrStringArray')) return this.pick<JsonValue>(['a', 'b'], this.object(inner, depth + 1))
    return this.pick<JsonValue>([this.object(inner, depth + 1)], this.object(inner, depth + 1))
  }
}
const isEmpty = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
const text = (value: JsonValue): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item))

const messages = [...typeNames()].filter((name) => hasProtobuf(typeSchema(name)))

describe('JSON to Protobuf and back is the identity', () => {
  test.each(messages)('%s', (name) => {
    const schema = typeSchema(name)
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), (seed) => {
        const body = new Generator(seed).object(schema, 0)
        const { kind, apiVersion, ...read } = roundTrip(body, schema)
        expect({ kind, apiVersion }).toEqual({
          kind: body['kind'] === undefined ? 'Thing' : body['kind'],
          apiVersion: body['apiVersion'] === undefined ? 'v1' : body['apiVersion'],
        })
        for (const key of ['kind', 'apiVersion']) delete body[key]
        expect(text(read)).toBe(text(body))
      }),
      { numRuns: 8 },
    )
  })
})

test('types without a Protobuf form', () => {
  expect(hasProtobuf(typeSchema('meta.v1.Table'))).toBe(false)
  expect(hasProtobuf(typeSchema('machinery.version.Info'))).toBe(false)
})

/** Written down from the field numbers and rules of the format, not from the encoder. */
test.each([
  [
    'an empty ConfigMap: by-value metadata with every scalar present',
    'core.v1.ConfigMap',
    {},
    '0a10' + '0a00' + '1200' + '1a00' + '2200' + '2a00' + '3200' + '3800' + '4200',
  ],
  [
    'a map sorts its keys',
    'meta.v1.LabelSelector',
    { matchLabels: { b: '2', a: '1' } },
    '0a060a01611201310a060a0162120132',
  ],
  ['pointers: absent', 'meta.v1.DeleteOptions', {}, ''],
  ['pointers: zero', 'meta.v1.DeleteOptions', { gracePeriodSeconds: 0, orphanDependents: false }, '08001800'],
  ['negative numbers take ten bytes', 'meta.v1.DeleteOptions', { gracePeriodSeconds: -1 }, '08ffffffffffffffffff01'],
  ['int-or-string by number', 'core.v1.TCPSocketAction', { port: 80 }, '0a06080010501a001200'],
  ['int-or-string by name', 'core.v1.TCPSocketAction', { port: 'http' }, '0a0a080110001a04687474701200'],
  ['embedded messages are always written', 'core.v1.SecretKeySelector', { key: 'k' }, '0a020a0012016b'],
  ['quantity', 'core.v1.ResourceRequirements', { limits: { cpu: '1' } }, '0a0a0a036370751203' + '0a0131'],
])('%s', (_, name, object: JsonObject, hex) => {
  expect(encodeMessage(object, typeSchema(name)).toString('hex')).toBe(hex)
})

test('the envelope', () => {
  const bytes = encodeProtobuf({ kind: 'DeleteOptions', apiVersion: 'v1' }, typeSchema('meta.v1.DeleteOptions'))
  expect(bytes.toString('latin1')).toBe('k8s\0\n\x13\n\x02v1\x12\rDeleteOptions\x12\0\x1a\0"\0')
})

test('a watch frame holds a bare event with the object in its envelope', () => {
  expect(encodeWatchFrame('ADDED', Buffer.from('xyz')).toString('hex')).toBe(
    `0000000e0a05${Buffer.from('ADDED').toString('hex')}12050a0378797a`,
  )
})

test('a list of encoded items is the same bytes as the list encoded whole', () => {
  const item = typeSchema('core.v1.ConfigMap')
  const items = Array.from({ length: 3 }, (_, i) => ({
    metadata: { name: `cm-${i}` },
    data: { k: 'v'.repeat(i * 100) },
  }))
  const metadata = { resourceVersion: '7', remainingItemCount: 2 }
  const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata }
  const whole = encodeProtobuf({ ...head, items }, typeSchema('core.v1.ConfigMapList'))
  const parts = encodeListParts({ ...head, items: items.map((object) => encodeMessage(object, item)) })
  expect(Buffer.concat(parts).equals(whole)).toBe(true)
})

test.each([
  ['', 'empty data'],
  ['6b3873', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
  ['6e6f', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
  ['6b387300', 'empty body'],
  ['6b387300ffff', 'unexpected EOF'],
  ['6b387300ffffffffffffffffffffff', 'proto: integer overflow'],
  ['6b3873000c', 'proto: Unknown: wiretype end group for non-group'],
  ['6b38730000', 'proto: Unknown: illegal tag 0 (wire type 0)'],
  ['6b38730012ffffffff0f', 'unexpected EOF'],
  ['6b38730012ffffffffffffffffff01', 'proto: negative length found during unmarshaling'],
])('the envelope %s is refused: %s', (hex, message) => {
  expect(() => decodeEnvelope(Buffer.from(hex, 'hex'))).toThrow(new DecodeError(message))
})

test('a field of the wrong wire type is named', () => {
  expect(() => decodeMessage(Buffer.from('0800', 'hex'), typeSchema('core.v1.ConfigMap'), type)).toThrow(
    new DecodeError('proto: wrong wireType = 0 for field Metadata'),
  )
})

test('unknown fields of every wire type are skipped', () => {
  const raw = Buffer.from('d03e05' + 'd23e0141' + 'd13e0000000000000000' + 'd53e00000000' + 'd33ed43e' + '0800', 'hex')
  expect(decodeMessage(raw, typeSchema('meta.v1.DeleteOptions'), type)).toEqual({ ...type, gracePeriodSeconds: 0 })
})

test('a message that comes in two parts is one message', () => {
  const schema = typeSchema('core.v1.Pod')
  const parts = [{ spec: { nodeName: 'n' } }, { spec: { hostname: 'h' } }]
  const [first, second] = parts.map((part) => {
    const spec = encodeMessage(part.spec, typeSchema('core.v1.PodSpec'))
    return Buffer.concat([Buffer.from([0x12, spec.length]), spec])
  })
  const pod = decodeMessage(Buffer.concat([first as Buffer, second as Buffer]), schema, type)
  expect(pod['spec']).toMatchObject({ hostname: 'h' })
})

test('nesting has a bound', () => {
  const schema = typeSchema('apiextensions.v1.JSONSchemaProps')
  let deep: Buffer = Buffer.alloc(0)
  for (let i = 0; i < 2000; i++) {
    const length: number[] = []
    let rest = deep.length
    for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128)
    deep = Buffer.concat([Buffer.from([0xe2, 0x01, ...length, rest]), deep])
  }
  expect(() => decodeMessage(deep, schema, type)).toThrow(new DecodeError('proto: exceeded max depth'))
})

test('random and damaged bytes give an object or a DecodeError', () => {
  const schema = typeSchema('core.v1.Pod')
  const good = encodeProtobuf(new Generator(5).object(schema, 0), schema)
  const attempt = (bytes: Buffer): void => {
    try {
      const envelope = decodeEnvelope(bytes)
      decodeMessage(envelope.raw, schema, envelope)
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError)
    }
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.nat(255), (junk, at, byte) => {
      attempt(Buffer.concat([Buffer.from('k8s\0'), junk]))
      const damaged = Buffer.from(good)
      damaged[at % good.length] = byte
      attempt(damaged)
      attempt(good.subarray(0, at % good.length))
    }),
    { numRuns: 500 },
  )
})

/**
 * `application/vnd.kubernetes.protobuf`: the four bytes `k8s\0`, then an `Unknown` message with the object's type and
 * its own message. Streams are frames of a four-byte big-endian length and a bare `WatchEvent` whose object is such an
 * envelope. The same bytes lie in etcd.
 */

import type { JsonObject } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import type { TypeMeta } from './json.ts'
import { messageCodec } from './protobuf-message.ts'
import { ProtobufReader } from './protobuf-reader.ts'
import { ReverseWriter } from './protobuf-writer.ts'

const prefix = Buffer.from('k8s\0')

/** `1a 00 22 00`: no encoding and no content type are written as empty texts. */
const unknownTail = Buffer.from([0x1a, 0, 0x22, 0])

export interface ProtobufEnvelope extends TypeMeta {
  /** The object's message: a view of the bytes given. */
  readonly raw: Buffer
  readonly contentEncoding: string
  readonly contentType: string
}

let spare: ReverseWriter | undefined

/** Encoding is synchronous and does not nest, so one writer's buffer serves call after call. */
function withWriter(fill: (writer: ReverseWriter) => void): Buffer {
  const writer = spare ?? new ReverseWriter()
  spare = undefined
  writer.reset()
  fill(writer)
  if (writer.isSmall) spare = writer
  return writer.finish()
}

/** Whether objects of the type can be sent as Protobuf at all. Tables and `/version` cannot. */
export const hasProtobuf = (schema: ObjectSchema): boolean => messageCodec(schema).exists

export const hasProtobufPrefix = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(prefix)

/** The bare message of an object, as an item of a list holds it. */
export function encodeMessage(object: JsonObject, schema: ObjectSchema): Buffer {
  const codec = messageCodec(schema)
  return withWriter((writer) => codec.write(writer, object))
}

/** The same of a large object. */
export function* encodeMessageInSteps(object: JsonObject, schema: ObjectSchema): Steps<Buffer> {
  const writer = new ReverseWriter()
  yield* messageCodec(schema).writeInSteps(writer, object)
  return writer.finish()
}

/** The envelope of an object; type and version are those that the object states. */
export function encodeProtobuf(object: JsonObject, schema: ObjectSchema): Buffer {
  const codec = messageCodec(schema)
  return withWriter((writer) => {
    writer.raw(unknownTail)
    const before = writer.length
    codec.write(writer, object)
    writeHead(writer, writer.length - before, typeMetaOf(object))
  })
}

/** The same of an object that may be large. */
export function* encodeProtobufInSteps(object: JsonObject, schema: ObjectSchema): Steps<Buffer> {
  const writer = new ReverseWriter()
  writer.raw(unknownTail)
  const before = writer.length
  yield* messageCodec(schema).writeInSteps(writer, object)
  writeHead(writer, writer.length - before, typeMetaOf(object))
  return writer.finish()
}

const typeMetaOf = ({ apiVersion, kind }: JsonObject): TypeMeta => ({
  apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
  kind: typeof kind === 'string' ? kind : '',
})

/** What comes before the object's message: prefix, type, and the message's length. */
function writeHead(writer: ReverseWriter, messageLength: number, { apiVersion, kind }: TypeMeta): void {
  writer.small(messageLength)
  writer.byte(0x12)
  const before = writer.length
  writer.string(kind)
  writer.byte(0x12)
  writer.string(apiVersion)
  writer.byte(0x0a)
  writer.small(writer.length - before)
  writer.byte(0x0a)
  writer.raw(prefix)
}

export interface ListParts extends TypeMeta {
  readonly metadata: JsonObject
  /** The bare messages of the items. */
  readonly items: readonly Uint8Array[]
}

/** A list from items that are encoded already: the pieces to send one after another. */
export function encodeListParts({ metadata, items, ...type }: ListParts): Uint8Array[] {
  const listMeta = encodeMessage(metadata, typeSchema('meta.v1.ListMeta'))
  const itemHeads = items.map((item) => lengthPrefixed(0x12, item.length))
  let length = lengthPrefixed(0x0a, listMeta.length).length + listMeta.length
  for (let i = 0; i < items.length; i++) length += (itemHeads[i] as Buffer).length + (items[i] as Uint8Array).length
  const head = withWriter((writer) => {
    writer.bytes(listMeta)
    writer.byte(0x0a)
    writeHead(writer, length, type)
  })
  return [head, ...items.flatMap((item, i) => [itemHeads[i] as Buffer, item]), unknownTail]
}

const lengthPrefixed = (tag: number, length: number): Buffer =>
  withWriter((writer) => {
    writer.small(length)
    writer.byte(tag)
  })

/** Throws a `DecodeError`. */
export function decodeEnvelope(bytes: Buffer): ProtobufEnvelope {
  if (bytes.length === 0) throw new DecodeError('empty data')
  if (!hasProtobufPrefix(bytes)) {
    throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  if (bytes.length === prefix.length) throw new DecodeError('empty body')
  const reader = new ProtobufReader(bytes, prefix.length)
  const found = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0), contentEncoding: '', contentType: '' }
  while (!reader.done) {
    const tag = reader.varint()
    if (tag === 0x0a) Object.assign(found, readTypeMeta(reader))
    else if (tag === 0x12) found.raw = reader.bytes()
    else if (tag === 0x1a) found.contentEncoding = reader.string()
    else if (tag === 0x22) found.contentType = reader.string()
    else skipUnknown(reader, tag, 'Unknown')
  }
  return found
}

function readTypeMeta(reader: ProtobufReader): TypeMeta {
  const type = { apiVersion: '', kind: '' }
  const outer = reader.enter()
  while (!reader.done) {
    const tag = reader.varint()
    if (tag === 0x0a) type.apiVersion = reader.string()
    else if (tag === 0x12) type.kind = reader.string()
    else skipUnknown(reader, tag, 'TypeMeta')
  }
  reader.leave(outer)
  return type
}

function skipUnknown(reader: ProtobufReader, tag: number, typeName: string): void {
  const wire = tag & 7
  if (wire === 4) throw new DecodeError(`proto: ${typeName}: wiretype end group for non-group`)
  if (tag < 8) throw new DecodeError(`proto: ${typeName}: illegal tag 0 (wire type ${wire})`)
  reader.skip(wire)
}

/** The object of an envelope. `type` says what it is, since the envelope may leave it open. Throws a `DecodeError`. */
export function decodeMessage(raw: Buffer, schema: ObjectSchema, type: TypeMeta): JsonObject {
  return messageCodec(schema).readTyped(new ProtobufReader(raw), type)
}

/** The same of a message that may be large. */
export const decodeMessageInSteps = (raw: Buffer, schema: ObjectSchema, type: TypeMeta): Steps<JsonObject> =>
  messageCodec(schema).readTypedInSteps(new ProtobufReader(raw), type)

/** One frame of a watch: an event whose object is the envelope given. */
export function encodeWatchFrame(type: string, envelope: Uint8Array): Buffer {
  return withWriter((writer) => {
    writer.bytes(envelope)
    writer.byte(0x0a)
    writer.small(writer.length)
    writer.byte(0x12)
    writer.string(type)
    writer.byte(0x0a)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(writer.length)
    writer.raw(length)
  })
}

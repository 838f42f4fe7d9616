/**
 * How single values lie in Protobuf: scalars, and the small messages that are a plain value in JSON (times, quantities,
 * int-or-string, raw JSON, wrapped lists). A codec writes and reads the value after its tag, with its length if it has
 * one.
 */
import { formatDuration, parseDuration } from '../api/duration.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { knownText } from '../api/known-text.ts'
import { Quantity, QuantityError } from '../api/quantity.ts'
import { formatMicroTime, formatTime, type Instant, parseTime } from '../api/time.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import { encodeJson, JsonDocument } from './json.ts'
import { itemsPerStep, type MessageState } from './protobuf-field.ts'
import type { ProtobufReader, WireType } from './protobuf-reader.ts'
import { eachField, fieldTag, messageValue, readValue, type ValueCodec } from './protobuf-value-codec.ts'
import type { ReverseWriter } from './protobuf-writer.ts'

type Write = ValueCodec['write']
type Read = ValueCodec['read']

const scalar = (wire: WireType, zero: JsonValue, codec: { write: Write; read: Read }): ValueCodec => ({
  wire,
  zero,
  nilable: false,
  ...codec,
})

const integer = (read: Read): ValueCodec =>
  scalar(0, 0, { write: (writer, value) => writer.integer(value as number | bigint), read })

const scalars: Readonly<Record<string, ValueCodec>> = {
  string: scalar(2, '', {
    write: (writer, value) => writer.string(value as string),
    read: (reader) => reader.string(),
  }),
  bool: scalar(0, false, { write: (writer, value) => writer.byte(value ? 1 : 0), read: (reader) => reader.bool() }),
  int32: integer((reader) => reader.int32()),
  int64: integer((reader) => reader.int64()),
  double: scalar(1, 0, {
    write: (writer, value) => writer.double(Number(value)),
    read: (reader) => reader.double(),
  }),
  bytes: {
    wire: 2,
    zero: null,
    nilable: true,
    write: (writer, value) => writer.bytes(Buffer.from(value as string, 'base64')),
    read: (reader) => reader.bytes().toString('base64'),
  },
}

const fitsDate = (seconds: number): boolean => Math.abs(seconds) <= 8.64e12

/** `2024-05-06T07:08:09Z`, which is how times are kept, without the general reader. */
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
function readInstant(text: string): Instant {
  const millis = plainTime.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? parseTime(text) : { seconds: millis / 1000, nanos: 0 }
}

function instant(options: { format: (at: Instant) => string; nanosOf: (at: Instant) => number }): ValueCodec {
  return messageValue({
    zero: null,
    fill(writer, value) {
      if (value === null) return
      const at = readInstant(value as string)
      writer.integer(options.nanosOf(at))
      writer.byte(fieldTag(2, 0))
      writer.integer(at.seconds)
      writer.byte(fieldTag(1, 0))
    },
    read(reader) {
      if (reader.done) return null
      let seconds = 0
      let nanos = 0
      eachField(reader, (tag) => {
        if (tag === fieldTag(1, 0)) seconds = Number(reader.int64())
        else if (tag === fieldTag(2, 0)) nanos = reader.int32()
        else return false
        return true
      })
      if (!fitsDate(seconds)) throw new DecodeError('proto: time out of range')
      return options.format({ seconds, nanos })
    },
  })
}

const time = instant({ format: formatTime, nanosOf: () => 0 })
const microTime = instant({
  format: formatMicroTime,
  nanosOf: ({ nanos }) => nanos - (nanos % 1000),
})

/** A message with one field that is the whole value. */
function single(zero: JsonValue, inner: { tag: number; write: Write; read: Read }): ValueCodec {
  return messageValue({
    zero,
    fill(writer, value) {
      inner.write(writer, value)
      writer.byte(inner.tag)
    },
    read(reader) {
      let value = zero
      eachField(reader, (tag) => {
        if (tag !== inner.tag) return false
        value = inner.read(reader)
        return true
      })
      return value
    },
  })
}

function canonicalQuantity(text: string): string {
  try {
    return Quantity.parse(text).toString()
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message)
    throw error
  }
}

const quantity = single('0', {
  tag: fieldTag(1, 2),
  write: (writer, value) => writer.string(String(value)),
  read: (reader) => canonicalQuantity(reader.string()),
})

const duration = single('0s', {
  tag: fieldTag(1, 0),
  write: (writer, value) => writer.integer(parseDuration(value as string)),
  read: (reader) => formatDuration(BigInt(reader.int64())),
})

const intOrString = messageValue({
  zero: 0,
  fill(writer, value) {
    const isText = typeof value === 'string'
    writer.string(isText ? value : '')
    writer.byte(fieldTag(3, 2))
    writer.integer(isText ? 0 : Number(value))
    writer.byte(fieldTag(2, 0))
    writer.byte(isText ? 1 : 0)
    writer.byte(fieldTag(1, 0))
  },
  read(reader) {
    let type: number | bigint = 0
    let number = 0
    let text = ''
    eachField(reader, (tag) => {
      if (tag === fieldTag(1, 0)) type = reader.int64()
      else if (tag === fieldTag(2, 0)) number = reader.int32()
      else if (tag === fieldTag(3, 2)) text = reader.string()
      else return false
      return true
    })
    if (type !== 0 && type !== 1) throw new DecodeError('impossible IntOrString.Type')
    return type === 0 ? number : text
  },
})

/** Raw extensions, `fieldsV1` and arbitrary JSON: the JSON text in a `raw` field; `null` is no text. */
const rawJson = messageValue({
  zero: null,
  fill(writer, value) {
    if (value === null) return
    writer.string((typeof value === 'object' ? knownText(value) : undefined) ?? encodeJson(value))
    writer.byte(fieldTag(1, 2))
  },
  read(reader) {
    let value: JsonValue = null
    eachField(reader, (tag) => {
      if (tag !== fieldTag(1, 2)) return false
      const bytes = reader.bytes()
      value = bytes.length === 0 ? null : new JsonDocument(bytes).value()
      return true
    })
    return value
  },
})

const stringList = messageValue({
  zero: null,
  nilable: true,
  fill(writer, value) {
    for (const item of (value as string[]).toReversed()) {
      writer.string(item)
      writer.byte(fieldTag(1, 2))
    }
  },
  read(reader) {
    const items: string[] = []
    eachField(reader, (tag) => {
      if (tag !== fieldTag(1, 2)) return false
      items.push(reader.string())
      return true
    })
    return items
  },
})

export interface ProtobufObjectCodec {
  write(writer: ReverseWriter, object: JsonObject): void
  writeInSteps(writer: ReverseWriter, object: JsonObject): Steps<void>
  read(reader: ProtobufReader): JsonObject
  readInSteps(reader: ProtobufReader): Steps<JsonObject>
  /** A message that comes in several parts is read into one state. */
  readInto(reader: ProtobufReader, state: MessageState): void
  readIntoInSteps(reader: ProtobufReader, state: MessageState): Steps<void>
  finish(state: MessageState): JsonObject
  finishInSteps(state: MessageState): Steps<JsonObject>
  zero(): JsonObject
}

/** A nested object as a value: the length, then its fields. */
export function objectValue(codec: () => ProtobufObjectCodec): ValueCodec {
  return {
    wire: 2,
    nilable: false,
    get zero() {
      return codec().zero()
    },
    write(writer, value) {
      const before = writer.length
      codec().write(writer, value as JsonObject)
      writer.small(writer.length - before)
    },
    read(reader) {
      const outer = reader.enter()
      const value = codec().read(reader)
      reader.leave(outer)
      return value
    },
    *writeInSteps(writer, value) {
      const before = writer.length
      yield* codec().writeInSteps(writer, value as JsonObject)
      writer.small(writer.length - before)
    },
    *readInSteps(reader) {
      const outer = reader.enter()
      const value = yield* codec().readInSteps(reader)
      reader.leave(outer)
      return value
    },
  }
}

/**
 * A JSON schema or something in its place. `schema` and `other` are field numbers; the other is a flag that stands for
 * the schema's absence, or a list.
 */
function schemaOr(name: string, schema: ValueCodec): ValueCodec {
  if (name.endsWith('OrBool')) return schemaOrBool(schema)
  return schemaOrList(schema, name.endsWith('OrStringArray') ? (scalars['string'] as ValueCodec) : schema)
}

function schemaOrBool(schema: ValueCodec): ValueCodec {
  function* readInSteps(reader: ProtobufReader): Steps<JsonValue> {
    let allows = false
    let found: JsonValue | undefined
    while (!reader.done) {
      const tag = reader.varint()
      if (tag === fieldTag(1, 0)) allows = reader.bool()
      else if (tag === fieldTag(2, 2)) found = yield* readValue(reader, schema)
      else reader.skip(tag & 7)
    }
    return found ?? allows
  }
  return messageValue({
    zero: false,
    fill(writer, value) {
      if (typeof value === 'object' && value !== null) {
        schema.write(writer, value)
        writer.byte(fieldTag(2, 2))
      }
      writer.byte(value ? 1 : 0)
      writer.byte(fieldTag(1, 0))
    },
    read: (reader) => runToEnd(readInSteps(reader)),
    readInSteps,
  })
}

function schemaOrList(schema: ValueCodec, item: ValueCodec): ValueCodec {
  function* readInSteps(reader: ProtobufReader): Steps<JsonValue> {
    const items: JsonValue[] = []
    let found: JsonValue = null
    while (!reader.done) {
      const tag = reader.varint()
      if (tag === fieldTag(1, 2)) found = yield* readValue(reader, schema)
      else if (tag === fieldTag(2, 2)) {
        if (items.length % itemsPerStep === itemsPerStep - 1) yield
        items.push(yield* readValue(reader, item))
      } else reader.skip(tag & 7)
    }
    return items.length > 0 ? items : found
  }
  return messageValue({
    zero: null,
    fill(writer, value) {
      if (Array.isArray(value)) {
        for (const entry of value.toReversed()) {
          item.write(writer, entry)
          writer.byte(fieldTag(2, 2))
        }
      } else if (value !== null) {
        schema.write(writer, value)
        writer.byte(fieldTag(1, 2))
      }
    },
    read: (reader) => runToEnd(readInSteps(reader)),
    readInSteps,
  })
}

/** The codec of one value of the schema; `objects` gives those of object types. */
export function valueCodec(
  schema: Schema,
  protoType: string,
  objects: (schema: ObjectSchema) => ValueCodec,
): ValueCodec {
  switch (schema.kind) {
    case 'object':
      return objects(schema)
    case 'time':
      return time
    case 'micro-time':
      return microTime
    case 'quantity':
      return quantity
    case 'int-or-string':
      return intOrString
    case 'duration':
      return duration
    case 'any':
      return schema.object === undefined ? rawJson : schemaOr(schema.name ?? '', objects(schema.object))
    case 'list':
      return stringList
    case 'map':
      throw new Error(`a map cannot be a single Protobuf value (${protoType})`)
    default: {
      const codec = scalars[protoType]
      if (codec === undefined) throw new Error(`no Protobuf encoding of ${schema.kind} as ${protoType}`)
      return codec
    }
  }
}

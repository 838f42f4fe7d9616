/**
 * The codec of one Protobuf value: it writes and reads the value after its tag, with its length if it has one. `messageValue` makes one of
 * a message that is a plain value in JSON.
 */
import type { JsonValue } from '../api/json.ts'
import type { Steps } from '../lib/in-turns.ts'
import { bytesPerStep } from './protobuf-field.ts'
import type { ProtobufReader, WireType } from './protobuf-reader.ts'
import type { ReverseWriter } from './protobuf-writer.ts'

export interface ValueCodec {
  readonly wire: WireType
  /** What a Go value of the type is before it is set, as JSON. */
  readonly zero: JsonValue
  /** An absent value is nothing at all, rather than a zero to be written. */
  readonly nilable: boolean
  write(writer: ReverseWriter, value: JsonValue): void
  read(reader: ProtobufReader): JsonValue
  /** Of values that may be long: messages with lists, maps or messages in them. */
  writeInSteps?(writer: ReverseWriter, value: JsonValue): Steps<void>
  readInSteps?(reader: ProtobufReader): Steps<JsonValue>
}

/** The value that comes next, which may be long. */
export function* readValue(reader: ProtobufReader, codec: ValueCodec): Steps<JsonValue> {
  if (codec.readInSteps === undefined || !reader.isLonger(bytesPerStep)) return codec.read(reader)
  return yield* codec.readInSteps(reader)
}

/** A message without a type of its own in JSON: `fill` writes its fields last to first, `read` reads them. */
export function messageValue(options: {
  zero: JsonValue
  nilable?: boolean
  fill: (writer: ReverseWriter, value: JsonValue) => void
  read: (fields: ProtobufReader) => JsonValue
  readInSteps?: (fields: ProtobufReader) => Steps<JsonValue>
}): ValueCodec {
  const { readInSteps } = options
  return {
    wire: 2,
    zero: options.zero,
    nilable: options.nilable ?? false,
    write(writer, value) {
      const before = writer.length
      options.fill(writer, value)
      writer.small(writer.length - before)
    },
    read(reader) {
      const outer = reader.enter()
      const value = options.read(reader)
      reader.leave(outer)
      return value
    },
    ...(readInSteps === undefined
      ? {}
      : {
          *readInSteps(reader: ProtobufReader) {
            const outer = reader.enter()
            const value = yield* readInSteps(reader)
            reader.leave(outer)
            return value
          },
        }),
  }
}

export const fieldTag = (number: number, wire: WireType): number => number * 8 + wire

/** Calls `field` for each known field of the message that the reader is in, and skips the others. */
export function eachField(reader: ProtobufReader, field: (tag: number) => boolean): void {
  while (!reader.done) {
    const tag = reader.varint()
    if (!field(tag)) reader.skip(tag & 7)
  }
}

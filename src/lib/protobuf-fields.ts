/** Protobuf messages that are few and small, by field number: no descriptors, unknown fields are skipped. */
import { Reader, Writer } from 'protobufjs/minimal.js'

export const bytesTag = (field: number): number => (field << 3) | 2

export function writeBytes(writer: Writer, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.uint32(bytesTag(field)).bytes(value)
}

export function writeText(writer: Writer, field: number, value: string): void {
  if (value !== '') writer.uint32(bytesTag(field)).string(value)
}

/** Calls `take` for every field that it may want; what it does not take is skipped. */
export function readFields(
  bytes: Uint8Array,
  take: (field: number, reader: Reader, wireType: number) => boolean,
): void {
  const reader = Reader.create(bytes)
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (!take(tag >>> 3, reader, tag & 7)) reader.skipType(tag & 7)
    }
  } catch (error) {
    throw new WireError(error)
  }
}

/** Bytes that are no message, in Go's words: what the package says of them is about its buffer. */
class WireError extends Error {
  constructor(cause: unknown) {
    super('proto: cannot parse invalid wire-format data', { cause })
  }
}

/** The fields that are strings, bytes, maps or messages. */
export function lengthDelimited(bytes: Uint8Array, take: (field: number, value: Uint8Array) => void): void {
  readFields(bytes, (field, reader, wireType) => {
    if (wireType !== 2) return false
    take(field, reader.bytes())
    return true
  })
}

export const utf8Text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

export function encodeFields(write: (writer: Writer) => void): Buffer {
  const writer = Writer.create()
  write(writer)
  return Buffer.from(writer.finish())
}

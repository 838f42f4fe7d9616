/** How gnostic's messages are written: a message is a table from the keys of the JSON form to field numbers and what writes each. */
import type protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import { encodeJson } from '../../codec/json.ts'

export type Writer = protobuf.Writer
/** Writes one field, tag included. */
type WriteField = (writer: Writer, field: number, value: JsonValue) => void
/** Writes the content of a message. */
export type WriteMessage = (writer: Writer, value: JsonValue) => void

const delimited = 2

export const string: WriteField = (writer, field, value) => {
  if (typeof value === 'string') writer.uint32((field << 3) | delimited).string(value)
}
export const bool: WriteField = (writer, field, value) => {
  if (value === true) writer.uint32(field << 3).bool(true)
}
const int64: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32(field << 3).int64(value)
}
export const double: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32((field << 3) | 1).double(value)
}

/** The message is looked up when it is first written: messages contain one another. */
export const message =
  (content: () => WriteMessage): WriteField =>
  (writer, field, value) => {
    writer.uint32((field << 3) | delimited).fork()
    content()(writer, value)
    writer.ldelim()
  }

export const repeated =
  (each: WriteField): WriteField =>
  (writer, field, value) => {
    if (Array.isArray(value)) for (const item of value) each(writer, field, item)
  }

/** A map is a message with one repeated field of names and values. */
export const mapContent =
  (value: () => WriteMessage, field = 1): WriteMessage =>
  (writer, map) => {
    for (const [name, inner] of entriesOf(map)) {
      writer.uint32((field << 3) | delimited).fork()
      string(writer, 1, name)
      message(value)(writer, 2, inner)
      writer.ldelim()
    }
  }
export const map = (value: () => WriteMessage, field = 1): WriteField => message(() => mapContent(value, field))

/** One field that holds the whole value: the messages that stand for an alternative. */
export const only =
  (field: number, write: WriteField): WriteMessage =>
  (writer, value) =>
    write(writer, field, value)

export const any: WriteField = message(() => (writer, value) => string(writer, 2, encodeJson(value)))

export type Table = Readonly<Record<string, readonly [number, WriteField]>>

export const tableMessage =
  (table: Table, extensions: number): WriteMessage =>
  (writer, value) => {
    for (const [key, inner] of entriesOf(value)) {
      const known = Object.hasOwn(table, key) ? table[key] : undefined
      if (known !== undefined) known[1](writer, known[0], inner)
      else if (key.startsWith('x-')) extension(writer, extensions, key, inner)
    }
  }

function extension(writer: Writer, field: number, name: string, value: JsonValue): void {
  writer.uint32((field << 3) | delimited).fork()
  string(writer, 1, name)
  any(writer, 2, value)
  writer.ldelim()
}

function* entriesOf(value: JsonValue): Generator<[string, JsonValue]> {
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) yield [key, inner]
}

export const isReference = (value: JsonValue): boolean => isJsonObject(value) && typeof value['$ref'] === 'string'
export const reference = tableMessage({ $ref: [1, string] }, 0)

export const bounds = (first: number): Table => ({
  multipleOf: [first, double],
  maximum: [first + 1, double],
  exclusiveMaximum: [first + 2, bool],
  minimum: [first + 3, double],
  exclusiveMinimum: [first + 4, bool],
  maxLength: [first + 5, int64],
  minLength: [first + 6, int64],
  pattern: [first + 7, string],
  maxItems: [first + 8, int64],
  minItems: [first + 9, int64],
  uniqueItems: [first + 10, bool],
  maxProperties: [first + 11, int64],
  minProperties: [first + 12, int64],
  required: [first + 13, repeated(string)],
  enum: [first + 14, repeated(any)],
})

export const info = (version: number): WriteMessage =>
  tableMessage({ title: [1, string], version: [version, string] }, 7)

/** `[{ BearerToken: [] }]` */
export const securityRequirements = repeated(message(() => mapContent(() => only(1, repeated(string)))))

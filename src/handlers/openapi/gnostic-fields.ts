/** How gnostic's messages are written: a message is a table from the keys of the JSON form to field numbers and what writes each. */
import type protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import { encodeJson } from '../../codec/json.ts'

export type GnosticWriter = protobuf.Writer
/** Writes one field, tag included. */
type WriteField = (writer: GnosticWriter, field: number, value: JsonValue) => void
/** Writes the content of a message. */
export type WriteMessage = (writer: GnosticWriter, value: JsonValue) => void

const delimited = 2

export const stringField: WriteField = (writer, field, value) => {
  if (typeof value === 'string') writer.uint32((field << 3) | delimited).string(value)
}
export const boolField: WriteField = (writer, field, value) => {
  if (value === true) writer.uint32(field << 3).bool(true)
}
const int64: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32(field << 3).int64(value)
}
export const doubleField: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32((field << 3) | 1).double(value)
}

/** The message is looked up when it is first written: messages contain one another. */
export const messageField =
  (content: () => WriteMessage): WriteField =>
  (writer, field, value) => {
    writer.uint32((field << 3) | delimited).fork()
    content()(writer, value)
    writer.ldelim()
  }

export const repeatedField =
  (each: WriteField): WriteField =>
  (writer, field, value) => {
    if (Array.isArray(value)) for (const item of value) each(writer, field, item)
  }

/** A map is a message with one repeated field of names and values. */
export const mapMessage =
  (value: () => WriteMessage, field = 1): WriteMessage =>
  (writer, mapField) => {
    for (const [name, inner] of entriesOf(mapField)) {
      writer.uint32((field << 3) | delimited).fork()
      stringField(writer, 1, name)
      messageField(value)(writer, 2, inner)
      writer.ldelim()
    }
  }
export const mapField = (value: () => WriteMessage, field = 1): WriteField =>
  messageField(() => mapMessage(value, field))

/** One field that holds the whole value: the messages that stand for an alternative. */
export const onlyField =
  (field: number, write: WriteField): WriteMessage =>
  (writer, value) =>
    write(writer, field, value)

export const anyField: WriteField = messageField(() => (writer, value) => stringField(writer, 2, encodeJson(value)))

export type MessageTable = Readonly<Record<string, readonly [number, WriteField]>>

export const tableMessage =
  (table: MessageTable, extensions: number): WriteMessage =>
  (writer, value) => {
    for (const [key, inner] of entriesOf(value)) {
      const known = Object.hasOwn(table, key) ? table[key] : undefined
      if (known !== undefined) known[1](writer, known[0], inner)
      else if (key.startsWith('x-')) extension(writer, extensions, key, inner)
    }
  }

function extension(writer: GnosticWriter, field: number, name: string, value: JsonValue): void {
  writer.uint32((field << 3) | delimited).fork()
  stringField(writer, 1, name)
  anyField(writer, 2, value)
  writer.ldelim()
}

function* entriesOf(value: JsonValue): Generator<[string, JsonValue]> {
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) yield [key, inner]
}

export const isReference = (value: JsonValue): boolean => isJsonObject(value) && typeof value['$ref'] === 'string'
export const referenceMessage = tableMessage({ $ref: [1, stringField] }, 0)

export const boundFields = (first: number): MessageTable => ({
  multipleOf: [first, doubleField],
  maximum: [first + 1, doubleField],
  exclusiveMaximum: [first + 2, boolField],
  minimum: [first + 3, doubleField],
  exclusiveMinimum: [first + 4, boolField],
  maxLength: [first + 5, int64],
  minLength: [first + 6, int64],
  pattern: [first + 7, stringField],
  maxItems: [first + 8, int64],
  minItems: [first + 9, int64],
  uniqueItems: [first + 10, boolField],
  maxProperties: [first + 11, int64],
  minProperties: [first + 12, int64],
  required: [first + 13, repeatedField(stringField)],
  enum: [first + 14, repeatedField(anyField)],
})

export const infoMessage = (version: number): WriteMessage =>
  tableMessage({ title: [1, stringField], version: [version, stringField] }, 7)

/** `[{ BearerToken: [] }]` */
export const securityRequirements = repeatedField(
  messageField(() => mapMessage(() => onlyField(1, repeatedField(stringField)))),
)

/**
 * OpenAPI documents in the Protobuf form that Kubernetes clients ask for (gnostic's messages). A message is a table from
 * the keys of the JSON form to field numbers; keys that begin with `x-` are extensions, and what has no field is left
 * out, since the form has no place for it.
 */
import protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { encodeJson } from '../../codec/json.ts'

type Writer = protobuf.Writer
/** Writes one field, tag included. */
type WriteField = (writer: Writer, field: number, value: JsonValue) => void
/** Writes the content of a message. */
type WriteMessage = (writer: Writer, value: JsonValue) => void

const delimited = 2

const string: WriteField = (writer, field, value) => {
  if (typeof value === 'string') writer.uint32((field << 3) | delimited).string(value)
}
const bool: WriteField = (writer, field, value) => {
  if (value === true) writer.uint32(field << 3).bool(true)
}
const int64: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32(field << 3).int64(value)
}
const double: WriteField = (writer, field, value) => {
  if (typeof value === 'number') writer.uint32((field << 3) | 1).double(value)
}

/** The message is looked up when it is first written: messages contain one another. */
const message =
  (content: () => WriteMessage): WriteField =>
  (writer, field, value) => {
    writer.uint32((field << 3) | delimited).fork()
    content()(writer, value)
    writer.ldelim()
  }

const repeated =
  (each: WriteField): WriteField =>
  (writer, field, value) => {
    if (Array.isArray(value)) for (const item of value) each(writer, field, item)
  }

/** A map is a message with one repeated field of names and values. */
const mapContent =
  (value: () => WriteMessage, field = 1): WriteMessage =>
  (writer, map) => {
    for (const [name, inner] of entriesOf(map)) {
      writer.uint32((field << 3) | delimited).fork()
      string(writer, 1, name)
      message(value)(writer, 2, inner)
      writer.ldelim()
    }
  }
const map = (value: () => WriteMessage, field = 1): WriteField => message(() => mapContent(value, field))

/** One field that holds the whole value: the messages that stand for an alternative. */
const only =
  (field: number, write: WriteField): WriteMessage =>
  (writer, value) =>
    write(writer, field, value)

const any: WriteField = message(() => (writer, value) => string(writer, 2, encodeJson(value)))

type Table = Readonly<Record<string, readonly [number, WriteField]>>

const tableMessage =
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

const isReference = (value: JsonValue): boolean => isJsonObject(value) && typeof value['$ref'] === 'string'
const reference = tableMessage({ $ref: [1, string] }, 0)

const bounds = (first: number): Table => ({
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

const info = (version: number): WriteMessage => tableMessage({ title: [1, string], version: [version, string] }, 7)

/** `[{ BearerToken: [] }]` */
const securityRequirements = repeated(message(() => mapContent(() => only(1, repeated(string)))))

const schemaV2: WriteMessage = tableMessage(
  {
    $ref: [1, string],
    format: [2, string],
    title: [3, string],
    description: [4, string],
    default: [5, any],
    ...bounds(6),
    additionalProperties: [21, message(() => schemaOrBooleanV2)],
    type: [22, message(() => only(1, string))],
    items: [
      23,
      message(() =>
        only(
          1,
          message(() => schemaV2),
        ),
      ),
    ],
    allOf: [24, repeated(message(() => schemaV2))],
    properties: [25, map(() => schemaV2)],
  },
  31,
)

const schemaOrBooleanV2: WriteMessage = (writer, value) => {
  if (typeof value === 'boolean') bool(writer, 2, value)
  else message(() => schemaV2)(writer, 1, value)
}

const bodyParameter = tableMessage(
  {
    description: [1, string],
    name: [2, string],
    in: [3, string],
    required: [4, bool],
    schema: [5, message(() => schemaV2)],
  },
  6,
)
const plainParameterFields: Table = {
  required: [1, bool],
  in: [2, string],
  description: [3, string],
  name: [4, string],
}
const queryParameter = tableMessage({ ...plainParameterFields, type: [6, string], uniqueItems: [20, bool] }, 23)
const pathParameter = tableMessage({ ...plainParameterFields, type: [5, string], uniqueItems: [19, bool] }, 22)

const parameterV2: WriteMessage = (writer, value) => {
  const place = isJsonObject(value) ? value['in'] : ''
  if (place === 'body') return message(() => bodyParameter)(writer, 1, value)
  const inner =
    place === 'path'
      ? only(
          4,
          message(() => pathParameter),
        )
      : only(
          3,
          message(() => queryParameter),
        )
  message(() => inner)(writer, 2, value)
}

const parametersV2 = repeated(
  message(() => (writer, value) => {
    if (isReference(value)) message(() => reference)(writer, 2, value)
    else message(() => parameterV2)(writer, 1, value)
  }),
)

const responseV2 = tableMessage(
  {
    description: [1, string],
    schema: [
      2,
      message(() =>
        only(
          1,
          message(() => schemaV2),
        ),
      ),
    ],
  },
  5,
)

const operationV2 = tableMessage(
  {
    tags: [1, repeated(string)],
    summary: [2, string],
    description: [3, string],
    operationId: [5, string],
    produces: [6, repeated(string)],
    consumes: [7, repeated(string)],
    parameters: [8, parametersV2],
    responses: [
      9,
      map(() =>
        only(
          1,
          message(() => responseV2),
        ),
      ),
    ],
    schemes: [10, repeated(string)],
    deprecated: [11, bool],
  },
  13,
)
const operationFieldV2 = message(() => operationV2)

const pathItemV2 = tableMessage(
  {
    get: [2, operationFieldV2],
    put: [3, operationFieldV2],
    post: [4, operationFieldV2],
    delete: [5, operationFieldV2],
    options: [6, operationFieldV2],
    head: [7, operationFieldV2],
    patch: [8, operationFieldV2],
    parameters: [9, parametersV2],
  },
  10,
)

const apiKey = tableMessage({ type: [1, string], name: [2, string], in: [3, string], description: [4, string] }, 5)

const documentV2 = tableMessage(
  {
    swagger: [1, string],
    info: [2, message(() => info(2))],
    paths: [8, map(() => pathItemV2, 2)],
    definitions: [9, map(() => schemaV2)],
    parameters: [10, map(() => parameterV2)],
    security: [12, securityRequirements],
    securityDefinitions: [
      13,
      map(() =>
        only(
          2,
          message(() => apiKey),
        ),
      ),
    ],
  },
  16,
)

const schemaOrReference: WriteMessage = (writer, value) => {
  if (isReference(value)) message(() => reference)(writer, 2, value)
  else message(() => schemaV3)(writer, 1, value)
}
const schemaField = message(() => schemaOrReference)

const schemaV3: WriteMessage = tableMessage(
  {
    nullable: [1, bool],
    readOnly: [3, bool],
    deprecated: [8, bool],
    title: [9, string],
    ...bounds(10),
    type: [25, string],
    allOf: [26, repeated(schemaField)],
    oneOf: [27, repeated(schemaField)],
    anyOf: [28, repeated(schemaField)],
    not: [29, message(() => schemaV3)],
    items: [30, message(() => only(1, schemaField))],
    properties: [31, map(() => schemaOrReference)],
    additionalProperties: [32, message(() => schemaOrBooleanV3)],
    default: [33, defaultField],
    description: [34, string],
    format: [35, string],
  },
  36,
)

const schemaOrBooleanV3: WriteMessage = (writer, value) => {
  if (typeof value === 'boolean') bool(writer, 2, value)
  else schemaField(writer, 1, value)
}

/** A default is a number, a truth value or a text; the form has no place for others. */
function defaultField(writer: Writer, field: number, value: JsonValue): void {
  if (typeof value === 'object') return
  const inner =
    typeof value === 'string' ? only(3, string) : typeof value === 'boolean' ? only(2, bool) : only(1, double)
  message(() => inner)(writer, field, value)
}

const mediaTypes = map(() => tableMessage({ schema: [1, schemaField] }, 5))

const parametersV3 = repeated(
  message(() =>
    only(
      1,
      message(() =>
        tableMessage(
          {
            name: [1, string],
            in: [2, string],
            description: [3, string],
            required: [4, bool],
            schema: [10, schemaField],
          },
          14,
        ),
      ),
    ),
  ),
)

const responseV3 = tableMessage({ description: [1, string], content: [3, mediaTypes] }, 5)
const responsesV3 = message(() =>
  mapContent(
    () =>
      only(
        1,
        message(() => responseV3),
      ),
    2,
  ),
)
const requestBody = message(() =>
  only(
    1,
    message(() => tableMessage({ description: [1, string], content: [2, mediaTypes], required: [3, bool] }, 4)),
  ),
)

const operationV3 = message(() =>
  tableMessage(
    {
      tags: [1, repeated(string)],
      description: [3, string],
      operationId: [5, string],
      parameters: [6, parametersV3],
      requestBody: [7, requestBody],
      responses: [8, responsesV3],
      deprecated: [10, bool],
    },
    13,
  ),
)

const pathItemV3 = tableMessage(
  {
    get: [4, operationV3],
    put: [5, operationV3],
    post: [6, operationV3],
    delete: [7, operationV3],
    options: [8, operationV3],
    head: [9, operationV3],
    patch: [10, operationV3],
    parameters: [13, parametersV3],
  },
  14,
)

const securityScheme = tableMessage(
  { type: [1, string], description: [2, string], name: [3, string], in: [4, string], scheme: [5, string] },
  9,
)

const documentV3 = tableMessage(
  {
    openapi: [1, string],
    info: [2, message(() => info(6))],
    paths: [4, map(() => pathItemV3)],
    components: [
      5,
      message(() =>
        tableMessage(
          {
            schemas: [1, map(() => schemaOrReference)],
            securitySchemes: [
              7,
              map(() =>
                only(
                  1,
                  message(() => securityScheme),
                ),
              ),
            ],
          },
          10,
        ),
      ),
    ],
    security: [6, securityRequirements],
  },
  9,
)

/** A whole document of either version as Protobuf. */
export function encodeGnostic(dialect: 'v2' | 'v3', document: JsonObject): Buffer {
  const writer = protobuf.Writer.create()
  if (dialect === 'v2') documentV2(writer, document)
  else documentV3(writer, document)
  const bytes = writer.finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The messages of an OpenAPI v3 document. */

import type { JsonValue } from '../../api/json.ts'
import {
  boolField,
  boundFields,
  doubleField,
  type GnosticWriter,
  infoMessage,
  isReference,
  mapField,
  mapMessage,
  messageField,
  onlyField,
  referenceMessage,
  repeatedField,
  securityRequirements,
  stringField,
  tableMessage,
  type WriteMessage,
} from './gnostic-fields.ts'

const schemaOrReference: WriteMessage = (writer, value) => {
  if (isReference(value)) messageField(() => referenceMessage)(writer, 2, value)
  else messageField(() => schemaV3)(writer, 1, value)
}
const schemaField = messageField(() => schemaOrReference)

const schemaV3: WriteMessage = tableMessage(
  {
    nullable: [1, boolField],
    readOnly: [3, boolField],
    deprecated: [8, boolField],
    title: [9, stringField],
    ...boundFields(10),
    type: [25, stringField],
    allOf: [26, repeatedField(schemaField)],
    oneOf: [27, repeatedField(schemaField)],
    anyOf: [28, repeatedField(schemaField)],
    not: [29, messageField(() => schemaV3)],
    items: [30, messageField(() => onlyField(1, schemaField))],
    properties: [31, mapField(() => schemaOrReference)],
    additionalProperties: [32, messageField(() => schemaOrBooleanV3)],
    default: [33, defaultField],
    description: [34, stringField],
    format: [35, stringField],
  },
  36,
)

const schemaOrBooleanV3: WriteMessage = (writer, value) => {
  if (typeof value === 'boolean') boolField(writer, 2, value)
  else schemaField(writer, 1, value)
}

/** A default is a number, a truth value or a text; the form has no place for others. */
function defaultField(writer: GnosticWriter, field: number, value: JsonValue): void {
  if (typeof value === 'object') return
  const inner =
    typeof value === 'string'
      ? onlyField(3, stringField)
      : typeof value === 'boolean'
        ? onlyField(2, boolField)
        : onlyField(1, doubleField)
  messageField(() => inner)(writer, field, value)
}

const mediaTypes = mapField(() => tableMessage({ schema: [1, schemaField] }, 5))

const parametersV3 = repeatedField(
  messageField(() =>
    onlyField(
      1,
      messageField(() =>
        tableMessage(
          {
            name: [1, stringField],
            in: [2, stringField],
            description: [3, stringField],
            required: [4, boolField],
            schema: [10, schemaField],
          },
          14,
        ),
      ),
    ),
  ),
)

const responseV3 = tableMessage({ description: [1, stringField], content: [3, mediaTypes] }, 5)
const responsesV3 = messageField(() =>
  mapMessage(
    () =>
      onlyField(
        1,
        messageField(() => responseV3),
      ),
    2,
  ),
)
const requestBody = messageField(() =>
  onlyField(
    1,
    messageField(() =>
      tableMessage({ description: [1, stringField], content: [2, mediaTypes], required: [3, boolField] }, 4),
    ),
  ),
)

const operationV3 = messageField(() =>
  tableMessage(
    {
      tags: [1, repeatedField(stringField)],
      description: [3, stringField],
      operationId: [5, stringField],
      parameters: [6, parametersV3],
      requestBody: [7, requestBody],
      responses: [8, responsesV3],
      deprecated: [10, boolField],
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
  {
    type: [1, stringField],
    description: [2, stringField],
    name: [3, stringField],
    in: [4, stringField],
    scheme: [5, stringField],
  },
  9,
)

export const documentV3 = tableMessage(
  {
    openapi: [1, stringField],
    info: [2, messageField(() => infoMessage(6))],
    paths: [4, mapField(() => pathItemV3)],
    components: [
      5,
      messageField(() =>
        tableMessage(
          {
            schemas: [1, mapField(() => schemaOrReference)],
            securitySchemes: [
              7,
              mapField(() =>
                onlyField(
                  1,
                  messageField(() => securityScheme),
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

/** The messages of an OpenAPI v2 document. */

import { isJsonObject } from '../../api/json.ts'
import {
  anyField,
  boolField,
  boundFields,
  infoMessage,
  isReference,
  type MessageTable,
  mapField,
  messageField,
  onlyField,
  referenceMessage,
  repeatedField,
  securityRequirements,
  stringField,
  tableMessage,
  type WriteMessage,
} from './gnostic-fields.ts'

const schemaV2: WriteMessage = tableMessage(
  {
    $ref: [1, stringField],
    format: [2, stringField],
    title: [3, stringField],
    description: [4, stringField],
    default: [5, anyField],
    ...boundFields(6),
    additionalProperties: [21, messageField(() => schemaOrBooleanV2)],
    type: [22, messageField(() => onlyField(1, stringField))],
    items: [
      23,
      messageField(() =>
        onlyField(
          1,
          messageField(() => schemaV2),
        ),
      ),
    ],
    allOf: [24, repeatedField(messageField(() => schemaV2))],
    properties: [25, mapField(() => schemaV2)],
  },
  31,
)

const schemaOrBooleanV2: WriteMessage = (writer, value) => {
  if (typeof value === 'boolean') boolField(writer, 2, value)
  else messageField(() => schemaV2)(writer, 1, value)
}

const bodyParameter = tableMessage(
  {
    description: [1, stringField],
    name: [2, stringField],
    in: [3, stringField],
    required: [4, boolField],
    schema: [5, messageField(() => schemaV2)],
  },
  6,
)
const plainParameterFields: MessageTable = {
  required: [1, boolField],
  in: [2, stringField],
  description: [3, stringField],
  name: [4, stringField],
}
const queryParameter = tableMessage(
  { ...plainParameterFields, type: [6, stringField], uniqueItems: [20, boolField] },
  23,
)
const pathParameter = tableMessage(
  { ...plainParameterFields, type: [5, stringField], uniqueItems: [19, boolField] },
  22,
)

const parameterV2: WriteMessage = (writer, value) => {
  const place = isJsonObject(value) ? value['in'] : ''
  if (place === 'body') return messageField(() => bodyParameter)(writer, 1, value)
  const inner =
    place === 'path'
      ? onlyField(
          4,
          messageField(() => pathParameter),
        )
      : onlyField(
          3,
          messageField(() => queryParameter),
        )
  messageField(() => inner)(writer, 2, value)
}

const parametersV2 = repeatedField(
  messageField(() => (writer, value) => {
    if (isReference(value)) messageField(() => referenceMessage)(writer, 2, value)
    else messageField(() => parameterV2)(writer, 1, value)
  }),
)

const responseV2 = tableMessage(
  {
    description: [1, stringField],
    schema: [
      2,
      messageField(() =>
        onlyField(
          1,
          messageField(() => schemaV2),
        ),
      ),
    ],
  },
  5,
)

const operationV2 = tableMessage(
  {
    tags: [1, repeatedField(stringField)],
    summary: [2, stringField],
    description: [3, stringField],
    operationId: [5, stringField],
    produces: [6, repeatedField(stringField)],
    consumes: [7, repeatedField(stringField)],
    parameters: [8, parametersV2],
    responses: [
      9,
      mapField(() =>
        onlyField(
          1,
          messageField(() => responseV2),
        ),
      ),
    ],
    schemes: [10, repeatedField(stringField)],
    deprecated: [11, boolField],
  },
  13,
)
const operationFieldV2 = messageField(() => operationV2)

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

const apiKey = tableMessage(
  { type: [1, stringField], name: [2, stringField], in: [3, stringField], description: [4, stringField] },
  5,
)

export const documentV2 = tableMessage(
  {
    swagger: [1, stringField],
    info: [2, messageField(() => infoMessage(2))],
    paths: [8, mapField(() => pathItemV2, 2)],
    definitions: [9, mapField(() => schemaV2)],
    parameters: [10, mapField(() => parameterV2)],
    security: [12, securityRequirements],
    securityDefinitions: [
      13,
      mapField(() =>
        onlyField(
          2,
          messageField(() => apiKey),
        ),
      ),
    ],
  },
  16,
)

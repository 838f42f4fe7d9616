/** The messages of an OpenAPI v2 document. */

import { isJsonObject } from '../../api/json.ts'
import {
  any,
  bool,
  bounds,
  info,
  isReference,
  map,
  message,
  only,
  reference,
  repeated,
  securityRequirements,
  string,
  type Table,
  tableMessage,
  type WriteMessage,
} from './gnostic-fields.ts'

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

export const documentV2 = tableMessage(
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

/** The messages of an OpenAPI v3 document. */

import type { JsonValue } from '../../api/json.ts'
import {
  bool,
  bounds,
  double,
  info,
  isReference,
  map,
  mapContent,
  message,
  only,
  reference,
  repeated,
  securityRequirements,
  string,
  tableMessage,
  type WriteMessage,
  type Writer,
} from './gnostic-fields.ts'

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

export const documentV3 = tableMessage(
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

/** Operations as OpenAPI version 3 writes them: bodies and answers by media type. */
import { type JsonObject, setKey } from '../../api/json.ts'
import type { ContentNames, DocumentPart, PathWriter, ProducedTypes } from './document-parts.ts'
import { answerTypes, type Content, type OpenApiOperation, type PathItem } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { statusWords } from './status-words.ts'
import type { TypeDefinitions } from './type-definitions.ts'

export class VersionThreePaths implements PathWriter {
  readonly #definitions: TypeDefinitions
  readonly #paths: JsonObject = {}

  constructor(definitions: TypeDefinitions) {
    this.#definitions = definitions
  }

  add(item: PathItem, names: ContentNames, produced: ProducedTypes): void {
    const result: JsonObject = {}
    for (const operation of item.operations) result[operation.method] = this.#operation(operation, names, produced)
    if (item.parameters.length > 0) result['parameters'] = item.parameters.map(toParameter)
    setKey(this.#paths, item.path, result)
  }

  finish(): Pick<DocumentPart, 'paths' | 'parameters'> {
    return { paths: this.#paths, parameters: new Map() }
  }

  #operation(operation: OpenApiOperation, names: ContentNames, produced: ProducedTypes): JsonObject {
    const { parameters, body, action, kind } = operation
    const consumed = operation.isPatch ? produced.patches : produced.bodies
    return {
      tags: [operation.tag],
      description: operation.description,
      operationId: operation.id,
      ...(parameters.length === 0 ? {} : { parameters: parameters.map(toParameter) }),
      ...(body === undefined
        ? {}
        : {
            requestBody: {
              content: contentByType(consumed, this.#schema(body, names)),
              ...(operation.bodyRequired ? { required: true } : {}),
            },
          }),
      responses: this.#responses(operation, names, produced),
      ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
      ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
    }
  }

  #responses(operation: OpenApiOperation, names: ContentNames, produced: ProducedTypes): JsonObject {
    const { answer, statuses } = operation
    const types = answerTypes(operation, produced)
    const responses: JsonObject = {}
    for (const status of statuses) {
      responses[String(status)] = {
        description: statusWords(status),
        content: contentByType(types, this.#schema(answer, names)),
      }
    }
    responses['401'] = { description: statusWords(401) }
    return responses
  }

  #schema(content: Content, names: ContentNames): JsonObject {
    if ('type' in content) return this.#definitions.reference(content.type)
    switch (content.of) {
      case 'kind':
        return names.kind
      case 'list':
        return names.list
      case 'text':
        return { type: 'string' }
    }
  }
}

function contentByType(types: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function toParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }
}

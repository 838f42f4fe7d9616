/** Operations as OpenAPI version 2 writes them. Parameters that many operations share are defined once and referred to. */

import { createHash } from 'node:crypto'
import { type JsonObject, setKey } from '../../api/json.ts'
import { memoize } from '../../lib/memo.ts'
import type { ContentNames, DocumentPart, PathWriter, ProducedTypes } from './document-parts.ts'
import { answerTypes, type Content, type OpenApiOperation, type PathItem } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { statusWords } from './status-words.ts'
import type { TypeDefinitions } from './type-definitions.ts'

export class VersionTwoPaths implements PathWriter {
  readonly #definitions: TypeDefinitions
  readonly #paths: JsonObject = {}
  readonly #parameters = new Map<string, JsonObject>()

  constructor(definitions: TypeDefinitions) {
    this.#definitions = definitions
  }

  add(item: PathItem, names: ContentNames, produced: ProducedTypes): void {
    const result: JsonObject = {}
    for (const operation of item.operations) result[operation.method] = this.#operation(operation, names, produced)
    if (item.parameters.length > 0) result['parameters'] = item.parameters.map(this.#reference)
    setKey(this.#paths, item.path, result)
  }

  finish(): Pick<DocumentPart, 'paths' | 'parameters'> {
    return { paths: this.#paths, parameters: this.#parameters }
  }

  #reference = (parameter: Parameter): JsonObject => {
    const key = parameterKey(parameter)
    if (!this.#parameters.has(key)) this.#parameters.set(key, toParameter(parameter))
    return { $ref: `#/parameters/${key}` }
  }

  #operation(operation: OpenApiOperation, names: ContentNames, produced: ProducedTypes): JsonObject {
    const { body, action, kind } = operation
    const parameters = [
      ...(body === undefined
        ? []
        : [
            {
              name: 'body',
              in: 'body',
              ...(operation.bodyRequired ? { required: true } : {}),
              schema: this.#schema(body, names),
            },
          ]),
      ...operation.parameters.map(this.#reference),
    ]
    return {
      description: operation.description,
      ...(operation.takesNothing ? {} : { consumes: operation.isPatch ? [...produced.patches] : [...produced.bodies] }),
      produces: answerTypes(operation, produced),
      schemes: ['https'],
      tags: [operation.tag],
      operationId: operation.id,
      ...(parameters.length === 0 ? {} : { parameters }),
      responses: this.#responses(operation, names),
      ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
      ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
    }
  }

  #responses({ answer, statuses }: OpenApiOperation, names: ContentNames): JsonObject {
    const responses: JsonObject = {}
    for (const status of statuses) {
      responses[String(status)] = { description: statusWords(status), schema: this.#schema(answer, names) }
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

/** A short name that is the same whenever the parameter is. */
const parameterKey = memoize('parameter-key', (parameter: Parameter): string => {
  const digest = createHash('sha256').update(JSON.stringify(parameter)).digest('base64url').slice(0, 8)
  return `${parameter.name}-${digest}`
})

function toParameter({ name, in: place, type, description }: Parameter): JsonObject {
  return { name, in: place, description, type, uniqueItems: true, ...(place === 'path' ? { required: true } : {}) }
}

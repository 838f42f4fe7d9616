/** An OpenAPI document of version 3 from the same in version 2: bodies, answers and types have other places there. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../../api/json.ts'
import type { VersionTwoPart } from './version-two-part.ts'

export function versionThreeOf({ paths, definitions, parameters }: VersionTwoPart): JsonObject {
  const shared = mapValues(parameters, (parameter) => (isJsonObject(parameter) ? parameter : {}))
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: mapValues(paths, (item) => pathItem(moved(item), shared)),
    components: { schemas: mapValues(definitions, moved) },
  }
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])

function pathItem(item: JsonValue, shared: JsonObject): JsonValue {
  if (!isJsonObject(item)) return item
  return mapValues(item, (member, name) => {
    if (name === 'parameters') return parameterList(member, shared).map(parameterOf)
    return methods.has(name) && isJsonObject(member) ? operation(member, shared) : member
  })
}

function operation({ consumes, produces, ...given }: JsonObject, shared: JsonObject): JsonObject {
  const all = parameterList(given['parameters'], shared)
  const body = all.find((parameter) => parameter['in'] === 'body')
  const others = all.filter((parameter) => parameter !== body)
  const answers = isJsonObject(given['responses']) ? given['responses'] : {}
  return {
    ...given,
    ...(given['parameters'] === undefined ? {} : { parameters: others.map(parameterOf) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            ...(body['description'] === undefined ? {} : { description: body['description'] }),
            ...(body['required'] === true ? { required: true } : {}),
            content: contentOf(consumes, body['schema']),
          },
        }),
    responses: mapValues(answers, (answer) => {
      if (!isJsonObject(answer)) return answer
      const { schema, ...rest } = answer
      return schema === undefined ? rest : { ...rest, content: contentOf(produces, schema) }
    }),
  }
}

function contentOf(types: JsonValue | undefined, schema: JsonValue | undefined): JsonObject {
  const names = Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
  const all = names.length === 0 ? ['application/json'] : names
  return Object.fromEntries(all.map((type) => [type, { schema: schema ?? {} }]))
}

/** Parameters by value: those that are shared stand where they are used. */
function parameterList(given: JsonValue | undefined, shared: JsonObject): JsonObject[] {
  if (!Array.isArray(given)) return []
  return given.filter(isJsonObject).map((parameter) => {
    const name = String(parameter['$ref'] ?? '').replace('#/parameters/', '')
    const found = ownValue(shared, name)
    return isJsonObject(found) ? found : parameter
  })
}

const schemaKeys = new Set([
  'type',
  'format',
  'items',
  'enum',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'uniqueItems',
])

function parameterOf(parameter: JsonObject): JsonObject {
  const schema: JsonObject = {}
  const rest: JsonObject = {}
  for (const [key, value] of Object.entries(parameter)) {
    setKey(schemaKeys.has(key) ? schema : rest, key, value)
  }
  return { ...rest, schema }
}

/** With references to where types are in version 3. */
function moved(value: JsonValue): JsonValue {
  const text = JSON.stringify(value).replaceAll('"$ref":"#/definitions/', '"$ref":"#/components/schemas/')
  return JSON.parse(text) as JsonValue
}

function mapValues(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value ?? null, key)]))
}

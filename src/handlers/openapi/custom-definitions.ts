/**
 * Custom types as OpenAPI schemas. Version 3 shows what the author of the definition wrote; version 2 cannot say all of
 * it, and says less rather than something wrong, since old clients validate by it.
 */
import { formatGroupVersion, type GroupVersionKind } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import type { ResourceVersion } from '../../registry/resource-definition.ts'
import { customName } from './definition-names.ts'
import { fieldDescription } from './descriptions.ts'
import type { Dialect, TypeDefinitions } from './type-definitions.ts'

/** Defines a custom kind and its list; returns their names in the document. */
export function defineCustom(
  definitions: TypeDefinitions,
  dialect: Dialect,
  version: ResourceVersion,
  listKind: string,
): { name: string; listName: string } {
  const name = customName(version.group, version.version, version.kind)
  const listName = customName(version.group, version.version, listKind)
  definitions.define(name, { ...customObject(definitions, dialect, version), ...kindMark(version) })
  definitions.define(listName, {
    description: `Objects of the kind ${version.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields(),
      metadata: definitions.describedReference('meta.v1.ListMeta', { description: 'The version of the list.' }),
      items: {
        description: 'The objects of the list.',
        type: 'array',
        items: definitions.referenceTo(name),
      },
    },
    ...kindMark({ ...version, kind: listKind }),
  })
  return { name, listName }
}

const kindMark = ({ group, version, kind }: GroupVersionKind): JsonObject => ({
  'x-kubernetes-group-version-kind': [{ group, version, kind }],
})

function customObject(definitions: TypeDefinitions, dialect: Dialect, version: ResourceVersion): JsonObject {
  const { openApi } = version
  const written = openApi === undefined ? { type: 'object' } : restated(openApi, dialect)
  // A type that says nothing about its fields takes any: naming the three would make clients refuse the others.
  const isOpen =
    !isJsonObject(written['properties']) && (openApi === undefined || isPreserving(openApi) || dialect === 'v2')
  if (isOpen) return { description: describe(version), ...written }
  return {
    description: describe(version),
    ...written,
    properties: {
      ...typeFields(),
      metadata: definitions.describedReference('meta.v1.ObjectMeta', { description: 'Name, labels and the like.' }),
      ...withoutTypeFields(written['properties']),
    },
  }
}

const isPreserving = (props: JsonObject): boolean => props['x-kubernetes-preserve-unknown-fields'] === true

const describe = (version: ResourceVersion): string =>
  `${version.kind}, a custom kind of ${formatGroupVersion(version)}.`

function typeFields(): JsonObject {
  const field = (name: string) =>
    ({
      name,
      schema: { kind: 'string' },
      required: false,
      pointer: false,
      emit: false,
    }) as const
  return {
    apiVersion: { description: fieldDescription('', field('apiVersion')), type: 'string' },
    kind: { description: fieldDescription('', field('kind')), type: 'string' },
  }
}

function withoutTypeFields(properties: JsonValue | undefined): JsonObject {
  if (!isJsonObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata'),
  )
}

const restated = (props: JsonObject, dialect: Dialect): JsonObject =>
  dialect === 'v3' ? toVersion3(props) : toVersion2(props)

/** What is a number or a text says so in words that every reader of OpenAPI knows. */
function toVersion3(props: JsonObject): JsonObject {
  const result = nested(props, toVersion3)
  const isEither = props['x-kubernetes-int-or-string'] === true && props['anyOf'] === undefined
  return isEither && props['allOf'] === undefined
    ? { ...result, anyOf: [{ type: 'integer' }, { type: 'string' }] }
    : result
}

/** The same with another schema for every field, element and value. */
function nested(props: JsonObject, change: (props: JsonObject) => JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(props)) {
    if (value !== undefined) setKey(result, key, changed(key, value, change))
  }
  return result
}

/** What version 2 cannot say. */
const onlyInVersion3: ReadonlySet<string> = new Set([
  'default',
  'nullable',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'example',
  'externalDocs',
  'x-kubernetes-validations',
])

function toVersion2(props: JsonObject): JsonObject {
  const result: JsonObject = {}
  // An old client would refuse null, unknown fields, or a number here: it is told nothing about the value.
  const silent = props['nullable'] === true || isPreserving(props) || props['x-kubernetes-int-or-string'] === true
  for (const [key, value] of Object.entries(props)) {
    if (onlyInVersion3.has(key) || value === undefined) continue
    if (silent && (key === 'properties' || key === 'items' || key === 'type' || key === 'additionalProperties'))
      continue
    setKey(result, key, changed(key, value, toVersion2))
  }
  return result
}

function changed(key: string, value: JsonValue, change: (props: JsonObject) => JsonObject): JsonValue {
  if (!isJsonObject(value)) return value
  if (key === 'items' || key === 'additionalProperties') return change(value)
  if (key !== 'properties') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isJsonObject(inner) ? change(inner) : inner]),
  )
}

/**
 * Custom types as OpenAPI schemas. Version 3 shows what the author of the definition wrote; version 2 cannot say all of
 * it, and says less rather than something wrong, since old clients validate by it.
 */
import type { GroupVersionKind } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { describedShared } from '../../catalog/descriptions.ts'
import type { ResourceVersion } from '../../registry/resource-definition.ts'
import { customName } from './definition-names.ts'
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
  const selectable = selectableMark(version)
  // The reference defines it even where nothing refers to it: in a document of types that name no fields.
  definitions.reference('meta.v1.ObjectMeta')
  definitions.define(name, { ...customObject(definitions, dialect, version), ...kindMark(version), ...selectable })
  definitions.define(listName, {
    description: describedShared('*List', version.kind),
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields(),
      metadata: definitions.describedReference('meta.v1.ListMeta', { description: describedShared('*List.metadata') }),
      items: {
        description: describedShared('*List.items', version.kind),
        type: 'array',
        items: definitions.referenceTo(name),
      },
    },
    ...kindMark({ ...version, kind: listKind }),
    ...selectable,
  })
  return { name, listName }
}

const kindMark = ({ group, version, kind }: GroupVersionKind): JsonObject => ({
  'x-kubernetes-group-version-kind': [{ group, version, kind }],
})

/** Mirrors apiextensions-apiserver controller/openapi/builder: buildKubeNative. */
function customObject(definitions: TypeDefinitions, dialect: Dialect, { openApi }: ResourceVersion): JsonObject {
  // Old clients refuse whatever is not named: a type that takes any field names none.
  if (openApi === undefined || (dialect === 'v2' && isPreserving(openApi))) return { type: 'object' }
  const written = restated(openApi, dialect, definitions)
  return {
    ...written,
    properties: { ...objectFields(definitions), ...withoutTypeFields(written['properties']) },
  }
}

const isPreserving = (props: JsonObject): boolean => props['x-kubernetes-preserve-unknown-fields'] === true

/** The fields that every object has. */
const objectFields = (definitions: TypeDefinitions): JsonObject => ({
  ...typeFields(),
  metadata: definitions.describedReference('meta.v1.ObjectMeta', { description: describedShared('*.metadata') }),
})

/** What clients may select by, on the kind and on its list. */
function selectableMark({ fieldLabels }: ResourceVersion): JsonObject {
  const paths = [...fieldLabels.keys()].filter((path) => !path.startsWith('metadata.'))
  return paths.length === 0 ? {} : { 'x-kubernetes-selectable-fields': paths.map((fieldPath) => ({ fieldPath })) }
}

const typeFields = (): JsonObject => ({
  apiVersion: { description: describedShared('*.apiVersion'), type: 'string' },
  kind: { description: describedShared('*.kind'), type: 'string' },
})

function withoutTypeFields(properties: JsonValue | undefined): JsonObject {
  if (!isJsonObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata'),
  )
}

function restated(props: JsonObject, dialect: Dialect, definitions: TypeDefinitions): JsonObject {
  const restate = (inner: JsonObject): JsonObject => {
    const result = dialect === 'v3' ? toVersion3(inner, restate) : toVersion2(inner, restate)
    const isEmbedded = inner['x-kubernetes-embedded-resource'] === true && inner !== props
    return isEmbedded && !(dialect === 'v2' && isPreserving(inner)) ? asEmbedded(result, definitions) : result
  }
  return restate(props)
}

/** An object in an object says what it is, too. */
function asEmbedded(props: JsonObject, definitions: TypeDefinitions): JsonObject {
  const required = Array.isArray(props['required']) ? props['required'] : []
  const wanted = ['kind', 'apiVersion'].filter((name) => !required.includes(name))
  return {
    ...props,
    properties: { ...(isJsonObject(props['properties']) ? props['properties'] : {}), ...objectFields(definitions) },
    required: [...required, ...wanted],
  }
}

type Restate = (props: JsonObject) => JsonObject

/** What structural schemas do not keep. */
const neverShown: ReadonlySet<string> = new Set(['example', 'externalDocs'])

/** What is a number or a text says so in words that every reader of OpenAPI knows. */
function toVersion3(props: JsonObject, restate: Restate): JsonObject {
  const result = nested(props, restate)
  const isEither = props['x-kubernetes-int-or-string'] === true && props['anyOf'] === undefined
  return isEither && props['allOf'] === undefined
    ? { ...result, anyOf: [{ type: 'integer' }, { type: 'string' }] }
    : result
}

/** The same with another schema for every field, element and value. */
function nested(props: JsonObject, change: Restate): JsonObject {
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(props)) {
    if (value !== undefined && !neverShown.has(key)) setKey(result, key, changed(key, value, change))
  }
  return result
}

/** What version 2 cannot say. */
const onlyInVersion3: ReadonlySet<string> = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'allOf', 'not'])

/** Mirrors apiextensions-apiserver controller/openapi/v2: ToStructuralOpenAPIV2. */
function toVersion2(props: JsonObject, restate: Restate): JsonObject {
  const result: JsonObject = {}
  // An old client would refuse null, unknown fields, or a number here: the value is left open.
  const silent = props['nullable'] === true || isPreserving(props) || props['x-kubernetes-int-or-string'] === true
  for (const [key, value] of Object.entries(props)) {
    if (onlyInVersion3.has(key) || neverShown.has(key) || value === undefined) continue
    if (silent && (key === 'properties' || key === 'items' || key === 'type' || key === 'additionalProperties'))
      continue
    setKey(result, key, key === 'required' ? neverNull(value, props) : changed(key, value, restate))
  }
  if (Array.isArray(result['required']) && result['required'].length === 0) delete result['required']
  return result
}

/** Required fields but for those that may be null, which an old client would miss. */
function neverNull(required: JsonValue, { properties }: JsonObject): JsonValue {
  if (!Array.isArray(required) || !isJsonObject(properties)) return required
  return required.filter((name) => {
    const field = properties[String(name)]
    return !(isJsonObject(field) && field['nullable'] === true)
  })
}

function changed(key: string, value: JsonValue, change: Restate): JsonValue {
  if (!isJsonObject(value)) return value
  if (key === 'items' || key === 'additionalProperties') return change(value)
  if (key !== 'properties') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isJsonObject(inner) ? change(inner) : inner]),
  )
}

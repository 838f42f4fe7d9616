/**
 * A `Schema` from the `openAPIV3Schema` of a custom resource definition. The definition has been validated (its schema
 * is structural); fields are read lazily, on first access, so an unused definition costs its JSON and no more.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import type {
  AnySchema,
  Constraints,
  Field,
  ListSchema,
  ListTopology,
  MapSchema,
  ObjectSchema,
  ScalarKind,
  ScalarSchema,
  Schema,
} from './schema.ts'

/** `props` is a `JSONSchemaProps` as it is in the definition; `release` is that of the server, unless it is the default one. */
export function schemaFromOpenApi(props: JsonObject, release?: number): Schema {
  if (props['x-kubernetes-int-or-string'] === true) return customScalar(props, 'int-or-string')
  switch (props['type']) {
    case 'object':
      return isMap(props) ? customMap(props, release) : customObject(props, release)
    case 'array':
      return customList(props, release)
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return customScalar(props, props['type'])
    default:
      return isJsonObject(props['properties']) ? customObject(props, release) : customAny(props)
  }
}

/** What has fields of its own and takes any others is an object all the same. */
function isMap({ additionalProperties, properties }: JsonObject): boolean {
  return isJsonObject(additionalProperties) || (additionalProperties === true && !isJsonObject(properties))
}

interface CustomNode {
  readonly nullable: boolean
  readonly unknownType?: string
  readonly default?: JsonValue
  readonly constraints?: Constraints
}

const openApiTypes: ReadonlySet<string> = new Set(['', 'object', 'array', 'string', 'integer', 'number', 'boolean'])

function customNode(props: JsonObject): CustomNode {
  const constraints = readConstraints(props)
  const { type } = props
  return {
    nullable: props['nullable'] === true,
    ...(props['default'] === undefined ? {} : { default: props['default'] }),
    ...(constraints === undefined ? {} : { constraints }),
    ...(typeof type === 'string' && !openApiTypes.has(type) ? { unknownType: type } : {}),
  }
}

const isAtomic = (props: JsonObject): boolean => props['x-kubernetes-map-type'] === 'atomic'
const isEmbedded = (props: JsonObject): boolean => props['x-kubernetes-embedded-resource'] === true

function customObject(props: JsonObject, release: number | undefined): ObjectSchema {
  let fields: ReadonlyMap<string, Field> | undefined
  return {
    kind: 'object',
    name: undefined,
    ...customNode(props),
    ...(release === undefined ? {} : { release }),
    atomic: isAtomic(props),
    preserveUnknown: props['x-kubernetes-preserve-unknown-fields'] === true || props['additionalProperties'] === true,
    embedded: isEmbedded(props),
    ...(props['type'] === undefined ? { untyped: true } : {}),
    ...(props['additionalProperties'] === false ? { refusesOthers: true } : {}),
    get fields() {
      fields ??= readFields(props, release)
      return fields
    },
  }
}

function customMap(props: JsonObject, release: number | undefined): MapSchema {
  const given = props['additionalProperties']
  let values: Schema | undefined
  return {
    kind: 'map',
    ...customNode(props),
    atomic: isAtomic(props),
    declared: props['x-kubernetes-map-type'] !== undefined,
    get values() {
      values ??= isJsonObject(given) ? schemaFromOpenApi(given, release) : { kind: 'any', closed: true }
      return values
    },
  }
}

function customList(props: JsonObject, release: number | undefined): ListSchema {
  const given = props['items']
  let items: Schema | undefined
  return {
    kind: 'list',
    ...customNode(props),
    topology: (props['x-kubernetes-list-type'] as ListTopology | undefined) ?? 'atomic',
    keys: (props['x-kubernetes-list-map-keys'] as string[] | undefined) ?? [],
    declared: props['x-kubernetes-list-type'] !== undefined,
    get items() {
      items ??= isJsonObject(given) ? schemaFromOpenApi(given, release) : { kind: 'any' }
      return items
    },
  }
}

function customScalar(props: JsonObject, kind: ScalarKind): ScalarSchema {
  const { format } = props
  return { kind, ...customNode(props), ...(typeof format === 'string' && format !== '' ? { format } : {}) }
}

function customAny(props: JsonObject): AnySchema {
  const node = customNode(props)
  const { format } = props
  const hasFormat = node.unknownType !== undefined && typeof format === 'string'
  return { kind: 'any', ...node, embedded: isEmbedded(props), ...(hasFormat ? { format } : {}) }
}

function readFields(props: JsonObject, release: number | undefined): ReadonlyMap<string, Field> {
  const properties = isJsonObject(props['properties']) ? props['properties'] : {}
  const required = new Set(props['required'] as string[] | undefined)
  const fields = new Map<string, Field>()
  for (const name of Object.keys(properties)) {
    const inner = ownValue(properties, name)
    if (isJsonObject(inner))
      fields.set(name, customField(name, { props: inner, required: required.has(name), release }))
  }
  return fields
}

interface FieldSource {
  readonly props: JsonObject
  readonly required: boolean
  readonly release: number | undefined
}

function customField(name: string, { props, required, release }: FieldSource): Field {
  let schema: Schema | undefined
  return {
    name,
    required,
    pointer: true,
    emit: false,
    get schema() {
      schema ??= schemaFromOpenApi(props, release)
      return schema
    },
  }
}

const constraintKeys = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'enum',
  'required',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
] as const

/** The words of OpenAPI are the model's own; only the expressions have another name. Null is none, as Go decodes it. */
function readConstraints(props: JsonObject): Constraints | undefined {
  const entries: [string, unknown][] = []
  for (const key of constraintKeys) if (props[key] !== undefined && props[key] !== null) entries.push([key, props[key]])
  const rules = props['x-kubernetes-validations']
  if (rules !== undefined && rules !== null) entries.push(['rules', rules])
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Constraints)
}

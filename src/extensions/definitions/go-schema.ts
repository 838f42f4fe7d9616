/**
 * Schemas, rules and versions as the reference's messages print them: Go's `%#v` of its own types. What it points to is
 * printed as an address, which says nothing; ours is always the same.
 */
import { quote } from '../../api/field-error.ts'
import { goStrings, goValue } from '../../api/go-value.ts'
import type { JsonValue } from '../../api/json.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  ValidationRule,
} from '../../catalog/types/apiextensions-v1.ts'
import type { Shared } from './definition.ts'

type Print = (value: unknown) => string

interface SchemaField {
  readonly name: string
  readonly key: keyof JSONSchemaProps
  readonly print: Print
}

const pointer = (type: string, value: unknown): string => `(*${type})(${value === undefined ? 'nil' : '0x0'})`

const list =
  (type: string, print: (item: never) => string): Print =>
  (value) =>
    value === undefined || value === null ? `${type}(nil)` : `${type}{${(value as never[]).map(print).join(', ')}}`

const mapping =
  (type: string, print: (item: never) => string): Print =>
  (value) => {
    if (value === undefined) return `${type}(nil)`
    const members = value as Readonly<Record<string, never>>
    const keys = Object.keys(members).sort()
    return `${type}{${keys.map((key) => `${quote(key)}:${print(members[key] as never)}`).join(', ')}}`
  }

const text: Print = (value) => quote((value as string | undefined) ?? '')
const flag: Print = (value) => String(value === true)
const to =
  (type: string): Print =>
  (value) =>
    pointer(type, value ?? undefined)

const jsonItem = (value: JsonValue): string => (value === null ? 'apiextensions.JSON(nil)' : goValue(value))
const schemas = list('[]apiextensions.JSONSchemaProps', goSchema)

const dependency = (value: JSONSchemaProps | string[] | null): string => {
  const isList = Array.isArray(value)
  const schema = pointer('apiextensions.JSONSchemaProps', isList || value === null ? undefined : value)
  return `apiextensions.JSONSchemaPropsOrStringArray{Schema:${schema}, Property:${goStrings(isList ? value : null)}}`
}

const fields: readonly SchemaField[] = [
  { name: 'ID', key: 'id', print: text },
  { name: 'Schema', key: '$schema', print: text },
  { name: 'Ref', key: '$ref', print: to('string') },
  { name: 'Description', key: 'description', print: text },
  { name: 'Type', key: 'type', print: text },
  { name: 'Nullable', key: 'nullable', print: flag },
  { name: 'Format', key: 'format', print: text },
  { name: 'Title', key: 'title', print: text },
  { name: 'Default', key: 'default', print: to('apiextensions.JSON') },
  { name: 'Maximum', key: 'maximum', print: to('float64') },
  { name: 'ExclusiveMaximum', key: 'exclusiveMaximum', print: flag },
  { name: 'Minimum', key: 'minimum', print: to('float64') },
  { name: 'ExclusiveMinimum', key: 'exclusiveMinimum', print: flag },
  { name: 'MaxLength', key: 'maxLength', print: to('int64') },
  { name: 'MinLength', key: 'minLength', print: to('int64') },
  { name: 'Pattern', key: 'pattern', print: text },
  { name: 'MaxItems', key: 'maxItems', print: to('int64') },
  { name: 'MinItems', key: 'minItems', print: to('int64') },
  { name: 'UniqueItems', key: 'uniqueItems', print: flag },
  { name: 'MultipleOf', key: 'multipleOf', print: to('float64') },
  { name: 'Enum', key: 'enum', print: list('[]apiextensions.JSON', jsonItem) },
  { name: 'MaxProperties', key: 'maxProperties', print: to('int64') },
  { name: 'MinProperties', key: 'minProperties', print: to('int64') },
  { name: 'Required', key: 'required', print: list('[]string', quote) },
  { name: 'Items', key: 'items', print: to('apiextensions.JSONSchemaPropsOrArray') },
  { name: 'AllOf', key: 'allOf', print: schemas },
  { name: 'OneOf', key: 'oneOf', print: schemas },
  { name: 'AnyOf', key: 'anyOf', print: schemas },
  { name: 'Not', key: 'not', print: to('apiextensions.JSONSchemaProps') },
  { name: 'Properties', key: 'properties', print: mapping('map[string]apiextensions.JSONSchemaProps', goSchema) },
  { name: 'AdditionalProperties', key: 'additionalProperties', print: to('apiextensions.JSONSchemaPropsOrBool') },
  {
    name: 'PatternProperties',
    key: 'patternProperties',
    print: mapping('map[string]apiextensions.JSONSchemaProps', goSchema),
  },
  { name: 'Dependencies', key: 'dependencies', print: mapping('apiextensions.JSONSchemaDependencies', dependency) },
  { name: 'AdditionalItems', key: 'additionalItems', print: to('apiextensions.JSONSchemaPropsOrBool') },
  { name: 'Definitions', key: 'definitions', print: mapping('apiextensions.JSONSchemaDefinitions', goSchema) },
  { name: 'ExternalDocs', key: 'externalDocs', print: to('apiextensions.ExternalDocumentation') },
  { name: 'Example', key: 'example', print: to('apiextensions.JSON') },
  { name: 'XPreserveUnknownFields', key: 'x-kubernetes-preserve-unknown-fields', print: to('bool') },
  { name: 'XEmbeddedResource', key: 'x-kubernetes-embedded-resource', print: flag },
  { name: 'XIntOrString', key: 'x-kubernetes-int-or-string', print: flag },
  { name: 'XListMapKeys', key: 'x-kubernetes-list-map-keys', print: list('[]string', quote) },
  { name: 'XListType', key: 'x-kubernetes-list-type', print: to('string') },
  { name: 'XMapType', key: 'x-kubernetes-map-type', print: to('string') },
  { name: 'XValidations', key: 'x-kubernetes-validations', print: list('apiextensions.ValidationRules', goRule) },
]

export function goSchema(schema: JSONSchemaProps): string {
  return `apiextensions.JSONSchemaProps{${fields.map(({ name, key, print }) => `${name}:${print(schema[key])}`).join(', ')}}`
}

/** The keywords that say something, in the reference's order and by its names for them. */
export function keywordsOf(schema: JSONSchemaProps): { readonly name: string; readonly key: string }[] {
  return fields.filter(({ key, print }) => {
    const value = schema[key]
    return value !== undefined && value !== null && !((print === text || print === flag) && !value)
  })
}

/** The items of a list that has not one schema for all of them. */
export const goItems = (items: readonly JSONSchemaProps[] | null): string =>
  `apiextensions.JSONSchemaPropsOrArray{Schema:${pointer('apiextensions.JSONSchemaProps', undefined)}, JSONSchemas:${schemas(items)}}`

export function goRule(rule: ValidationRule): string {
  const parts = [
    `Rule:${text(rule.rule)}`,
    `Message:${text(rule.message)}`,
    `MessageExpression:${text(rule.messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', rule.reason)}`,
    `FieldPath:${text(rule.fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', rule.optionalOldSelf)}`,
  ]
  return `apiextensions.ValidationRule{${parts.join(', ')}}`
}

const columns = list('[]apiextensions.CustomResourceColumnDefinition', (column: CustomResourceColumnDefinition) => {
  const { name, type, format, description, priority = 0, jsonPath } = column
  const texts = `Name:${text(name)}, Type:${text(type)}, Format:${text(format)}, Description:${text(description)}`
  return `apiextensions.CustomResourceColumnDefinition{${texts}, Priority:${priority}, JSONPath:${text(jsonPath)}}`
})

const selectable = list(
  '[]apiextensions.SelectableField',
  ({ jsonPath }: { jsonPath?: string }) => `apiextensions.SelectableField{JSONPath:${text(jsonPath)}}`,
)

export const goVersions = list(
  '[]apiextensions.CustomResourceDefinitionVersion',
  (version: Shared & CustomResourceDefinitionVersion) => {
    const parts = [
      `Name:${text(version.name)}`,
      `Served:${flag(version.served)}`,
      `Storage:${flag(version.storage)}`,
      `Deprecated:${flag(version.deprecated)}`,
      `DeprecationWarning:${pointer('string', version.deprecationWarning)}`,
      `Schema:${pointer('apiextensions.CustomResourceValidation', version.schema)}`,
      `Subresources:${pointer('apiextensions.CustomResourceSubresources', version.subresources)}`,
      `AdditionalPrinterColumns:${columns(version.additionalPrinterColumns)}`,
      `SelectableFields:${selectable(version.selectableFields)}`,
    ]
    return `apiextensions.CustomResourceDefinitionVersion{${parts.join(', ')}}`
  },
)

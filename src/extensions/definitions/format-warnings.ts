/**
 * Warnings about formats of texts that nothing checks. An update warns of those that the old definition did not have.
 * Mirrors apiextensions-apiserver/pkg/registry/customresourcedefinition: strategy.WarningsOnCreate, strategy.WarningsOnUpdate.
 */
import { quote } from '../../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { CustomResourceDefinitionSpec } from '../../catalog/types/apiextensions-v1.ts'

/** Without dashes. */
const known = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor ' +
    'byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
)

/** Keywords whose value is a schema or schemas, in a list or by name. */
const holders = 'items allOf anyOf oneOf not additionalProperties additionalItems'.split(' ')
const namedHolders = 'properties patternProperties definitions dependencies'.split(' ')

function unknownFormats(spec: CustomResourceDefinitionSpec): string[] {
  const found: string[] = []
  const visit = (schema: JsonObject): void => {
    const { type, format } = schema
    if (type === 'string' && typeof format === 'string' && format !== '' && !known.has(format.replaceAll('-', ''))) {
      found.push(format)
    }
    for (const holder of holders) visitAll(schema[holder], false)
    for (const holder of namedHolders) visitAll(schema[holder], true)
  }
  const visitAll = (held: JsonValue | undefined, isByName: boolean): void => {
    if (Array.isArray(held)) for (const each of held) visitAll(each as JsonValue, false)
    else if (isJsonObject(held)) {
      if (isByName) for (const each of Object.values(held)) visitAll(each as JsonValue, false)
      else visit(held)
    }
  }
  for (const version of spec.versions ?? []) visitAll(version.schema?.openAPIV3Schema as JsonValue | undefined, false)
  return found
}

/** Warnings beyond this many say no more. */
const maxWarnings = 100

export function formatWarnings(spec: CustomResourceDefinitionSpec, old?: CustomResourceDefinitionSpec): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old))
  const added = unknownFormats(spec).filter((format) => !before.has(format))
  return added.slice(0, maxWarnings).map((format) => `unrecognized format ${quote(format)}`)
}

/** What OpenAPI says about types and fields, and so what `kubectl explain` shows: the lines of facts/descriptions. */

import type { TypeCatalog } from '../../catalog/catalog.ts'
import { describedField, describedType } from '../../catalog/descriptions.ts'
import type { Field } from '../../schema/schema.ts'

export const typeDescription = (typeName: string, types: TypeCatalog): string => describedType(typeName, types) ?? ''

/** Fields that the reference does not describe: a reference to their type stands by itself, as clients know it. */
const bare: ReadonlySet<string> = new Set([
  'networking.v1.IngressRule.http',
  'networking.v1beta1.IngressRule.http',
  ...['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'].map(
    (name) => `apiextensions.v1.JSONSchemaProps.${name}`,
  ),
])

/** Empty where the field stands without one. */
export const fieldDescription = (typeName: string, { name }: Field, types: TypeCatalog): string =>
  bare.has(`${typeName}.${name}`) ? '' : (describedField(typeName, name, types) ?? '')

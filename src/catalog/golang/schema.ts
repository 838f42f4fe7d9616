/** Schemas, rules and versions of definitions as the reference's messages print and name them. */

import type { RenderedValue } from '../../api/golang/literal.ts'
import { fieldJson, type GoStruct, internalType } from '../internal-types.ts'
import type { JSONSchemaProps, ValidationRule } from '../types/apiextensions-v1.ts'
import { goDump } from './dump.ts'

const schemaType = 'apiextensions.JSONSchemaProps'

export const goSchema = (schema: JSONSchemaProps): RenderedValue => goDump(schemaType, schema)

/** The items of a list that has not one schema for all of them. */
export const goItems = (items: readonly JSONSchemaProps[] | null): RenderedValue =>
  goDump('apiextensions.JSONSchemaPropsOrArray', items)

export const goRule = (rule: ValidationRule): RenderedValue => goDump('apiextensions.ValidationRule', rule)

export const goVersions = (versions: unknown): RenderedValue =>
  goDump('[]apiextensions.CustomResourceDefinitionVersion', versions)

/** The keywords that say something, in the reference's order and by its names for them. */
export function keywordsOf(schema: JSONSchemaProps): { readonly name: string; readonly key: string }[] {
  const { fields } = internalType(schemaType) as GoStruct
  return fields.flatMap((field) => {
    const value = fieldJson(field, schema)
    const isPlain = field.type.kind === 'string' || field.type.kind === 'bool'
    const saysNothing = value === undefined || value === null || (isPlain && !value)
    return saysNothing || field.key === undefined ? [] : [{ name: field.name, key: field.key }]
  })
}

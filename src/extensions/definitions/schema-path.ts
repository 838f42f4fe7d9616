/** Paths through the schema of a definition. */
import { type JsonObject, ownValue } from '../../api/json.ts'
import type { JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { type FoundPath, followPath } from '../custom/field-path.ts'

export const findSchemaPath = (
  path: string,
  root: JSONSchemaProps,
  options: { readonly brackets?: boolean } = {},
): FoundPath<JSONSchemaProps> => followPath(path, root, step, options)

function step(schema: JSONSchemaProps, name: string): { to: JSONSchemaProps; isField: boolean } | undefined {
  const { properties, additionalProperties } = schema
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const found = ownValue(properties as JsonObject, name)
    return found === undefined ? undefined : { to: found as JSONSchemaProps, isField: true }
  }
  if (additionalProperties === undefined) return undefined
  return { to: typeof additionalProperties === 'boolean' ? {} : additionalProperties, isField: false }
}

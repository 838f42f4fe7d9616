/**
 * The paths of an apply configuration whose schema is atomic: setting one replaces its whole value. A writer that cannot see the rest of
 * such a value must not set a part of it.
 */
import type { JsonValue } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { isAtomicList, isAtomicMap, isList, isMap, isNamedField, memberSchema, rawSchema } from './topology.ts'

/** `.spec.tolerations`, `.spec.containers[0].command`; the values of maps are not looked at. Mirrors mutating/patch: findAtomics. */
export function atomicPaths(schema: Schema, value: JsonValue | undefined, path = ''): string[] {
  if (isMap(value) && (schema.kind === 'object' || schema.kind === 'map' || schema.kind === 'any')) {
    const below = Object.keys(value)
      .filter((name) => isNamedField(schema, name))
      .flatMap((name) => atomicPaths(memberSchema(schema, name)!, value[name], `${path}.${name}`))
    return isAtomicMap(schema) ? [path, ...below] : below
  }
  if (isList(value) && (schema.kind === 'list' || schema.kind === 'any')) {
    const items = schema.kind === 'list' ? schema.items : rawSchema
    const below = value.flatMap((item, i) => atomicPaths(items, item, `${path}[${i}]`))
    return isAtomicList(schema) ? [path, ...below] : below
  }
  return []
}

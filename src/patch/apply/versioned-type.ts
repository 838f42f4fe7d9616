/** What apply has to know about a kind, as the endpoint of a request sees it. */
import type { JsonObject } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import type { FieldFilter } from './field-filter.ts'
import type { FieldSet } from './field-set.ts'
import { anySchema, ListItemError } from './topology.ts'
import { formatErrors, isAboutDuplicates, validateConfig } from './validate-config.ts'

export interface VersionedType {
  /** The type in a version; undefined when the kind has no such version (any more). */
  schema(apiVersion: string): Schema | undefined
  /**
   * The object in another version that `schema` knows. It must bear objects with missing parts, such as one without
   * `metadata`: pruning converts what is left when everything that a manager owned is taken out.
   */
  convert(object: JsonObject, apiVersion: string): JsonObject
  /** What a write through this endpoint can own, by version. */
  filter?(apiVersion: string): FieldFilter | undefined
}

/** What one manager owns, in the version in which it came to own it. */
export interface VersionedSet {
  readonly set: FieldSet
  readonly apiVersion: string
  /** By apply, as opposed to update. */
  readonly applied: boolean
}

/** What is converted must have no duplicates, which are borne elsewhere. */
export class DuplicatesError extends ListItemError {}

/** Throws a `DuplicatesError`. */
export function fieldsInVersion(type: VersionedType, object: JsonObject, apiVersion: string): JsonObject {
  if (object['apiVersion'] === apiVersion) return object
  const converted = type.convert(object, apiVersion)
  const { errors } = validateConfig(type.schema(apiVersion) ?? anySchema, converted)
  const duplicates = errors.filter(isAboutDuplicates)
  if (duplicates.length > 0) throw new DuplicatesError(formatErrors(duplicates))
  return converted
}

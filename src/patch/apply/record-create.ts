/** Who owns what after a create: its sender, all that the new object says. */
import type { JsonObject } from '../../api/json.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { createdFields } from './created-fields.ts'
import type { FieldSet } from './field-set.ts'
import { encodeFieldsV1 } from './fields-v1.ts'
import { withoutNeverOwned } from './never-owned.ts'
import type { WriteBy } from './record-update.ts'
import { anySchema, ListItemError } from './topology.ts'
import type { VersionedType } from './versioned-type.ts'

/** The `managedFields` of a new object that brings none of its own; undefined when it has no owned fields. */
export function recordCreate(type: VersionedType, object: JsonObject, by: WriteBy): ManagedFieldsEntry[] | undefined {
  const set = ownedOf(type, object, by.apiVersion)
  if (set === undefined || set.isEmpty) return undefined
  const entry: ManagedFieldsEntry = {
    manager: by.manager || 'unknown',
    operation: 'Update',
    apiVersion: by.apiVersion,
    time: by.time,
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(set),
  }
  if (by.subresource) entry.subresource = by.subresource
  return [entry]
}

/** Undefined for an object whose fields cannot be identified. */
function ownedOf(type: VersionedType, object: JsonObject, apiVersion: string): FieldSet | undefined {
  try {
    const set = createdFields(type.schema(apiVersion) ?? anySchema, object)
    return withoutNeverOwned(type.filter?.(apiVersion)?.(set) ?? set)
  } catch (error) {
    if (error instanceof ListItemError) return undefined
    throw error
  }
}
